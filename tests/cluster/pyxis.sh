# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # sourced by run.sh
# Ranks in containers of Enroot that pyxis, a plugin of Slurm, makes on each of two nodes: the command lines of
# docs/clusters.md. By hand, where `enroot` and mksquashfs are installed: PYXIS=/path/of/spank_pyxis.so sh tests/cluster/run.sh
# CPU pyxis. Debian has no package of either.
plugin=${PYXIS-}
home=$folder/home

# A node has its own containers, though both are one machine: what is called enroot looks at its name.
pyxis_prepare() {
	[ -e "$plugin" ] || { echo "PYXIS names no plugin: '$plugin'"; return 1; }
	enroot=$(command -v enroot) || { echo "there is no enroot"; return 1; }
	mkdir -p "$folder/bin" "$folder/image/bin" "$folder/image/tmp" "$folder/image/etc" "$folder/image/proc" "$folder/image/sys" \
		"$folder/image/dev" "$folder/image/root" "$home" && mount -t tmpfs -o mode=1777 run /run || return 1
	cat > "$folder/bin/enroot" <<-SHELL
		#!/bin/sh
		export ENROOT_DATA_PATH="$home/\$(uname -n)/data" ENROOT_CACHE_PATH="$home/\$(uname -n)/cache" ENROOT_RUNTIME_PATH="$home/\$(uname -n)/run"
		PATH="${enroot%/*}:\$PATH" exec "$enroot" "\$@"
	SHELL
	chmod 755 "$folder/bin/enroot"
	cp "$top/build/$cpu/tests/containers/busybox" "$folder/image/bin/sh"
	cp rocm/rocm-app "$folder/image/ranks" && cp -RL rocm/lib "$folder/image/lib"
	mksquashfs "$folder/image" "$folder/user/ranks.sqsh" -all-root -no-progress || return 1
	chown -R "$nobody:$nobody" "$home" "$folder/user/ranks.sqsh"
	printf 'root:x:0:0::/root:/bin/sh\nranks:x:%s:%s::%s:/bin/sh\n' "$nobody" "$nobody" "$home" > "$folder/passwd"
	mount --bind "$folder/passwd" /etc/passwd
}

# line_of REGEX EDIT: that line of the page, run by the user.
line_of() {
	line=$(sed -n '/^## Apptainer, Enroot, pyxis/,/^## /p' "$top/docs/clusters.md" | grep -E -e "^srun .*$1" | sed -E "s,^srun ,$user_srun ,; $2")
	[ "$(echo "$line" | grep -c .)" = 1 ] || { echo "not one line has $1: $line"; return 1; }
	echo "$line"
	eval "$line"
}
# The job sees its folder; what else is changed is what this machine has not.
job() {
	export HOME="$home"
	line_of "--container-image" "s,rocm\+pytorch,$PWD/ranks.sqsh --container-mounts=$PWD/inside:/job --container-workdir=/ $1,
		s,python3 train.py &,./ranks ready threads=0 rank=/job,; s/ROCP_TOOL_ATTACH=1/&,LD_LIBRARY_PATH=\/lib,RANK_SLOW=5/"
}
attach() {
	line_of "--slurm-job" "s/=42 /=$job /; s/-job 42 /-job $job /; s,/shared/run42,$PWD/$1,; s/ 10s / 3s /; s/ \+ 10\)/ + 6)/; ${2-};
		s, roclatch , --chdir=$PWD/elsewhere $roclatch ,"
}
# contained FILTERS: list on the host knows that; ranks that are root in their containers have a filter.
contained() {
	grep "^Seccomp:[[:space:]]$1\$" "/proc/$(pgrep -o -x ranks)/status" && as_user "$roclatch" list | grep -E "ranks +enroot "
}
not_trusted() { ! attach "$1" "s/ --trust-seccomp//" && grep -q 'go on with --trust-seccomp' "$folder/said"; }

shows "there are Enroot and pyxis" pyxis_prepare || exit 1
export PATH="$folder/bin:$PATH"
slurm_start
for remap in "" --no-container-remap-root; do
	named=${remap:---container-remap-root}
	rm -rf inside && mkdir inside && chown "$nobody:$nobody" inside
	within 60 nodes_idle
	job "$remap" > inside/out 2>&1 &
	running=$!
	shows "pyxis: a job of eight ranks runs in containers on both nodes ($named)" within 60 has_steps inside 5 || { cat inside/out; exit 1; }
	job=$(squeue -h -o %A)
	if [ -z "$remap" ]; then
		shows "pyxis: list knows their containers ($named)" contained 2
		shows "pyxis: what their filter asks for is told ($named)" not_trusted refused
	else
		shows "pyxis: list knows their containers ($named)" contained 0
	fi
	shows "pyxis: one command line attaches to all ranks on both nodes ($named)" attach "run$remap"
	shows "pyxis: there is a status for each rank, from its node ($named)" \
		judge statuses "$PWD/run$remap" n1,n1,n1,n1,n2,n2,n2,n2 "$job.0" at
	shows "pyxis: there is a database for each rank, of its own process ($named)" judge databases "$PWD/run$remap"
	shows "pyxis: the report puts them together ($named)" as_user "$roclatch" report "$PWD/run$remap"
	shows "pyxis: every record of every rank is in the merged database ($named)" judge merged "$PWD/run$remap"
	shows "pyxis: the ranks go on, and nobody traces them ($named)" unharmed inside
	shows "pyxis: the job ends in order, all ranks have done their work ($named)" ended inside "$running"
done
