#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/mutants/run.sh [--list | NAME...]: put each deliberate fault of tests/mutants/NAME.patch into a copy of the tree, build
# it, and see that the test which the patch names fails. Without a name all of them. --list: the table of docs/mutants.md.
#
# A patch begins with what it breaks, then "test: KIND NAME" lines and, if it is for one CPU, "cpu: CPU":
#   test: unit SUITE/TEST      one test of tests/unit/test_SUITE.c
#   test: live NAME            one of tests/live, by its whole name
#   test: killat NAME          one of tests/kill, at every point: a fault in the order of two steps shows between them alone
# Each of these tests must pass without the fault, and each must fail with it and say so: one that does not come to its end, as
# the machine is too slow or fails, has noticed nothing.
set -eu
cd "$(dirname "$0")/../.."
host=$(uname -m)
place=build/mutants
tree=$place/tree
bad=0

what() { head -n 1 "$1"; }
tests_of() { sed -n '/^diff /q; s/^test: //p' "$1"; }
cpu_of() { cpu=$(sed -n '/^diff /q; s/^cpu: //p' "$1"); echo "${cpu:-$host}"; }
file_of() { sed -n 's|^+++ b/||p' "$1"; }

list() {
	printf '| fault | where | caught by |\n|---|---|---|\n'
	for patch in tests/mutants/*.patch; do
		name=${patch##*/}
		# shellcheck disable=SC2016 # a code span
		printf '| %s: %s | `%s` | %s |\n' "${name%.patch}" "$(what "$patch")" "$(file_of "$patch")" \
			"$(tests_of "$patch" | awk '{ if (NR > 1) printf "; "; printf "%s", $0 }')"
	done
}

# copy CPU: the tree and what was built of it, with its times, so that a patch makes few files anew.
copy() {
	mkdir -p "$tree/build/$1"
	[ -e "$tree/Makefile" ] || tar -cf - --exclude=./build --exclude=./dist --exclude=./.git . | tar -xpf - -C "$tree"
	[ -e "$tree/build/deps" ] || ln -s "$(realpath build/deps)" "$tree/build/deps"
	for part in obj obj-tool libroclatch-tool.so libroclatch-tool.so.full libroclatch-tool.so.xz roclatch roclatch.full; do
		[ ! -e "build/$1/$part" ] || cp -a "build/$1/$part" "$tree/build/$1/"
	done
}

# make_test CPU KIND NAME: what the test runs
make_test() {
	goal=build/$1/roclatch
	[ "$2" != unit ] || goal=build/$1/tests/unit/test_${3%%/*}
	make -s -C "$tree" ARCH="$1" "$goal" > "$place/make.log" 2>&1
}

# in_guest CPU COMMAND PATH...: run it in a machine of that CPU, with the copy's PATHs and the fixtures.
in_guest() {
	cpu=$1 command=$2
	shift 2
	for path; do
		set -- "$@" -a "$tree/$path:$path"
		shift
	done
	tests/lab/vm -t 1500 "$@" -a "build/$cpu/tests/live" -a "build/$cpu/tests/killat" -a "build/$cpu/fixtures" "$cpu" "$command"
}

# rounds NAME: how often killat goes through all points. Each time it borrows another of five threads that are blocked, and
# with each of them a certain step is another point.
rounds() { case $1 in *_blocked_target_borrowed_*) echo 5 ;; *) echo 1 ;; esac; }

# run_test CPU KIND NAME: its output into the log
run_test() {
	roclatch=build/$1/roclatch runner=build/$1/tests fixtures=build/$1/fixtures
	killat="$runner/killat --suite --rounds $(rounds "$3") --enough 1 --only '$3'"
	if [ "$1" = "$host" ]; then roclatch=$tree/$roclatch; else killat="$killat --patience 6"; fi
	case $2 in
	unit) set -- "$1" "$runner/unit/test_${3%%/*}" "$runner/unit/test_${3%%/*}" ;;
	live) set -- "$1" "$runner/live --roclatch $roclatch --fixtures $fixtures --filter '$3'" "$roclatch" ;;
	killat) set -- "$1" "$killat --roclatch $roclatch --fixtures $fixtures" "$roclatch" ;;
	esac
	if [ "$1" != "$host" ]; then
		in_guest "$@"
	elif [ "${2#*/tests/unit/}" != "$2" ]; then
		(cd "$tree" && timeout -k 5 300 "$2")
	else
		timeout -k 5 1500 sh -c "exec $2"
	fi > "$place/log" 2>&1 </dev/null || :
}

