# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# coreutils' sleep: it must not end early.

run() {
	local seconds=300 started=${EPOCHREALTIME/./}
	sleep $seconds &
	local pid=$!
	wrong() {
		[ -d "/proc/$pid" ] || [ $((${EPOCHREALTIME/./} - started)) -ge $((seconds * 1000000)) ] ||
			echo "it ended after $((${EPOCHREALTIME/./} - started)) us"
	}
	sleep 0.2
	trial sleep $pid
}
