# SPDX-License-Identifier: MIT
# roclatch symbolize: names against nm's, streams, statuses.
. tests/lab/check.sh
scratch
cpu=$(uname -m)
roclatch=$PWD/build/$cpu/roclatch
names=$PWD/build/$cpu/tests/names
id=5eed0123456789abcdef0123456789abcdef0123
mkdir "$folder/in" "$folder/empty"

# run STATUS ARG...: what it said is in $folder/said.out and said.err, and shown.
run() {
	wanted=$1
	shift
	status "$wanted" "$roclatch" symbolize "$@" > "$folder/said.out" 2> "$folder/said.err" && answer=0 || answer=1
	grep . "$folder/said.out" "$folder/said.err"
	return "$answer"
}
out_says() { grep -qxF -e "$1" "$folder/said.out"; }
err_says() { grep -qF -e "$1" "$folder/said.err"; }
# token SYMBOL: as roclatch sample writes its address
token() { nm "$names/libnamed.so" | awk -v name="$1" -v id=$id '$3 == name { sub(/^0+/, "", $1); print "libnamed.so+0x" $1 "[" id "]" }'; }
folded() { echo "main;$(token named_hidden);$(token _ZN5named5innerEi) 7" > "$folder/in/x.folded"; }

by_build_id() {
	folded && run 0 "$folder/in/x.folded" --debug-dir "$names/debug" &&
		out_says 'main;named_hidden;named::inner(int) 7' && err_says '2 addresses named, 0 not'
}
by_an_unstripped_library() {
	folded && mkdir "$folder/libs" && cp "$names/libnamed.so" "$folder/libs/" &&
		run 0 "$folder/in/x.folded" --debug-dir "$folder/empty" --debug-dir "$folder/libs" --verbose &&
		out_says 'main;named_hidden;named::inner(int) 7' && err_says "$id: $folder/libs/libnamed.so, 2 named, 0 not"
}
from_stdin_into_a_file() {
	rm -f "$folder/out" && folded && run 0 - --json -o "$folder/out" --debug-dir "$names/debug" < "$folder/in/x.folded" &&
		grep -q '"named":2,"unnamed":0,"build_ids_missing":0' "$folder/said.out" &&
		grep -qxF 'main;named_hidden;named::inner(int) 7' "$folder/out"
}
without_debug_files() {
	rm -f "$folder/out" && folded && run 3 "$folder/in/x.folded" -o "$folder/out" --debug-dir "$folder/empty" &&
		err_says "no debug file for build id $id (2 addresses)" && err_says 'none of the 2 addresses' && [ ! -e "$folder/out" ] &&
		run 3 "$folder/in/x.folded" && cmp "$folder/in/x.folded" "$folder/said.out"
}
unread() {
	head -c 5000 "$roclatch" > "$folder/in/garbage" && echo 'main 1' > "$folder/in/plain" || return 1
	run 1 "$folder/in/nothing" && err_says 'No such file' && run 1 "$folder/in" && err_says 'is a folder' &&
		run 1 "$folder/in/garbage" && err_says 'is not a text' &&
		run 1 "$folder/in/plain" --debug-dir "$folder/in/plain" && err_says 'is not a folder' &&
		run 1 "$folder/in/plain" --debug-dir "$folder/in/nothing" && err_says 'No such file'
}
nothing_to_name() { run 3 "$folder/in/plain" && err_says 'has no addresses to be named'; }
nothing_is_written_over() {
	folded && echo mine > "$folder/out" && run 1 "$folder/in/x.folded" -o "$folder/out" --debug-dir "$names/debug" &&
		[ "$(cat "$folder/out")" = mine ]
}
# Its input never ends, and never lets it wait.
stopped() { yes | status 130 timeout -s INT --preserve-status -k 5 0.5 "$roclatch" symbolize - > "$folder/said.out" 2> "$folder/said.err"; }
# Every function of a large program: one of the names that nm knows for that address.
as_nm() {
	mkdir "$folder/whole" && cp "$roclatch.full" "$folder/whole/" || return 1
	own=$(readelf -n "$roclatch" | sed -n 's/.*Build ID: //p')
	nm "$roclatch.full" | awk '$2 ~ /[tTwWi]/ { print $1, $3 }' > "$folder/nm"
	awk -v id="$own" '{ address = $1; sub(/^0+/, "", address); print $1, "roclatch+0x" address "[" id "]" }' "$folder/nm" > "$folder/in/all"
	run 0 "$folder/in/all" --debug-dir "$folder/whole" > "$folder/shown" || return 1
	awk 'NR == FNR { known[$1 " " $2]; next } !($0 in known) { print "not in nm: " $0; bad++ } END { exit bad > 0 || FNR < 2000 }' \
		"$folder/nm" "$folder/said.out"
}

check "addresses are named by a debug file that has their build id" by_build_id
check "an unstripped library below --debug-dir does as well" by_an_unstripped_library
check "stdin becomes a file, and --json counts" from_stdin_into_a_file
check "what cannot be named is told with its build id, status 3" without_debug_files
check "what is not there, a folder or no text cannot be read: status 1, as for convert" unread
check "a text without addresses is refused with status 3" nothing_to_name
check "nothing is written over" nothing_is_written_over
check "Ctrl-C ends it while there is always more to read" stopped
check "each function of roclatch itself has a name that nm gives it" as_nm
