# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # sourced by run.sh; what is set is for bundle.sh
# kernel.yama.ptrace_scope from 0 to 3, with and without CAP_SYS_PTRACE: on the host, from it to a container, from beside and
# inside.  3 cannot be taken back: for a guest that has nothing else to do.

# Two programs, for all cases: one of a user on the host, and one of root in a container.
start_on_host() {
	(cd "$work/app" && tied $setpriv --reuid 1000 --regid 1000 --clear-groups env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 \
		./rocm-app ready threads=2) > "$work/log" 2>&1 &
	runner=$! pid=$!
	await has_all "$pid" || { cat "$work/log"; return 1; }
	on_its_own=$pid runner_on_host=$runner
}
start_both() {
	start_on_host || return 1
	plain
	start app && contained=$pid
}
stop_both() {
	stop app
	kill "$on_its_own"
	wait "$runner_on_host" 2>/dev/null
}

# on_host_itself, in_a_container: which of them is meant, and where it is to write.
on_host_itself() { pid=$on_its_own && record_into "$work/here"; }
in_a_container() { pid=$contained && record_into /out; }

# who it is that asks
by_root() { on_host_itself && "$@" on_host attach -p "$pid" $tool $RECORD; }
by_owner() { on_host_itself && "$@" as_user 1000 "$roclatch" attach -p "$pid" $tool $RECORD; }
to_container() { in_a_container && "$@" on_host attach -p "$pid" $tool $RECORD; }
by_side() {
	in_a_container
	caps=$1
	shift
	with_side "$@" beside attach -p 1 $tool $RECORD --collect /results
}
by_equal() { plain && by_side "$DOCKERS" "$@"; }
by_tracer() { plain && by_side SYS_PTRACE "$@"; }
by_place() { plain && variables=$1 && shift && by_side "$DOCKERS" "$@"; }
inside() { in_a_container && "$@" in_container app -- attach -p 1 $tool $RECORD; }
inside_tracer() { in_a_container && "$@" in_container app --cap CAP_SYS_PTRACE -- attach -p 1 $tool $RECORD; }

# scoped SCOPE WHO... refused|attaches_once: under that rule.
scoped() {
	echo "$1" > /proc/sys/kernel/yama/ptrace_scope
	shift
	"$@"
}
# no REMEDY COMMAND...: refused, for what Yama says.
no() {
	remedy=$1
	shift
	refuses "kernel.yama.ptrace_scope says" "$remedy" "$@"
}
yes() { attaches_once "$@"; }

start_both || { echo "not ok the programs did not start"; return; }
trap 'stop_both; clean' EXIT
for scope in 0 1 2; do
	try "Yama $scope: root attaches" scoped $scope by_root yes
	try "Yama $scope: a sidecar with CAP_SYS_PTRACE attaches" scoped $scope by_tracer yes
	try "Yama $scope: from the host to a container root attaches" scoped $scope to_container yes
	try "Yama $scope: inside of the container CAP_SYS_PTRACE attaches" scoped $scope inside_tracer yes
done
try "Yama 0: the owner attaches" scoped 0 by_owner yes
try "Yama 0: a sidecar with the same rights attaches" scoped 0 by_equal yes
try "Yama 0: inside of the container the same rights attach" scoped 0 inside yes

try "Yama 1: the owner is refused, and told of root, sysctl and prctl" scoped 1 by_owner no \
	"run roclatch as root, or: sysctl kernel.yama.ptrace_scope=0, or let the program call prctl"
try "Yama 2: the owner is refused, and told of root" scoped 2 by_owner no 'run roclatch as root$'
for scope in 1 2; do
	try "Yama $scope: a sidecar with the same rights is refused, and told of the capability" \
		scoped $scope by_equal no "start this container with CAP_SYS_PTRACE, or run roclatch as root on the host"
	try "Yama $scope: inside of the container the same rights are refused, and told of the capability" \
		scoped $scope inside no "start this container with CAP_SYS_PTRACE, or run roclatch as root on the host"
done
try "Yama 1: a sidecar of podman is told podman's line" scoped 1 by_place container=podman no \
	"podman run --cap-add SYS_PTRACE --pid container:NAME IMAGE roclatch check -p 1"
try "Yama 1: a sidecar in a pod is told the lines of the manifest" scoped 1 by_place KUBERNETES_SERVICE_HOST=10.0.0.1 no \
	"securityContext: \{runAsUser: 0, capabilities: \{add: \[SYS_PTRACE\]\}\}"

for_good='boot with another .*3 cannot be undone'
try "Yama 3: root is refused, and told that it cannot be undone" scoped 3 by_root no "$for_good"
try "Yama 3: the owner is refused, and told that it cannot be undone" scoped 3 by_owner no "$for_good"
try "Yama 3: a sidecar with CAP_SYS_PTRACE is refused, and told that it cannot be undone" scoped 3 by_tracer no "$for_good"
try "Yama 3: a sidecar with the same rights is refused, and told that it cannot be undone" scoped 3 by_equal no "$for_good"
try "Yama 3: from the host to a container root is refused, and told that it cannot be undone" \
	scoped 3 to_container no "$for_good"
try "Yama 3: inside of the container CAP_SYS_PTRACE is refused, and told that it cannot be undone" \
	scoped 3 inside_tracer no "$for_good"
try "Yama 3: inside of the container the same rights are refused, and told that it cannot be undone" \
	scoped 3 inside no "$for_good"
