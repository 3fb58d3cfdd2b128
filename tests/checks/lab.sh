# SPDX-License-Identifier: MIT
# The laboratory itself: a machine or a suite that fails is seen to fail.
. tests/lab/check.sh
. tests/lab/suite.sh
scratch

tap() { printf '%s\n' "$@" | awk -v prefix=p/ -f tests/lab/tap.awk > "$folder/tap"; cat "$folder/tap"; }
told() { grep -qxF "$1" "$folder/tap"; }

unity_is_read() {
	tap '@suite unit/x' 'a.c:1:one:PASS' 'a.c:2:two:FAIL: Expected 1' 'a.c:3:three:IGNORE: why' '@status 1' @finished
	told 'ok p/unit/x/one' && told 'not ok p/unit/x/two' && told 'skip p/unit/x/three  why'
}

crash_is_seen() { tap '@suite live' 'ok one' '@status 139 9' @finished; told 'not ok p/live (ended with status 139)'; }
silence_is_seen() { tap '@suite live' '@status 0 9' @finished; told 'not ok p/live (ran no test)'; }
short_plan_is_seen() { tap '@suite live' 1..2 'ok one' '@status 0 9' @finished; told 'not ok p/live (planned 2 tests, told of 1)'; }
time_limit_is_seen() { tap '@suite live' 'ok one' '@status 137 9' @finished; told 'not ok p/live (killed, perhaps by the limit of 9 s)'; }
stop_is_seen() { tap '@suite live' 'ok one'; told 'not ok p/all (the run stopped before its end)'; }

# Their objects tell what they include.
plain() {
	set --
	for name in $(plain_units) $(same_units); do set -- "$@" "build/$(uname -m)/obj/tests/unit/test_$name.d"; done
	[ $# -gt 0 ] && ls "$@" && ! grep -E '(inject|arch)/' "$@"
}

check "Unity's lines are understood" unity_is_read
check "a suite that crashes is a failure" crash_is_seen
check "a suite without a test is a failure" silence_is_seen
check "a suite that stops short of its plan is a failure" short_plan_is_seen
check "a suite that is killed is a failure" time_limit_is_seen
check "a run that stops early is a failure" stop_is_seen
check "plain unit tests include nothing of inject/ and arch/" plain
# for the other CPU tests/run.sh sees it of the guests that it has
cpu=$(uname -m)
check "$cpu guest passes the status on" status 7 tests/lab/vm "$cpu" exit 7
# BOTH: for a release
if [ -n "${BOTH-}" ]; then
	check "a guest that panics is reported" status 125 tests/lab/vm -t 600 "$cpu" 'echo c > /proc/sysrq-trigger'
	check "a guest that hangs is reported" status 124 tests/lab/vm -t 6 "$cpu" 'sleep 1000'
fi
