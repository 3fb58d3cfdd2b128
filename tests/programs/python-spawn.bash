# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# python3 that starts other programs all the time.

run() {
	"$python" "$here/spawn.py" "$dir/beat" "$dir/wrong" > "$dir/log" 2>&1 &
	local pid=$!
	until_ok test -s "$dir/beat" || return 1
	wrong() { cat "$dir/wrong" "$dir/log" 2> /dev/null; }
	slack_maps=8 slack_fds=4 slack_rss=8192
	trial python-spawn $pid
}
