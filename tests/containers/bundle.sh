# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2086,SC2154 # sourced by run.sh, with $work, $cpu, $here
# Containers as an engine would ask runc for them.

# the capabilities that Docker gives
DOCKERS="CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL"
DOCKERS="$DOCKERS AUDIT_WRITE"

# plain: what a container has unless a case says otherwise.
plain() {
	image=app user=0 caps=$DOCKERS readonly=false profile='' mapped='' shared_pids='' binds='' variables=''
	own='ipc uts network cgroup'
	set_command ./rocm-app ready threads=2
}

quoted() { for word; do printf '%s"%s"' "$comma" "$word"; comma=,; done; }
list() { comma=''; quoted "$@"; }
set_command() { command=$(list "$@"); }

namespaces() {
	printf '{"type":"mount"}'
	case $shared_pids in
	'') printf ',{"type":"pid"}' ;;
	host) ;;
	*) printf ',{"type":"pid","path":"%s"}' "$shared_pids" ;;
	esac
	for kind in $own ${mapped:+user}; do printf ',{"type":"%s"}' "$kind"; done
}

mounts() {
	printf '{"destination":"/proc","type":"proc","source":"proc"}'
	printf ',{"destination":"/dev","type":"tmpfs","source":"tmpfs","options":["nosuid","strictatime","mode=755"]}'
	printf ',{"destination":"/tmp","type":"tmpfs","source":"tmpfs","options":["nosuid","nodev"]}'
	for bind in $binds; do
		printf ',{"destination":"%s","type":"bind","source":"%s","options":["bind","%s"]}' \
			"$(echo "$bind" | cut -d: -f2)" "${bind%%:*}" "${bind##*:}"
	done
}

# A filter as Docker's default one: all is refused with EPERM but what the list has, what is harmless with these
# arguments, and what the capabilities of the container allow.
filter() {
	# shellcheck disable=SC2046 # one word for each name
	set -- $(sed 's/#.*//' "$here/calls")
	case " $caps " in *" SYS_PTRACE "*) set -- "$@" kcmp pidfd_getfd process_madvise ;; esac
	case " $caps " in *" SYS_CHROOT "*) set -- "$@" chroot ;; esac
	# shellcheck disable=SC2046
	[ "$profile" != noptrace ] || set -- $(printf '%s\n' "$@" | grep -vE '^(ptrace|process_vm_(read|write)v)$')
	printf ',"seccomp":{"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":1,"architectures":["SCMP_ARCH_%s"],"syscalls":[' \
		"$(echo "$cpu" | tr "[:lower:]" "[:upper:]")"
	printf '{"action":"SCMP_ACT_ALLOW","names":[%s]}' "$(list "$@")"
	for call in 0 8 131072 131080 4294967295; do
		printf ',{"action":"SCMP_ACT_ALLOW","names":["personality"],"args":[{"index":0,"value":%s,"op":"SCMP_CMP_EQ"}]}' "$call"
	done
	printf ',{"action":"SCMP_ACT_ALLOW","names":["socket"],"args":[{"index":0,"value":40,"op":"SCMP_CMP_NE"}]}'
	# no new namespaces by clone; clone3, whose flags a filter cannot read, is as if it were not there
	printf ',{"action":"SCMP_ACT_ALLOW","names":["clone"],"args":['
	printf '{"index":0,"value":2114060288,"valueTwo":0,"op":"SCMP_CMP_MASKED_EQ"}]}'
	printf ',{"action":"SCMP_ACT_ERRNO","errnoRet":38,"names":["clone3"]}]}'
}

mapping() {
	for of in uid gid; do printf ',"%sMappings":[{"containerID":0,"hostID":%s,"size":65536}]' "$of" "$mapped"; done
}
hostname() { case $own in *uts*) printf '"hostname":"%s",' "$1" ;; esac; }

