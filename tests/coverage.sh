#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/coverage.sh [-r]: which lines of arch, elf, inject and rocp the tests run, on this CPU. Builds roclatch and the unit
# tests with counters below build/coverage, runs what counts, and puts the table into docs/coverage.md. -r: only
# the report, of what was counted last.
set -eu
cd "$(dirname "$0")/.."
host=$(uname -m)
out=build/coverage
made=$out/$host
counted=$out/counted            # one .gcda for each object
report=docs/coverage.md
# Where roclatch writes when it ends: as whoever it runs as, from whichever folder, so all may write there, and no
# sticky bit, as files are shared (fs.protected_regular).
shared=/tmp/roclatch-coverage

# Not inlined and hardly optimised, so that a line is a line. What others wrote is not counted.
flags="-std=c11 -D_GNU_SOURCE -O1 -fno-inline -fPIE -fno-plt -fno-common -ffunction-sections -fdata-sections"
flags="$flags --coverage -fprofile-update=prefer-atomic -fprofile-dir=$shared"

build() {
	make -s -j"$(nproc)" ARCH="$host" roclatch libraries tests
	# the same without counters
	mkdir -p "$made/obj/zydis"
	cp -u "build/$host/obj/sqlite3.o" "build/$host/obj/cp-demangle.o" "build/$host/obj/unity.o" "$made/obj/"
	cp -u "build/$host/obj/zydis/"*.o "$made/obj/zydis/" 2>/dev/null || :
	make -s -j"$(nproc)" ARCH="$host" OUT=$out CFLAGS="$flags" roclatch unit
	cp -P "build/$host/"*.so* "$made/"
	ln -sfn "../../$host/fixtures" "$made/fixtures"
}

# say NAME SECONDS COMMAND...: run it and tell how it ended; a test that fails counts as far as it came.
say() {
	name=$1 limit=$2 status=0
	shift 2
	timeout -k 5 "$limit" "$@" > "$out/logs/$name" 2>&1 </dev/null || status=$?
	[ $status -eq 0 ] || echo "coverage: $name ended with $status, see $out/logs/$name" >&2
}

run() {
	rm -rf "$shared" "$out/logs"
	mkdir -p "$out/logs"
	mkdir -m 0777 "$shared"
	trap 'rm -rf "$shared"' EXIT
	trap 'exit 130' INT TERM
	umask 0
	for program in "$made"/tests/unit/test_*; do
		say "${program##*/}" 300 "$program"
	done
	say live 3000 "build/$host/tests/live" --roclatch "$made/roclatch" --fixtures "build/$host/fixtures"
	say tool 600 "build/$host/tests/tool" --roclatch "$made/roclatch" --fixtures "build/$host/fixtures"
	# not those that kill roclatch or make its system calls fail: half-written counters begin anew
	say works_without 900 "build/$host/tests/killat" --suite --jobs 2 --within 60 --only works_without \
		--roclatch "$made/roclatch" --fixtures "build/$host/fixtures"
	keep
}

# The counters' names hold the path of their object with # for /.
keep() {
	rm -rf "$counted"
	mkdir -p "$counted"
	for file in "$shared"/*.gcda; do
		path=$(echo "${file##*/}" | sed "s|.*#$host#obj#||; s|#|/|g")
		mkdir -p "$counted/$(dirname "$path")"
		cp "$file" "$counted/$path"
	done
}

# each_source: what gcov says of every source of the four rooms.
each_source() {
	find arch/*.c "arch/$host" elf inject rocp -name '*.c' | LC_ALL=C sort | while read -r source; do
		object=${source%.c}
		[ -e "$made/obj/$object.gcno" ] || continue
		mkdir -p "$counted/$(dirname "$object")"
		cp "$made/obj/$object.gcno" "$counted/$object.gcno"
		echo "@source $source"
		gcov -n -b -f -o "$counted/$(dirname "$object")" "$counted/$object.gcno" 2>/dev/null || echo "coverage: gcov cannot read $source" >&2
	done
}

# table: a line for each source, the sum of each room, then the functions that nothing calls.
table() {
	each_source | awk -f tests/coverage.awk
}

# What stands before and behind the marks is written by hand.
write() {
	table > "$out/table"
	awk -v table="$out/table" '
		/^<!-- counted -->$/ { print; while ((getline line < table) > 0) print line; skip = 1 }
		/^<!-- end -->$/ { skip = 0 }
		!skip { print }
		skip && /^<!-- counted -->$/ { next }' "$report" > "$out/report"
	cp "$out/report" "$report"
	cat "$out/table"
}

[ "${1-}" = -r ] || { build; run; }
write
