# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # of tests/demo.sh
# Any function of any program can be called.
guest=build/$cpu/demo/libguest.so
: > "$work/arenas"

build/"$cpu"/demo/sample > "$work/beats" &
pid=$!

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
kill "$pid"
