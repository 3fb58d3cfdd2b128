# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # sourced by engines.sh and kubernetes.sh, with $cpu, $top, $engine; $kinds are words
# The command lines of docs/containers.md, run as they are written there in a machine of their own: what sources this runs
# once more in it.

# Control groups alone are in no namespace. Docker makes its own below ours and Podman beside it; those of a run that was
# killed go as well. One with processes, as of another Podman, cannot be removed.
sweep() {
	find /sys/fs/cgroup -maxdepth 2 -name 'roclatch-engines-*' | while read -r ours; do
		owner=${ours##*-}
		[ "$owner" = $$ ] || [ ! -e "/proc/$owner" ] || continue
		find "$ours" "${ours%/*}/libpod_parent" -depth -type d -exec rmdir {} + 2> /dev/null
	done
}
if [ -z "${OWN_FOLDER-}" ]; then
	export GROUP="roclatch-engines-$$"
	for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do
		[ ! -e "$tree/cgroup.procs" ] || ! mountpoint -q "$tree" || mkdir "$tree/$GROUP"
	done
	afterwards=sweep
	in_own_machine "$0" "$@"
	exit
fi
work=$OWN_FOLDER roclatch=$top/build/$cpu/roclatch patience=300 pid=
export PATH="$work/bin:$PATH" HOME="$work/home" TMPDIR="$work"

# covered FOLDER: what is written there goes nowhere.
covered() {
	mkdir -p "$work/over$1/upper" "$work/over$1/scrap"
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/over$1/upper,workdir=$work/over$1/scrap" "$1"
}

# What docs/containers.md takes for granted: roclatch is installed, and there are programs, in images.
prepare() {
	mount -t tmpfs -o mode=0755 run /run && covered /etc && covered /var/lib || return 1
	[ -z "${CGROUP2-}" ] || { umount -R /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup; } || return 1
	mkdir -p "$work/bin" "$HOME" "$work/here/build/$cpu" "$work/train/lib" "$work/train/tmp" "$work/images/amd64" "$work/images/arm64"       # as engines call the CPUs
	chmod 1777 "$work/train/tmp" "$work/here"
	cp "$roclatch" "$work/bin/"
	cp "$roclatch" "$work/here/build/$cpu/"
	cp "$top/build/x86_64/roclatch" "$work/images/amd64/"
	cp "$top/build/aarch64/roclatch" "$work/images/arm64/"
	cp "$top/build/$cpu/fixtures/root-rocm/rocm-app" "$work/train/python3"
	cp -a "$top/build/$cpu/fixtures/root-rocm/lib/." "$work/train/lib/"
	cp "$top/docs/examples/Containerfile" "$work/images/"
	cd "$work/here" || return 1
}

# opens SENTENCE COMMAND...: a test without which those behind it make no sense; what it sets stays.
opens() {
	sentence=$1
	shift
	if "$@" > "$work/said" 2>&1; then
		echo "ok $sentence"
	else
		echo "not ok $sentence"
		tail -n 40 "$work/said"
		return 1
	fi
}

# written PART REGEX: the command line in that part of the page that matches; lines that go on are one.
page=containers
written() {
	# shellcheck disable=SC2016 # the marks of a block
	awk -v part="## $1" '/^## / { inside = $0 == part } inside' "$top/docs/$page.md" | sed -n '/^```sh/,/^```$/p' |
		sed -e :a -e '/\\$/N; s/\\\n//; ta' | grep -E -e "$2"
}
# as_written PART REGEX [EDIT]: runs it, for less time and with the id that the process has; what sed is to change makes it
# another one than is written. $by runs a line.
by="eval"
as_written() {
	line=$(written "$1" "$2" | sed "s/ 10s\$/ 300/; s/ 4711 / $pid /; s/^sudo //; s/^docker /$engine /; s,build/x86_64,build/$cpu,")
	[ "$(echo "$line" | grep -c .)" = 1 ] || { echo "not one line of $1 has $2: $line"; return 1; }
	edited=$(echo "$line" | sed -E "${3-}")
	[ -z "${3-}" ] || [ "$edited" != "$line" ] || { echo "nothing is changed by $3: $line"; return 1; }
	echo "$edited"
	$by "$edited" < /dev/null
}

# records FILE TABLE...: there are some in each, counted by sqlite itself, which does not know that links below /proc lead
# elsewhere.
records() {
	cp "$1" "$work/copy.db" && shift && python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
few = [t for t in sys.argv[2:] if db.execute("select count(*) from " + t).fetchone()[0] < 10]
sys.exit(few and "few in " + ", ".join(few) or db.execute("pragma integrity_check").fetchone()[0] != "ok")' "$work/copy.db" "$@"
}
# recorded: one database was written in the folder $into of the program, and nothing of ours is beside it; where it was to be
# fetched, it came here. What is mounted in that folder is not looked at, and above all not emptied.
recorded() {
	out=/proc/$pid/root$into
	original=$(find "$out" -xdev -name '*_results.db')
	records "$original" $kinds || { echo "the program's $into:"; find "$out" -xdev; return 1; }
	[ -z "$(find "$out" -xdev -name '*.rlog' -o -name '.roclatch*')" ] || { echo "left:"; find "$out" -xdev; return 1; }
	if [ -n "$fetched" ]; then
		copy=$(find results -name '*_results.db')
		cmp "$copy" "$original" || { find results; return 1; }
	fi
	rm -rf results/*
	find "$out" -xdev -type f ! -name roclatch -delete
}

has_filter() { grep -q '^Seccomp:[[:space:]]2$' "/proc/$pid/status" || { echo "it has no filter"; return 1; }; }

kinds="rocpd_region rocpd_kernel_dispatch"
# fetches, writes WORD...: as the docs say; what is recorded comes here, or stays with the program.
fetches() { fetched=results into=/tmp && attaches_once as_written "$@"; }
writes() { fetched='' into=/tmp/results && attaches_once as_written "$@"; }
# denied REASON REMEDY WORD...
denied() {
	reason=$1 remedy=$2
	shift 2
	refuses "$reason" "$remedy" as_written "$@"
}

# until_asked COMMAND... -- WORD...: as is written, but without an end; that comes by the command.
begun() { grep -q '^recording' "$work/answer"; }
gone() { ! kill -0 "$1" 2>/dev/null; }
until_asked() {
	asks=''
	while [ "$1" != -- ]; do asks="$asks $1"; shift; done
	shift
	fetched=results into=/tmp
	harm=$(harm)
	look before
	as_written "$@" > "$work/answer" 2>&1 &
	side=$!
	await begun && sleep 0.3 && $asks && await gone "$side"
	asked=$?
	kill -KILL "$side" 2>/dev/null
	wait "$side"
	ended=$?
	cat "$work/answer"
	[ "$asked $ended" = "0 0" ] && $harm && recorded
}
