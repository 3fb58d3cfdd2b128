# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: a real Slurm of two nodes, n1 and n2, on this machine. All of it lies below $slurm, a folder of its own;
# it runs in namespaces that are its own (tests/lab/machine.sh), so that its ports are free and nothing outlives it.
. tests/lab/machine.sh
export SLURM_CONF="${slurm-}/slurm.conf"

no_cluster() { echo "not ok a Slurm of two nodes runs here: $*"; exit 1; }

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
	PlugStackConfig=$slurm/plugstack.conf
	NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[6818-6819] CPUs=4
	PartitionName=all Nodes=ALL Default=YES State=UP
	EOF
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
	echo "${plugin:+required $plugin}" > "$slurm/plugstack.conf"
	munged --foreground --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
		--seed-file="$slurm/munge/seed" --log-file="$slurm/munge/log" 2> "$slurm/munged.log" &
	within 10 test -S "$slurm/munge/socket" || no_cluster "munged does not start: $(tail -n 3 "$slurm/munged.log" "$slurm/munge/log")"
	slurmctld -D > "$slurm/slurmctld.out" 2>&1 &
	on_node n1 slurmd -D -N n1 > "$slurm/slurmd-n1.out" 2>&1 &
	on_node n2 slurmd -D -N n2 > "$slurm/slurmd-n2.out" 2>&1 &
	within 20 nodes_idle || no_cluster "its nodes do not come up: $(sinfo -h -o '%n %T %E' 2>&1; tail -n 5 "$slurm"/*.log)"
}
