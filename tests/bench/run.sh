#!/bin/sh
# SPDX-License-Identifier: MIT
# Measure roclatch beside gdb, and lldb and eu-stack where they are installed, on a small program
# and on one with 192 libraries; then what a record costs in the target, what converting costs, what
# putting a job together costs, and what watching costs. ./build.sh bench builds roclatch before.
set -eu
cd "$(dirname "$0")/../.."
cpu=$(uname -m)
work=build/bench/$cpu
libraries=192
functions=1000

command -v gcc >/dev/null || { echo "bench: please install gcc, to build the programs to measure on" >&2; exit 1; }
command -v gdb >/dev/null || echo "bench: without gdb there is nothing to compare with; please install gdb" >&2

# The libraries are one object under 192 names: what a debugger reads in each is what counts.
make_libraries() {
	mkdir -p "$work/lib"
	awk -v n="$functions" 'BEGIN { for (i = 0; i < n; i++)
		printf "int bench_library_function_%d(int a) { return a * %d + %d; }\n", i, i + 3, i }' > "$work/filler.c"
	gcc -O1 -fPIC -c "$work/filler.c" -o "$work/filler.o"
	i=0
	while [ "$i" -lt "$libraries" ]; do
		gcc -shared -Wl,-soname,"libfiller$i.so" "$work/filler.o" -o "$work/lib/libfiller$i.so"
		i=$((i + 1))
	done
	touch "$work/lib/.made"
}

beat() {
	name=$1
	shift
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -rdynamic tests/bench/beat.c -o "$work/$name" "$@"
}

mkdir -p "$work"
[ -n "$(find "$work/lib/.made" -newer tests/bench/run.sh 2>/dev/null)" ] || make_libraries
beat small
# shellcheck disable=SC2016 # the loader expands it
beat large -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/lib' "$work"/lib/libfiller*.so
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Itests/bench -Itests/kill -Itests/kill/"$cpu" \
	tests/bench/main.c tests/bench/tool.c tests/kill/trace.c tests/kill/fault.c -o "$work/bench"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I. -Itests/bench -rdynamic \
	tests/bench/tool_cost.c tests/bench/tool_sdk.c -ldl -o "$work/tool_cost"
"$work/bench" "build/$cpu/roclatch" "$work/small" "$work/large"
echo
"$work/tool_cost" "build/$cpu/libroclatch-tool.so" "$work"
echo
records=${BENCH_RECORDS:-10000000}
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -I. -Itests/unit tests/bench/made_log.c -o "$work/made_log"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror tests/bench/convert_cost.c -o "$work/convert_cost"
trap 'rm -f "$work/bench.rlog"' EXIT
"$work/made_log" "$work/bench.rlog" "$records"
"$work/convert_cost" "build/$cpu/roclatch" "$work/bench.rlog" "$records" "$work"
echo
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror tests/bench/report_cost.c -o "$work/report_cost"
# shellcheck disable=SC2086 # several numbers
"$work/report_cost" "build/$cpu/roclatch" "build/$cpu/tests/make_job" "$work" ${BENCH_RANKS:-1000 3000 10000}
echo
"build/$cpu/tests/bench-watch" --roclatch "build/$cpu/roclatch"
