#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz/carry.sh FOLDER: all fuzzers, their corpora and a script to run them, for a machine without a compiler.
set -eu
[ $# -eq 1 ] || { echo "usage: tests/fuzz/carry.sh FOLDER" >&2; exit 2; }
to=$1
cd "$(dirname "$0")/../.."
make --no-print-directory -s libfuzzer
rm -rf "$to"
mkdir -p "$to/bin" "$to/lib"
for fuzzer in build/fuzz/libfuzzer/fuzz_*; do
	strip -g -o "$to/bin/${fuzzer##*/}" "$fuzzer"
done
ldd "$to"/bin/* | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u | xargs -I LIB cp LIB "$to/lib/"
cp "$(readelf -lW "$(find "$to/bin" -type f | head -n 1)" | sed -n 's/.*interpreter: \([^]]*\)].*/\1/p')" "$to/lib/ld.so"
cp -r tests/fuzz/corpus "$to/corpus"
cp tests/fuzz/all.sh "$to/run.sh"
tar -C "$to" -czf "$to/fuzzers.tar.gz" bin
rm -rf "${to:?}/bin"
du -sh "$to"
