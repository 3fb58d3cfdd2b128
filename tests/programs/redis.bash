# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# redis-server, written to and read from.

run() {
	install redis-server redis-server || return 1
	local port pid
	port=$(free_port)
	redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --appendonly yes --loglevel verbose \
		> "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" || return 1
	load() { ask redis "$port"; }
	wrong() {
		cat "$dir/wrong" 2> /dev/null
		grep -iE ' # |error|fail|crash|interrupted|slow' "$dir/log" | grep -viE 'overcommit|oO0OoO0OoO0Oo|Redis version=|Configuration loaded|Server initialized'
	}
	slack_threads=$(nproc) # jemalloc has one for each arena, made when it is used
	slack_maps=8 slack_rss=8192
	trial redis $pid
}
