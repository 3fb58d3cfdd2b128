# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# run.sh [PROGRAM...]: try roclatch on programs that people run, while they work.
# Each PROGRAM is a file NAME.bash here; without one, all.  Needs big packages, so CI does not run it.
# As root on Debian it installs what is missing.  Everything runs in a temporary folder on ports of its own.
# CALLS, INJECTS, TOGETHER, KILLS, BASE_SECONDS and TIMEOUT_MSEC change how much is done; KEEP=1 keeps the folder.
# shellcheck disable=SC2317 # functions that the programs' files call
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
roclatch=${ROCLATCH:-$here/../../build/$(uname -m)/roclatch}
: "${CALLS:=200}" "${INJECTS:=20}" "${TOGETHER:=20}" "${KILLS:=100}" "${BASE_SECONDS:=3}" "${TIMEOUT_MSEC:=10000}"
# shellcheck source=tests/programs/trial.bash
. "$here/trial.bash"

programs=("$@")
if [ $# = 0 ]; then
	for file in "$here"/*.bash; do
		case ${file##*/} in programs.bash | trial.bash) ;; *) file=${file##*/}; programs+=("${file%.bash}") ;; esac
	done
fi
for name in "${programs[@]}"; do
	if [ ! -f "$here/$name.bash" ] || [ "$name" = programs ] || [ "$name" = trial ]; then
		echo "usage: run.sh [PROGRAM...]; there is no $here/$name.bash" >&2
		exit 2
	fi
done
[ -x "$roclatch" ] || { echo "run.sh: no $roclatch: build it first: ./build.sh" >&2; exit 1; }

work=$(mktemp -d /tmp/roclatch-programs.XXXXXX)
chmod 755 "$work"
table=$work/table
: > "$table"
cc -shared -fPIC -O1 -o "$work/probe.so" "$here/probe.c" || exit 1
python=$(python3 -c 'import sys; print(sys.executable)') || exit 1

# install COMMAND-OR-FILE PACKAGE [COMMAND-OR-FILE PACKAGE...]
install() {
	local missing=()
	while [ $# -gt 0 ]; do
		command -v "$1" > /dev/null || compgen -G "$1" > /dev/null || missing+=("$2")
		shift 2
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "# needs: apt-get install ${missing[*]}"
		return 1
	fi
	echo "# installing ${missing[*]}"
	DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "${missing[@]}" \
		> "$dir/apt.log" 2>&1 || { tail -n 3 "$dir/apt.log"; return 1; }
}

# A port that nobody listens on.
free_port() {
	"$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# until COMMAND...: wait up to 20 s for it
until_ok() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "# waited in vain: $*"
	return 1
}

answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
ask() { exec "$python" "$here/client.py" "$1" "$2" "$dir/beat" "$dir/wrong"; }
child_of() { pgrep -P "$1" | head -n 1; }

# End all that was started here, the youngest first.
descendants() {
	local child
	for child in $(pgrep -P "$1"); do
		descendants "$child"
		echo "$child"
	done
}

clean_up() {
	local pids self=$BASHPID
	pids=$(descendants "$self")
	# shellcheck disable=SC2086 # words
	{ kill $pids; sleep 0.5; kill -9 $pids; } 2> /dev/null
	wait 2> /dev/null
}

# Each program in a shell of its own: it defines start, which calls trial in the end.
try() (
	dir=$work/$1
	mkdir -m 755 "$dir"
	cp "$work/probe.so" "$dir/probe-$1.so"
	probe=$dir/probe-$1.so
	slack_threads=0 slack_fds=0 slack_maps=4 slack_rss=4096
	wrong() { cat "$dir/wrong" 2> /dev/null; }
	trap clean_up EXIT
	trap 'exit 130' INT TERM
	# shellcheck source=/dev/null
	. "$here/$1.bash"
	if ! run; then
		echo "not ok $1 (could not be started)"
		printf '%s|not started|||||1\n' "$1" >> "$table"
	fi
)

for name in "${programs[@]}"; do
	try "$name"
done
echo
{
	echo 'process|status:count fresh / borrowed|fresh: borrowed ms, median/max|borrowed: ms, median/max|longest answer ms alone (answers)|with roclatch (answers)|wrong'
	cat "$table"
} | column -t -s '|'
failed=$(awk -F '|' '$7 != 0' "$table" | wc -l)
echo "$(($(wc -l < "$table") - failed)) ok, $failed not ok"
if [ "${KEEP:-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
[ "$failed" = 0 ]
