# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: a real Slurm of two nodes, n1 and n2, on this machine. All of it lies below $slurm, a folder of its own;
# it runs in namespaces that are its own (own_machine), so that its ports are free and nothing outlives it.
export SLURM_CONF="${slurm-}/slurm.conf"

no_cluster() { echo "not ok a Slurm of two nodes runs here: $*"; exit 1; }

# own_machine FOLDER COMMAND...: in place of this shell, with a process table, network and mounts of its own. All of its
# processes end with the command, also when that or unshare is killed, and FOLDER is empty again.
own_machine() {
	[ "$(id -u)" = 0 ] || no_cluster "this must be run as root"
	unshare --mount --pid --net --ipc --uts --fork true || no_cluster "it needs namespaces of its own: as root, with CAP_SYS_ADMIN"
	own=$1
	shift
	# shellcheck disable=SC2016 # for that shell
	exec unshare --mount --pid --net --ipc --uts --fork --kill-child --mount-proc sh -c '
		echo localhost > /proc/sys/kernel/hostname || exit 1
		mount -t tmpfs -o mode=0755 cluster "$1" || exit 1
		python3 -c "$2" || exit 1
		shift 2
		exec "$@"' sh "$own" "$loopback_up" "$@"
}
# An address beside 127.0.0.1, as getaddrinfo (AI_ADDRCONFIG) does not count that one.
loopback_up='import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x41))                                             # SIOCSIFFLAGS
fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"lo:1", 2, 0, socket.inet_aton("192.0.2.1")))          # SIOCSIFADDR'

slurm_settings() {
	cat <<-EOF
	ClusterName=two
	SlurmctldHost=localhost
	SlurmctldPort=6817
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$slurm/munge/socket
	StateSaveLocation=$slurm/state
	SlurmdSpoolDir=$slurm/spool-%n
	SlurmctldPidFile=$slurm/slurmctld.pid
	SlurmdPidFile=$slurm/slurmd-%n.pid
	SlurmctldLogFile=$slurm/slurmctld.log
	SlurmdLogFile=$slurm/slurmd-%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	MpiDefault=none
	JobAcctGatherType=jobacct_gather/none
	# there are not as many CPUs
	SlurmdParameters=config_overrides
	KillWait=10
	FirstJobId=4711
	NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[6818-6819] CPUs=4
	PartitionName=all Nodes=ALL Default=YES State=UP
	EOF
}

# within SECONDS COMMAND...: until it succeeds
within() {
	deadline=$(($(date +%s) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.1
	done
}

nodes_idle() { [ "$(timeout 2 sinfo -h -o "%T %D")" = "idle 2" ]; }

# on_node NAME COMMAND...: with that host name
on_node() {
	# shellcheck disable=SC2016 # for that shell
	unshare --uts sh -c 'echo "$1" > /proc/sys/kernel/hostname && shift && exec "$@"' sh "$@"
}

slurm_start() {
	for program in munged slurmctld slurmd srun; do
		command -v $program >/dev/null || no_cluster "there is no $program; ./build.sh deps installs it"
	done
	mkdir -p "$slurm/munge" "$slurm/state" "$slurm/spool-n1" "$slurm/spool-n2"
	(umask 077 && head -c 1024 /dev/urandom > "$slurm/munge/key")
	slurm_settings > "$SLURM_CONF"
	munged --foreground --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
		--seed-file="$slurm/munge/seed" --log-file="$slurm/munge/log" 2> "$slurm/munged.log" &
	within 10 test -S "$slurm/munge/socket" || no_cluster "munged does not start: $(tail -n 3 "$slurm/munged.log" "$slurm/munge/log")"
	slurmctld -D > "$slurm/slurmctld.out" 2>&1 &
	on_node n1 slurmd -D -N n1 > "$slurm/slurmd-n1.out" 2>&1 &
	on_node n2 slurmd -D -N n2 > "$slurm/slurmd-n2.out" 2>&1 &
	within 20 nodes_idle || no_cluster "its nodes do not come up: $(sinfo -h -o '%n %T %E' 2>&1; tail -n 5 "$slurm"/*.log)"
}
