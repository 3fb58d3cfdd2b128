# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154,SC2317 # sourced by engines.sh; what is called by lines of the docs
# Enroot, as an ordinary user: the lines of docs/containers.md. By hand, where an `enroot`, mksquashfs and (for what is started
# from an image) squashfuse and fuse-overlayfs are installed: `sh tests/containers/engines.sh CPU enroot`. Debian has no
# package of it.

# There is a /dev/fuse that everybody may open, as on most machines.
enroot_begins() {
	command -v enroot > /dev/null || { echo "there is no enroot"; return 1; }
	mknod -m 666 "$work/fuse" c 10 229 && mount --bind "$work/fuse" /dev/fuse || return 1
	mkdir -p "$work/train/bin" "$work/train/proc" "$work/train/sys" "$work/train/dev" "$work/train/etc"
	cp "$top/build/$cpu/tests/containers/busybox" "$work/train/bin/sh"
	mksquashfs "$work/train" "$HOME/train.sqsh" -all-root -no-progress || return 1
	cp "$roclatch" "$HOME/"
	chown -R "$somebody:$somebody" "$HOME"
	enroot create --name train "$HOME/train.sqsh"
}
enroot_ends() { [ -z "$pid" ] || kill "$pid"; wait "$runner"; } > /dev/null 2>&1
# started NAME OPTION...: the program, in a container of that name, or of that image.
started() {
	enroot_ends
	name=$1
	shift
	rm -rf results && mkdir -m 1777 results
	enroot start "$@" --env LD_LIBRARY_PATH=/lib --env ROCP_TOOL_ATTACH=1 "$name" sh -c 'cd / && exec ./python3 ready threads=2' &
	runner=$!
	await there_is && has_filter
}
listed_as() { says 0 "^ *$pid +.*python3 +enroot " roclatch list; }
# What it needs is told, and that is enough.
told_of_filter() { refuses "1 filter that cannot be read" "go on with --trust-seccomp" as_written "$APPTAINER" "^enroot exec" "s/ --trust-seccomp//"; }
from_host_to_enroot() { fetched=results into=/tmp && attaches_once as_written "$APPTAINER" "^roclatch"; }
inside_enroot() { fetched='' into=$HOME/results && attaches_once as_written "$APPTAINER" "^enroot exec"; }
placed() { says 0 "^ +place +in a container of enroot$" enroot exec "$pid" "$HOME/roclatch" check -p "$pid" --trust-seccomp -d /tmp; }
# What FUSE shows is for the user alone, not even for root. The statuses are those of the program, and not of the shell with which
# Enroot holds the image.
from_host_to_image() {
	as_written "$APPTAINER" "^roclatch" && records "$(find results -name '*_results.db')" $kinds || return 1
	[ "$(find results -name '*.roclatch.json')" = "results/$(uname -n)-$pid.roclatch.json" ] || { find results; return 1; }
	look after
	runs_on
}
not_by_root() {
	refuses "namespaces +its files may not be looked at.* user $somebody alone" "run roclatch as its user: sudo -u '#$somebody'" \
		command roclatch check -p "$pid" -d /tmp
}
run_enroot() (
	engine=enroot HOME=$work/rootless runner=
	enroot() { as_somebody env ENROOT_MOUNT_HOME=yes enroot "$@"; }
	roclatch() { as_somebody roclatch "$@"; }
	[ -e "$work/rootless" ] || rootless_user
	opens "enroot: a container is created" enroot_begins || return 1
	opens "enroot: a program runs in it, which sees the home" started train || return 1
	try "enroot: list on the host says so" listed_as
	try "enroot: what its filter asks for is told" told_of_filter
	try "enroot: from the host, as its user" from_host_to_enroot
	try "enroot: inside" inside_enroot
	try "enroot: it says where it is" placed
	opens "enroot: a program runs from an image, with a root that can be written" started "$HOME/train.sqsh" --rw || return 1
	try "enroot: list on the host says so of that, too" listed_as
	try "enroot: root is told whose the image is" not_by_root
	try "enroot: from the host, and nobody hears of what mounts the image" from_host_to_image
	enroot_ends
)
