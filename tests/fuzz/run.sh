#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz/run.sh NAME SECONDS: search with libFuzzer for inputs that break fuzz_NAME. What is found
# new and harmless joins tests/fuzz/corpus/NAME once the corpus is merged (--merge as third word).
set -eu
cd "$(dirname "$0")/../.."
[ $# -ge 2 ] || { echo "usage: tests/fuzz/run.sh NAME SECONDS [--merge]" >&2; exit 2; }
name=$1 seconds=$2
corpus=tests/fuzz/corpus/$name found=build/fuzz/found/$name
mkdir -p "$corpus" "$found"
make --no-print-directory -s -j"$(nproc)" "build/fuzz/libfuzzer/fuzz_$name"
"build/fuzz/libfuzzer/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
	-artifact_prefix="$found/" -print_final_stats=1 "$found" "$corpus"
if [ "${3-}" = --merge ]; then
	"build/fuzz/libfuzzer/fuzz_$name" -merge=1 -max_len=65536 "$corpus" "$found"
fi
