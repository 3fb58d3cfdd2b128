# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# sh run.sh CPU [tools|surroundings]: roclatch selftest without a GPU: alone, with compilers and programs that fail in every way, and with its
# sample program on the stand-ins of ROCm (tests/rocm), which takes the place of what hipcc would make.
. tests/lab/check.sh
scratch
cpu=$1
roclatch=$PWD/build/$cpu/roclatch
fixtures=$PWD/build/$cpu/fixtures
rocm=$fixtures/root-rocm
few=${ENDS_HERE-} fewest=${BRIEF-}      # an emulated machine tries some of it
mkdir "$folder/tmp" "$folder/bin" "$folder/nothing"

# A world in which there is no ROCm but what a test names.
unset ROCP_TOOL_ATTACH
export TMPDIR="$folder/tmp" ROCM_PATH=/nowhere

# script NAME: a program of that name from stdin.
script() {
	{ echo '#!/bin/sh'; cat; } > "$folder/bin/$1"
	chmod 755 "$folder/bin/$1"
}
# made: hipcc makes the program from stdin.
made() {
	script made
	# shellcheck disable=SC2016 # of the script
	printf 'while [ "$1" != -o ]; do shift; done\ncp %s "$2"\n' "$folder/bin/made" | script hipcc
}

# try STATUS [ARG...]: what it said is in said and err, the report in report; with a sleep of glibc 2.31.  It leaves nothing.
try() {
	wanted=$1
	shift
	rm -f "$folder/report"
	status "$wanted" with_sleep "$roclatch" selftest -o "$folder/report" "$@" > "$folder/said" 2> "$folder/err" < /dev/null &&
		good=0 || good=1
	cat "$folder/said" "$folder/err"
	[ -z "$(ls -A "$folder/tmp")" ] || { echo "files were left"; return 1; }
	left_running && return 1
	return "$good"
}
with_sleep() { (cd "$fixtures/root-bullseye" && PATH=$PWD:$PATH exec "$@"); }
left_running() {
	grep -lsz '^ROCLATCH_SELFTEST=' /proc/[0-9]*/environ | while read -r file; do
		grep -lsz "^TMPDIR=$folder/tmp\$" "$file"
	done | grep .
}

# step VERDICT NAME [TEXT]: so it is said, and in the report.
step() {
	for file in said report; do
		grep -q "^$1  *$2  *.*${3-}" "$folder/$file" || { echo "not in $file: $1 $2 ${3-}"; return 1; }
	done
}
says() { grep -q -e "$1" "$folder/said" "$folder/err" || { echo "not said: $1"; return 1; }; }

without_rocm() {
	try 0 && step yes machine && step 'not here' rocm 'no AMD GPU' && step yes core 'nothing was left behind' &&
		step 'not here' program && step 'not here' tool && step 'not here' own-tool &&
		says '^2 of 6 steps ran: 2 passed, 0 failed; 4 not here$' && says "^report: $folder/report$" && says 'on a borrowed thread'
}
tells_what_it_is() {
	grep -q 'selftest of 20' "$folder/report" && grep -q '^What this is: ' "$folder/report" &&
		grep -q '^tracker of the roclatch project' "$folder/report" && ! grep -e "$(uname -n)" -e "$HOME/" "$folder/report"
}
in_json() {
	try 0 --json && says '^{"command":"selftest","steps":\[{"name":"machine","verdict":"yes","text":"Linux ' &&
		says '"name":"own-tool","verdict":"not here","text":"there is no program to attach to","remedy":"' &&
		says '"summary":"2 of 6 steps ran: .*"report":".*","error":null,"verdict":"done","status":0}$' &&
		grep -q '^yes  *core' "$folder/report"
}
in_current_folder() {
	(cd "$folder/nothing" && PATH=$folder/nothing "$roclatch" selftest > "$folder/said") && cat "$folder/said" &&
		says '^not here  core' && set -- "$folder"/nothing/* && [ $# = 1 ] &&
		[ "${1#*/roclatch-selftest-"$(uname -n)"-20*.txt}" != "$1" ]
}
static_sleep() {
	cp "$roclatch" "$folder/bin/sleep"
	PATH=$folder/bin:$PATH "$roclatch" selftest -o "$folder/static" > "$folder/said"
	rm "$folder/bin/sleep"
	cat "$folder/said"
	says '^not here  core .*no program is here'
}
report_stays() {
	echo old > "$folder/report.old"
	status 1 "$roclatch" selftest -o "$folder/report.old" > "$folder/said" 2> "$folder/err" || return 1
	cat "$folder/err"
	[ "$(cat "$folder/report.old")" = old ] && [ ! -s "$folder/said" ]
}
report_nowhere() {
	status 1 "$roclatch" selftest -o "$folder/no/report" > "$folder/said" 2> "$folder/err" && [ ! -s "$folder/said" ] && says 'remedy: '
}
no_temporary() { TMPDIR=$folder/no try 1 && says 'TMPDIR' && [ ! -e "$folder/report" ]; }
wrong_usage() { status 2 "$roclatch" selftest "$@"; }

