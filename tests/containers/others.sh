# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2086,SC2154 # sourced by run.sh behind cases.sh
# What runc does not make: other roots, by bwrap, unshare and chroot; and where roclatch says that it is.

APP="./rocm-app ready threads=2"

# descend: from the process that was started to the program, by its children.
descend() {
	pid=$runner
	while ! has_all "$pid"; do
		pid=$(cut -d' ' -f1 "/proc/$pid/task/$pid/children")
		[ -n "$pid" ] || return 1
	done
}
# with_app CASE... -- COMMAND...: the case while the command runs the program.
with_app() {
	case=''
	while [ "$1" != -- ]; do case="$case $1"; shift; done
	shift
	fresh
	LD_LIBRARY_PATH='' tied "$@" > "$work/log" 2>&1 </dev/null &
	runner=$!
	answered=0
	if ! await descend 2>/dev/null || ! $case; then
		cat "$work/log"
		answered=1
	fi
	kill -KILL ${pid:-"$runner"} "$runner" 2>/dev/null
	wait "$runner" 2>/dev/null
	return "$answered"
}

# in_root FOLDER: a shell line that runs the program there.
in_root() { echo "cd $1 && exec chroot . /bin/busybox env LD_LIBRARY_PATH=/lib ROCP_TOOL_ATTACH=1 $APP"; }
mkdir "$work/upper" "$work/scrap" "$work/merged" "$work/user"
chmod 777 "$work/upper" "$work/scrap" "$work/user"

by_user() { attaches as_user 1000 "$roclatch" attach -p "$pid" $tool $RECORD; }

sandbox() {
	with_app "$@" -- bwrap --unshare-all --die-with-parent --bind "$work/app" / --proc /proc \
		--dev /dev --setenv LD_LIBRARY_PATH /lib --setenv ROCP_TOOL_ATTACH 1 $APP
}
overlay() {
	with_app from_host -- unshare -m -p -f sh -c "mount -t overlay overlay -o \
		lowerdir=$work/app,upperdir=$work/upper,workdir=$work/scrap $work/merged &&
		mount -t proc proc $work/merged/proc && $(in_root "$work/merged")"
}
chroot_in_mounts() { with_app from_host -- unshare -m sh -c "$(in_root "$work/app")"; }
rootless() {
	with_app by_user -- $setpriv --reuid 1000 --regid 1000 --clear-groups unshare -U -r -m -p -f sh -c "$(in_root "$work/app")"
}

try "from the host to a sandbox of bwrap" sandbox from_host
try "from the host to an overlay root" overlay
try "from the host to a chroot in a mount namespace" chroot_in_mounts
try "from the host to a user namespace of one's own, without root" rootless

# ---- where it says that it is
place() { says 3 "^ +place +$1$" in_container app --env "$2" -- check -p 4711; }
place_in_sandbox() {
	says 3 "^ +place +in a container of bwrap$" bwrap --unshare-all --die-with-parent --proc /proc \
		--ro-bind "$roclatch" /roclatch /roclatch check -p 4711
}
place_marked() {
	touch "$work/app/.dockerenv"
	in_app place "in a container of docker" A=b && answered=0 || answered=1
	rm "$work/app/.dockerenv"
	return "$answered"
}
place_on_host() { says 3 "^ +place +$1$" env $2 "$roclatch" check -p 4194304; }

plain
try "it says that it is in a container" in_app place "in a container" A=b
try "it says that it is in a container of podman" in_app place "in a container of podman" container=podman
try "it says that it is in a container of docker, by the file that docker leaves" place_marked
try "it says that it is in a pod" in_app place "in a pod of Kubernetes" KUBERNETES_SERVICE_HOST=10.0.0.1
try "it says that it is in a container of apptainer" \
	in_app place "in a container of apptainer" APPTAINER_CONTAINER=/image.sif
try "it says that it is in a sandbox of bwrap" place_in_sandbox
try "it says that it is in a step of Slurm" place_on_host "in step 3 of Slurm job 42" "SLURM_JOB_ID=42 SLURM_STEP_ID=3"
try "it says that it is on the machine itself" place_on_host "on the machine itself" A=b

# ---- rights by the file of the program
privileged() {
	cp "$roclatch" "$work/user/roclatch"
	"$@" "$work/user/roclatch" && says 3 "roclatch has rights by" as_user 1000 "$work/user/roclatch" list &&
		grep -q "grant instead: sudo" "$work/answer"
}
ambient() {
	says 0 "PID" $setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps +sys_ptrace --ambient-caps +sys_ptrace \
		"$roclatch" list --all
}

try "with a set-user-id bit it does nothing, and says what to grant instead" privileged chmod 4755
try "with file capabilities it does nothing, and says what to grant instead" privileged setcap cap_sys_ptrace+ep
try "with an ambient capability it works" ambient
