# SPDX-License-Identifier: MIT
# The public library: what it exports and needs, that the header is C99 and C++, and that the example compiles and runs.
. tests/lab/check.sh
scratch
host=$(uname -m)
header=bin/lib/roclatch.h

declared() { sed -n 's/^ROCLATCH_API .*[ *]\(roclatch_[a-z_]*\)(.*/\1/p' $header | sort; }
dynamic() { readelf -dW "$library"; }
symbols() { readelf --dyn-syms -W "$library"; }
segments() { readelf -lW "$library"; }

declares_something() { [ "$(declared | wc -l)" -ge 15 ]; }
is_documented() { for name in $(declared); do grep -q "^| \`$name\` |" docs/library.md || { echo "$name"; return 1; }; done; }
header_is_beside() { cmp $header "build/$cpu/roclatch.h"; }

# ---- shared --------------------------------------------------------------------------------------
is_for() { readelf -h "$library" | grep -q "Machine:.*$machine"; }
exports_only() {
	symbols | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" && $7 != "ABS" { sub(/@.*/, "", $8); print $8 }' | sort > "$folder/defined"
	declared | diff - "$folder/defined"
}
soname_is() { dynamic | grep -q "(SONAME).*\[$1\]"; }
linked() { [ "$(readlink "build/$cpu/libroclatch.so")" = libroclatch.so.0 ]; }
needs_libc_alone() { ! dynamic | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vx -e libc.so.6 -e libpthread.so.0; }
# As numbers: 2.4 is older than 2.17.
old_glibc_will_do() {
	symbols | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -u > "$folder/versions"
	cat "$folder/versions"
	[ -s "$folder/versions" ] && awk -F . '$1 != 2 || $2 > 17 { exit 1 }' "$folder/versions"
}
# Strong symbols only: those that are weak may stay away.
musl_has_all() {
	readelf --dyn-syms -W "build/deps/musl-$cpu/usr/lib/$cpu-linux-musl/libc.so" |
		awk '$7 != "UND" { print $8 }' | sort -u > "$folder/musl"
	symbols | awk '$5 == "GLOBAL" && $7 == "UND" { sub(/@.*/, "", $8); print $8 }' | sort -u > "$folder/wanted"
	[ -s "$folder/wanted" ] && ! comm -23 "$folder/wanted" "$folder/musl" | grep .
}
prints_or_exits() { grep -E '^(printf|puts|putchar|perror|exit|_exit|abort|sigaction|setenv|fork|system)$' "$folder/wanted"; }
executable_stack() { segments | grep 'GNU_STACK.* RWE '; }
marks_stack() { segments | grep -q 'GNU_STACK.* RW '; }
relro() { segments | grep -q GNU_RELRO && dynamic | grep -q 'Flags:.*NOW'; }
thread_local() { segments | grep ' TLS '; }
has_symtab() { readelf -SW "$library" | grep -E ' \.(symtab|comment|debug)'; }
names_this_place() { grep -aqF -e "$PWD" "$library"; }

# ---- static --------------------------------------------------------------------------------------
one_object() { [ "$(ar t "build/$cpu/libroclatch.a")" = roclatch.o ]; }
static_names_only() {
	readelf -sW "build/$cpu/libroclatch.a" | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" { print $8 }' | sort > "$folder/global"
	declared | diff - "$folder/global"
}
static_names_this_place() { grep -aqF -e "$PWD" "build/$cpu/libroclatch.a"; }

