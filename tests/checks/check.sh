# SPDX-License-Identifier: MIT
# roclatch check on a process with the real register: statuses, streams, and that it changes nothing.
. tests/lab/check.sh
scratch
roclatch=$PWD/build/$(uname -m)/roclatch
rocm=$PWD/build/$(uname -m)/fixtures/root-rocm

# run STATUS ARG...
run() {
	wanted=$1
	shift
	said "$wanted" "$roclatch" check "$@"
}
says() { grep -qE -e "$1" "$folder/said.out" || { echo "does not say: $1"; return 1; }; }

# start STATE VARIABLE...: the sample program, in $target; it is ready when its threads run.
start() {
	state=$1
	shift
	cd "$rocm" || return 1
	env "$@" ./rocm-app "$state" >/dev/null 2>&1 </dev/null &
	target=$!
	cd - >/dev/null || return 1
	[ "$state" = waiting ] && looks=20 || looks=300
	for _ in $(seq "$looks"); do
		sleep 0.1
		[ "$state" = waiting ] || [ "$(find "/proc/$target/task" -maxdepth 1 | wc -l)" -le 3 ] || break
	done
}
# on STATE VARIABLE... -- COMMAND...: the command while such a program runs.
on() {
	words=
	while [ "$1" != -- ]; do words="$words $1"; shift; done
	shift
	# shellcheck disable=SC2086 # one word each
	start $words
	"$@" && answered=0 || answered=1
	kill -0 "$target" || { echo "the target has ended"; answered=1; }
	kill "$target"
	wait "$target" 2>/dev/null || :
	return "$answered"
}

wrong() { run 2 "$@" && silent out && ! silent err; }
check "check without a process is wrong usage" wrong
check "check of two processes is wrong usage" wrong 1 2
check "check has options of its own" wrong -p 1 --on fresh

no_process() { run 3 -p 4194304 && says '^NO    process +there is no process 4194304$' && says '^process 4194304 cannot be attached' && silent err; }
check "a process that is not there is status 3 and one line" no_process

plain() { run 3 -p "$plain" && says '^NO    register +librocprofiler-register is not loaded' && says '^ +remedy: ' && silent err; }
plain_json() {
	run 3 --json "$plain" && silent err &&
		says '^\{"command":"check","pid":[0-9]+,"can_attach":false,"can_late":false,.*"checks":\[\{"name":"process","verdict":"ok",' &&
		says '\{"name":"register","verdict":"no","text":"librocprofiler-register is not loaded.*"remedy":"give' &&
		says '"status":3\}$'
}
sleep 60 &
plain=$!
check "a process without ROCm is status 3, told on stdout alone" plain
check "the same in JSON" plain_json
kill "$plain"

