# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# A program with jemalloc instead of the C library's malloc.

run() {
	install '/usr/lib/*/libjemalloc.so.2' libjemalloc2 || return 1
	local port pid library
	library=$(compgen -G '/usr/lib/*/libjemalloc.so.2')
	port=$(free_port)
	LD_PRELOAD=$library PYTHONMALLOC=malloc "$python" "$here/threads.py" "$port" "$dir/wrong" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" && grep -q jemalloc /proc/$pid/maps || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_threads=$(nproc) # jemalloc has one for each arena, made when it is used
	slack_maps=16 slack_rss=16384
	trial jemalloc $pid
}
