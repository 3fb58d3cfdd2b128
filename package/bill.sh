#!/bin/sh
# SPDX-License-Identifier: MIT
# package/bill.sh CPU VERSION SECONDS FOLDER: the bill of materials (SPDX 2.3, JSON) of what is laid out in FOLDER, on stdout.
# SECONDS is the time of the commit.
set -eu
export LC_ALL=C
usage() { echo "usage: package/bill.sh x86_64|aarch64 VERSION SECONDS FOLDER" >&2; exit 2; }
[ $# = 4 ] || usage
[ -d "$4" ] || usage
case $1 in x86_64 | aarch64) ;; *) usage ;; esac
case $3 in '' | *[!0-9]*) usage ;; esac
cpu=$1 version=$2 created=$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)
folder=$(cd "$4" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The paths of its files: those of a folder before those of the folders in it.
files() {
	(cd "$folder" && find . -type f -printf '%P\n') |
		sed 's|[^/]*$|\x01&|; s|\([^/]*\)/|\x02\1|g' | sort | sed 's|\x02\([^\x01\x02]*\)|\1/|g; s|\x01||'
}
# sums PROGRAM: of each of them.
sums() { (cd "$folder" && tr '\n' '\0' < "$work/files" | xargs -0 "$1") | cut -d ' ' -f 1; }

compiler=gcc
[ "$cpu" = "$(uname -m)" ] || compiler=$cpu-linux-gnu-gcc
gcc=$($compiler -dumpfullversion)
sqlite=$(sed -n 's/^#define SQLITE_VERSION  *"\([^"]*\)".*/\1/p' build/deps/sqlite/*/extsrc/sqlite3.h | head -n 1)
[ -n "$sqlite" ] || { echo "package/bill.sh: no sqlite3.h below build/deps/sqlite" >&2; exit 1; }
files > "$work/files"
sums sha1sum > "$work/sha1"
sums sha256sum > "$work/sha256"
code=$(sort "$work/sha1" | tr -d '\n' | sha1sum | cut -d ' ' -f 1)
paste "$work/sha1" "$work/sha256" "$work/files" > "$work/all"
awk -f package/bill.awk -v cpu="$cpu" -v version="$version" -v created="$created" -v code="$code" -v gcc="$gcc" \
	-v sqlite="$sqlite" build.lock "$work/all"
