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