check "the header declares the library's functions" declares_something
check "docs/library.md has every function" is_documented
for pair in x86_64:X86-64 aarch64:AArch64; do
	cpu=${pair%:*} machine=${pair#*:}
	library=build/$cpu/libroclatch.so.0
	check "$cpu libroclatch is for its CPU" is_for
	check "$cpu libroclatch has its header beside it" header_is_beside
	check "$cpu libroclatch exports what the header declares, and nothing else" exports_only
	check "$cpu libroclatch has its soname" soname_is libroclatch.so.0
	check "$cpu libroclatch has a link for the linker" linked
	check "$cpu libroclatch needs the C library alone" needs_libc_alone
	check "$cpu libroclatch asks for nothing newer than GLIBC_2.17" old_glibc_will_do
	check "$cpu libroclatch asks for nothing that musl has not" musl_has_all
	check "$cpu libroclatch cannot print, exit or fork" denies prints_or_exits
	check "$cpu libroclatch has a stack that is not executable" marks_stack
	check "$cpu libroclatch asks for no executable stack" denies executable_stack
	check "$cpu libroclatch has full RELRO" relro
	check "$cpu libroclatch has no thread-local storage" denies thread_local
	check "$cpu libroclatch is stripped" denies has_symtab
	check "$cpu libroclatch does not name the folder it was built in" denies names_this_place
	check "$cpu libroclatch.a is one object" one_object
	check "$cpu libroclatch.a has the header's names, and no other that a program could meet" static_names_only
	check "$cpu libroclatch.a does not name the folder it was built in" denies static_names_this_place
done

# ---- the header and the example --------------------------------------------------------------------
takes_header() { echo '#include <roclatch.h>' > "$folder/only.$2" && $1 -pedantic -Wall -Wextra -Werror -Ibin/lib -fsyntax-only "$folder/only.$2"; }
is_in_docs() { awk '/^```$/ { inside = 0 } inside { print } /^```c$/ { inside = 1 }' docs/library.md | diff bin/lib/example.c -; }
compiles() {
	name=$1
	shift
	gcc -std=c99 -pedantic -Wall -Wextra -Werror -I"build/$host" bin/lib/example.c "$@" -o "$folder/$name"
}
# What the static library hides does not clash with what a program has.
clashes_not() {
	cat > "$folder/clash.c" <<-'END'
	#include <roclatch.h>
	int call_run(void), target_open(void), sampler_open(void), err_set(void), now_ns(void);
	int call_run(void) { return 1; }
	int target_open(void) { return 2; }
	int sampler_open(void) { return 3; }
	int err_set(void) { return 4; }
	int now_ns(void) { return 5; }
	int main(void)
	{
		struct roclatch_error error;
		return roclatch_check(0, 0, 0, 0, 0, &error) == -1 && error.status == ROCLATCH_USAGE ? 0 : 1;
	}
	END
	gcc -Wall -Wextra -Werror -I"build/$host" "$folder/clash.c" "build/$host/libroclatch.a" -pthread -o "$folder/clash" &&
		"$folder/clash"
}

seen() { grep -q -e "$1" "$folder/said" || { echo "not said: $1"; cat "$folder/said"; return 1; }; }
# is_program TEXT: the child has become the program with this in its command line.
is_program() {
	for _ in $(seq 100); do
		tr '\0' ' ' < "/proc/$target/cmdline" | grep -q "^$1" && return 0
		sleep 0.3
	done
	return 1
}
watches_sleep() {
	sleep 60 & target=$!
	is_program 'sleep 60'
	LD_LIBRARY_PATH=build/$host "$folder/$1" "$target" > "$folder/said" 2>&1 && good=0 || good=$?
	kill "$target"
	wait "$target" 2> /dev/null
	cat "$folder/said"
	[ "$good" = 0 ] && seen "^process $target cannot be attached: " && seen '^[1-9][0-9]* samples in [1-9][0-9]* looks, 0 of a running' &&
		seen "thread $target (sleep): sleeping in clock_nanosleep" && seen '^    .*nanosleep+0x.* (libc.so.6)$'
}
watches_loop() {
	sh -c 'while :; do :; done' & target=$!
	is_program 'sh -c while'
	LD_LIBRARY_PATH=build/$host "$folder/$1" "$target" > "$folder/said" 2>&1 && good=0 || good=$?
	kill -9 "$target"
	wait "$target" 2> /dev/null
	cat "$folder/said"
	[ "$good" = 0 ] && seen '^[1-9][0-9]* samples in [1-9][0-9]* looks, [1-9][0-9]* of a running' && seen "thread $target (sh): running"
}
attaches() {
	(cd "build/$host/fixtures/root-rocm" && exec env -i LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready) \
		< /dev/null > /dev/null 2>&1 & target=$!
	for _ in $(seq 100); do
		sleep 0.3
		grep -qsx rocp-bg-attach /proc/$target/task/*/comm && break
	done
	LD_LIBRARY_PATH=build/$host "$folder/$1" "$target" --kernel-trace -d "$folder" > "$folder/said" 2>&1 && good=0 || good=$?
	kill -9 "$target"
	wait "$target" 2> /dev/null
	cat "$folder/said" "$folder/$target.callbacks"
	[ "$good" = 0 ] && seen "^process $target can be attached now" && grep -q ' attach ' "$folder/$target.callbacks" &&
		grep -q ' detach ' "$folder/$target.callbacks"
}
tells_no_process() { status 3 "$folder/$1" 2147483 && status 2 "$folder/$1"; }

check "the header is C99" takes_header "gcc -std=c99" c
check "the header is C++11" takes_header "g++ -std=c++11" cc
check "the header is C++20" takes_header "g++ -std=c++20" cc
check "the example in docs/library.md is bin/lib/example.c" is_in_docs
check "the example compiles with the shared library" compiles shared -L"build/$host" -lroclatch
check "the example compiles with the static library" compiles static "build/$host/libroclatch.a" -pthread
check "no name in the static library clashes with those of a program" clashes_not
for name in shared static; do
	check "the example ($name) shows a process that sleeps" watches_sleep $name
	check "the example ($name) shows a process that runs" watches_loop $name
	check "the example ($name) attaches and detaches" attaches $name
done
check "the example says that there is no such process" tells_no_process static
