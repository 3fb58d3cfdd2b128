# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # sourced by run.sh
# Two nodes that have processes of their own, with four ranks on each, and the command line of docs/clusters.md for pdsh. In
# the place of ssh stands what enters a node; as ssh does, it gives its words to a shell there.
cat > "$folder/on" <<-ON
	#!/bin/sh
	node=\$(pgrep -o -x "node-\$1") || exit
	shift
	exec nsenter --target "\$node" --pid --uts --mount setpriv --reuid $nobody --regid $nobody --clear-groups \\
		env "PATH=$PWD:/usr/bin:/bin" sh -c "\$*"
ON
chmod 755 "$folder/on"

# node_with NAME RANK...: a node that is there until the last of them ends; its first process has its name.
node_with() {
	node=node-$1 name=$1
	shift
	ln -s /bin/sh "$folder/$node"
	# shellcheck disable=SC2016 # for that shell
	on_node "$name" unshare --pid --mount-proc --fork "$folder/$node" -c '
		for rank; do
			setpriv --reuid "$0" --regid "$0" --clear-groups env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 PMI_RANK="$rank" PMI_SIZE=8 \
				./train ready threads=0 rank=. &
		done
		wait' "$nobody" "$@"
}
nodes() {
	cd train || exit 1
	node_with n1 0 1 2 3 &
	node_with n2 4 5 6 7 &
	wait
}
by_pdsh() {
	line=$(sed -n '/^## pdsh/,/^## /s/^pdsh -w/pdsh -R exec -w/p' "$top/docs/clusters.md" |
		sed "s, roclatch , $folder/on %h&,; s,/shared/run42,$PWD/pdsh,g; s/ 10s / 3s /; s/ + 10)/ + 6)/")
	echo "$line"
	eval "$line"
}

make_job train
nodes > train/out 2>&1 &
running=$!
shows "two nodes run a job of eight ranks" within 20 has_steps train 5 || { cat train/out; exit 1; }
mkdir pdsh && chown "$nobody:$nobody" pdsh
shows "pdsh attaches to all ranks on both nodes with one command line" by_pdsh
shows "pdsh: there is a status for each rank, from its node, and all attached at the time that was asked for" \
	judge statuses "$PWD/pdsh" n1,n1,n1,n1,n2,n2,n2,n2 "" at
shows "pdsh: there is a database for each rank, of its own process" judge databases "$PWD/pdsh"
shows "pdsh: the report puts them together" as_user "$roclatch" report "$PWD/pdsh"
shows "pdsh: every record of every rank is in the merged database" judge merged "$PWD/pdsh"
shows "pdsh: the ranks go on, and nobody traces them" unharmed train
shows "pdsh: the job ends in order, all ranks have done their work" ended train "$running"
