#!/bin/sh
# SPDX-License-Identifier: MIT
# ./build.sh demo: attach to a running sample that uses ROCm's parts, record another one, call into a
# third, and look from outside at what has changed. It ends with a report page below build/demo.
set -eu
cd "$(dirname "$0")/.."
cpu=$(uname -m)
make --no-print-directory -s -j"$(nproc)" ARCH="$cpu" roclatch libraries fixtures demo
roclatch=$PWD/build/$cpu/roclatch
work=$(mktemp -d)
wrong=0
pid=
: > "$work/arenas"

trap 'kill $pid 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

headline() { printf '\n== %s\n' "$1"; }

# claim TEXT COMMAND...: what the demo wants to show, checked.
claim() {
	text=$1
	shift
	if "$@"; then echo "   yes: $text"; else echo "   NO:  $text"; wrong=1; fi
}

# show ANSWER ARG...: run roclatch, show all of it, and check what it printed on stdout ("-": anything).
show() {
	answer=$1
	shift
	echo "\$ roclatch $*"
	status=0
	"$roclatch" "$@" > "$work/out" 2> "$work/err" || status=$?
	cat "$work/out" "$work/err"
	sed -n 's/.*malloc arena at \(0x[0-9a-f]*\).*/\1/p' "$work/err" >> "$work/arenas"
	claim "exit status 0" [ "$status" = 0 ]
	[ "$answer" = - ] || claim "the answer is $answer" [ "$(cat "$work/out")" = "$answer" ]
}

# reported ADDRESS: does it lie in an arena (64 MiB, so aligned) that roclatch has reported as kept?
reported() {
	while read -r arena; do
		[ $((0x$1 >> 26)) != $((arena >> 26)) ] || return 0
	done < "$work/arenas"
	return 1
}

# look NAME: what the kernel says of the sample, into files of that name.
look() {
	while read -r range access _ _ _ path; do
		reported "${range%-*}" || echo "$range $access $path"
	done < "/proc/$pid/maps" > "$work/$1.maps"
	ls "/proc/$pid/task" > "$work/$1.threads"
	ls "/proc/$pid/fd" > "$work/$1.files"
	for task in "/proc/$pid/task/"*; do
		grep -hE '^(TracerPid|Sig(Blk|Ign|Cgt)):' "$task/status"
	done > "$work/$1.state"
}

# unchanged KIND WHAT
unchanged() {
	claim "$2 as before" cmp -s "$work/before.$1" "$work/after.$1"
	diff "$work/before.$1" "$work/after.$1" | sed 's/^/        /'
}

nothing_changed() {
	look after
	unchanged threads "threads ($(wc -l < "$work/after.threads"))"
	unchanged maps "mappings ($(wc -l < "$work/after.maps")) but for $(wc -l < "$work/arenas") malloc arenas that were reported as kept,"
	unchanged files "open files ($(wc -l < "$work/after.files"))"
	unchanged state "tracer (none), signal masks and handlers"
}

. tests/demo/attach.sh
. tests/demo/record.sh
. tests/demo/call.sh

headline "The report of the recording: open it in a browser"
echo "   $PWD/$report/demo_results.html"
exit $wrong