# passes CPU KIND NAME: build and run. 1: it fails, also one that runs twice and fails once; 2: it is not built; 3: it said
# neither.
passes() {
	make_test "$@" || { tail -n 5 "$place/make.log" >&2; return 2; }
	run_test "$@"
	tr -d '\r' < "$place/log" > "$place/said"
	case $2 in
	unit)
		! grep -q ":${3#*/}:FAIL" "$place/said" || return 1
		grep -q ":${3#*/}:PASS\$" "$place/said" || return 3
		;;
	*)
		! grep -qxF "not ok $3" "$place/said" || return 1
		grep -qxF "ok $3" "$place/said" || return 3
		;;
	esac
}

# wholly PATCH: its tests pass as things are.
wholly() {
	tests_of "$1" > "$place/tests"
	while read -r kind name <&3; do
		grep -qxF "$kind $name" "$place/whole" && continue
		echo "$kind $name" >> "$place/whole"
		passes "$(cpu_of "$1")" "$kind" "$name" && continue
		echo "FAILS without a fault: $kind $name" && tail -n 20 "$place/log"
		bad=1
	done 3< "$place/tests"
}

# The copy is no part of a repository around it: there git would pass over what it does not track.
mutate() { (cd "$tree" && GIT_CEILING_DIRECTORIES=$top/$place git apply "$@"); }

# judge NAME PATCH: with the fault in place. What the tests say is kept in NAME.log: a machine that failed is no test that did.
judge() {
	tests_of "$2" > "$place/tests"
	while read -r kind name <&3; do
		status=0
		passes "$(cpu_of "$2")" "$kind" "$name" || status=$?
		cat "$place/log" >> "$place/$1.log"
		case $status in
		0) echo "SURVIVED $1: $kind $name passes"; bad=1 ;;
		1) echo "caught $1: $kind $name" ;;
		2) echo "DOES NOT BUILD $1"; bad=1 ;;
		*) echo "NO WORD of $1: $kind $name, see $place/$1.log"; bad=1 ;;
		esac
	done 3< "$place/tests"
}

one() {
	patch=tests/mutants/$1.patch
	[ -f "$patch" ] || { echo "run.sh: there is no mutant '$1'" >&2; exit 2; }
	if [ "$(cpu_of "$patch")" != "$host" ]; then
		case $(cpu_of "$patch") in aarch64 | x86_64) ;; *) echo "run.sh: $patch names no CPU" >&2; exit 2 ;; esac
	fi
	[ -e "$tree/build/$(cpu_of "$patch")/obj" ] || copy "$(cpu_of "$patch")"
	if ! mutate --check "$top/$patch"; then
		echo "DOES NOT APPLY $1"
		bad=1
		return
	fi
	wholly "$patch"
	mutate "$top/$patch"
	judge "$1" "$patch"
	mutate -R "$top/$patch"
}

if [ "${1-}" = --list ]; then
	list
	exit
fi
top=$PWD
rm -rf "$place"
mkdir -p "$place"
: > "$place/whole"
if [ $# -eq 0 ]; then
	for patch in tests/mutants/*.patch; do
		name=${patch##*/}
		set -- "$@" "${name%.patch}"
	done
fi
for name; do one "$name"; done
[ $bad -ne 0 ] || echo "$# mutants, all caught"
exit $bad
