#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh CPU [pyxis]: a job of eight ranks on a real Slurm of two nodes, attached on both with one command line, and the same
# under mpirun on one, and by pdsh and ssh on two. One rank is slow on purpose, and the report must name it. Jobs and
# roclatch are those of an ordinary user. To be called as root; nothing stays, see slurm.sh. With "pyxis": ranks in
# containers instead, see pyxis.sh.
set -u
cpu=$1
top=$PWD
folder=${OWN_FOLDER-}
slurm=$folder/slurm
. tests/cluster/slurm.sh
if [ -z "$folder" ]; then
	in_own_machine "$0" "$@"
	exit
fi
export TMPDIR="$folder/user" OMPI_MCA_oob_tcp_if_include=lo
nobody=65534
# what the user has: roclatch, programs, results; elsewhere is where nobody looks for results
mkdir -p "$folder/user/elsewhere"
cp "$top/build/$cpu/roclatch" "$top/build/$cpu/libroclatch-tool.so" "$folder/user/"
cp -RL "$top/build/$cpu/fixtures/root-rocm" "$folder/user/rocm"
chown -R $nobody:$nobody "$folder/user"
cd "$folder/user" || exit 1
roclatch=$folder/user/roclatch

as_user() { setpriv --reuid $nobody --regid $nobody --clear-groups --no-new-privs "$@"; }
user_srun="srun --uid=$nobody --gid=$nobody"

judge() { python3 "$top/tests/cluster/judge.py" "$@"; }

# shows SENTENCE COMMAND...: what it said is shown when it fails, and its lines of figures always.
shows() {
	sentence=$1
	shift
	if "$@" > "$folder/said" 2>&1; then
		echo "ok $sentence"
		grep '^# ' "$folder/said" || :
	else
		echo "not ok $sentence"
		tail -n 60 "$folder/said" | sed 's/^/# /'
		return 1
	fi
}