# bundle NAME: config.json for a container by what is set now.
bundle() {
	mkdir -p "$work/of/$1"
	# shellcheck disable=SC2046,SC2086 # words
	rights=$(list $(printf 'CAP_%s ' $caps))
	[ "$user" = 0 ] && held=$rights || held=''
	# shellcheck disable=SC2086
	cat > "$work/of/$1/config.json" <<-JSON
	{"ociVersion":"1.0.2",$(hostname "$1")"root":{"path":"$work/$image","readonly":$readonly},"mounts":[$(mounts)],
	"process":{"terminal":false,"user":{"uid":$user,"gid":$user},"cwd":"/","args":[$command],
		"env":[$(list PATH=/bin LD_LIBRARY_PATH=/lib ROCP_TOOL_ATTACH=1 $variables)],
		"capabilities":{"bounding":[$rights],"effective":[$held],"permitted":[$held]}},
	"linux":{"cgroupsPath":"/roclatch-test-$$/$1","namespaces":[$(namespaces)]
		$([ -z "$mapped" ] || mapping)$([ -z "$profile" ] || filter)}}
	JSON
}

runc_() { runc --root "$work/state" "$@"; }

# by its path: a busybox that is asked by name takes its own, which has not these options
setpriv=/usr/bin/setpriv
# tied COMMAND...: ends with us, however we end.
tied() { exec $setpriv --pdeathsig KILL "$@"; }

# begin NAME: runs it beside us; $runner is the runc that waits for it.  Its input is one that never ends: runc passes
# it on by a pipe, whose end would end a recording.
begin() {
	bundle "$1"
	rm -f "$work/of/$1/pid"
	tied runc --root "$work/state" run --bundle "$work/of/$1" --pid-file "$work/of/$1/pid" "$1" \
		<> "$work/never" > "$work/of/$1/log" 2>&1 &
	runner=$!
}

# start NAME: begins, and waits until the program in it is ready.  Its id here is in $pid.
start() {
	begin "$1"
	await is_ready "$1" || { echo "container $1 did not get ready:"; cat "$work/of/$1/log"; return 1; }
	[ -z "$profile" ] || grep -q '^Seccomp:[[:space:]]2$' "/proc/$pid/status" || { echo "$1 has no filter"; return 1; }
}

# has_all PID: the program has its listener, its two workers and itself.
has_all() { grep -qsx rocp-bg-attach "/proc/$1/task/"*/comm && [ "$(find "/proc/$1/task" -maxdepth 1 | wc -l)" -ge 5 ]; }
is_ready() { pid=$(cat "$work/of/$1/pid" 2>/dev/null) && has_all "$pid"; }

# await COMMAND...: for at most 20 s, or longer on an emulated machine, while the container runs.
await() {
	for _ in $(seq "$patience"); do
		if "$@"; then return 0; fi
		kill -0 "$runner" || return 1
		sleep 0.1
	done
	return 1
}

# run NAME: to its end; what it says is shown, its status is ours.
run() {
	bundle "$1"
	status=0
	runc_ run --bundle "$work/of/$1" "$1" <> "$work/never" > "$work/said" 2>&1 || status=$?
	cat "$work/said"
	return "$status"
}

# stop NAME: one that `start` has started.
stop() {
	runc_ delete --force "$1" > /dev/null 2>&1
	wait "$runner" 2>/dev/null
}

stop_all() {
	for state in "$work/state/"*/; do
		[ ! -d "$state" ] || runc_ delete --force "$(basename "$state")" >/dev/null 2>&1 || :
	done
	# also those of a run that was killed
	for cgroup in /sys/fs/cgroup/*/roclatch-test-* /sys/fs/cgroup/roclatch-test-*; do
		owner=${cgroup##*-}
		[ -d "$cgroup" ] || continue
		[ "$owner" = $$ ] || [ ! -e "/proc/$owner" ] || continue
		find "$cgroup" -depth -type d -exec rmdir {} + || :
	done
}
