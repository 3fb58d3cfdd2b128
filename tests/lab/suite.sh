# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by what runs tests, on the host and in a guest.

# suite NAME SECONDS COMMAND...: run it within a time limit. The @ lines tell tests/lab/tap.awk where
# a suite begins, how its program ended and how long it took.
suite() {
	suite=$1 limit=$2 began=$(date +%s) status=0
	shift 2
	echo "@suite $suite"
	timeout -s KILL "$limit" "$@" 2>&1 </dev/null || status=$?
	echo "@status $status $limit $(($(date +%s) - began))"
}

# The unit tests for which an emulated program does; those of them that take long.
plain_units() { grep -v -e '^#' -e '^same:' tests/lab/plain | tr '\n' ' '; }
same_units() { sed -n 's/^same: //p' tests/lab/plain; }
# Those that an emulated program cannot run; of these, those that are about what depends on the CPU, its system calls, or how it
# orders what threads write (and not about how often /proc is read), as what was built for this CPU tells.
guest_units() {
	for source in tests/unit/test_*.c; do name=${source##*/test_} && echo "${name%.c}"; done |
		grep -vxF -e "$(plain_units | tr ' ' '\n' | grep .)" -e "$(same_units | tr ' ' '\n' | grep .)" | tr '\n' ' '
}
cpu_units() {
	for name in $(guest_units); do
		case $name in tasks_many | sampler_life) continue ;; esac
		! grep -qE '[ /](arch/|ring\.h)' "build/$(uname -m)/obj/tests/unit/test_$name.d" || echo "$name"
	done | tr '\n' ' '
	echo machine seccomp
}
