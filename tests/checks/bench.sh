# SPDX-License-Identifier: MIT
# The table of ./build.sh bench, made of kept figures; nothing is measured here.
. tests/lab/check.sh
scratch
sample=tests/bench/sample

table() { awk -f tests/bench/table.awk tests/bench/figures.tsv "$@"; }
# row TEXT: such a row is in the table
row() { table "$sample/figures" 2> /dev/null > "$folder/table"; cat "$folder/table"; grep -qF -e "$1" "$folder/table"; }
ratios() {
	row '| 2.50 ± 0.100 | 0.250 ± 0.010 (a bare stop) | 10x | 250 ± 20 (100x) |' && row ' | text 1200 ± 30 (100x) | ' &&
		row 'wall time | ms | 2.50'
}
judged() {
	row '| at most 5 | yes |' && row '| at most 1, gdb at least 60 times | yes, **no** |' && row '| as the floor | yes |' &&
		row '| at most 2048 | **no** |' && row '| at most 4 floors, text at least 20 times | yes, yes |' &&
		row '| at most 0.5 | cannot be told |'
}
noise() { row '| 0.400 ± 0.200 | -0.100 ± 0.300 (nobody looks) | |'; }
attached() {
	row '| attach until it records, for the first time in a process: wall time | ms | 40 ± 2 | 0.500 ± 0.050 (a bare stop) | 80x | 800 ± 40 (20x) |' &&
		row "| detach: longest gap of the program's threads | ms | 0.100 ± 0.010 | 0.100 ± 0.010 (nothing done) | 1x | 160 ± 10 (1600x) |"
}
# What the programs tell by keys of their own is in the table.
said() {
	for key in attach.first attach.again detach; do
		grep -qF "\"$key\"" tests/bench/attach_cost.c || return 1
		for what in wall gap; do grep -q "^$key\.$what	" tests/bench/figures.tsv || return 1; done
	done
}
missed() {
	[ "$(table "$sample/figures" 2> /dev/null | grep -cF '**no**')" = 3 ] &&
		[ "$(awk -v plain=1 -f tests/bench/table.awk tests/bench/figures.tsv "$sample/figures" 2> /dev/null | wc -l)" = 3 ]
}
unknown() { table "$sample/figures" 2>&1 > /dev/null | grep -qx 'table.awk: not.known is not in figures.tsv and left out'; }
no_figure() {
	echo '@figure size.program roclatch many 0 1' > "$folder/bad" && status 1 table "$folder/bad" && status 1 table /dev/null
}
keys() { awk -F '\t' '!/^#/ && NF != 5 || seen[$1]++ { print; bad = 1 } END { exit bad }' tests/bench/figures.tsv; }
usage() {
	status 2 sh tests/bench/run.sh --frobnicate && status 2 sh tests/bench/run.sh --table &&
		status 2 sh tests/bench/run.sh frobnicate && status 1 sh tests/bench/run.sh --table "$folder"
}
# In a copy: what is between the marks is replaced, twice over, and nothing else.
written() {
	tree=$folder/tree
	mkdir -p "$tree/tests" "$tree/docs" && cp -R tests/bench "$tree/tests/" && cp docs/bench.md "$tree/docs/" || return 1
	for _ in 1 2; do
		sh "$tree/tests/bench/run.sh" --table "$PWD/$sample" --write || return 1
	done
	page=$tree/docs/bench.md
	[ "$(grep -c '^| figure |' "$page")" = 1 ] && grep -qx -e '- CPU: made for a test' "$page" &&
		grep -q '^On another machine' "$page" && grep -q '^How to read it' "$page"
}

check "figures stand beside their floor and peers, with ratios" ratios
check "what is expected is judged, and what cannot be told is not" judged
check "attach and detach have their rows" attached
check "attach_cost tells what the table knows" said
check "there is no ratio to what is less than its error" noise
check "all that misses is listed" missed
check "a figure that the table does not know is told and left out" unknown
check "what is no figure fails, and so does nothing" no_figure
check "every figure has its words, unit, floor and limit, once" keys
check "wrong words are told" usage
check "the table goes into the page, between its marks" written
