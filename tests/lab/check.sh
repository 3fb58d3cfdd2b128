# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests/checks/*.sh: a test is a sentence and a command that shows it.

check() {
	sentence=$1
	shift
	if output=$("$@" 2>&1); then
		echo "ok $sentence"
	else
		echo "not ok $sentence"
		echo "$output" | tail -n 40
	fi
}

# denies COMMAND...: the command fails.
denies() { ! "$@"; }

# status N COMMAND...: the command ends with this status.
status() {
	expected=$1
	shift
	"$@" && got=0 || got=$?
	[ "$got" = "$expected" ] || { echo "status $got instead of $expected: $*"; return 1; }
}

scratch() {
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	trap 'exit 130' INT TERM
}

# copy_tree FOLDER: the sources, and what was fetched, as another clone would have them.
copy_tree() {
	mkdir -p "$1/build"
	tar -c --exclude=./build --exclude=./dist --exclude=./.git . | tar -x -C "$1"
	cp -al build/cache "$1/build/cache"
}
