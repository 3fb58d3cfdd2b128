# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # of tests/demo.sh
# Record with roclatch's own tool, and make of it what people open.
report=build/demo
rm -rf "$report"
mkdir -p "$report"

headline "Another process: two threads that work as a training loop does, on two GPUs"
(cd "$root" && LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 exec ./rocm-app ready threads=1 busy=2) &
pid=$!
sleep 1

headline "Record it for two seconds with roclatch's own tool; a table, a database and a page are made of it"
show - attach -p "$pid" -t roclatch --sys-trace --stats -f csv rocpd html -d "$PWD/$report" -o demo --attach-duration-msec 2s
claim "there is a table of HIP calls" [ -s "$report/demo_hip_api_trace.csv" ]
claim "there is a database as rocprofv3 makes it" [ -s "$report/demo_results.db" ]
claim "there is a page" [ -s "$report/demo_results.html" ]
claim "the tool's log is gone, as all was made of it" [ ! -e "$report/demo.rlog" ]
echo "   the calls that took most of the time:"
head -n 4 "$report/demo_hip_api_stats.csv" | cut -d, -f1-4 | sed 's/^/      /'

headline "A process that is killed while it records loses nothing that was written"
(
	sleep 2
	kill -KILL "$pid"
) &
echo "\$ roclatch attach -p $pid -t roclatch --sys-trace -f csv ..."
status=0
"$roclatch" attach -p "$pid" -t roclatch --sys-trace -f csv -d "$PWD/$report" -o killed > "$work/out" 2>&1 </dev/null || status=$?
cat "$work/out"
wait "$pid" 2>/dev/null || :
claim "exit status 4: the target exited" [ "$status" = 4 ]
claim "there is a table all the same" [ -s "$report/killed_hip_api_trace.csv" ]

headline "Convert: the database becomes a timeline for Perfetto"
show - convert "$report/demo_results.db" -f pftrace
claim "there is a trace for https://ui.perfetto.dev" [ -s "$report/demo_results.pftrace" ]
