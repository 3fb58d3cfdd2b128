#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh CPU: the stacks that roclatch shows of programs that stand still, frame by frame beside those of eu-stack
# (and of gdb where there is one), and beside what is known of the program. Runs on the host and, under busybox, in a guest.
cpu=$1
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
	gdb -nx -batch -iex 'set debuginfod enabled off' -iex 'set debug-file-directory /nowhere' -iex 'set backtrace past-main on' \
		-iex 'set backtrace past-entry on' -iex 'set print frame-info location-and-address' -iex 'set width 0' \
		-p "$target" -ex 'thread apply all bt' 2>/dev/null
}

# shown NAME: what each tool shows of the target is in $folder/NAME.*
shown() {
	"$roclatch" stack --depth 1024 "$target" > "$folder/$1.roclatch" 2> "$folder/$1.said" || { cat "$folder/$1.said"; return 1; }
	peer "$here/peer/eu-stack" -n 1024 -p "$target" > "$folder/$1.eu-stack" 2>/dev/null
	[ -z "$gdb" ] || gdb_stacks > "$folder/$1.gdb"
}

# compared NAME PEER [KNOWN]
compared() {
	name=$1 peer=$2
	answer=$(awk -v peer="$peer" -v known="${3-}" -f "$here/stacks.awk" "$folder/$name.roclatch" "$folder/$name.$peer") && word=ok || word="not ok"
	echo "$word $name: every frame as $peer has it"
	echo "$answer" | sed 's/^/# /'
}

# chains NAME FOLDER PROGRAM: all frames, and every thread's chain by its names unless it is stripped
chains() {
	start "$2" "./$3" && shown "$1" || { echo "not ok $1: its stacks are shown"; end; return; }
	compared "$1" eu-stack
	[ -z "$gdb" ] || compared "$1" gdb
	end
	case $3 in
	*-stripped) ;;
	*) if awk -f "$here/chains.awk" "$folder/$1.roclatch" > "$folder/wrong"; then echo "ok $1: every chain is there by its names"
		else echo "not ok $1: every chain is there by its names"; sed 's/^/# /' "$folder/wrong"; fi ;;
	esac
}

gdb=
[ -n "${STACKS_WITHOUT_GDB-}" ] || ! command -v gdb >/dev/null || gdb=gdb
for way in omit O0 pointers fixed static stripped; do
	chains "glibc-$way" "$top/build/$cpu/fixtures/root-bookworm" "chains-$way"
done
for way in omit O0 static; do
	chains "musl-$way" "$top/build/$cpu/fixtures/root-musl" "chains-$way"
done

start "$top/build/$cpu/fixtures/root-bookworm" "$here/deep" && shown cxx && compared cxx eu-stack && { [ -z "$gdb" ] || compared cxx gdb; }
end

cat > "$folder/nested.py" <<'PY'
import time, sys
def inner(n):
    if n: return inner(n - 1)
    print("ready", flush=True)
    time.sleep(100000)
def outer(): return sorted([3, 1, 2], key=lambda x: inner(20))
outer()
PY
start "$folder" "$loader" --library-path "$here/peer/lib" "$here/peer/python3.11" -S "$folder/nested.py" && shown python3 &&
	compared python3 eu-stack && { [ -z "$gdb" ] || compared python3 gdb; }
end
