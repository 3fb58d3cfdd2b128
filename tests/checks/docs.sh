# SPDX-License-Identifier: MIT
# What the docs say can be done: links lead somewhere, every page is in the index, every command line of roclatch is one that
# roclatch understands, what roclatch is quoted with it says, and tests that are named as evidence are there.
. tests/lab/check.sh
scratch
cpu=$(uname -m)
roclatch=build/$cpu/roclatch
pages=$(find README.md docs -name '*.md')

# ---- containers and clusters: what is to be pasted ------------------------------------------------
# Lines that go on are one; what stands behind roclatch, its image or args: is its command line.
# shellcheck disable=SC2016 # the marks of a block
blocks() { sed -n '/^```sh/,/^```$/p' docs/containers.md docs/clusters.md; }
lines() {
	blocks | sed -e :a -e '/\\$/N; s/\\\n//; ta' |
		sed -nE 's@^[^`#]*([ /]roclatch|^roclatch) +([a-z]+( [^;|]*)?)$@\2@p'
	sed -nE 's@^[[:space:]]*args: \[(.*)\].*@\1@p' docs/examples/*.yaml | sed 's/, / /g'
	sed -nE 's@^CMD \[(.*)\]$@\1@p' docs/examples/Containerfile | tr -d '",'
	sed -nE 's@^#.* -- [^ ]*roclatch (.*)@\1@p' docs/examples/*.yaml
}

# read_by_roclatch FILE: behind --help nothing is done, but all that stands before it is read.  Its end of options is not.
read_by_roclatch() {
	while read -r line; do
		echo "roclatch $line"
		(eval "set -- $line" && "$PWD/$roclatch" "$@" --help > /dev/null) < /dev/null || return 1
	done < "$1"
}
understood() { lines > "$folder/lines" && read_by_roclatch "$folder/lines"; }

# all_found: no command escapes: as many as there are by a plain count of the verbs that are shown.
all_found() {
	cat "$folder/lines"
	shown=$(blocks | grep -cE '(roclatch|^  (/roclatch )?) *(attach|check|list|install|wait|detach|report)( |$)')
	given=$(cat docs/examples/*.yaml docs/examples/Containerfile | grep -cE '^ *args: |^CMD |roclatch attach')
	[ "$(wc -l < "$folder/lines")" = "$((shown + given))" ] || { echo "$shown commands and $given in examples"; return 1; }
}

# kubectl's word for it, which it would not give for a field that is misspelt or of another type.
known_to_kubectl() { /usr/bin/python3 tests/checks/manifests.py "$@"; }
manifests() {
	known_to_kubectl docs/examples/*.yaml || return 1
	for wrong in s/shareProcessNamespace/shareProcesNamespace/ 's/runAsUser: 0/runAsUser: root/' 's/- name: roclatch/- 4711/'; do
		sed "$wrong" docs/examples/sidecar.yaml > "$folder/wrong.yaml"
		denies known_to_kubectl "$folder/wrong.yaml" || { echo "not noticed: $wrong"; return 1; }
	done
}

# ---- all pages ------------------------------------------------------------------------------------
# fences: lines of all blocks; prose: what is outside of them.
# shellcheck disable=SC2086,SC2016 # one word for each page; the marks of a block
fences() { awk 'FNR == 1 { inside = 0 } /^ *```/ { inside = !inside; next } inside' $pages; }
# shellcheck disable=SC2086
prose() { awk 'FNR == 1 { inside = 0 } /^ *```/ { inside = !inside; next } !inside' $pages; }

# Commands at a prompt, or at the begin of a line; without what the shell adds, and with something for the words that stand
# for something.
shown() {
	fences | sed -e :a -e '/\\$/N; s/\\\n//; ta' | sed -nE 's/^[[:space:]]*(\$ )?(sudo )?roclatch ([a-z]+( .*)?)$/\3/p' |
		sed -E 's/[[:space:]]+#.*//; s/[[:space:]]*[|].*//; s/(PID|TID|\$!)( |$)/4711\2/g' |
		grep -vE '\.\.\.|\[|REGEX|^(call|inject|eject) PID'
}
shown_are_read() {
	shown > "$folder/shown"
	[ "$(wc -l < "$folder/shown")" -ge 40 ] || { echo "few were found"; return 1; }
	read_by_roclatch "$folder/shown"
}

# Wherever a command is named with options, those are its own: "COMMAND OPTION" for each.
# shellcheck disable=SC2016 # the marks of code
named() {
	{ fences | grep -oE '(^ *|[$] |sudo |/|-- )roclatch [a-z]+ [^|#;]*'; prose | grep -oE '`roclatch [a-z]+ [^`]*'; } |
		tr '[]|' '   ' | sed -E 's/^.*roclatch //' |
		awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^--[a-z]/) { sub(/[^a-z-].*$/, "", $i); print $1, $i } }' | sort -u
}
options_exist() {
	named > "$folder/named"
	[ "$(wc -l < "$folder/named")" -ge 25 ] || { echo "few were found"; return 1; }
	while read -r command option; do
		help=$folder/help.$command
		[ -e "$help" ] || "$roclatch" "$command" --help > "$help" || { echo "roclatch $command"; return 1; }
		grep -qE -e "(^|[^a-z-])$option([^a-z-]|\$)" "$help" || { echo "roclatch $command $option"; return 1; }
	done < "$folder/named"
}

