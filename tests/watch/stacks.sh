#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh CPU [NAME...]: the stacks that roclatch shows of programs that stand still, frame by frame beside those of eu-stack
# and gdb, and beside what is known of the program. Runs on the host and, under busybox, in a guest.
# NAMEs are programs, all without one; STACKS_GDB those that gdb, which takes its time in an emulated machine, is tried with.
cpu=$1
shift
programs=$* gdb=${STACKS_GDB-all}
top=$PWD
roclatch=$top/build/$cpu/roclatch
here=$top/build/$cpu/tests/watch
loader=$(ls "$here"/peer/lib/ld-linux-*)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
target=

peer() { "$loader" --library-path "$here/peer/lib" "$@"; }

# start FOLDER COMMAND...: a program that prints a line when it stands still.
start() {
	cd "$1" || return 1
	shift
	mkfifo "$folder/ready" 2>/dev/null
	"$@" > "$folder/ready" 2>/dev/null </dev/null &
	target=$!
	read -r _ < "$folder/ready"
	sleep 0.5       # from the line to where it stands
	cd "$top" || return 1
}

end() {
	kill -9 "$target" 2>/dev/null
	wait "$target" 2>/dev/null
	rm -f "$folder/ready"
}

gdb_stacks() {
	# without debug files, which would show inlined functions as frames of their own
	peer "$here/peer/gdb" -nx -batch -iex 'set debuginfod enabled off' -iex 'set debug-file-directory /nowhere' -iex 'set backtrace past-main on' \
		-iex 'set backtrace past-entry on' -iex 'set print frame-info location-and-address' -iex 'set width 0' \
		-p "$target" -ex 'thread apply all bt' 2>/dev/null
}

# is_among NAME NAMES: without NAMES all are
is_among() { case " ${2:-all} " in *" $1 "* | *" all "*) ;; *) return 1 ;; esac; }

# shown NAME PEER...: what each tool shows of the target is in $folder/NAME.*
shown() {
	"$roclatch" stack --depth 1024 "$target" > "$folder/$1.roclatch" 2> "$folder/$1.said" || { cat "$folder/$1.said"; return 1; }
	name=$1
	shift
	for peer; do
		case $peer in
		eu-stack) peer "$here/peer/eu-stack" -n 1024 -p "$target" > "$folder/$name.eu-stack" 2>/dev/null ;;
		gdb) ! is_among "$name" "$gdb" || gdb_stacks > "$folder/$name.gdb" ;;
		esac
	done
}

# compared NAME PEER [KNOWN]
compared() {
	name=$1 peer=$2 right=
	if [ "$cpu" = aarch64 ]; then
		right=.right astray=
		[ "$peer" != eu-stack ] || astray=1
		awk -v astray="$astray" -f "$here/peer.awk" "$folder/$name.roclatch" "$folder/$name.$peer" > "$folder/said"
	fi
	answer=$(awk -v peer="$peer" -v known="${3-}" -f "$here/stacks.awk" "$folder/$name.roclatch$right" "$folder/$name.$peer$right") && word=ok || word="not ok"
	echo "$word $name: every frame as $peer has it"
	echo "$answer" | sed 's/^/# /'
	[ -z "$right" ] || sed 's/^/# /' "$folder/said"
}

# beside NAME PEER...
beside() {
	name=$1
	shift
	for peer; do
		if [ "$peer" != gdb ] || is_among "$name" "$gdb"; then compared "$name" "$peer"; fi
	done
}

# chains NAME FOLDER PROGRAM PEER...: every thread's chain by its names unless it is stripped, and all frames beside
# those of the peers that know the way in such a program
chains() {
	called=$1 program=$3
	is_among "$called" "$programs" || return 0
	start "$2" "./$3"
	shift 3
	if ! shown "$called" "$@"; then echo "not ok $called: its stacks are shown"; end; return; fi
	end
	beside "$called" "$@"
	case $program in
	*-stripped) ;;
	*) if awk -f "$here/chains.awk" "$folder/$called.roclatch" > "$folder/wrong"; then echo "ok $called: every chain is there by its names"
		else echo "not ok $called: every chain is there by its names"; sed 's/^/# /' "$folder/wrong"; fi ;;
	esac
}

# Debian's musl has no unwind tables: eu-stack and gdb go astray in its first frame. Without tables in the program gdb
# guesses by its prologues, and wrongly; so does eu-stack on aarch64, where it shows the return address that is still in
# its register as a frame, and then the same again from the stack. Such stacks are judged by their names alone.
glibc=$top/build/$cpu/fixtures/root-bookworm musl=$top/build/$cpu/fixtures/root-musl
for way in omit O0 fixed static stripped; do chains "glibc-$way" "$glibc" "chains-$way" eu-stack gdb; done
pointers_peer=eu-stack
[ "$cpu" != aarch64 ] || pointers_peer=
chains glibc-pointers "$glibc" chains-pointers $pointers_peer
for way in omit O0 static; do chains "musl-$way" "$musl" "chains-$way"; done

# known NAME FOLDER COMMAND...
known() {
	called=$1
	shift
	is_among "$called" "$programs" || return 0
	if start "$@" && shown "$called" eu-stack gdb; then beside "$called" eu-stack gdb; else echo "not ok $called: its stacks are shown"; fi
	end
}
known cxx "$glibc" "$here/deep"

cat > "$folder/nested.py" <<'PY'
import time, sys
def inner(n):
    if n: return inner(n - 1)
    print("ready", flush=True)
    time.sleep(100000)
def outer(): return sorted([3, 1, 2], key=lambda x: inner(20))
outer()
PY
# gdb hardly knows a program behind a loader that was called by its name: a guest gets one where programs look for it
system=/lib/${loader##*/}
[ "$cpu" != x86_64 ] || system=/lib64/${loader##*/}
libraries=
if [ ! -e "$system" ]; then
	libraries=LD_LIBRARY_PATH=$here/peer/lib
	mkdir -p "${system%/*}"
	ln -s "$loader" "$system"
	trap 'rm -rf "$folder" "$system"' EXIT
fi
known python3 "$folder" env ${libraries:+"$libraries"} PYTHONHOME="$here/peer" "$here/peer/python3.11" -S "$folder/nested.py"
