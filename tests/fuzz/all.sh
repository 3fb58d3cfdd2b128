#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz/all.sh SECONDS OUT [NAME...]: run every fuzzer (or those named) for SECONDS, as many at a time as there are
# CPUs ($JOBS: so many).  Below OUT come NAME.log, found/NAME (new inputs), crash/NAME (what broke it) and summary.txt.
# tests/fuzz/carry.sh puts a copy beside the fuzzers, for a machine that has no compiler.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 SECONDS OUT [NAME...]" >&2; exit 2; }
seconds=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
case $here in
*/tests/fuzz) fuzzers=$here/../../build/fuzz/libfuzzer corpora=$here/corpus ;;
*) fuzzers=$here/bin corpora=$here/corpus
   [ -d "$fuzzers" ] || tar -xzf "$here/fuzzers.tar.gz" -C "$here" ;;
esac
mkdir -p "$out"
out=$(cd "$out" && pwd)
loader=
first=$(find "$fuzzers" -maxdepth 1 -name 'fuzz_*' | head -n 1)
# another C library than the one they were built with: its own is carried along
"$first" -help=1 > /dev/null 2>&1 || loader="$here/lib/ld.so --library-path $here/lib"

# An input that takes seconds is kept beside them, too.
broken() { find "$out/crash/$1" -type f ! -name 'slow-unit-*' | wc -l; }

run_one() {
	mkdir -p "$out/found/$1" "$out/crash/$1"
	began=$(date +%s)
	spent=0
	# one that breaks early goes on searching for the rest of its time
	while [ "$spent" -lt "$seconds" ] && [ "$(broken "$1")" -lt 10 ]; do
		# shellcheck disable=SC2086
		$loader "$fuzzers/fuzz_$1" -max_total_time=$((seconds - spent)) -timeout=25 -rss_limit_mb=3072 \
			-artifact_prefix="$out/crash/$1/" -print_final_stats=1 -use_value_profile="${VALUE_PROFILE:-0}" \
			"$out/found/$1" "$corpora/$1" >> "$out/$1.log" 2>&1 || true
		spent=$(($(date +%s) - began + 1))
	done
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$1.log" | awk '{ n += $1 } END { print n + 0 }')
	echo "$1 seconds=$((spent - 1)) runs=$runs crashes=$(broken "$1")" \
		"found=$(find "$out/found/$1" -type f | wc -l)" \
		"$(grep -o 'cov: [0-9]* ft: [0-9]*' "$out/$1.log" | tail -n 1)" >> "$out/summary.txt"
}

if [ "${ONE-}" ]; then
	run_one "$ONE"
	exit 0
fi
if [ $# -gt 0 ]; then
	printf '%s\n' "$@"
else
	find "$fuzzers" -maxdepth 1 -name 'fuzz_*' | sed 's/.*fuzz_//' | sort
fi | xargs -P "${JOBS:-$(nproc)}" -I NAME env ONE=NAME sh "$here/$(basename "$0")" "$seconds" "$out"
sort -o "$out/summary.txt" "$out/summary.txt"
cat "$out/summary.txt"
