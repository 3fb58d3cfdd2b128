# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # sourced by run.sh; what is set is for bundle.sh
# A pod, as Kubernetes makes one: a container that only holds the process ids, one with the program, and beside or
# before it one whose image has a single file, roclatch.

# in_pod CASE...: while the process ids are there to be shared.
in_pod() {
	plain
	set_command /bin/busybox sleep 600
	begin hold
	await test -s "$work/of/hold/pid" && "$@" && answered=0 || answered=1
	for name in side app hold; do runc_ delete --force $name > /dev/null 2>&1; done
	wait
	[ "$answered" = 0 ] || cat "$work/of/side/log"
	return "$answered"
}
pids_of_pod() { shared_pids=/proc/$(cat "$work/of/hold/pid")/ns/pid; }

# sidecar WORD...: roclatch in the pod, beside us; $side is runc's.
sidecar_begins() {
	plain
	pids_of_pod
	image=scratch caps=SYS_PTRACE readonly=true binds="$work/results:/results:rw"
	set_command /roclatch "$@"
	begin side
	side=$runner
}
side_says() { grep -q "$1" "$work/of/side/log"; }
side_ends() {
	for _ in $(seq "$patience"); do
		kill -0 "$side" 2>/dev/null || return 0
		sleep 0.1
	done
	echo "the sidecar does not end"
	return 1
}
app_begins() {
	plain
	pids_of_pod
	start app
	app=$runner
}
# came STATUS: the sidecar ended so, and what it fetched is the table.
came() {
	side_ends || return 1
	wait "$side"
	ended=$?
	cat "$work/of/side/log"
	[ "$ended" = "$1" ] || { echo "status $ended instead of $1"; return 1; }
	copy=$(find "$work/results" -name '*_hip_api_trace.csv')
	rows=$(wc -l < "$copy")
	[ "${rows:-0}" -gt 10 ] || { echo "fetched: $copy, $rows lines"; return 1; }
	rm -r "$work/results/"*
	runner=$app
	await goes_on "$(switches)" || { echo "the program does not go on"; return 1; }
	! grep -h '^TracerPid:' "/proc/$pid/task/"*/status | grep -v '[[:space:]]0$'
}

WAITS="attach --wait --name rocm-app --own-tool --hip-trace -f csv -d /tmp --collect /results"
waits_and_collects() {
	sidecar_begins $WAITS --attach-duration-msec 500
	await side_says waiting && app_begins && came 0
}
ends_by_term() {
	app_begins || return 1
	sidecar_begins $WAITS
	await side_says recording && sleep 0.5 && runc_ kill side TERM && came 0
}

# Process ids that are not shared: nobody will ever come, which is told at once.
alone() {
	app_begins || return 1
	plain
	image=scratch readonly=true
	set_command /roclatch $WAITS
	begin side
	side=$runner
	await side_says 'waiting: no process has a name' && await side_says "remedy: process ids are this container's own" || return 1
	runc_ kill side TERM
	side_ends && status 143 wait "$side"
}

# installs: an init container brings it into a folder that the program's container sees, where it is used.
installs() {
	plain
	image=scratch caps='' readonly=true binds="$work/shared:/shared:rw"
	set_command /roclatch install /shared
	run init || return 1
	ls -l "$work/shared"
	plain
	binds="$work/shared:/shared:ro $work/results:/results:rw"
	in_app installed
}
by_install() { runc_ exec app /shared/roclatch "$@" <> "$work/never"; }
installed() {
	attaches by_install attach -p 1 --own-tool $RECORD || return 1
	says 0 'fetched' by_install attach -p 1 --own-tool $RECORD --collect /results &&
		test -s "$(find "$work/results" -name out_hip_api_trace.csv)"
}

try "an image with one file: as an init container, and then in the program's container" installs
rm -rf "$work/results/"*
try "an image with one file: as a sidecar that waits, attaches, records and collects" in_pod waits_and_collects
try "an image with one file: as a sidecar that is asked to end" in_pod ends_by_term
try "an image with one file: as a sidecar that does not see the program, and is told what to do" in_pod alone
