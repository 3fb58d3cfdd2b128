# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# python3: threads that compute, that allocate and that wait in raw system calls, and a server.

run() {
	local port pid
	port=$(free_port)
	"$python" "$here/threads.py" "$port" "$dir/wrong" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=8 slack_rss=8192
	trial python-threads $pid
}
