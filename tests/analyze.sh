#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086,SC2046,SC2317 # flags are words; what is run is chosen by its name
# tests/analyze.sh [-n] [KIND...]: look at the code by other means than running it as it is; without a name all of them.
#   sanitized  unit tests with AddressSanitizer and UndefinedBehaviorSanitizer
#   valgrind   unit tests under valgrind's memcheck
#   tidy       clang-tidy, with the checks of .clang-tidy that read
#   paths      clang-tidy, with those that follow each path (clang-analyzer-*): nine tenths of its time
#   cppcheck   cppcheck, less tests/analyze/cppcheck.txt
#   analyzer   gcc -fanalyzer, less tests/analyze/gcc.txt
# What was clean is not looked at again until it, or what its answer hangs on, has changed.  -n: only tell how much that is.
# docs/analysis.md tells more.
set -eu
cd "$(dirname "$0")/.."
host=$(uname -m)
out=build/analyze
jobs=${JOBS:-$(nproc)}

# as the Makefile finds and uses them
only() { for path in $1; do echo "$path"; done; }
flags="-std=c11 -D_GNU_SOURCE -I. -Iarch/$host -Ibuild/$host -Ibuild/$host/obj/inject/watch
	-isystem $(only 'build/deps/sqlite/fossil-*')/extsrc
	-isystem $(only 'build/deps/demangle/libiberty-*')/include -isystem $(only 'build/deps/zydis/*zydis-*')/include
	-isystem $(only 'build/deps/zydis/*zycore-c-*')/include -DZYDIS_STATIC_BUILD -DZYCORE_STATIC_BUILD
	-DZYDIS_DISABLE_ENCODER -DZYDIS_DISABLE_FORMATTER -DZYDIS_MINIMAL_MODE -DZYDIS_DISABLE_KNC
	-Ibin/lib -DTOOL_VERSION=__FILE__"

