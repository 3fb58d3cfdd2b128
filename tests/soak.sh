#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/soak.sh [SECONDS [ROUNDS]]: the long live tests, then random products of kind, state, threads,
# signals and function for that long (600), then every kill and failure point ROUNDS (20) times, also
# inside calls and as on an old kernel. ./build.sh soak builds what is run here.
set -eu
cd "$(dirname "$0")/.."
cpu=$(uname -m)
seconds=${1:-600}
rounds=${2:-20}
case $seconds$rounds in *[!0-9]* | '') echo "usage: soak.sh [SECONDS [ROUNDS]]" >&2; exit 2 ;; esac
status=0
"build/$cpu/tests/live" --roclatch "build/$cpu/roclatch" --fixtures "build/$cpu/fixtures" --soak "$seconds" || status=1
"build/$cpu/tests/killat" --suite --thorough --jobs 4 --rounds "$rounds" \
	--roclatch "build/$cpu/roclatch" --fixtures "build/$cpu/fixtures" || status=1
exit "$status"
