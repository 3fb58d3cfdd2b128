# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# bash that waits for its children, which end at once or after a while.

run() {
	bash "$here/bash_loop" "$dir" &
	until_ok test -s "$dir/beat" || return 1
	slack_maps=8
	trial bash $!
}
