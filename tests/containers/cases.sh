# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # sourced by run.sh; what is set is for bundle.sh
# Containers of runc.
# ---- from the host
both_ids() {
	says 0 "namespaces +in another mount namespace and pid namespace, where its id is 1:" \
		on_host check -p "$pid" $tool -d /out &&
		says 0 "^ *$pid \(1\) .*rocm-app" on_host list &&
		says 0 "attached to process $pid \(rocm-app\), 1 in its container," on_host attach -p "$pid" $tool $RECORD
}
# owned USER: what was written belongs to the user of the process, as the host knows it.
owned() {
	on_host attach -p "$pid" $tool $RECORD > "$work/answer" 2>&1 || { cat "$work/answer"; return 1; }
	owner=$(stat -c %u "/proc/$pid/root/out/out_hip_api_trace.csv")
	rm -f "/proc/$pid/root/out/"*
	[ "$owner" = "$1" ] || { echo "it belongs to $owner"; return 1; }
}
from_host_owned() { from_host && owned "$1"; }
by_owner() { attaches as_user 1000 "$roclatch" attach -p "$pid" $tool $RECORD; }
by_stranger() { refuses "its user ids are 0 0 0" "sudo roclatch|as root" as_user 1000 "$roclatch" check -p "$pid"; }
by_other_root() {
	refuses "in another user namespace" "root outside of the container" unshare -U -r "$roclatch" check -p "$pid"
}

plain
try "from the host to a container" in_app from_host
try "both ids of a process are shown" in_app both_ids
plain; readonly=true binds="$work/app/out:/out:rw"
try "from the host to a container with a read-only root" in_app from_host
plain; mapped=100000
try "from the host to a container in a user namespace, whose root owns what is written" in_app from_host_owned 100000
plain; user=1000
try "from the host to a container of another user, who owns what is written" in_app from_host_owned 1000
try "the owner of a process in a container needs no right" in_app by_owner
plain; own=''
try "from the host to a container that has the network, ipc, names and cgroups of the host" in_app from_host
plain; shared_pids=host
try "from the host to a container with the process ids of the host" in_app from_host
plain; profile=docker
try "from the host to a container with Docker's system calls" in_app from_host
plain; profile=docker caps="$DOCKERS SYS_PTRACE"
try "from the host to a container with Docker's system calls and CAP_SYS_PTRACE" in_app from_host
plain
try "a stranger on the host is refused" in_app by_stranger
try "root of another user namespace is refused" in_app by_other_root

# ---- from beside, as a sidecar does: only our files, and the process ids of the other
sidecar() { with_side attaches beside attach -p 1 $tool $RECORD --collect /results; }
sidecar_trusting() {
	profile=''
	with_side refuses "filters? that cannot be read" "trust-seccomp" beside check -p 1 $tool -d /out &&
		attaches beside attach -p 1 --trust-seccomp $tool $RECORD --collect /results
}
# sidecar_of CAPABILITY...: root of the sidecar has these alone.
sidecar_of() { user=0 caps=$* && sidecar; }
# sidecar_lacks REASON REMEDY CAPABILITY...
sidecar_lacks() {
	why=$1 way=$2 user=0
	shift 2
	caps=$*
	with_side refuses "$why" "$way" beside attach -p 1 $tool $RECORD
}
sidecar_stranger() {
	user=1000
	with_side refuses "its user ids are 0 0 0" "$2" beside $1 -p 1
}
sidecar_filtered() {
	profile=noptrace
	with_side refuses "a seccomp filter on roclatch itself forbids ptrace" "cap-add SYS_PTRACE, which allows ptrace" \
		beside check -p 1 $tool
}
sidecar_alone() {
	image=scratch
	refuses "there is no process 4711" "$1" beside check -p 4711
}

plain
try "from a sidecar that has the same rights" in_app sidecar
try "from a sidecar whose root has CAP_SYS_PTRACE alone" in_app sidecar_of SYS_PTRACE
plain; user=1000
try "from a sidecar whose root has what it takes for another user" in_app sidecar_of SYS_PTRACE DAC_OVERRIDE SETUID SETGID
try "from a sidecar whose root may read the files of another user only" \
	in_app sidecar_of SYS_PTRACE DAC_READ_SEARCH SETUID SETGID
try "a sidecar that may not open the files of another user is told so" \
	in_app sidecar_lacks "its files in /proc are those of user 1000" "as user 1000, or with CAP_DAC_OVERRIDE" SYS_PTRACE
try "a sidecar that may not write as another user is told so before" \
	in_app sidecar_lacks "files cannot be written as user 1000" "give it CAP_SETUID and CAP_SETGID" SYS_PTRACE DAC_OVERRIDE
plain; user=1000
try "from a sidecar of the same user, without rights" in_app sidecar
plain; profile=docker
try "from a sidecar to a container with filters, which it is to trust" in_app sidecar_trusting
plain
try "a sidecar whose own filter forbids ptrace is told so" in_app sidecar_filtered
try "a sidecar of another user is told what its container needs" \
	in_app sidecar_stranger check "start this container with CAP_SYS_PTRACE"
plain; variables="KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=train-0"
try "in a pod it is told the lines of the manifest" \
	in_app sidecar_stranger check "securityContext: \{runAsUser: 0, capabilities: \{add: \[SYS_PTRACE\]\}\}"
sidecar_searches() {
	image=scratch
	refuses "no process has a name that matches" "shareProcessNamespace: true" beside attach --name rocm-app
}
try "in a pod that does not share its process ids a name is not found, and it is told so" in_app sidecar_searches
try "in a pod that does not share its process ids it is told so" \
	in_app sidecar_alone "shareProcessNamespace: true .*kubectl debug -it train-0 "
plain; variables=container=podman
try "stack gives the remedy of the place, too" in_app sidecar_stranger stack "podman exec -u 0 NAME roclatch check -p 1"
try "attach gives it" in_app sidecar_stranger attach "podman exec -u 0 NAME roclatch check -p 1"
try "a process that cannot be seen is looked for elsewhere" \
	in_app sidecar_alone "podman run --pid container:NAME --cap-add SYS_PTRACE IMAGE roclatch list"

# ---- inside, as after docker cp and docker exec
by_copy() { runc_ exec app /tmp/roclatch "$@" <> "$work/never"; }
copied_in() {
	runc_ exec app /bin/busybox sh -c 'cat > /tmp/roclatch && chmod 755 /tmp/roclatch' < "$roclatch" &&
		attaches by_copy attach -p 1 $1 $tool $RECORD
}
inside_stranger() { refuses "its user ids are 0 0 0" "$1" in_container app --user 1000 -- check -p 1; }
inside_capable() { attaches in_container app --cap CAP_SYS_PTRACE -- attach -p 1 --trust-seccomp $tool $RECORD; }

plain
try "inside, copied in" in_app copied_in ""
plain; readonly=true binds="$work/app/out:/out:rw"
try "inside, with a read-only root" in_app copied_in ""
plain; mapped=100000
try "inside, in a user namespace" in_app copied_in ""
plain; profile=docker
try "inside, with Docker's system calls and without CAP_SYS_PTRACE" in_app copied_in --trust-seccomp
try "inside, with Docker's system calls and with CAP_SYS_PTRACE" in_app inside_capable
plain; variables=container=docker
try "inside, as another user, who is told what to do" in_app inside_stranger "docker exec -u 0 NAME roclatch check -p 1"
