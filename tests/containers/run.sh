#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/containers/run.sh CPU [PART...]: roclatch and containers of a real runc, and what runc does not make by bwrap and
# unshare: from outside, from beside and from inside.  Each attachment records and ends, and the process is looked at
# before and after, or it is refused with the remedy for that place.  Needs root.  ONLY=REGEX chooses by names.
set -u
cpu=$1
here=build/$cpu/tests/containers
roclatch=$PWD/build/$cpu/roclatch
rocm=$PWD/build/$cpu/fixtures/root-rocm
work=$(mktemp -d)
runner=
. tests/lab/check.sh
# shellcheck source=tests/containers/bundle.sh
. "$here/bundle.sh"
# shellcheck source=tests/containers/attach.sh
. "$here/attach.sh"

# In a guest: runc and the others are brought along, with their libraries.
prepare_guest() {
	patience=1500
	cp "$here/bin/"* /usr/bin/
	mkdir -p /lib
	cp "$here/lib/"* /lib/
	[ -e /lib64 ] || ln -s lib /lib64
}
patience=200
[ -z "${ENDS_HERE-}" ] || prepare_guest

# Nothing stays: no process, no mount, no cgroup, no file.
clean() {
	[ -z "$runner" ] || kill "$runner" 2>/dev/null
	stop_all
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' HUP INT TERM

# The system of the program, and a root that has our file alone.
make_images() {
	chmod 755 "$work"
	mkfifo "$work/never"
	mkdir -p "$work/app/lib" "$work/app/out" "$work/app/proc" "$work/app/dev" "$work/app/tmp" "$work/app/bin"
	cp -a "$rocm/rocm-app" "$work/app/"
	cp -a "$rocm/lib/." "$work/app/lib/"
	cp "$here/busybox" "$work/app/bin/"
	mkdir -p "$work/scratch" "$work/here" "$work/shared" "$work/results"
	cp "$roclatch" "$work/scratch/"
	cp "$roclatch" "$work/app/bin/"
	chmod 1777 "$work/here" "$work/results" "$work/app/out" "$work/app/tmp"
}

make_images
shift
[ $# -gt 0 ] || set -- cases others pod
for part; do
	# shellcheck disable=SC1090 # cases.sh, others.sh, pod.sh
	. "$here/$part.sh"
done
