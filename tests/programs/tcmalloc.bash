# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# A program with tcmalloc instead of the C library's malloc.

run() {
	install '/usr/lib/*/libtcmalloc_minimal.so.4' libtcmalloc-minimal4 || return 1
	local port pid library
	library=$(compgen -G '/usr/lib/*/libtcmalloc_minimal.so.4')
	port=$(free_port)
	LD_PRELOAD=$library PYTHONMALLOC=malloc "$python" "$here/threads.py" "$port" "$dir/wrong" > "$dir/log" 2>&1 &
	pid=$!
	until_ok answers "$port" && grep -q tcmalloc /proc/$pid/maps || return 1
	load() { ask http "$port"; }
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=16 slack_rss=16384
	trial tcmalloc $pid
}
