# SPDX-License-Identifier: MIT
# From `readelf -W --dyn-syms FILE` (or --symbols with -v symtab=1) what elf_lookup must say: one line
# "QUESTION VALUE SIZE TYPE BIND VERSION" or "QUESTION none" for each name, with and without a version.
function is_symbol() { return $1 ~ /^[0-9]+:$/ && $8 != "" }
function is_dynamic_table() { return $3 == "'.dynsym'" }

# "DEFAULT [VARIANT_PCS] 12 name", on aarch64.
{ sub(/\[[A-Z_]+\]/, "") }
/^Symbol table/ { active = symtab ? !is_dynamic_table() : is_dynamic_table() }
!active || !is_symbol() || $7 == "UND" { next }
$4 == "SECTION" || $4 == "FILE" { next }
symtab {
	# Of local ones elf/ takes one that is alone; of others the strongest.
	rank = $5 == "LOCAL" ? 1 : $5 == "WEAK" ? 2 : 3
	if (rank > best[$8]) {
		best[$8] = rank; several[$8] = 0
		answer[$8] = $2 " " $3 " " $4 " " $5 " -"
		value[$8] = $2
	} else if (rank == 1 && best[$8] == 1 && $2 != value[$8])
		several[$8] = 1
	next
}
$5 == "LOCAL" { next }
# Absolute ones without a value are the names of the versions themselves.
$2 ~ /^0+$/ && $4 != "TLS" { next }
{
	name = $8; version = "-"; hidden = 0
	# "(2)" behind it: another library defines that version.
	if ($9 != "") sub(/@.*/, "", name)
	at = index(name, "@")
	if (at) {
		version = substr(name, at + 1); name = substr(name, 1, at - 1)
		hidden = version !~ /^@/
		sub(/^@/, "", version)
		if (version == "Base") version = "-"
	}
	names[name] = 1
	line = $2 " " $3 " " $4 " " $5 " " version
	if (version != "-") print name "@" version " " line
	if (!hidden && version != "-") print name "@@" version " " line
	if (hidden) print name "@@" version " none"
	if (!hidden && !(name in plain)) plain[name] = line
}
END {
	if (symtab) {
		for (name in answer)
			print name " " (several[name] ? "error: look up " name ": ambiguous: several local symbols have this name" : answer[name])
		exit
	}
	for (name in names) print name " " (name in plain ? plain[name] : "none")
}