# The remedies of the program name options of roclatch alone that it has.
remedies() {
	grep -ohE 'roclatch (check|list|attach)( -[a-z-]+( %d)?)*' rocp/surroundings_remedy.c |
		sed 's/%d/1/' | sort -u > "$folder/remedies"
	[ "$(wc -l < "$folder/remedies")" -ge 2 ] || return 1
	sed -i 's/^roclatch //' "$folder/remedies"
	read_by_roclatch "$folder/remedies"
}

# What the README says for the shell, said to one: it completes the command afterwards.
completes() {
	line=$(grep -oE 'source <\(roclatch completion bash\)' README.md) || return 1
	PATH=$PWD/build/$cpu:$PATH bash --norc --noprofile -c "$line && complete -p roclatch" || return 1
	for shell in zsh fish; do
		grep -qF "\`$shell\`" README.md || return 1
		"$roclatch" completion "$shell" > /dev/null || return 1
	done
	"$roclatch" help completion > /dev/null
}

# slugs FILE: anchors of its headings, as the browsers of repositories make them.
slugs() { sed -nE 's/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }
links_lead_somewhere() {
	bad=0
	for page in $pages; do
		awk '/^ *```/ { inside = !inside; next } !inside' "$page" | grep -oE '\]\([^)]+\)' |
			sed -E 's/^\]\(//; s/\)$//' > "$folder/links"
		while read -r link; do
			case $link in http://* | https://*) continue ;; esac
			file=${link%%#*} anchor=${link#"${link%%#*}"}
			file=$(dirname "$page")/${file:-$(basename "$page")}
			[ -e "$file" ] || { echo "$page: $link"; bad=1; continue; }
			[ -z "$anchor" ] || slugs "$file" | grep -qxF -e "${anchor#\#}" || { echo "$page: $link has no such heading"; bad=1; }
		done < "$folder/links"
	done
	return $bad
}

index_has_all() {
	for page in docs/*; do
		name=${page#docs/}
		case $name in README.md | pictures | *.1) continue ;; esac
		grep -qF "]($name)" docs/README.md || { echo "$page"; return 1; }
	done
}

# What is quoted is in the program: blocks marked as "says", and the messages that begin a row of troubleshooting.md. Dots,
# and the "or" that joins remedies, part what is looked for.
# shellcheck disable=SC2016,SC2086 # the marks of a block; one word for each page
quotes() {
	{ awk 'FNR == 1 { inside = 0 } /^```says$/ { inside = 1; next } /^```/ { inside = 0 } inside' $pages
		sed -nE 's/^\| `([^`]+)`.*/\1/p' docs/troubleshooting.md
	} | sed -E 's/^(ok|NO|note) +[a-z-]+ +//; s/^ *remedy: //; s/^roclatch: //; s/ *\.\.\. *|, or /\n/g' | grep -E '.{8}'
}
says_so() {
	quotes > "$folder/quotes"
	[ "$(wc -l < "$folder/quotes")" -ge 40 ] || { echo "few were found"; return 1; }
	bad=0
	while IFS= read -r quote; do
		grep -aqF -e "$quote" "$roclatch" || { echo "$quote"; bad=1; }
	done < "$folder/quotes"
	return $bad
}

# Sentences in italics are tests of the live runner.
evidence() {
	for page in docs/leave-no-trace.md docs/versions.md; do
		sed -n '/^## \(The evidence\|What was tested\)/,$p' "$page" | grep -oE '\*[a-zA-Z0-9][^*]{18,}\*' | tr -d '*'
	done
}
evidence_is_there() {
	"build/$cpu/tests/live" --roclatch "$roclatch" --fixtures "build/$cpu/fixtures" --list > "$folder/tests"
	evidence > "$folder/evidence"
	[ "$(wc -l < "$folder/evidence")" -ge 30 ] || { echo "few were found"; return 1; }
	while IFS= read -r sentence; do
		pattern=$(printf '%s' "$sentence" | sed 's/[][(+$]/\\&/g; s/\.\.\./.*/g')
		# those that need another CPU are not in the list
		grep -qE "^$pattern" "$folder/tests" || grep -rqF "${sentence%%...*}" tests/live || { echo "$sentence"; return 1; }
	done < "$folder/evidence"
}

check "roclatch understands every command line of docs/containers.md, docs/clusters.md and the examples" understood
check "none of them is passed over" all_found
check "roclatch understands the commands that are shown in all pages" shown_are_read
check "options that pages name are options of that command" options_exist
check "roclatch understands what its remedies say" remedies
check "the README's line makes the shell complete" completes
check "links lead to files and headings that are there" links_lead_somewhere
check "every page is in the index" index_has_all
check "what roclatch is quoted with it says" says_so
check "tests that are named as evidence are there" evidence_is_there
check "kubectl knows every field of the manifests" manifests
