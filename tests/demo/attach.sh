# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # of tests/demo.sh
# The main job: a profiling tool is attached to a process that runs, records, and is detached.
root=build/$cpu/fixtures/root-rocm

headline "A process runs that uses HIP on two threads and AMD's real librocprofiler-register"
echo "   (GPU, runtimes, SDK and tool are stand-ins: none of them can be had without AMD's packages)"
(cd "$root" && LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 exec ./rocm-app ready threads=2) &
pid=$!
sleep 1
mkdir "$work/record"

untraced() { ! grep -h '^TracerPid:' "/proc/$pid/task/"*/status | grep -v '[[:space:]]0$'; }

headline "Can a tool be attached?  Looking touches nothing"
show - check "$pid"

headline "Attach, record for two seconds, detach"
show - attach -p "$pid" --hip-trace -d "$work/record" -o demo --attach-duration-msec 2s

headline "What was the tool called for, and how many HIP calls did it see?"
grep '^[0-9]' "$work/record/demo.callbacks" | sed 's/^/   /'
claim "it was configured, initialised, attached and detached, in this order" \
	[ "$(sed -n 's/^[0-9]* \([a-z_]*\) .*/\1/p' "$work/record/demo.callbacks" | tr '\n' ' ')" = "configure configure_attach init attach detach " ]
claim "it saw HIP calls" grep -q ' detach .*seen=[1-9]' "$work/record/demo.callbacks"

headline "And the process?"
claim "it is alive" kill -0 "$pid"
claim "nobody traces it" untraced
echo "   children that it starts are not told of the tool:"
show 0 call "$pid" libc getenv ROCP_TOOL_LIBRARIES
kill "$pid"
wait "$pid" 2>/dev/null || :
