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

# plain ones may have been run elsewhere
units() {
	elsewhere=${PLAIN_ELSEWHERE:+$(plain_units)}
	for program in "build/$cpu/tests/unit/"*; do
		name=${program##*/test_}
		case " $elsewhere" in *" $name "*) continue ;; esac
		[ ! -x "$program" ] || suite "unit/$name" "$unit_limit" "$program"
	done
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
	[ ! -e "$script" ] || suite "$1" "$runner_limit" sh "$script" "$cpu"
}

first_part() {
	units
	# shellcheck disable=SC2086 # options
	runner live ${LIVE_OPTIONS-}
	watch stacks
	[ -n "${WITHOUT_SHARES-}" ] || watch shares
	runner quiet
}

# PART: one of two that take about as long in a guest, instead of both
[ "${PART-}" = second ] || first_part
[ "${PART-}" != first ] || { echo "@finished"; exit; }
# BESIDE: what follows measures no times, and leaves others of that priority their share
[ -z "${BESIDE-}" ] || renice -n "$BESIDE" -p $$ > /dev/null
# these sleep more than they work: beside what follows, and told behind that; engines are not in a guest
aside=$(mktemp)
{
	[ ! -e "build/$cpu/tests/selftest/run.sh" ] || suite selftest "$runner_limit" sh "build/$cpu/tests/selftest/run.sh" "$cpu"
	[ ! -e tests/containers/engines.sh ] || suite engines 900 sh tests/containers/engines.sh "$cpu"
} > "$aside" &
runner tool
# shellcheck disable=SC2086 # options
runner dropin ${DROPIN_ROOTS-}
# shellcheck disable=SC2086
runner lib ${DROPIN_ROOTS-}
# not in a guest, where there is no Slurm
[ ! -e tests/cluster/run.sh ] || suite cluster 300 sh tests/cluster/run.sh "$cpu"
runner killat --suite --jobs "$kill_jobs" --within "$kill_within"
# a guest tries some of them, unless it is told which: an engine's own start takes seconds there
some='host to a container$|user namespace, whose|Docker.s system calls$|own filter|copied in|waits|Yama .: (root|the owner)|Yama 1: a sidecar with'
[ -z "${ENDS_HERE-}" ] || export ONLY="${ONLY-$some}"
[ ! -e "build/$cpu/tests/containers/run.sh" ] || suite containers "$runner_limit" sh "build/$cpu/tests/containers/run.sh" "$cpu"
wait
cat "$aside"
rm "$aside"
# behind all others, as it cannot be taken back
[ -z "${ENDS_HERE-}" ] || suite yama "$runner_limit" sh "build/$cpu/tests/containers/run.sh" "$cpu" yama
echo "@finished"
