# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: a machine of one's own, as far as namespaces go, in which daemons run and of which nothing stays.

no_machine() { echo "not ok there are namespaces for a machine of its own: $*"; exit 1; }

# own_machine FOLDER COMMAND...: in place of this shell, with a process table, network and mounts of its own. All of its
# processes end with the command, also when that or unshare is killed, and FOLDER is empty again.
own_machine() {
	[ "$(id -u)" = 0 ] || no_machine "this must be run as root"
	unshare --mount --pid --net --ipc --uts --fork true || no_machine "it needs CAP_SYS_ADMIN"
	own=$1
	shift
	# shellcheck disable=SC2016 # for that shell
	exec unshare --mount --pid --net --ipc --uts --fork --kill-child --mount-proc sh -c '
		echo localhost > /proc/sys/kernel/hostname || exit 1
		mount -t tmpfs -o mode=0755 files "$1" || exit 1
		python3 -c "$2" || exit 1
		shift 2
		exec "$@"' sh "$own" "$loopback_up" "$@"
}
# An address beside 127.0.0.1, as getaddrinfo (AI_ADDRCONFIG) does not count that one.
loopback_up='import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x41))                                             # SIOCSIFFLAGS
fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"lo:1", 2, 0, socket.inet_aton("192.0.2.1")))          # SIOCSIFADDR'

# in_own_machine SCRIPT ARG...: runs that there; its files are below $OWN_FOLDER. Its status is ours. $afterwards is done when
# all of it is gone.
afterwards=
in_own_machine() {
	folder=$(mktemp -d)
	trap 'rmdir "$folder"; $afterwards' EXIT
	trap 'kill -KILL "$inside"; wait "$inside"; exit 130' INT TERM HUP      # unshare ignores the others
	own_machine "$folder" env "OWN_FOLDER=$folder" sh "$@" &
	inside=$!
	wait "$inside"
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
