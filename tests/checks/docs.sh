# SPDX-License-Identifier: MIT
# What the docs say about containers and clusters can be done: every command line of roclatch there is one that roclatch understands.
. tests/lab/check.sh
scratch
roclatch=build/$(uname -m)/roclatch

# blocks: what is to be pasted.  Lines that go on are one; what stands behind roclatch, its image or args: is its command
# line.
# shellcheck disable=SC2016 # the marks of a block
blocks() { sed -n '/^```sh/,/^```$/p' docs/containers.md docs/clusters.md; }
lines() {
	blocks | sed -e :a -e '/\\$/N; s/\\\n//; ta' |
		sed -nE 's@^[^`#]*([ /]roclatch|^roclatch) +([a-z]+( [^;|]*)?)$@\2@p'
	sed -nE 's@^[[:space:]]*args: \[(.*)\].*@\1@p' docs/examples/*.yaml | sed 's/, / /g'
	sed -nE 's@^CMD \[(.*)\]$@\1@p' docs/examples/Containerfile | tr -d '",'
	sed -nE 's@^#.* -- [^ ]*roclatch (.*)@\1@p' docs/examples/*.yaml
}

# Behind --help nothing is done, but all that stands before it is read.  Its end of options is not.
understood() {
	lines > "$folder/lines"
	while read -r line; do
		echo "roclatch $line"
		(eval "set -- $line" && "$PWD/$roclatch" "$@" --help > /dev/null) < /dev/null || return 1
	done < "$folder/lines"
}

# all_found: no command escapes: as many as there are by a plain count of the verbs that are shown.
all_found() {
	cat "$folder/lines"
	shown=$(blocks | grep -cE '(roclatch|^  (/roclatch )?) *(attach|check|list|install|wait|detach|report)( |$)')
	given=$(cat docs/examples/*.yaml docs/examples/Containerfile | grep -cE '^ *args: |^CMD |roclatch attach')
	[ "$(wc -l < "$folder/lines")" = "$((shown + given))" ] || { echo "$shown commands and $given in examples"; return 1; }
}

# The remedies of the program name options of roclatch alone that it has.
remedies() {
	grep -ohE 'roclatch (check|list|attach)( -[a-z-]+( %d)?)*' rocp/surroundings_remedy.c |
		sed 's/%d/1/' | sort -u > "$folder/remedies"
	[ "$(wc -l < "$folder/remedies")" -ge 2 ] || return 1
	while read -r _ line; do
		# shellcheck disable=SC2086 # words
		"$roclatch" $line --help > /dev/null || { echo "roclatch $line"; return 1; }
	done < "$folder/remedies"
}

links_lead_somewhere() {
	grep -ohE '\]\([a-z/A-Z.-]+' docs/containers.md docs/clusters.md | cut -c3- | while read -r link; do
		[ -e "docs/$link" ] || { echo "$link"; return 1; }
	done
}

yaml_is_read() {
	/usr/bin/python3 -c 'import sys, yaml; [list(yaml.safe_load_all(open(f))) for f in sys.argv[1:]]' docs/examples/*.yaml
}

check "roclatch understands every command line of docs/containers.md, docs/clusters.md and the examples" understood
check "none of them is passed over" all_found
check "roclatch understands what its remedies say" remedies
check "links of both lead somewhere" links_lead_somewhere
check "the manifests are YAML" yaml_is_read
