#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/containers/engines.sh CPU [ENGINE...]: the command lines of docs/containers.md and the manifests of docs/examples as
# they are written there, run by the engines that they are for: podman, rootless (and pods by it), docker,
# apptainer; and, if it is asked for, enroot (enroot.sh). Engines run in a machine of their own (tests/lab/machine.sh), with the program as python3 in a container
# train, and what they write is thrown away with it. Needs root. ONLY=REGEX chooses by names; CGROUP2=1: as on a machine that
# has cgroup v2 alone.
# shellcheck disable=SC2030,SC2086 # homes of engines are those of subshells; $engine and $kinds are words
set -u
cpu=$1
top=$PWD
. tests/lab/check.sh
. tests/lab/machine.sh
. tests/containers/bundle.sh
. tests/containers/attach.sh
. tests/containers/lines.sh

# train OPTION...: the program, in a container.
# Podman's own clean-up of a container that has ended may be at it when it is to be removed.
train_ends() { $engine kill train && for _ in 1 2 3 4 5; do $engine rm -f train && break; sleep 0.2; done; } > /dev/null 2>&1
train() {
	train_ends
	rm -rf results && mkdir -m 1777 results
	id=$($engine run -d --name train -e ROCP_TOOL_ATTACH=1 "$@" registry.example/train | cut -c1-12) || return 1
	pid=$($engine inspect -f '{{.State.Pid}}' train) || return 1
	runner=$pid
	await has_all "$pid" || { $engine logs train; return 1; }
	has_filter
}

interrupt() { kill -INT "$(pgrep -x roclatch)"; }

images() {
	(cd "$work/images" && as_written "The image" "^docker build") || return 1
	tar -C "$work/train" -c . | $engine import -c 'CMD ["/python3", "ready", "threads=2"]' \
		-c 'ENV LD_LIBRARY_PATH=/lib' - registry.example/train && $engine run --rm registry.example/roclatch
}
both_ids() { says 0 "^ *$pid \(1\) .*python3${1-}" as_written "From the host" "^roclatch list"; }
copied() { as_written Docker "^docker cp" && writes Docker "^docker exec"; }
place() {
	says 0 "^ +place +in a container of $engine $id$" "$engine" exec train /tmp/roclatch check -p 1 -t roclatch --trust-seccomp
}
# lacks REGEX: without that, it is told how to begin.
lacks() {
	denied "it has capabilities that roclatch lacks" "$engine run --cap-add SYS_PTRACE --pid container:$id IMAGE" \
		Docker "$1" 's/ --cap-add SYS_PTRACE//'
}

LEAST=' --cap-drop ALL --cap-add .* -p 1 ' SAME=' --user 1000 ' PLAIN='--pid container:train --cap-add SYS_PTRACE -v'
cases() {
	opens "$engine: the image of docs/examples is built and runs" images || return 1
	opens "$engine: the program runs in a container with the engine's own filter" train || return 1
	try "$engine: list on the host shows both ids" both_ids
	try "$engine: from the host" fetches "From the host" " -p 4711 "
	try "$engine: from a container beside it" fetches Docker "$PLAIN"
	try "$engine: from one that has no capability more" fetches Docker "$PLAIN" 's/ --cap-add SYS_PTRACE//'
	try "$engine: from one with the least capabilities" fetches Docker "$LEAST"
	try "$engine: from one with none, which is told so" lacks "$LEAST"
	try "$engine: from one that is not to trust filters, which is told so" \
		denied "filters? that cannot be read" "trust-seccomp" Docker "$LEAST" 's/ --trust-seccomp//'
	try "$engine: from one that is asked to end" until_asked "$engine" stop -t 60 side -- \
		Docker "$LEAST" 's/ --rm / --rm --name side /; s/ --attach-duration-msec .*//'
	try "$engine: inside, copied in" copied
	try "$engine: it says where it is" place
	opens "$engine: a program of another user runs" train --user 1000 || return 1
	try "$engine: from a container of the same user without any capability" fetches Docker "$SAME"
	opens "$engine: a program with CAP_SYS_PTRACE runs" train --cap-add SYS_PTRACE || return 1
	try "$engine: from a container that has it, too" fetches Docker "$PLAIN"
	try "$engine: from one that has not, which is told so" lacks "$PLAIN"
	opens "$engine: a program with a read-only root runs" train --read-only --tmpfs /tmp || return 1
	kinds=rocpd_kernel_dispatch
	try "$engine: from the host, by name, until Ctrl-C" until_asked interrupt -- \
		"From the host" " --name " 's/^/env --default-signal=INT /'     # a shell takes it from what it does not wait for
	kinds="rocpd_region $kinds"
	train_ends
}

