# SPDX-License-Identifier: MIT
# tests/lab/yama.sh CPU: kernel.yama.ptrace_scope from 0 to 3, with and without CAP_SYS_PTRACE.  3 cannot be taken back:
# for a guest that has nothing else to do.
. tests/lab/check.sh
scratch
cpu=$1
scope=/proc/sys/kernel/yama/ptrace_scope
roclatch=$PWD/build/$cpu/roclatch
chmod 777 "$folder"
grep -q '^[^:]*:[^:]*:1000:' /etc/passwd || echo user:x:1000:1000::/:/bin/sh >> /etc/passwd

# as_user COMMAND...: as one who owns the program and has no capability.
# shellcheck disable=SC2086 # words
as_user() { exec start-stop-daemon -S -c 1000:1000 -x "$1" -- $2; }

start() {
	cd "build/$cpu/fixtures/root-rocm" || return 1
	LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 as_user ./rocm-app "ready threads=1" > "$folder/log" 2>&1 &
	pid=$!
	cd - > /dev/null || return 1
	for _ in $(seq 600); do
		grep -qsx rocp-bg-attach "/proc/$pid/task/"*/comm && return 0
		kill -0 "$pid" || break
		sleep 0.1
	done
	cat "$folder/log"
	return 1
}

# said STATUS PATTERN: of the answer that is there.
said() {
	cat "$folder/answer"
	[ "$answered" = "$1" ] || { echo "status $answered instead of $1"; return 1; }
	grep -qE -e "$2" "$folder/answer" || { echo "does not say: $2"; return 1; }
	! grep -h '^TracerPid:' "/proc/$pid/task/"*/status | grep -v '[[:space:]]0$'
}
RECORD="--hip-trace -d $folder -o out -f csv --attach-duration-msec 200"
# shellcheck disable=SC2086 # options
by_root() {
	echo "$1" > "$scope"
	"$roclatch" attach -p "$pid" -t "$PWD/build/$cpu/libroclatch-tool.so" $RECORD > "$folder/answer" 2>&1 </dev/null &&
		answered=0 || answered=$?
	said "$2" "$3"
}
by_owner() {
	echo "$1" > "$scope"
	(as_user "$roclatch" "attach -p $pid -t $PWD/build/$cpu/libroclatch-tool.so $RECORD") > "$folder/answer" 2>&1 </dev/null &&
		answered=0 || answered=$?
	said "$2" "$3"
}

start || { echo "not ok the program did not start"; exit; }
trap 'kill "$pid"; rm -rf "$folder"' EXIT
done_='verified: not traced'
check "Yama 0: root attaches" by_root 0 0 "$done_"
check "Yama 0: the owner attaches" by_owner 0 0 "$done_"
check "Yama 1: root attaches" by_root 1 0 "$done_"
check "Yama 1: the owner is refused, and told of root, sysctl and prctl" \
	by_owner 1 3 'remedy: run roclatch as root, or: sysctl kernel.yama.ptrace_scope=0, or let the program call prctl'
check "Yama 2: root attaches" by_root 2 0 "$done_"
check "Yama 2: the owner is refused, and told of root" by_owner 2 3 'remedy: run roclatch as root$'
check "Yama 3: root is refused, and told that it cannot be undone" \
	by_root 3 3 'remedy: boot with another .*3 cannot be undone'
check "Yama 3: the owner is refused, and told that it cannot be undone" \
	by_owner 3 3 'remedy: boot with another .*3 cannot be undone'
