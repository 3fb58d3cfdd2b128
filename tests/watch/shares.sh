#!/bin/sh
# SPDX-License-Identifier: MIT
# shares.sh CPU [RATE MSEC [all|stops [TIMES]]]: a program spends shares of its time, which it measures itself, in functions
# and blocked in system calls; what roclatch sample says of it differs by at most 2 in 100. For a machine that has a CPU
# for each thread; TIMES makes each stretch longer, for an emulated one. Stops, which take their time,
# are tried when asked for, at 200 a second and less.
cpu=$1 rate=${2:-1000} msec=${3:-8000} ways=${4:-all}
top=$PWD
roclatch=$top/build/$cpu/roclatch
here=$top/build/$cpu/tests/watch
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "build/$cpu/fixtures/root-bookworm" || exit 1
mkfifo "$folder/ask"
./shares ${5:+"$5"} < "$folder/ask" >> "$folder/times" &
target=$!
cd "$top" || exit 1
exec 3> "$folder/ask"

# looked MODE OPTION...: is what was sampled within 2 in 100 of what the program measured meanwhile?
looked() {
	mode=$1
	shift
	: > "$folder/times"
	echo >&3
	"$roclatch" sample "$target" --rate "$rate" --duration-msec "$msec" -f folded "$@" > "$folder/folded" 2> "$folder/said" </dev/null
	status=$?
	echo >&3
	n=0
	until [ "$(grep -c '^end' "$folder/times")" = 2 ] || [ $n -gt 100 ]; do sleep 0.1; n=$((n + 1)); done
	[ $status = 0 ] && awk -v mode="$mode" -f "$here/shares.awk" "$folder/times" "$folder/folded" > "$folder/answer"
}

# judged MODE OPTION...: when others take the CPUs for a while, looks come late; then it is tried again.
judged() {
	tries=1
	until looked "$@"; do
		if [ $tries = 5 ]; then
			echo "not ok $mode: shares of time are told within 2 in 100 (status $status)"
			sed 's/^/# /' "$folder/said" "$folder/answer"
			return
		fi
		tries=$((tries + 1))
	done
	echo "ok $mode: shares of time are told within 2 in 100"
	sed 's/^/# /' "$folder/answer"
}
sleep 0.5
if [ "$ways" = stops ]; then
	judged stops --stacks all --no-perf
else
	judged blocked
	judged all --stacks all
fi
kill -9 $target
