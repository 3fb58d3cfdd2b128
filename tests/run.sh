#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run.sh [GROUP...]: groups of tests, one line for each test and the sum at the end; without a name
# guest host fuzz checks. ./build.sh test builds what is run here.
#   host    unit tests and runners on this machine         guest   the same for the other CPU
#   fuzz    replay what fuzzing has found                  checks  the build itself
#   whole   guest, and what is the same on every CPU, too: for a release
#   sve     an aarch64 guest with SVE, PAC and BTI         16k     one with pages of 16 KiB
#   kubernetes  a real cluster of one node; $KUBERNETES, or build/kubernetes, has its servers, or they are built there
set -eu
cd "$(dirname "$0")/.."
host=$(uname -m)
case $host in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
results=build/results
. tests/lab/suite.sh
guest_limit=${GUEST_LIMIT:-4000}
# What measures times on this machine goes first, then the emulated machines, which take longest and have clocks to keep to.
machines=10 others=15

# An emulated machine is some thirty times slower: of what is the same on every CPU a part is tried there, the drop-in
# libraries in two systems, and shares of time are not measured beside others at work (by hand: tests/watch/shares.sh).
# gdb takes half a minute for a process. What cannot be taken back is done to it at the end.
guest_settings="ENDS_HERE=1 STACKS_GDB='glibc-omit cxx' WITHOUT_SHARES=1 UNIT_LIMIT=240 RUNNER_LIMIT=2400 KILL_WITHIN=30 KILL_JOBS=4 DROPIN_ROOTS='--root root-bookworm --root root-musl'"

# collect PREFIX: what a run says becomes test lines, shown and kept.
collect() { awk -v prefix="$1" -f tests/lab/tap.awk | tee -a "$results/all"; }

# killat has half as much time again as alone
run_host() { WITHOUT_SHARES=$shares BESIDE=$machines KILL_WITHIN=90 sh tests/lab/suites.sh "$host" | collect "$host/"; }
# Shares of time are the host's alone while no machine is beside them: before all others. When something else had the
# CPUs by then, they are measured once more behind all others, and that counts.
shares=
run_shares() {
	{ suite shares 600 sh "build/$host/tests/watch/shares.sh" "$host"; echo "@finished"; } |
		awk -v prefix="$host/" -f tests/lab/tap.awk > "$results/shares"
	[ -z "$shares" ] && grep -q '^not ok' "$results/shares" && shares=again && return
	shares=told
	tee -a "$results/all" < "$results/shares"
}
# In two machines, as one does not keep two CPUs at work, with programs beside them.
run_guest() {
	emulate_units | collect "$other/" > "$results/emulated" &
	(PART=second in_guest "$other" "$other") > "$results/second" &
	LIVE_OPTIONS=--brief PART=first PLAIN_ELSEWHERE=1 in_guest "$other" "$other"
	wait
	cat "$results/second" "$results/emulated"
}
run_whole() {
	guest_settings="$guest_settings RUNNER_LIMIT=4800 ONLY=" guest_limit=${GUEST_LIMIT:-9000} in_guest "$other" "$other"
}
run_sve() { in_guest sve aarch64; }
run_16k() { in_guest 16k aarch64 -k 16k; }

emulate_units() {
	for name in $(plain_units); do
		suite "unit/$name" 600 nice -n "$others" "qemu-$other" "build/$other/tests/unit/test_$name"
	done
	echo "@finished"
}

# in_guest NAME CPU [OPTION...]: what run_host does, in a machine of that CPU.
in_guest() {
	name=$1 cpu=$2
	shift 2
	for path in "build/$cpu/roclatch" "build/$cpu/libroclatch-tool.so" "build/$cpu/tests" "build/$cpu/fixtures" tests/lab; do
		[ ! -e "$path" ] || set -- "$@" -a "$path"
	done
	nice -n "$machines" tests/lab/vm -t "$guest_limit" -l "$results/$name${PART:+-$PART}.log" "$@" "$cpu" \
		"$guest_settings LIVE_OPTIONS=${LIVE_OPTIONS-} PART=${PART-} PLAIN_ELSEWHERE=${PLAIN_ELSEWHERE-} \
		sh tests/lab/suites.sh $cpu" 2>&1 | collect "$name/"
}

# Looking for leaks takes seconds for each program where addresses have 48 bits and no shortcut: it is done on x86_64.
replay_corpus() {
	[ "$host" = x86_64 ] || export ASAN_OPTIONS=detect_leaks=0
	for program in build/fuzz/replay/fuzz_*; do
		name=${program##*/fuzz_}
		[ ! -x "$program" ] || suite "fuzz/$name" 300 nice -n "$others" "$program" "tests/fuzz/corpus/$name"
	done
	echo "@finished"
}

check_build() {
	for script in tests/checks/*.sh; do
		name=${script##*/}
		suite "check/${name%.sh}" 900 nice -n "$others" sh "$script"
	done
	echo "@finished"
}

run_kubernetes() {
	servers=${KUBERNETES:-build/kubernetes}
	sh tests/containers/kubernetes_build.sh "$servers"
	{ suite kubernetes 1800 sh tests/containers/kubernetes.sh "$host" "$servers"; echo "@finished"; } | collect "$host/"
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
[ $# -gt 0 ] || set -- guest host fuzz checks
beside=
for group; do
	case $group in
	guest)
		case " $* " in *" guest "*" host "*) run_shares ;; esac
		run_guest > "$results/guest" & beside=$! ;;     # takes what the groups behind it leave
	host | fuzz | checks | whole | sve | 16k | kubernetes) "run_$group" ;;
	*) echo "run.sh: no tests are called '$group'" >&2; exit 2 ;;
	esac
done
if [ -n "$beside" ]; then
	wait "$beside" || :
	cat "$results/guest"
fi
[ "$shares" != again ] || run_shares
sed -n 's/^not ok /failed: /p' "$results/all"
sum_up
