# SPDX-License-Identifier: MIT
# awk -v version=N -v headers="A.h B.h" -f offsets.awk MAP upstream_offsets.tsv: a C file that compiles if the
# structures in those headers are laid out as upstream's of that version.  MAP says what is called otherwise, a line each:
#   UPSTREAM OWN                   a structure; with "rocprofiler_" and "_t" cut off it is "struct" and the rest unless listed
#   UPSTREAM.MEMBER OWN_MEMBER     a member; "-" is not checked; the member "." is the size of the whole
#   UPSTREAM.* -                   members that are not listed are not checked
#   default -                      structures that are not listed are not checked
BEGIN {
	FS = "\t"
	print "/* Made by offsets.awk. */\n#include <stddef.h>\n#include <stdint.h>"
	n = split(headers, header, " ")
	for (i = 1; i <= n; i++)
		print "#include \"" header[i] "\""
}
/^#/ || /^$/ { next }
FNR == NR {
	split($0, word, / +/)
	own[word[1]] = substr($0, length(word[1]) + 2)
	next
}
("," $1 ",") ~ ("," version ",") {
	if ($2 in own)
		structure = own[$2]
	else if (own["default"] == "-")
		structure = "-"
	else
		structure = "struct " substr($2, 13, length($2) - 14)
	if (($2 "." $3) in own)
		member = own[$2 "." $3]
	else
		member = ($2 ".*") in own ? "-" : $3
	if (structure == "-" || member == "-")
		next
	if ($3 == ".")
		printf "_Static_assert(sizeof(%s) == %s, \"%s\");\n", structure, $5, $2
	else
		printf "_Static_assert(offsetof(%s, %s) == %s && sizeof(((%s *)0)->%s) == %s, \"%s.%s\");\n", structure,
			member, $4, structure, member, $5, $2, $3
	checked++
}
END {
	if (checked < 20)
		exit 1
}
