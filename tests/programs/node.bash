# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# node: an HTTP server with timers and work for its thread pool.

run() {
	install node nodejs || return 1
	local port pid
	port=$(free_port)
	node "$here/server.js" "$port" "$dir/wrong" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=60 slack_rss=40000
	trial node $pid
}
