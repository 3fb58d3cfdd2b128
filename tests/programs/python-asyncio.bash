# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# python3: an asyncio loop that serves, sleeps and hands work to threads.

run() {
	local port pid
	port=$(free_port)
	"$python" "$here/asyncio_loop.py" "$port" "$dir/wrong" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=8 slack_rss=8192
	trial python-asyncio $pid
}