# ---- Podman ----------------------------------------------------------------------------------------
# podman_settings DRIVER FOLDER: no network, as there is none; and no limits, which a root without CAP_SYS_RESOURCE may not set.
podman_settings() {
	cat > "$2/containers.conf" <<-CONF
	[containers]
	default_ulimits = []
	netns = "none"
	pids_limit = 0
	[engine]
	cgroup_manager = "cgroupfs"
	events_logger = "none"
	runtime = "runc"
	CONF
	printf '[storage]\ndriver = "%s"\ngraphroot = "%s/store"\nrunroot = "%s/running"\n' "$1" "$2" "$2" > "$2/storage.conf"
	export CONTAINERS_CONF="$2/containers.conf" CONTAINERS_STORAGE_CONF="$2/storage.conf"
}
run_podman() {
	engine=podman
	mkdir "$work/podman"
	podman_settings overlay "$work/podman"
	cases
}

# Without root: what is called podman and roclatch in a line is that of a user, who has users of his own for containers.
somebody=1000
rootless_user() {
	grep -q "^[^:]*:[^:]*:$somebody:" /etc/passwd || echo "somebody:x:$somebody:$somebody::/:/bin/sh" >> /etc/passwd
	echo "$somebody:100000:65536" > /etc/subuid
	echo "$somebody:100000:65536" > /etc/subgid
	mkdir -p "$work/rootless" "/run/user/$somebody"
	podman_settings overlay "$work/rootless"
	chown -R "$somebody:$somebody" "$work/rootless" "/run/user/$somebody"
}
as_somebody() {
	setpriv --reuid "$somebody" --regid "$somebody" --clear-groups env "HOME=$work/rootless" "TMPDIR=$work/rootless" \
		"XDG_RUNTIME_DIR=/run/user/$somebody" "$@"
}
unshared() { fetches Podman "^podman unshare" && denied "its user ids are 100006" "" Podman "^roclatch"; }
# Manifests of docs/examples, which Podman reads as Kubernetes does; the pause image is one that sleeps. Not as root: without
# systemd, Podman's pods have no devices then, where there is cgroup v2 alone.
pod_images() {
	mkdir "$work/pause" && cp "$top/build/$cpu/tests/containers/busybox" "$work/pause/" || return 1
	tar -C "$work/pause" -c . | podman import -c 'ENTRYPOINT ["/busybox", "sleep", "600"]' - registry.example/pause
	echo 'infra_image = "registry.example/pause"' >> "$CONTAINERS_CONF"
}
# pod NAME: begins; the program's id is in $pid.
pod() {
	pod_ends
	sed 's/ 60s\]/ 1s]/' "$top/docs/examples/$1.yaml" > pod.yaml
	podman play kube --build=false --network none pod.yaml || return 1
	pid=$(podman inspect -f '{{.State.Pid}}' train-train) runner=$pid
	await has_all "$pid" || { podman logs train-train; return 1; }
}
pod_ends() { podman pod kill -a && podman pod rm -fa && podman volume rm -fa; } > /dev/null 2>&1
# by_sidecar NAME: that ends, and what it fetched is in the volume; the program goes on.
by_sidecar() {
	pod "$1" || return 1
	ended=$(as_somebody timeout 120 podman wait train-roclatch)
	podman logs train-roclatch
	[ "$ended" = 0 ] || { echo "status $ended"; return 1; }
	volume=$(podman volume inspect -f '{{.Mountpoint}}' results)
	records "$(find "$volume" -name '*_results.db')" $kinds || { find "$volume"; return 1; }
	look after
	runs_on
}
# by_init: as the comment in the manifest says.
by_init() {
	pod init || return 1
	line=$(sed -nE "s/^# +kubectl exec train -- (.*) 10s\$/podman exec train-train \1 300/p" "$top/docs/examples/init.yaml")
	echo "$line"
	fetched='' into=/tmp
	attaches_once $line
}
pods() {
	opens "pods: there is an image for what holds them together" pod_images || return 1
	try "pods: sidecar.yaml waits, records and leaves the result in the volume" by_sidecar sidecar
	try "pods: sidecar-same-user.yaml does, without any capability" by_sidecar sidecar-same-user
	try "pods: init.yaml brings roclatch to the program's container" by_init
	pod_ends
}

