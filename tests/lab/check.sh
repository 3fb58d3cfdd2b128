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
		echo "$output" | tail -n 40 | sed 's/^/# /'
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

# said STATUS COMMAND...: it ends with this status; what it said is in $folder/said.out and said.err, and shown.
said() {
	wanted=$1
	shift
	status "$wanted" "$@" > "$folder/said.out" 2> "$folder/said.err" </dev/null && answer=0 || answer=1
	grep . "$folder/said.out" "$folder/said.err"
	return "$answer"
}
out_says() { grep -qF -e "$1" "$folder/said.out"; }
err_says() { grep -qF -e "$1" "$folder/said.err"; }
silent() { [ ! -s "$folder/said.$1" ]; }
# there FOLDER NAME...: files that are not empty
there() {
	where=$1
	shift
	for name; do [ -s "$where/$name" ] || { echo "there is no $name"; return 1; }; done
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