# A job has a folder: its program, called as no other process is, the file in which its ranks meet, and what they said.
make_job() { mkdir "$1" && cp rocm/rocm-app "$1/$1" && ln -s ../rocm/lib "$1/lib" && chown $nobody:$nobody "$1"; }
steps() { od -An -tu4 -j4 -N4 "$1/meeting" | tr -d ' '; }
has_steps() { [ "$(steps "$1")" -ge "$2" ]; }
goes_on() { within 20 has_steps "$1" $(($(steps "$1") + 5)); }
traced() { grep -h TracerPid /proc/[0-9]*/task/*/status 2>/dev/null | grep -v '[[:space:]]0$'; }
unharmed() { ! traced && goes_on "$1"; }

# ended NAME PID: the job ends with 0 when it is told to; every rank did its steps and found nothing wrong.
ended() {
	touch "$1/stop"
	wait "$2"
	status=$?
	cat "$1/out"
	[ $status = 0 ] && [ "$(grep -c '^rank [0-7] of 8: [0-9]* steps, 0 wrong $' "$1/out")" = 8 ]
}

if [ "${2-}" = pyxis ]; then
	. "$top/tests/cluster/pyxis.sh"
	exit
fi

# ---- Slurm ----------------------------------------------------------------------------------------
slurm_start
echo "ok a Slurm of two nodes runs here"

make_job ranks
$user_srun -N2 --ntasks-per-node=4 --chdir="$PWD/ranks" env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 RANK_SLOW=5 \
	./ranks ready threads=0 rank=. > ranks/out 2>&1 &
running=$!
shows "a job of eight ranks runs on both nodes" within 20 has_steps ranks 5 || { cat ranks/out; exit 1; }
job=$(squeue -h -o %A)

# on_both OPTION...: the one command line; who runs it is in srun.pid
on_both() {
	# shellcheck disable=SC2016,SC2086 # for that shell; words
	sh -c 'echo $$ > "$0" && exec "$@"' "$folder/srun.pid" $user_srun --disable-status --overlap --jobid="$job" -N2 \
		--ntasks-per-node=1 --chdir="$PWD/elsewhere" "$roclatch" attach --slurm-job "$job" --own-tool --runtime-trace "$@"
}
shows "one command line attaches to all ranks on both nodes" \
	on_both --at "@$(($(date +%s) + 6))" --attach-duration-msec 5000 --collect "$PWD/first"
shows "there is a status for each rank, from its node, and all attached at the time that was asked for" \
	judge statuses "$PWD/first" n1,n1,n1,n1,n2,n2,n2,n2 "$job.0" at
shows "there is a database for each rank, of its own process" judge databases "$PWD/first"
shows "the report puts them together" as_user "$roclatch" report "$PWD/first"
shows "every record of every rank is in the merged database" judge merged "$PWD/first"
as_user "$roclatch" report --json -d elsewhere "$PWD/first" > "$folder/first.json" 2>/dev/null
shows "the report names the rank whose kernels are slow" judge slow "$folder/first.json" 5 kernels
shows "the ranks go on, and nobody traces them" unharmed ranks

# attach_until COMMAND...: all ranks are attached, and record for a second, until that is done
all_attached() { [ "$(grep -c '^attached to process' "$folder/attached")" = 8 ]; }
attach_until() {
	on_both --attach-duration-msec 10m --collect "$into" > "$folder/attached" 2>&1 &
	attaching=$!
	within 30 all_attached && sleep 1 && "$@"
	status=$?
	wait "$attaching"
	cat "$folder/attached"
	return $status
}
# detached_by FOLDER COMMAND...
detached_by() {
	into=$PWD/$1
	shift
	attach_until "$@" && judge statuses "$into" n1,n1,n1,n1,n2,n2,n2,n2 "$job.0" && judge databases "$into"
}
step() { squeue --steps -h -o '%i %j' | sed -n 's/ roclatch$//p'; }
end_step() { scancel --signal=TERM "$(step)"; }
interrupt() { kill -INT "$(cat "$folder/srun.pid")"; }
kill_step() { scancel "$(step)"; }
shows "scancel --signal=TERM detaches on both nodes, and what was recorded is there" detached_by second end_step
shows "after that the ranks go on, and nobody traces them" unharmed ranks
shows "Ctrl-C at srun detaches on both nodes, and what was recorded is there" detached_by third interrupt
shows "after that the ranks go on too, and nobody traces them" unharmed ranks
into=$PWD/killed
# its workers may be killed before it, which it tells
killed() { attach_until kill_step && [ "$(grep -cE 'task [01]: (Killed|Exited with exit code 7)$' "$folder/attached")" = 2 ]; }
shows "scancel kills roclatch on both nodes" killed
shows "the ranks go on without it, and nobody traces them" unharmed ranks
shows "the next command line detaches, and attaches again" on_both --attach-duration-msec 1000 -d "$PWD/fourth" --collect "$PWD/fourth"
shows "its statuses are those of all ranks" judge statuses "$PWD/fourth" n1,n1,n1,n1,n2,n2,n2,n2 "$job.0"
shows "its databases are those of all ranks" judge databases "$PWD/fourth"
shows "the job ends in order, all ranks have done their work" ended ranks "$running"

# ---- mpirun ---------------------------------------------------------------------------------------
make_job mpiranks
as_user mpirun --oversubscribe -n 8 --wdir "$PWD/mpiranks" env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 RANK_LATE=2 \
	./mpiranks ready threads=0 rank=. > mpiranks/out 2>&1 &
running=$!
shows "mpirun runs a job of eight ranks" within 20 has_steps mpiranks 5 || { cat mpiranks/out; exit 1; }
shows "all ranks of mpirun are attached by their name, by another mpirun with one process for each node" \
	as_user mpirun --map-by ppr:1:node --wdir "$PWD/elsewhere" "$roclatch" attach --name '^mpiranks$' --own-tool --runtime-trace \
	--at +2s --attach-duration-msec 3000 --collect "$PWD/mpi"
here=$(uname -n)
shows "mpirun: there is a status for each rank, and all attached at the time that was asked for" \
	judge statuses "$PWD/mpi" "$here,$here,$here,$here,$here,$here,$here,$here" "" at
shows "mpirun: there is a database for each rank, of its own process" judge databases "$PWD/mpi"
shows "mpirun: the report puts them together" as_user "$roclatch" report "$PWD/mpi"
shows "mpirun: every record of every rank is in the merged database" judge merged "$PWD/mpi"
as_user "$roclatch" report --json -d elsewhere "$PWD/mpi" > "$folder/mpi.json" 2>/dev/null
shows "mpirun: the report names the rank that the others wait for" judge slow "$folder/mpi.json" 2 wait
shows "mpirun: the ranks go on, and nobody traces them" unharmed mpiranks
shows "mpirun: the job ends in order, all ranks have done their work" ended mpiranks "$running"

. "$top/tests/cluster/ssh.sh"
