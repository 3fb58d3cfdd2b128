# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# A program in pid and mount namespaces of its own.

run() {
	[ "$(id -u)" = 0 ] || { echo "# namespaces need root"; return 1; }
	unshare -p -m -f --mount-proc bash "$here/bash_loop" "$dir" &
	local outer=$!
	until_ok test -s "$dir/beat" || return 1
	slack_maps=8
	trial namespace "$(child_of $outer)"
}
