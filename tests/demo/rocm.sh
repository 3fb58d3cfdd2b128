# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # of tests/demo.sh
# The main job: a process is found, looked at, recorded and let go; and what became of it.
root=build/$cpu/fixtures/root-rocm
record=$work/record
truncate -s 64K "$record"

# start_rocm WORD...: the sample, which notes in $record what it does; waits until it can be attached.
start_rocm() {
	(cd "$root" && LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 exec ./rocm-app ready "$@") 3<> "$record" 4<&- &
	pid=$!
	for _ in $(seq 100); do
		! grep -qsx rocp-bg-attach "/proc/$pid/task/"*/comm || break
		sleep 0.1
	done
	sleep 0.5
}

rounds() { "build/$cpu/demo/told" "$record" | cut -d' ' -f1; }
none_wrong() { [ "$("build/$cpu/demo/told" "$record" | cut -d' ' -f2)" = 0 ]; }
goes_on() { [ "$(rounds)" -gt "$1" ]; }
state() { grep -hE '^Sig(Blk|Ign|Cgt):' "/proc/$pid/status"; }
files() { find "/proc/$pid/fd" -type l -printf '%f %l\n' | sort; }
lives_untraced() { kill -0 "$pid" && ! grep -h '^TracerPid:' "/proc/$pid/task/"*/status | grep -v '[[:space:]]0$'; }
threads() { grep -l . "/proc/$pid/task/"*/comm | cut -d/ -f5; }
all_there() { for tid in $1; do [ -d "/proc/$pid/task/$tid" ] || return 1; done; }

start_rocm threads=1 busy=2
headline "1. A process runs, pid $pid: two threads train on two GPUs, a third checks every result that it gets"
echo "   librocprofiler-register in it is AMD's; GPU, runtimes and SDK are stand-ins, as these need AMD's hardware."

headline "2. Find it"
show list

headline "3. Can it be attached?  Looking touches nothing"
roclatch check "$pid" > "$work/check" && status=0 || status=$?
echo "\$ roclatch check $pid"
grep -E '^(NO|note)|^ok +(process|register|rocattach|listener|sdk|tool) |^process' "$work/check" | brief
echo "   ... and $(grep -cE '^ok ' "$work/check") lines say ok, $(grep -cE '^NO ' "$work/check") say NO"
claim "it can" [ "$status" = 0 ]

headline "4. Attach, record for four seconds, detach.  It is a page, a table and a database afterwards"
before_state=$(state) before_files=$(files) before_threads=$(threads) before_rounds=$(rounds)
show attach -p "$pid" --own-tool --sys-trace -f html csv rocpd -d "$report" -o demo --attach-duration-msec 4s
for made in results.html kernel_trace.csv results.db; do
	claim "there is demo_$made" [ -s "$report/demo_$made" ]
done

headline "5. And the process?"
after_rounds=$(rounds)
sleep 0.3
claim "it is alive, and nobody traces it" lives_untraced
claim "it worked on: $((after_rounds - before_rounds)) rounds meanwhile, and more since" goes_on "$after_rounds"
claim "every result that it got was right" none_wrong
claim "all its threads are there" all_there "$before_threads"
claim "signal masks and handlers as before" [ "$(state)" = "$before_state" ]
claim "open files as before" [ "$(files)" = "$before_files" ]

headline "6. It is killed while it records: what was written until then is not lost"
(sleep 2; kill -KILL "$pid") &
echo "\$ roclatch attach -p $pid --own-tool --sys-trace -f csv ... ; kill -9 $pid"
status=0
roclatch attach -p "$pid" --own-tool --sys-trace -f csv -d "$report" -o killed > "$work/out" 2>&1 < /dev/null || status=$?
grep -E 'recorded|kernel_trace|^roclatch' "$work/out" | brief
wait "$pid" 2> /dev/null || :
claim "exit status 4: the target exited" [ "$status" = 4 ]
claim "there is a table all the same" [ -s "$report/killed_kernel_trace.csv" ]