hipcc_fails() {
	echo 'echo first; echo "sample.hip:1:10: error: it is broken" >&2; exit 3' | script hipcc
	try 1 --hipcc "$folder/bin/hipcc" && step NO program 'hipcc failed (status 3): sample.hip:1:10: error: it is broken' &&
		step 'not here' own-tool && says '^3 of 6 steps ran: 2 passed, 1 failed; 3 not here$'
}
hipcc_hangs() {
	echo "sleep 700 & echo \$! > $folder/pid; wait" | script hipcc
	try 6 --hipcc "$folder/bin/hipcc" --timeout-msec 1500 && step NO program 'hipcc: no end within' &&
		! grep '^State:.*[^Z] (' "/proc/$(cat "$folder/pid")/status"
}
hipcc_does_nothing() { echo : | script hipcc; try 1 --hipcc "$folder/bin/hipcc" && step NO program 'made no program'; }
no_hipcc() { try 1 --hipcc "$folder/bin/nothing" && step NO program 'No such file'; }
# The guest has no sources.
sees_source() {
	# shellcheck disable=SC2016 # of the script
	echo 'for last; do :; done; cp "$last" '"$folder/source; exit 1" | script hipcc
	try 1 --hipcc "$folder/bin/hipcc" && cmp "$folder/source" rocp/sample.hip
}
dies() { try 4 --program 'exit 3' && step NO program 'the program has ended with status 3'; }
dies_ours() {
	echo 'echo hipMalloc answered 100; exit 1' | made
	try 4 --hipcc "$folder/bin/hipcc" && step NO program 'has ended with status 1: hipMalloc answered 100'
}
no_rocm_in_it() { try 3 --program 'sleep 100' && step NO program 'no tool can be attached' && step 'not here' tool; }