# shellcheck disable=SC2317 # what is called by lines of the docs
run_rootless() (
	engine=podman
	podman() { as_somebody podman "$@"; }
	roclatch() { as_somebody roclatch "$@"; }
	rootless_user
	opens "rootless: the image of docs/examples is built and runs" images || return 1
	opens "rootless: the program runs in a container of a user" train || return 1
	try "rootless: list on the host says so, also where no control group does" both_ids " +podman $id "
	try "rootless: from the host, as that user" fetches Podman "^roclatch"
	try "rootless: from a container beside it" fetches Docker "$PLAIN"
	opens "rootless: a program of another user of the container runs" train --user 7 || return 1
	try "rootless: from the host, by podman unshare, and by nothing less" unshared
	train_ends
	pods
)

# ---- Docker ----------------------------------------------------------------------------------------
docker_begins() {
	export DOCKER_HOST="unix://$work/daemon/socket" DOCKER_BUILDKIT=1
	mkdir "$work/daemon"
	ln -s /usr/bin/docker "$work/bin/"      # the one that came with the daemon, if there are others
	dockerd --host "$DOCKER_HOST" --data-root "$work/docker" --exec-root "$work/daemon/running" --pidfile "$work/daemon/pid" \
		--cgroup-parent "/$GROUP" --iptables=false --ip6tables=false --bridge=none > "$work/daemon/log" 2>&1 &
	within 60 docker info || { tail -n 20 "$work/daemon/log"; return 1; }
}
run_docker() {
	engine=docker
	docker_begins || { echo "not ok docker: the daemon runs"; return 1; }
	cases
	kill "$(cat "$work/daemon/pid")"
}

# ---- Apptainer -------------------------------------------------------------------------------------
# That of Debian's sid, laid over /usr with the libc that it needs. An instance runs the program, all as a user.
apptainer_begins() {
	mount -t overlay overlay -o "lowerdir=$top/build/deps/apptainer-$cpu/usr:$top/build/deps/sid-$cpu/usr:/usr" /usr || return 1
	cp -r "$top/build/deps/apptainer-$cpu/etc/apptainer" /etc/ && mkdir -p /var/lib/apptainer/mnt/session || return 1
	mkdir -p "$work/train/bin" "$work/train/proc" "$work/train/sys" "$work/train/dev" "$work/train/etc" "$work/train/root"
	cp "$top/build/$cpu/tests/containers/busybox" "$work/train/bin/sh"
	cp "$roclatch" "$HOME/"
	chown -R "$somebody:$somebody" "$work/train" "$HOME"
	printf 'Bootstrap: localimage\nFrom: %s/train\n' "$work" > "$HOME/train.def"
	apptainer build --sandbox "$HOME/train" "$HOME/train.def" && apptainer instance start "$HOME/train" train
}
instance() {
	apptainer exec --pwd / --env LD_LIBRARY_PATH=/lib --env ROCP_TOOL_ATTACH=1 instance://train /python3 ready threads=2 &
	runner=$!
	rm -rf results && mkdir -m 1777 results
	await there_is
}
# Its /tmp is that of the machine: another folder.
from_host_to_instance() {
	fetched=results into=$HOME/tmp
	attaches_once as_written "$APPTAINER" "^roclatch" "s, /tmp , $into ,"
}
inside_instance() { fetched='' into=$HOME/results && attaches_once as_written "$APPTAINER" "^apptainer exec"; }
there_is() { pid=$(pgrep -x -u "$somebody" python3) && has_all "$pid"; }
APPTAINER="Apptainer and Enroot"
listed() { says 0 "^ *$pid \([0-9]+\) .*python3 +apptainer" roclatch list; }
# shellcheck disable=SC2317 # what is called by lines of the docs
run_apptainer() (
	engine=apptainer HOME=$work/rootless
	apptainer() { as_somebody apptainer "$@"; }
	roclatch() { as_somebody roclatch "$@"; }
	[ -e "$work/rootless" ] || rootless_user
	opens "apptainer: it runs" apptainer_begins || return 1
	opens "apptainer: a program runs in an instance" instance || return 1
	try "apptainer: list on the host says so" listed
	try "apptainer: from the host, as its user" from_host_to_instance
	try "apptainer: inside of the instance" inside_instance
	apptainer instance stop train > /dev/null 2>&1
)

. "$top/tests/containers/enroot.sh"
prepare || { echo "not ok there is a machine of its own for engines"; exit 1; }
shift
[ $# -gt 0 ] || set -- podman rootless docker apptainer
for part; do "run_$part"; done
