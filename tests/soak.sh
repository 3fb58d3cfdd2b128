#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/soak.sh [--cpu CPU] [--jobs N] [--seed N] [--rounds N] [--at-length] [SECONDS]: rounds of any command on any
# target with any disturbance, for that long (600), here and beside that in a guest of the other CPU, or on the one
# named. Of a round that does not hold what it must, the seed is printed: --seed N --rounds 1 repeats it. --at-length:
# before that, here, the live tests that repeat something do so very often, and killat tries every point 20 times.
# ./build.sh soak builds what is run here. The whole log is build/results/soak-CPU.log.
set -eu
cd "$(dirname "$0")/.."
host=$(uname -m)
cpu='' jobs=2 seconds=600 more='' at_length=''

usage() { sed -n 's/^# tests\/soak.sh/usage: soak.sh/p' tests/soak.sh | sed 's/: rounds.*//' >&2; exit 2; }
is_number() { case $1 in '' | *[!0-9]* | 0*) return 1 ;; esac; }

while [ $# -gt 0 ]; do
	case $1 in
	--at-length) at_length=$1; shift; continue ;;
	--*) [ $# -ge 2 ] || usage ;;
	*) is_number "$1" || usage; seconds=$1; shift; continue ;;
	esac
	case $1 in
	--cpu) cpu=$2 ;;
	--jobs) is_number "$2" || usage; jobs=$2 ;;
	--seed | --rounds) is_number "$2" || usage; more="$more $1 $2" ;;
	*) usage ;;
	esac
	shift 2
done

# both CPUs: the other one's guest says all at the end
if [ -z "$cpu" ]; then
	case $host in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
	set -- --jobs "$jobs" "$seconds"
	status=0
	mkdir -p build/results
	# shellcheck disable=SC2086 # words
	sh tests/soak.sh --cpu "$other" $more "$@" > "build/results/soak-$other.out" 2>&1 & guest=$!
	# shellcheck disable=SC2086
	sh tests/soak.sh --cpu "$host" $at_length $more "$@" || status=1
	wait "$guest" || status=1
	cat "build/results/soak-$other.out"
	exit "$status"
fi
case $cpu in x86_64 | aarch64) ;; *) usage ;; esac

with="--roclatch build/$cpu/roclatch --fixtures build/$cpu/fixtures"
rounds="build/$cpu/tests/live $with --soak $seconds --jobs $jobs$more"
log=build/results/soak-$cpu.log
mkdir -p build/results

# Each round is a line of the log; what is to be seen is what went wrong, and the report.
show() {
	tee "$log" | awk '
		/^(ok|skip) [0-9]/ { wrong = 0; next }
		/^VIOLATION/ { wrong = 1 }
		/^#/ && !wrong && !/seed/ { next }
		{ print; fflush() }'
}

status=0
if [ "$at_length" ] && [ "$cpu" = "$host" ]; then
	# shellcheck disable=SC2086 # words
	"build/$cpu/tests/live" $with --at-length || status=1
	# shellcheck disable=SC2086
	"build/$cpu/tests/killat" --suite --thorough --jobs 4 --rounds 20 $with || status=1
fi
if [ "$cpu" = "$host" ]; then
	$rounds | show
else
	tests/lab/vm -t $((seconds + 1800)) -m 2048 -a "build/$cpu/roclatch" -a "build/$cpu/libroclatch-tool.so" \
		-a "build/$cpu/tests/live" -a "build/$cpu/tests/killat" -a "build/$cpu/fixtures" "$cpu" "$rounds" | show
fi
# a pipe tells nothing of its first part: what counts is the report
grep -q '^soak: .*, 0 violations' "$log" || status=1
exit "$status"