# sample LIBS [VARIABLE=VALUE]: what hipcc makes is the sample program on stand-ins.
sample() { echo "cd $rocm && ${2-} LD_LIBRARY_PATH=$1 exec ./selftest-sample" | made; }
attaches() {
	sample tables:lib
	try 0 --hipcc "$folder/bin/hipcc" && step yes program && step yes tool 'attached twice' &&
		step yes own-tool 'attached twice' && says '^5 of 6 steps ran: 5 passed, 0 failed; 1 not here$' &&
		[ "$(grep -c ' of these [1-9][0-9]* roclatch_selftest' "$folder/said")" = 4 ]
}
# finds FAULT TEXT: a tool that writes such tables does not pass.
finds() {
	sample tables:lib "TABLES=$1"
	try 1 --hipcc "$folder/bin/hipcc" && step NO tool "$2" && step yes own-tool
}
writes_nothing() {
	sample lib
	try 1 --hipcc "$folder/bin/hipcc" && step NO tool 'has written no file' && step yes own-tool
}
late_only() {
	sample sdk-1.0:lib 'unset ROCP_TOOL_ATTACH;'
	try 0 --hipcc "$folder/bin/hipcc" && step yes program 'late only' && step 'not here' tool 'late' && step yes own-tool &&
		says 'recorded: [1-9][0-9]* calls'
}
by_shell() {
	try 0 --program "cd $rocm && LD_LIBRARY_PATH=tables:lib ./rocm-app ready threads=1; true" && step yes program &&
		step yes tool && step yes own-tool && ! grep 'of these' "$folder/report"
}
running() {
	(cd "$rocm" && exec env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready threads=1) \
		< /dev/null > /dev/null 2>&1 & target=$!
	for _ in $(seq 300); do grep -qsx rocp-bg-attach /proc/$target/task/*/comm && break; sleep 0.2; done
	try 0 -p $target && step yes program && step 'not here' tool 'keeps its first tool' && step yes own-tool &&
		good=0 || good=1
	grep -h '^TracerPid:[[:space:]]*0$' /proc/$target/status || good=1
	kill -9 $target
	wait $target 2> /dev/null
	return "$good"
}
gone() { try 3 -p 4194304 && step NO program; }

# interrupted SIGNAL STATUS: while it records.
interrupted() {
	sample tables:lib
	rm -f "$folder/report"
	(cd "$fixtures/root-bullseye" &&
		PATH=$PWD:$PATH exec "$roclatch" selftest --hipcc "$folder/bin/hipcc" -o "$folder/report") > "$folder/said" 2>&1 < /dev/null & target=$!
	for _ in $(seq 120); do
		sleep 1
		grep -q 'yes  *program' "$folder/said" && break
	done
	sleep 1
	kill "-$1" $target
	wait $target && got=0 || got=$?
	cat "$folder/said"
	for _ in $(seq 60); do left_running > /dev/null || break; sleep 1; done
	[ "$got" = "$2" ] && ! left_running
}
stopped() { interrupted TERM 143 && [ ! -e "$folder/report" ] && [ -z "$(ls -A "$folder/tmp")" ]; }
killed() {
	interrupted KILL 137 && good=0 || good=1
	rm -rf "$folder"/tmp/*
	return "$good"
}

if [ -e /dev/kfd ]; then
	echo "skip selftest (this machine has a GPU)"
	exit 0
fi
# In two parts that may run beside each other; an emulated machine has the first alone.
tools_are_judged() {
	check "without ROCm two steps pass, and the others are not here" without_rocm
	[ -z "$fewest" ] || return 0
	check "the report says what it is, and names neither host nor home" tells_what_it_is
	check "the sample program is attached with both tools, twice" attaches
	check "all of it is told as JSON" in_json
	check "hipcc that fails is told with its last line" hipcc_fails
	check "hipcc that hangs is ended with all that it has started" hipcc_hangs
	check "a program that dies is told" dies
	check "a running process is attached, and goes on" running
	check "tables without rows do not pass" finds empty 'no kernels were recorded'
	[ -z "$few" ] || return 0
	check "records that end before they begin do not pass" finds backwards 'end before they begin'
	check "more records than launches do not pass" finds double 'were recorded, while the program made'
	check "records of other kernels alone do not pass" finds nameless 'the kernel of the sample program was not recorded'
	check "records of another time do not pass" finds long 'apart, more than the recording took'
	check "tables without heads do not pass" finds headless 'is no table'
	check "a tool that writes nothing does not pass" writes_nothing
}
surroundings_are_told() {
	check "the report is made in the current folder; without sleep the core is not tried" in_current_folder
	check "a static sleep is not taken" static_sleep
	check "a report is not written over another file" report_stays
	check "a report that cannot be made is told before anything is done" report_nowhere
	check "a folder for what is made meanwhile that is not there is told" no_temporary
	check "-p and --program exclude each other" wrong_usage -p 1 --program true
	check "it takes no operands" wrong_usage 1
	check "hipcc that makes nothing is told" hipcc_does_nothing
	check "hipcc that is not there is told" no_hipcc
	check "hipcc gets the sample program" sees_source
	check "the sample program is C++ as well, as hipcc takes it" g++ -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only \
		-Itests/rocm -Itests/rocm/include rocp/sample.hip
	check "the sample program's last words are told" dies_ours
	check "a program without ROCm is told" no_rocm_in_it
	check "a process that can be attached late only is" late_only
	check "a program behind a shell is found" by_shell
	check "a process that is not there is told" gone
	check "SIGTERM leaves nothing behind" stopped
	check "what it has started ends when it is killed" killed
}
[ "${2-}" = surroundings ] || tools_are_judged
[ "${2-}" = tools ] || [ -n "$few" ] || surroundings_are_told