seen() {
	cat "/proc/$target/maps" "/proc/$target/environ" "/proc/$target/limits"
	ls "/proc/$target/task" "/proc/$target/fd"
	grep -h TracerPid "/proc/$target"/task/*/status
}
ready() {
	seen > "$folder/before"
	run 0 -p "$target" && says '^process [0-9]+ can be attached now$' && says '^ok    rocattach ' && silent err || return 1
	seen > "$folder/after"
	cmp "$folder/before" "$folder/after"
}
ready_json() { run 0 "$target" --json && says '"can_attach":true,"can_late":true' && says '"summary":"can be attached now","error":null' && silent err; }
check "a process that was started for it can be attached, and nothing in it changes" \
	on ready LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 -- ready
check "the same in JSON is status 0" on ready LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 -- ready_json

not_started() {
	run 3 -p "$target" && says '^NO    attach-library .*started without ROCP_TOOL_ATTACH=1$' &&
		says 'remedy: start the process with ROCP_TOOL_ATTACH=1 .*, or attach with --late' && says 'can be attached late only'
}
late() { run 0 -p "$target" --late -t "$rocm/tools/libroclatch-tool.so" && says 'can be attached late now$' && says '^note  attach-library'; }
late_own() { run 0 -p "$target" --late && says "^ok    tool .*libroclatch-tool.so"; }
late_amd() { run 3 -p "$target" --late -t "$rocm/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1" && says '^NO    tool .*does not export roclatch_tool_state'; }
check "a process that was not started for it hears both ways out" on ready LD_LIBRARY_PATH=lib -- not_started
check "it can be attached late with a tool made for that" on ready LD_LIBRARY_PATH=lib -- late
check "it can be attached late with roclatch's own tool, which is taken when none is named" on ready LD_LIBRARY_PATH=lib -- late_own
check "it cannot be attached late with AMD's tool" on ready LD_LIBRARY_PATH=lib -- late_amd

turned_off() { run 3 -p "$target" && says '^NO    attach-library .*ROCPROFILER_REGISTER_ENABLED turns the register off$'; }
for count in 1 63 64 65 600; do
	# shellcheck disable=SC2046 # one word each
	check "a variable of a process is seen behind $count others" \
		on waiting LD_LIBRARY_PATH=lib $(seq -f 'OTHER%g=1' "$count") ROCPROFILER_REGISTER_ENABLED=0 -- turned_off
done

too_early() { run 3 -p "$target" && says '^NO    attach-library .*HSA is not initialised' && says '^NO    rocattach '; }
check "before hsa_init nothing can be attached" on waiting LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 -- too_early

no_listener() { run 0 -p "$target" && says '^note  listener +none: this SDK is older'; }
check "an SDK without a listener thread is a note" on ready LD_LIBRARY_PATH=nolistener:lib ROCP_TOOL_ATTACH=1 -- no_listener

# The program's DT_RUNPATH names lib, where the SDK is; the register's dlopen does not look there.
no_sdk() { run 3 -p "$target" && says '^NO    sdk +librocprofiler-sdk.so is nowhere'; }
check "an SDK that only the program would find is not found" on ready LD_LIBRARY_PATH=nosdk ROCP_TOOL_ATTACH=1 -- no_sdk
beside() { run 0 -p "$target" && says '^ok    sdk .*/lib/librocprofiler-sdk.so.1 can be loaded'; }
check "an SDK beside the register is found" \
	on ready LD_LIBRARY_PATH=nosdk "LD_PRELOAD=$rocm/lib/librocprofiler-register.so.0" ROCP_TOOL_ATTACH=1 -- beside
ln -s "$rocm/lib/librocprofiler-register.so.0" "$folder/librocprofiler-register.so.0"
check "the register looks beside the link that it was loaded by" \
	on ready LD_LIBRARY_PATH=nosdk "LD_PRELOAD=$folder/librocprofiler-register.so.0" ROCP_TOOL_ATTACH=1 -- no_sdk
old_sdk() { run 3 -p "$target" && says '^NO    sdk .*has no attach support' && denies says 'late only'; }
check "an SDK without attach support is not for a process with the attach library, late neither" \
	on ready LD_LIBRARY_PATH=sdk-1.0:lib ROCP_TOOL_ATTACH=1 -- old_sdk
late_only() { run 3 -p "$target" && says 'late only'; }
check "an SDK without attach support is for late only" on ready LD_LIBRARY_PATH=sdk-1.0:lib -- late_only

tool() { run 3 -p "$target" -t "$rocm/tools/$1" && says "^NO    tool .*$2"; }
for row in libneeds.so=libnowhere.so.9 libexecstack.so=stack libothercpu.so=is libgone.so=libgone; do
	check "a tool that cannot be loaded is refused: ${row%%=*}" \
		on ready LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 -- tool "${row%%=*}" "${row#*=}"
done

output() { run 3 -p "$target" -d "$rocm/rocm-app/below-a-file" && says '^NO    output '; }
check "a folder that cannot be written to is refused" on ready LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 -- output
