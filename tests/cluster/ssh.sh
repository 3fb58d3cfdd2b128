# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # sourced by run.sh
# Two nodes that have processes, mounts and an sshd of their own, with four ranks on each, and the command lines of
# docs/clusters.md for pdsh and ssh. Keys, known hosts and settings are those of a user whose home is our folder; what is
# covered in /etc and /run is so in our namespace alone.
PORTS="n1:2201 n2:2202"
port_of() { expr "$PORTS" : ".*$1:\([0-9]*\)"; }

sshd_settings() {
	cat <<-EOF
	Port $(port_of "$1")
	ListenAddress 127.0.0.1
	HostKey $folder/ssh/host
	PidFile none
	UsePAM no
	PasswordAuthentication no
	SetEnv PATH=$PWD:/usr/bin:/bin
	EOF
}
ssh_prepare() {
	home=$folder/home
	mkdir -p "$folder/ssh" "$home/.ssh" && mount -t tmpfs -o mode=0755 run /run && mkdir -m 0755 /run/sshd &&
		ssh-keygen -q -t ed25519 -N '' -f "$folder/ssh/host" && ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id_ed25519" || return 1
	cp "$home/.ssh/id_ed25519.pub" "$home/.ssh/authorized_keys"
	printf 'root:x:0:0::/root:/bin/sh\nranks:x:%s:%s::%s:/bin/sh\nsshd:x:104:%s::/run/sshd:/usr/sbin/nologin\n' \
		"$nobody" "$nobody" "$home" "$nobody" > "$folder/ssh/passwd"
	for node in n1 n2; do
		sshd_settings $node > "$folder/ssh/$node"
		printf 'Host %s\n\tHostName 127.0.0.1\n\tPort %s\n' $node "$(port_of $node)"
		printf '[127.0.0.1]:%s %s\n' "$(port_of $node)" "$(cut -d' ' -f1-2 "$folder/ssh/host.pub")" >> "$home/.ssh/known_hosts"
	done > "$home/.ssh/config"
	chown -R "$nobody:$nobody" "$home"
	mount --bind "$folder/ssh/passwd" /etc/passwd
}

# node_with NAME RANK...: a node that is there, with its sshd, until the last of them ends. Each has a child that is stopped and
# uses no ROCm, as those have that Enroot starts from an image: nobody is to hear of it.
node_with() {
	name=$1
	shift
	# shellcheck disable=SC2016 # for that shell
	on_node "$name" unshare --pid --mount-proc --fork sh -c '
		user=$1 settings=$2
		shift 2
		/usr/sbin/sshd -f "$settings" || exit
		for rank; do
			setpriv --reuid "$user" --regid "$user" --clear-groups env ROCP_TOOL_ATTACH=1 PMI_RANK="$rank" PMI_SIZE=8 \
				sh -c "sleep 600 & kill -STOP \$!; LD_LIBRARY_PATH=lib exec ./train ready threads=0 rank=." &
		done
		wait' sh "$nobody" "$folder/ssh/$name" "$@"
}
nodes() {
	cd train || exit 1
	node_with n1 0 1 2 3 &
	node_with n2 4 5 6 7 &
	wait
}

# lines_of PROGRAM FOLDER SECONDS WAIT: the block of that page in which it is called, for our folder and less time.
lines_of() {
	# shellcheck disable=SC2016 # the marks of a block
	awk -v call="(^|[ \n])$1 -[nR]" '/^```/ { if (block ~ call) printf "%s", block; block = ""; next } { block = block $0 "\n" }' \
		"$top/docs/clusters.md" | sed "s,/shared/run42,$2,g; s/ 10s / $3s /; s/ + 10)/ + $4)/"
}
# attached_by PROGRAM FOLDER SECONDS WAIT: as the user, in a shell of his.
attached_by() {
	lines=$(lines_of "$1" "$PWD/$2" "$3" "$4")
	echo "$lines"
	case $lines in *" $3s "*"$PWD/$2"*) ;; *) echo "that is not in docs/clusters.md"; return 1 ;; esac
	as_user env PATH=/usr/bin:/bin sh -c "$lines"
}
attach_by() {
	shows "$1 attaches to all ranks on both nodes" attached_by "$1" "$1" 2 6
	shows "$1: there is a status for each rank, from its node, and all attached at the time that was asked for" \
		judge statuses "$PWD/$1" n1,n1,n1,n1,n2,n2,n2,n2 "" at
	shows "$1: there is a database for each rank, of its own process" judge databases "$PWD/$1"
	shows "$1: the report puts them together" as_user "$roclatch" report "$PWD/$1"
	shows "$1: every record of every rank is in the merged database" judge merged "$PWD/$1"
	shows "$1: the ranks go on, and nobody traces them" unharmed train
}

# ended_by FOLDER SECONDS COMMAND...: that is done while it records; nothing is lost by it.
all_recorded() { [ "$(grep -c '^attached to process' "$folder/attached")" = 8 ]; }
all_here() { [ "$(find "$1" -name '*.roclatch.json' | wc -l)" = 8 ]; }
ended_by() {
	into=$1 seconds=$2
	shift 2
	: > "$folder/attached"          # what the one before said must not be taken for this one's
	attached_by ssh "$into" "$seconds" 1 > "$folder/attached" 2>&1 &
	shell=$!
	within 60 all_recorded && "$@"
	status=$?
	wait $shell
	cat "$folder/attached"
	[ $status = 0 ] && within 60 all_here "$into" && judge statuses "$PWD/$into" n1,n1,n1,n1,n2,n2,n2,n2 "" && judge databases "$PWD/$into"
}
# shellcheck disable=SC2046 # one word for each
cut_off() { kill -KILL $(pgrep -u "$nobody" -x ssh); }
# shellcheck disable=SC2016 # the marks of code
signalled() { as_user sh -c "$(sed -n 's/.*`\(pdsh [^`]*pkill[^`]*\)`.*/\1/p' "$top/docs/clusters.md")"; }

make_job train
shows "there are keys and settings for two sshd" ssh_prepare || exit 1
nodes > train/out 2>&1 &
running=$!
shows "two nodes run a job of eight ranks" within 20 has_steps train 5 || { cat train/out; exit 1; }
attach_by pdsh
attach_by ssh
shows "when the connections are cut, it records to its end and nothing is lost" ended_by cut 3 cut_off
shows "by a signal through pdsh it ends before its time, and nothing is lost" ended_by signalled 300 signalled
shows "after that the ranks go on, and nobody traces them" unharmed train
shows "the job on two nodes ends in order, all ranks have done their work" ended train "$running"
