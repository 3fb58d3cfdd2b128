#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run.sh [GROUP...]: groups of tests, one line for each test and the sum at the end; without a name
# host guest fuzz checks. ./build.sh test builds what is run here.
#   host    unit tests and runners on this machine         guest   the same for the other CPU
#   fuzz    replay what fuzzing has found                  checks  the build itself
#   whole   guest, and what is the same on every CPU, too: for a release
#   sve     an aarch64 guest with SVE, PAC and BTI         16k     one with pages of 16 KiB
set -eu
cd "$(dirname "$0")/.."
host=$(uname -m)
case $host in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
results=build/results
. tests/lab/suite.sh
guest_limit=${GUEST_LIMIT:-4000}

# An emulated machine is some thirty times slower: of what is the same on every CPU a part is tried there, the drop-in
# libraries in two systems, and shares of time are not measured beside others at work (by hand: tests/watch/shares.sh).
# gdb takes half a minute for a process. What cannot be taken back is done to it at the end.
guest_settings="ENDS_HERE=1 STACKS_GDB='glibc-omit cxx' WITHOUT_SHARES=1 UNIT_LIMIT=240 RUNNER_LIMIT=2400 KILL_WITHIN=30 KILL_JOBS=4 DROPIN_ROOTS='--root root-bookworm --root root-musl'"

# collect PREFIX: what a run says becomes test lines, shown and kept.
collect() { awk -v prefix="$1" -f tests/lab/tap.awk | tee -a "$results/all"; }

run_host() { sh tests/lab/suites.sh "$host" | collect "$host/"; }
run_guest() { LIVE_OPTIONS=--brief in_guest "$other" "$other"; }
run_whole() { in_guest "$other" "$other"; }
run_sve() { in_guest sve aarch64; }
run_16k() { in_guest 16k aarch64 -k 16k; }

# in_guest NAME CPU [OPTION...]: what run_host does, in a machine of that CPU.
in_guest() {
	name=$1 cpu=$2
	shift 2
	for path in "build/$cpu/roclatch" "build/$cpu/libroclatch-tool.so" "build/$cpu/tests" "build/$cpu/fixtures" tests/lab; do
		[ ! -e "$path" ] || set -- "$@" -a "$path"
	done
	tests/lab/vm -t "$guest_limit" -l "$results/$name.log" "$@" "$cpu" \
		"$guest_settings LIVE_OPTIONS=${LIVE_OPTIONS-} sh tests/lab/suites.sh $cpu" 2>&1 | collect "$name/"
}

replay_corpus() {
	for program in build/fuzz/replay/fuzz_*; do
		name=${program##*/fuzz_}
		[ ! -x "$program" ] || suite "fuzz/$name" 60 "$program" "tests/fuzz/corpus/$name"
	done
	echo "@finished"
}

check_build() {
	for script in tests/checks/*.sh; do
		name=${script##*/}
		suite "check/${name%.sh}" 600 sh "$script"
	done
	echo "@finished"
}

run_fuzz() { replay_corpus | collect ""; }
run_checks() { check_build | collect ""; }

# sum_up: the last line; fails when a test failed or none ran.
sum_up() {
	awk '/^ok / { passed++ } /^not ok / { failed++ } /^skip / { skipped++ }
		END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed || !passed }' "$results/all"
}

rm -rf "$results"
mkdir -p "$results"
: > "$results/all"
[ $# -gt 0 ] || set -- host guest fuzz checks
beside=
for group; do
	case $group in
	guest) run_guest > "$results/guest" & beside=$! ;;      # takes one CPU; the groups behind it another
	host | fuzz | checks | whole | sve | 16k) "run_$group" ;;
	*) echo "run.sh: no tests are called '$group'" >&2; exit 2 ;;
	esac
done
if [ -n "$beside" ]; then
	wait "$beside" || :
	cat "$results/guest"
fi
sed -n 's/^not ok /failed: /p' "$results/all"
sum_up
