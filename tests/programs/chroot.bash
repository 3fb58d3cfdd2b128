# shellcheck shell=bash disable=SC2034,SC2153,SC2154,SC2317 # names are shared with programs.bash
# SPDX-License-Identifier: MIT
# Programs in a chroot: bash with copies of its libraries, and static busybox, which has no symbols and is refused.

run() {
	install busybox busybox-static || return 1
	[ "$(id -u)" = 0 ] || { echo "# chroot needs root"; return 1; }
	local root=$dir/root file
	mkdir -p "$root/bin" "$root/tmp"
	for file in bash sleep cat; do
		cp "$(type -P $file)" "$root/bin/$file"
		ldd "$root/bin/$file" | grep -o '/[^ ]*' | while read -r file; do
			mkdir -p "$root${file%/*}"
			cp -n "$file" "$root$file"
		done
	done
	cp "$(type -P busybox)" "$root/bin/busybox"
	cp "$here/bash_loop" "$root/"
	cp "$probe" "$root/probe-chroot.so"
	chroot "$root" /bin/bash /bash_loop /tmp &
	local pid=$!
	until_ok test -s "$root/tmp/beat" || return 1
	ln -s "$root/tmp/beat" "$dir/beat"
	ln -s "$root/tmp/wrong" "$dir/wrong"
	slack_maps=8
	probe=/probe-chroot.so
	trial chroot $pid

	rm "$dir/beat"
	chroot "$root" /bin/busybox sleep 600 &
	pid=$!
	expect=refused
	trial busybox-static $pid
}
