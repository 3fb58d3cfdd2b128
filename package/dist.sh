#!/bin/sh
# SPDX-License-Identifier: MIT
# package/dist.sh [FOLDER]: a tarball for each CPU below dist/ or FOLDER, its bill of materials beside it, and their sums.
# The same tree gives the same bytes: times are those of the commit, or SOURCE_DATE_EPOCH.
set -eu
[ $# -le 1 ] || { echo "usage: package/dist.sh [FOLDER]" >&2; exit 2; }
to=${1-dist}
case $to in /*) ;; *) to=$PWD/$to ;; esac
cd "$(dirname "$0")/.."
. package/layout.sh
stamp=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# sums FOLDER: of every file below it, in one order everywhere.
sums() {
	(cd "$1" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) > "$work/sums"
	mv "$work/sums" "$1/SHA256SUMS"
}

pack() {
	name=roclatch-$version-$1
	lay_out "$1" "$work/$name"
	package/bill.sh "$1" "$version" "$stamp" "$work/$name" > "$work/bill"
	cp "$work/bill" "$work/$name/$document/roclatch.spdx.json"
	chmod 644 "$work/$name/$document/roclatch.spdx.json"
	for link in README.md docs; do ln -s "$document/$link" "$work/$name/$link"; done
	ln -s "$document/licences/roclatch" "$work/$name/LICENSE"
	sums "$work/$name"
	chmod 644 "$work/$name/SHA256SUMS"
	tar -c --format=ustar --sort=name --mtime="@$stamp" --owner=0 --group=0 --numeric-owner -C "$work" "$name" |
		gzip -7n > "$work/done/$name.tar.gz"
	mv "$work/bill" "$work/done/$name.spdx.json"
}

mkdir "$work/done"
pack x86_64
pack aarch64
sums "$work/done"
mkdir -p "$to"
for file in "$work"/done/*; do
	cp "$file" "$to/"
	echo "$to/${file##*/}"
done
