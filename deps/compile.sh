#!/bin/sh
# SPDX-License-Identifier: MIT
# deps/compile.sh OBJECT COMPILER [OPTION...]: compile what others wrote, or take it from build/cache when the same compiler
# has made it with the same options of the same build.lock before, in whatever folder: it takes a minute for each CPU, and
# changes with none of our sources. With ANEW set it is compiled in any case.
set -eu
object=$1
shift
key=$({ "$1" --version; echo "$*" | sed "s|$PWD|.|g"; cat build.lock; } | sha256sum | cut -c1-32)
kept=build/cache/compiled/${object##*/}-$key
if [ -n "${ANEW-}" ] || [ ! -f "$kept" ]; then
	"$@" -o "$object"
	mkdir -p "${kept%/*}"
	cp "$object" "$kept.$$"
	mv "$kept.$$" "$kept"
	find "${kept%/*}" -type f -mtime +30 -delete
else
	touch "$kept"
	cp "$kept" "$object"
fi
