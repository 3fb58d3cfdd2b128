#!/bin/sh
# SPDX-License-Identifier: MIT
# ./build.sh demo: find, check, attach and record a running sample that uses ROCm's parts, and look from outside at what has
# become of it; call into another one. It ends with a report page below build/demo.
set -eu
cd "$(dirname "$0")/.."
cpu=$(uname -m)
echo "building roclatch and the samples: about a minute the first time"
make --no-print-directory -s -j"$(nproc)" ARCH="$cpu" ARCHES="$cpu" roclatch demo
work=$(mktemp -d)
report=$PWD/build/demo
wrong=0
pid=
rm -rf "$report"
mkdir -p "$report"
: > "$work/arenas"

trap 'kill $pid 2> /dev/null || :; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

roclatch() { "$PWD/build/$cpu/roclatch" "$@"; }
headline() { printf '\n== %s\n' "$1"; }

# claim TEXT COMMAND...: what the demo wants to show, checked.
claim() {
	text=$1
	shift
	if "$@"; then echo "   yes: $text"; else echo "   NO:  $text"; wrong=1; fi
}

# brief: lines that fit a terminal, without this folder's path.
brief() { sed -E -e "s@$PWD/@@g" -e 's/^(.{124}).{4,}$/\1.../'; }

# show ARG...: run roclatch and show what it prints. A terminal sees it live.
show() {
	echo "\$ roclatch $*" | sed "s@$PWD/@@g"
	status=0
	if [ "$1" = attach ] && [ -t 2 ]; then
		roclatch "$@" || status=$?
	else
		roclatch "$@" > "$work/out" 2> "$work/err" || status=$?
		cat "$work/out" "$work/err" | brief
		sed -n 's/.*malloc arena at \(0x[0-9a-f]*\).*/\1/p' "$work/err" >> "$work/arenas"
	fi
	[ "$status" = 0 ] || claim "exit status 0, but it is $status" false
}

. tests/demo/rocm.sh
. tests/demo/call.sh

headline "The report of the recording: open it in a browser"
echo "   $report/demo_results.html"

headline "What would differ on a machine with an AMD GPU"
cat << 'END'
   - `roclatch list` would show your own programs. Start them with ROCP_TOOL_ATTACH=1, or attach with --late.
   - Runtimes, SDK and GPU would be AMD's. Without --own-tool AMD's own tool would record, with PC sampling and thread trace.
   - Times and counters would be the hardware's; here they are those of the stand-in.
   - It has not been tried there yet: `roclatch selftest` tries it, and makes a report that can be sent back.
END
[ "$wrong" = 0 ] || headline "Something was not as it should be: look for NO above"
exit $wrong
