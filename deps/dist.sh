#!/bin/sh
# SPDX-License-Identifier: MIT
# One tarball for each CPU below dist/: the binary, the tool library, the library for programs, the drop-in libraries
# laid out as in ROCm's prefix, what they are, and the licences of what is in them.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^#define ROCLATCH_VERSION "\(.*\)"$/\1/p' bin/*.h)
[ -n "$version" ] || { echo "dist: no ROCLATCH_VERSION in bin/" >&2; exit 1; }
stamp=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# licences CPU FOLDER: of the code that is linked in beside our own.
licences() {
	cp "build/deps/musl-$1/usr/share/doc/musl-dev/copyright" "$2/LICENSE.musl"
	sed '/\*\//q' build/deps/demangle/libiberty-*/libiberty/cp-demangle.c > "$2/LICENSE.demangle"
	[ "$1" != x86_64 ] || cp build/deps/zydis/*zydis*/LICENSE "$2/LICENSE.zydis"
	[ "$1" != x86_64 ] || cp build/deps/zydis/*zycore*/LICENSE "$2/LICENSE.zycore"
}

# libraries CPU FOLDER
libraries() {
	mkdir -p "$2/lib/rocprofiler-sdk" "$2/docs"
	cp -P "build/$1"/librocprofiler-sdk-rocattach.so* "$2/lib/"
	cp -P "build/$1"/librocprofv3-attach.so* "$2/lib/rocprofiler-sdk/"
	rm -f "$2"/lib/*.full "$2"/lib/rocprofiler-sdk/*.full
	cp -R bin/dropin/include "$2/include"
	cp bin/dropin/rocprofv3-attach.py "$2/"
	cp "build/$1/libroclatch-tool.so" "$2/lib/"
	cp -P "build/$1/libroclatch.so" "build/$1/libroclatch.so.0" "build/$1/libroclatch.a" "$2/lib/"
	cp bin/lib/roclatch.h "$2/include/"
	cp docs/library.md docs/dropin.md docs/tool.md docs/convert.md docs/attach.md docs/check.md docs/man/*.1 "$2/docs/"
}

pack() {
	name=roclatch-$version-$1
	mkdir -p "$work/$name" dist
	cp "build/$1/roclatch" LICENSE README.md "$work/$name/"
	libraries "$1" "$work/$name"
	licences "$1" "$work/$name"
	chmod -R u=rwX,go=rX "$work/$name"
	tar -c --sort=name --mtime="@$stamp" --owner=0 --group=0 --numeric-owner -C "$work" "$name" |
		gzip -9n > "dist/$name.tar.gz"
	echo "dist/$name.tar.gz"
}

pack x86_64
pack aarch64
