#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086,SC2046,SC2317 # flags are words; what is run is chosen by its name
# tests/analyze.sh [KIND...]: look at the code by other means than running it as it is; without a name all of them.
#   sanitized  unit tests with AddressSanitizer and UndefinedBehaviorSanitizer
#   valgrind   unit tests under valgrind's memcheck
#   tidy       clang-tidy, with the checks of .clang-tidy
#   cppcheck   cppcheck, less tests/analyze/cppcheck.txt
#   analyzer   gcc -fanalyzer, less tests/analyze/gcc.txt
# A file that was clean is not looked at again until it, or what it includes, has changed.  docs/analysis.md tells more.
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

sources() { find "arch/$host" elf inject rocp bin -name '*.c' | sort; }

# look KIND FILE: 0 if it is clean; else what was said.
look() {
	case $1 in
	tidy) clang-tidy --quiet "$2" -- $flags $answers 2> "$out/$1/noise.$$" ;;
	analyzer) gcc -fanalyzer -Werror -O1 $flags $answers $exceptions -c "$2" -o /dev/null 2>&1 ;;
	esac
}

look_once() {
	mkdir -p "$out/$1"
	exceptions=$(sed -n -e 's|^\* ||p' -e "s|^$2 ||p" tests/analyze/gcc.txt)
	answers="-include tests/analyze/answers.h"
	[ "$2" != elf/err.c ] || answers=
	key=$({ echo "$flags $answers $exceptions"; cat "$2" .clang-tidy; gcc -E $flags "$2"; } | sha256sum | cut -c 1-40)
	[ ! -e "$out/$1/$key" ] || return 0
	said=$out/$1/said.$$ rc=0
	look "$1" "$2" > "$said" || rc=1
	cat "$said"
	[ $rc != 0 ] || : > "$out/$1/$key"
	rm -f "$said" "$out/$1/noise.$$"
	return $rc
}

each() { sources | xargs -P "$jobs" -I FILE sh tests/analyze.sh --look "$1" FILE; }

run_tidy() { each tidy; }
run_analyzer() { each analyzer; }

run_cppcheck() {
	mkdir -p "$out/cppcheck"
	cppcheck -q -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppressions-list=tests/analyze/cppcheck.txt --library=posix --library=gnu --cppcheck-build-dir="$out/cppcheck" \
		--platform=unix64 -D_GNU_SOURCE "-D__${host}__" -D__LP64__ -I. "-Iarch/$host" $(sources)
}

# units NAME COMPILER: the unit tests, against this machine's own C library.  SQLite, which others test, is only compiled.
units() {
	for compiler in "gcc -w -O1" "$2"; do
		what=unit
		[ "$compiler" = "$2" ] || what=$out/$1/$host/obj/sqlite3.o
		make --no-print-directory -s -k -j"$jobs" OUT="$out/$1" ARCH="$host" CC="$compiler" LDFLAGS="-Wl,--no-as-needed -lm" \
			CFLAGS="-std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -Wall -Wextra" "$what"
	done
}

# run_units NAME [COMMAND...]: each, told by a line.  Those of tests/analyze/excused.txt fail here for reasons that are
# told there: of them only what the tool itself says counts.
run_units() {
	name=$1 failed=0
	shift
	for test in "$out/$name/$host/tests/unit/"test_*; do
		log=$out/$name/${test##*/}.log rc=0
		timeout 600 "$@" "$test" > "$log" 2>&1 || rc=$?
		# valgrind's CPU has other registers, calls and times than ours: what tests themselves say does not count there
		if [ "$name" = valgrind ]; then
			[ $rc = 99 ] || [ $rc -gt 128 ] || rc=0
		elif [ $rc != 0 ] && grep -q "^${test##*/}\$" tests/analyze/excused.txt; then
			grep -qE '^SUMMARY: |runtime error:' "$log" || rc=0
		fi
		[ $rc = 0 ] && echo "ok ${test##*/}" && continue
		echo "not ok ${test##*/}: $log"
		failed=1
	done
	return $failed
}

run_sanitized() {
	units sanitized "gcc -fsanitize=address,undefined -fno-sanitize-recover=all"
	run_units sanitized env "ASAN_OPTIONS=suppressions=$PWD/tests/analyze/asan.supp"
}

run_valgrind() {
	units valgrind gcc
	run_units valgrind valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		--suppressions=tests/analyze/valgrind.supp
}

if [ "${1-}" = --look ]; then
	look_once "$2" "$3"
	exit
fi
[ $# -gt 0 ] || set -- cppcheck tidy analyzer sanitized valgrind
status=0
for kind; do
	case $kind in
	sanitized | valgrind | tidy | cppcheck | analyzer) ;;
	*) echo "analyze.sh: there is no '$kind'; there are: sanitized valgrind tidy cppcheck analyzer" >&2; exit 2 ;;
	esac
done
for kind; do
	began=$(date +%s)
	mkdir -p "$out"
	result=clean
	"run_$kind" || { result="not clean" status=1; }
	echo "$kind: $result, $(($(date +%s) - began)) s"
done
exit $status