sources() { find arch/*.c "arch/$host" elf inject rocp bin -name '*.c' | sort; }

# checks KIND: which of .clang-tidy's it leaves to the other kind.
checks() {
	case $1 in
	tidy) echo '-clang-analyzer-*' ;;
	paths) echo '-bugprone-*,-cert-*,-misc-*,-performance-*,-portability-*' ;;
	esac
}

# look KIND FILE: 0 if it is clean; else what was said.
look() {
	case $1 in
	tidy | paths) clang-tidy --quiet "--checks=$(checks "$1")" "$2" -- $flags $answers 2> "$out/$1/noise.$$" ;;
	analyzer) gcc -fanalyzer -Werror -O1 $flags $answers $exceptions -c "$2" -o /dev/null 2>&1 ;;
	esac
}

# asked KIND FILE: all that its answer hangs on.
asked() {
	echo "$flags $answers"
	case $1 in
	tidy | paths) clang-tidy --version; cat .clang-tidy; checks "$1" ;;
	analyzer) gcc --version; echo "$exceptions" ;;
	esac
	cat "$2"
	gcc -E $flags $answers "$2"
}

look_once() {
	mkdir -p "$out/$1"
	exceptions=$(sed -n -e 's|^\* ||p' -e "s|^$2 ||p" tests/analyze/gcc.txt)
	answers="-include tests/analyze/answers.h"
	[ "$2" != elf/err.c ] || answers=
	key=$(asked "$1" "$2" | sha256sum | cut -c 1-40)
	! known "$1" "$key" "$2" || return 0
	said=$out/$1/said.$$ rc=0
	look "$1" "$2" > "$said" || rc=1
	cat "$said"
	rm -f "$said" "$out/$1/noise.$$"
	[ $rc = 0 ] || { echo "not ok $2"; return 1; }
	echo "$2" > "$out/$1/$key"
	echo "ok $2"
}

# known KIND KEY WHAT: was it clean before, or is that all that is asked?
known() {
	if [ -e "$out/$1/$2" ]; then
		echo "ok $3, as before"
	elif [ -n "${ONLY_TELL-}" ]; then
		echo "unknown $3"
	else
		return 1
	fi
}

each() { sources | xargs -P "$jobs" -I FILE sh tests/analyze.sh --look "$1" FILE; }

run_tidy() { each tidy; }
run_paths() { each paths; }
run_analyzer() { each analyzer; }

# With several jobs cppcheck's status leaves out what it finds across files (CTU): so whatever it says counts.  A file is not
# clean if it is named where a line of that begins.
run_cppcheck() {
	mkdir -p "$out/cppcheck"
	rc=0
	said=$(cppcheck -q -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppressions-list=tests/analyze/cppcheck.txt --library=posix --library=gnu --cppcheck-build-dir="$out/cppcheck" \
		--platform=unix64 -D_GNU_SOURCE "-D__${host}__" -D__LP64__ -I. "-Iarch/$host" $(sources) 2>&1) || rc=1
	[ -z "$said" ] || { rc=1; echo "$said"; }
	sources | while read -r file; do
		case "
$said" in
		*"
$file:"*) echo "not ok $file" ;;
		*) echo "ok $file" ;;
		esac
	done
	return $rc
}

# built FOLDER COMPILER WHAT: against this machine's own C library.  Warnings are those of every build, where they are errors.
built() {
	make --no-print-directory -s -k -j"$jobs" OUT="$1" ARCH="$host" CC="$2" LDFLAGS="-Wl,--no-as-needed -lm" \
		CFLAGS="-std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -w" "$3"
}

# units NAME COMPILER: the unit tests.  SQLite, which others test, is only compiled, and once for all.
units() {
	built "$out" "gcc -w -O1" "$out/$host/obj/sqlite3.o"
	mkdir -p "$out/$1/$host/obj"
	cp -pu "$out/$host/obj/sqlite3.o" "$out/$1/$host/obj/"
	built "$out/$1" "$2" unit
}

# under KIND PROGRAM: run it.
under() {
	case $1 in
	sanitized) ASAN_OPTIONS="suppressions=$PWD/tests/analyze/asan.supp" timeout 1800 "$2" ;;
	valgrind) timeout 1800 valgrind $memcheck "$2" ;;
	esac
}
memcheck="-q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
	--suppressions=tests/analyze/valgrind.supp"

# unit KIND TEST: run it and tell by a line.  What was clean is not run again while it is the same program.
unit() {
	program=$out/$1/$host/tests/unit/$2 log=$out/$1/$2.log rc=0
	[ -x "$program" ] || { echo "not ok $2: it was not built"; return 1; }
	key=$({ echo "$memcheck"; cat "$program" tests/analyze/*.supp tests/analyze/excused.txt; } | sha256sum | cut -c 1-40)
	! known "$1" "$key" "$2" || return 0
	under "$1" "$program" > "$log" 2>&1 || rc=$?
	# valgrind's CPU has other registers, calls and times than ours: what tests themselves say does not count there
	if [ "$1" = valgrind ]; then
		[ $rc = 99 ] || [ $rc = 124 ] || [ $rc -gt 128 ] || rc=0
		# nor does what one had that was left where it failed: losses are told with their size first, all else in words
		[ $rc != 99 ] || ! grep -q ':FAIL:' "$log" || grep -qE '^==[0-9]+== [A-Z]' "$log" || rc=0
	elif [ $rc != 0 ] && grep -q "^$2\$" tests/analyze/excused.txt; then
		grep -qE '^SUMMARY: |runtime error:' "$log" || rc=0
	fi
	[ $rc = 0 ] || { echo "not ok $2: $log ($rc)"; return 1; }
	echo "$2" > "$out/$1/$key"
	echo "ok $2"
}

# run_units KIND COMPILER: all unit tests.  Those of tests/analyze/excused.txt fail here for reasons that are told there:
# of them only what the tool itself says counts.
run_units() {
	[ -n "${ONLY_TELL-}" ] || units "$1" "$2" || :
	find tests/unit -name 'test_*.c' -exec basename {} .c \; | sort |
		xargs -P "$jobs" -I TEST sh tests/analyze.sh --unit "$1" TEST
}

run_sanitized() { run_units sanitized "gcc -fsanitize=address,undefined -fno-sanitize-recover=all"; }
run_valgrind() { run_units valgrind gcc; }

case ${1-} in
--look) look_once "$2" "$3"; exit ;;
--unit) unit "$2" "$3"; exit ;;
esac
if [ "${1-}" = -n ]; then
	export ONLY_TELL=yes
	shift
	[ $# -gt 0 ] || set -- tidy paths analyzer sanitized valgrind
fi
[ $# -gt 0 ] || set -- cppcheck tidy paths analyzer sanitized valgrind
status=0
for kind; do
	case $kind in
	sanitized | valgrind | tidy | paths | cppcheck | analyzer) ;;
	*) echo "analyze.sh: there is no '$kind'; there are: sanitized valgrind tidy paths cppcheck analyzer" >&2; exit 2 ;;
	esac
done
for kind; do
	began=$(date +%s)
	mkdir -p "$out"
	{ "run_$kind" || echo "$kind is not clean"; } | tee "$out/$kind.said"
	! grep -q "^$kind is not clean" "$out/$kind.said" || status=1
	seconds=$(($(date +%s) - began))
	echo "$kind: $(grep -c '^ok ' "$out/$kind.said") clean, $(grep -c '^not ok ' "$out/$kind.said") not," \
		"$(grep -c '^unknown ' "$out/$kind.said") unknown, $seconds s"
done
exit $status
