#!/bin/sh
# SPDX-License-Identifier: MIT
# ./build.sh demo: call into a running sample and look, from outside, at what has changed.
set -eu
cd "$(dirname "$0")/.."
cpu=$(uname -m)
make --no-print-directory -s -j"$(nproc)" ARCH="$cpu" roclatch demo
roclatch=build/$cpu/roclatch
guest=build/$cpu/demo/libguest.so
work=$(mktemp -d)
wrong=0
: > "$work/arenas"

build/"$cpu"/demo/sample > "$work/beats" &
pid=$!
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
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

beats() { tail -n 1 "$work/beats" | cut -d' ' -f1; }
# longest FROM: the longest pause in the lines behind that one, in microseconds
longest() { tail -n +"$(($1 + 1))" "$work/beats" | sort -k2n | tail -n 1 | cut -d' ' -f2; }
lines() { wc -l < "$work/beats"; }

headline "A program with five threads is running, pid $pid; each of four has a heartbeat every millisecond"
sleep 1.1
quiet=$(longest 0) from=$(lines) first=$(beats)
echo "   heartbeats so far: $first; longest pause of a thread: $quiet us"
look before

headline "Call functions in it: of the program itself, and of its C library"
show 42 call "$pid" exe sample_multiply 6 7
show 11 call "$pid" exe sample_length hello,world
show "$pid" call "$pid" libc getpid
show - call "$pid" exe sample_beats --json

headline "What did that leave behind?"
nothing_changed

headline "Load a library, call it, unload it"
show - inject "$pid" "$guest"
show 42 call "$pid" libguest.so guest_answer
show - eject "$pid" "$guest"

headline "And now?"
nothing_changed

headline "What cannot work is refused, with the reason, before the program is touched"
echo "\$ roclatch call $pid exe sample_multipy 6 7"
status=0
"$roclatch" call "$pid" exe sample_multipy 6 7 2>&1 || status=$?
claim "exit status 3" [ "$status" = 3 ]

headline "The program did not notice"
sleep 0.5
claim "it is alive, and its heart went on: $(($(beats) - first)) beats since" [ "$(beats)" -gt "$first" ]
echo "   longest pause of a thread meanwhile: $(longest "$from") us (before: $quiet us)"
exit $wrong
