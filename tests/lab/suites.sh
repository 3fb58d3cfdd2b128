#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/lab/suites.sh CPU: run the unit tests and the runners built for one CPU, here. It runs on
# the host and, under busybox, in a guest.
. tests/lab/suite.sh
cpu=$1
unit_limit=${UNIT_LIMIT:-60}
runner_limit=${RUNNER_LIMIT:-600}
kill_within=${KILL_WITHIN:-60}
kill_jobs=${KILL_JOBS:-4}

# BRIEF: of what is the same on every CPU hardly more than one of each kind, as in the emulated machine of every run
brief=${BRIEF:+--brief}

# units LANE LANES: every LANES-th; of those in UNITS, where that is set
units() {
	n=0
	for program in "build/$cpu/tests/unit/"*; do
		name=${program##*/test_} n=$((n + 1))
		case " ${UNITS-$name} " in *" $name "*) ;; *) continue ;; esac
		[ $((n % $2)) != "$1" ] || [ ! -x "$program" ] || suite "unit/$name" "$unit_limit" "$program"
	done
}
# some of them only wait
units_in_lanes() {
	lanes=$(mktemp -d)
	for lane in 0 1 2; do units "$lane" 3 > "$lanes/$lane" & done
	wait
	cat "$lanes"/*
	rm -r "$lanes"
}

# runner NAME [OPTION...]
runner() {
	program=build/$cpu/tests/$1
	[ -x "$program" ] || return 0
	name=$1
	shift
	suite "$name" "$runner_limit" "$program" "$@" --roclatch "build/$cpu/roclatch" --fixtures "build/$cpu/fixtures"
}

# watch NAME: what looking at a process shows, beside other tools and beside what programs measure of themselves
watch() {
	script=build/$cpu/tests/watch/$1.sh
	[ ! -e "$script" ] || suite "$1" "$runner_limit" sh "$script" "$cpu" ${brief:+glibc-omit glibc-fixed musl-omit cxx}
}

first_part() {
	if [ -n "${ENDS_HERE-}" ]; then units 0 1; else units_in_lanes; fi
	# shellcheck disable=SC2086 # options
	runner live $brief ${PART:+--part 1/2}
	watch stacks
	[ -n "${WITHOUT_SHARES-}" ] || watch shares
	[ -n "$brief" ] || runner quiet
}

# PART: one of two that take about as long in a guest, instead of both
[ "${PART-}" = second ] || first_part
[ "${PART-}" != first ] || { echo "@finished"; exit; }
# shellcheck disable=SC2086 # options
[ -z "${PART-}" ] || runner live $brief --part 2/2
# BESIDE: what follows measures no times, and leaves others of that priority their share
[ -z "${BESIDE-}" ] || renice -n "$BESIDE" -p $$ > /dev/null
# these sleep more than they work: beside what follows, and told behind that; engines and Slurm are not in a guest
selftest() {
	[ ! -e "build/$cpu/tests/selftest/run.sh" ] || suite selftest "$runner_limit" sh "build/$cpu/tests/selftest/run.sh" "$cpu" "$1"
}
# containers NAME [PART]
containers() {
	[ ! -e "build/$cpu/tests/containers/run.sh" ] || suite "$1" "$runner_limit" sh "build/$cpu/tests/containers/run.sh" "$cpu" ${2:+"$2"}
}
aside=$(mktemp -d)
[ ! -e tests/cluster/run.sh ] || suite cluster 300 sh tests/cluster/run.sh "$cpu" > "$aside/cluster" &
cluster=$!
selftest tools > "$aside/tools" &
{
	[ -n "${ENDS_HERE-}" ] || selftest surroundings
	[ ! -e tests/containers/engines.sh ] || suite engines 900 sh tests/containers/engines.sh "$cpu"
} > "$aside/surroundings" &
# shellcheck disable=SC2086 # options
runner tool $brief
runner dropin ${brief:+--root root-bookworm --filter "attach and detach"}
runner lib ${brief:+--root root-bookworm --filter "has its functions"}
[ -n "$brief" ] || containers containers
# beside these sweeps other sessions, as those of an sshd, may get no CPU for half a minute: docs/leave-no-trace.md
wait $cluster
runner killat --suite --jobs "$kill_jobs" --within "$kill_within" ${ENDS_HERE:+--patience 6} ${brief:+--only killed_before_each_system_call_spinning}
wait
cat "$aside"/*
rm -r "$aside"
# behind all others, as it cannot be taken back
[ -z "$brief" ] || export ONLY='Yama [03]: (root|the owner)'
[ -z "${ENDS_HERE-}" ] || containers yama yama
echo "@finished"
