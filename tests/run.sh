#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run.sh [GROUP...]: groups of tests, one line for each test and the sum at the end; without a name
# guest host fuzz checks. ./build.sh test builds what is run here.
#   host    unit tests and runners on this machine         fuzz    replay what fuzzing has found
#   guest   for the other CPU what depends on a CPU,       checks  the build itself
#           and of what is the same on every one a part
#   whole   for the other CPU all that host does here: for a release
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
machines=10 others=19

# An emulated machine is thirty to a hundred times slower: shares of time are not measured there (by hand:
# tests/watch/shares.sh), and gdb takes half a minute for a process. What cannot be taken back is done to it at the end.
guest_settings="ENDS_HERE=1 WITHOUT_SHARES=1 STACKS_GDB='glibc-omit cxx' UNIT_LIMIT=240 RUNNER_LIMIT=9000 KILL_WITHIN=60 KILL_JOBS=4"

# collect PREFIX: what a run says becomes test lines, shown and kept.
collect() { awk -v prefix="$1" -f tests/lab/tap.awk | tee -a "$results/all"; }

run_host() { WITHOUT_SHARES=$shares BESIDE=$machines KILL_WITHIN=15 sh tests/lab/suites.sh "$host" | collect "$host/"; }
# Shares of time are the host's alone while no machine is beside them: before all others. When something else had the
# CPUs by then, they are measured once more behind all others, and that counts.
shares=
run_shares() {
	{ suite shares 600 sh "build/$host/tests/watch/shares.sh" "$host" 1000 5000; echo "@finished"; } |
		awk -v prefix="$host/" -f tests/lab/tap.awk > "$results/shares"
	[ -z "$shares" ] && grep -q '^not ok' "$results/shares" && shares=again && return
	shares=told
	tee -a "$results/all" < "$results/shares"
}
# In two machines, as one does not keep two CPUs at work, with programs beside them.
run_guest() {
	# shellcheck disable=SC2046 # names
	emulate_units $(plain_units) | collect "$other/" > "$results/emulated" &
	guest_settings="$guest_settings BRIEF=1 UNITS='$(cpu_units)' STACKS_GDB=none RUNNER_LIMIT=2400 KILL_WITHIN=6"
	in_two
	cat "$results/emulated"
}
run_whole() {
	export BOTH=1
	{ check_one reproducible; check_one lab; echo "@finished"; } | collect ""
	# shellcheck disable=SC2046 # names
	emulate_units $(plain_units) $(same_units) | collect "$other/" > "$results/emulated" &
	guest_settings="$guest_settings UNITS='$(guest_units)'"
	guest_limit=${GUEST_LIMIT:-12000}
	in_two
	cat "$results/emulated"
}
in_two() {
	(PART=second in_guest "$other" "$other") > "$results/second" &
	PART=first in_guest "$other" "$other"
	wait
	cat "$results/second"
}
run_sve() { in_guest sve aarch64; }
run_16k() { in_guest 16k aarch64 -k 16k; }

emulate_units() {
	for name; do
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
	{
		status=0
		nice -n "$machines" tests/lab/vm -t "$guest_limit" -l "$results/$name${PART:+-$PART}.log" "$@" "$cpu" \
			"$guest_settings PART=${PART-} sh tests/lab/suites.sh $cpu; exit 7" 2>&1 || status=$?
		echo "@suite machine${PART:+-$PART}"
		[ "$status" = 7 ] || printf 'not '
		echo "ok the status is passed on"
		echo "@status 0"
	} | collect "$name/"
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

check_one() { suite "check/$1" 900 nice -n "$others" sh "tests/checks/$1.sh"; }
# check_build KIND [LANE LANES]: every LANES-th of the still ones, or the lively ones, which start processes of which the host's
# tests could be told, too.
check_build() {
	n=0
	for script in tests/checks/*.sh; do
		name=${script##*/} name=${name%.sh} kind=still
		case $name in check | dropin | install) kind=lively ;; reproducible) continue ;; esac
		[ "$kind" = "$1" ] || continue
		n=$((n + 1))
		[ $((n % ${3:-1})) != "${2:-0}" ] || check_one "$name"
	done
	echo "@finished"
}
# The longest, which builds all anew.
check_reproducible() { check_one reproducible; echo "@finished"; }

run_kubernetes() {
	servers=${KUBERNETES:-build/kubernetes}
	sh tests/containers/kubernetes_build.sh "$servers"
	{ suite kubernetes 1800 sh tests/containers/kubernetes.sh "$host" "$servers"; echo "@finished"; } | collect "$host/"
}

run_fuzz() { replay_corpus | collect ""; }
# Side by side, so that there is work for all CPUs to the end.
run_checks() {
	check_reproducible | collect "" > "$results/reproducible" &
	check_build still 0 2 | collect "" > "$results/checks" &
	check_build still 1 2 | collect ""
	wait
	cat "$results/checks" "$results/reproducible"
}
run_lively_checks() { check_build lively | collect ""; }

# sum_up: the last line; fails when a test failed or none ran.
sum_up() {
	awk '/^ok / { passed++ } /^not ok / { failed++ } /^skip / { skipped++ }
		END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed || !passed }' "$results/all"
}

rm -rf "$results"
mkdir -p "$results"
: > "$results/all"
[ $# -gt 0 ] || set -- guest host fuzz checks
beside='' still=''
for group; do
	case $group in
	guest)
		case " $* " in *" guest host "*) run_shares ;; esac
		run_guest > "$results/guest" & beside=$! ;;     # takes what the groups behind it leave
	host)
		case " $* " in *" host fuzz checks "*) { run_fuzz; run_checks; } > "$results/still" & still=$! ;; esac
		run_host ;;
	fuzz) [ -n "$still" ] || run_fuzz ;;
	checks)
		[ -n "$still" ] || run_checks
		run_lively_checks
		[ -z "$still" ] || { wait "$still" || :; cat "$results/still"; } ;;
	whole | sve | 16k | kubernetes) "run_$group" ;;
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
