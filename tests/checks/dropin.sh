# SPDX-License-Identifier: MIT
# The drop-in libraries: what they export and need, that C++ takes the headers, and that Python can use them.
. tests/lab/check.sh
scratch
host=$(uname -m)

new='rocattach_attach rocattach_attach_tree rocattach_detach rocattach_detach_tree rocattach_get_status_name
rocattach_get_status_string rocattach_get_version rocattach_get_version_triplet'
old='attach detach'

symbols() { readelf --dyn-syms -W "$library"; }
dynamic() { readelf -dW "$library"; }
segments() { readelf -lW "$library"; }
defined() { symbols | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" { print $8 }' | sort; }
needed() { dynamic | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

is_for() { readelf -h "$library" | grep -q "Machine:.*$machine"; }
is_small() { [ "$(stat -c %s "$library")" -lt $((600 * 1024)) ] || { ls -l "$library"; false; }; }
exports_only() { defined > "$folder/defined"; echo "$1" | tr ' ' '\n' | sort | diff - "$folder/defined"; }
soname_is() { dynamic | grep -q "(SONAME).*\[$1\]"; }
linked_as() { [ "$(readlink "build/$cpu/$1.so")" = "$1.so.1" ]; }
needs_libc_alone() { ! needed | grep -vx -e libc.so.6 -e libpthread.so.0; }
# The newest version of glibc that is asked for: sorts as numbers, whatever else is in the name.
versions() { symbols | grep -o 'GLIBC_[0-9.]*' | sort -u; }
old_glibc_will_do() {
	versions | sed 's/GLIBC_//' | sort -t . -k 1,1n -k 2,2n | tail -n 1 > "$folder/newest"
	versions
	awk -F . '{ known = 1; exit !($1 == 2 && $2 <= 17) } END { if (!known) exit 1 }' "$folder/newest"
}
# Strong symbols only: those that are weak may stay away.
musl_has_all() {
	readelf --dyn-syms -W "build/deps/musl-$cpu/usr/lib/$cpu-linux-musl/libc.so" |
		awk '$7 != "UND" { print $8 }' | sort -u > "$folder/musl"
	symbols | awk '$5 == "GLOBAL" && $7 == "UND" { sub(/@.*/, "", $8); print $8 }' | sort -u > "$folder/wanted"
	[ -s "$folder/wanted" ] && ! comm -23 "$folder/wanted" "$folder/musl" | grep .
}
executable_stack() { segments | grep 'GNU_STACK.* RWE '; }
marks_stack() { segments | grep -q 'GNU_STACK.* RW '; }
relro() { segments | grep -q GNU_RELRO && dynamic | grep -q 'Flags:.*NOW'; }
thread_local() { segments | grep ' TLS '; }
has_symtab() { readelf -SW "$library" | grep -E ' \.(symtab|comment|debug)'; }
names_this_place() { grep -aqF -e "$PWD" "$library"; }

for pair in x86_64:X86-64 aarch64:AArch64; do
	cpu=${pair%:*} machine=${pair#*:}
	for name in librocprofiler-sdk-rocattach librocprofv3-attach; do
		library=build/$cpu/$name.so.1
		case $name in *-rocattach) own=$new ;; *) own=$old ;; esac
		check "$cpu $name is for its CPU" is_for
		check "$cpu $name is smaller than 600 KiB" is_small
		check "$cpu $name exports its own functions and no other" exports_only "$own"
		check "$cpu $name has the soname of the library it stands in for" soname_is "$name.so.1"
		check "$cpu $name has a link for the linker" linked_as "$name"
		check "$cpu $name needs the C library alone" needs_libc_alone
		check "$cpu $name asks for nothing newer than GLIBC_2.17" old_glibc_will_do
		check "$cpu $name asks for nothing that musl has not" musl_has_all
		check "$cpu $name has a stack that is not executable" marks_stack
		check "$cpu $name asks for no executable stack" denies executable_stack
		check "$cpu $name has full RELRO" relro
		check "$cpu $name has no thread-local storage" denies thread_local
		check "$cpu $name is stripped" denies has_symtab
		check "$cpu $name does not name the folder it was built in" denies names_this_place
	done
done

# ---- headers ---------------------------------------------------------------------------------
uses_headers() {
	cat > "$folder/use.$2" <<-'END'
	#include <rocprofiler-sdk-rocattach/rocattach.h>
	#include <rocprofv3-attach.h>
	int use(int pid);
	int use(int pid)
	{
		rocattach_version_triplet_t version = { 0, 0, 0 };
		rocattach_status_t status = rocattach_get_version_triplet(&version);
		if (status == ROCATTACH_STATUS_SUCCESS && version.major == ROCATTACH_VERSION_MAJOR)
			status = rocattach_attach(pid);
		if (status == ROCATTACH_STATUS_SUCCESS)
			status = rocattach_detach_tree(pid);
		return status == ROCATTACH_STATUS_LAST ? attach((uint32_t)pid) + detach() : 0;
	}
	int main() { return use(0); }
	END
	$1 -pedantic -Wall -Wextra -Werror -Ibin/dropin/include "$folder/use.$2" -o "$folder/use-$2" \
		-Lbuild/"$host" -lrocprofiler-sdk-rocattach -lrocprofv3-attach
}
runs() { LD_LIBRARY_PATH=build/$host "$folder/use-$1"; }

check "the headers are C11 and link" uses_headers "gcc -std=c11" c
check "a C program runs with them" runs c
check "the headers are C++11 and link" uses_headers "g++ -std=c++11" cc
check "a C++ program runs with them" runs cc

# ---- Python ------------------------------------------------------------------------------------
script=$PWD/bin/dropin/rocprofv3-attach.py

start_app() {
	cd "build/$host/fixtures/root-rocm" || return 1
	env -i LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready < /dev/null > /dev/null 2>&1 &
	app=$!
	cd "$OLDPWD" || return 1
	for _ in $(seq 100); do
		sleep 0.3
		grep -qx rocp-bg-attach /proc/$app/task/*/comm && return 0
	done
	return 1
}

# with_sample COMMAND...: the command on the sample, with an output folder of its own.
with_sample() {
	start_app || { echo "the sample does not start"; return 1; }
	rm -rf "$folder/out"
	export ROCPROF_OUTPUT_PATH="$folder/out"
	"$@" > "$folder/said" 2>&1 && good=0 || good=$?
	unset ROCPROF_OUTPUT_PATH
	kill -0 "$app" || good=alive
	kill -9 "$app" 2> /dev/null
	wait "$app" 2> /dev/null
	cat "$folder/said" "$folder/out/$app.callbacks"
	[ "$good" = 0 ]
}

seen() { grep -q "$1" "$folder/said" || { echo "not said: $1"; return 1; }; }
recorded() { grep -q " attach " "$folder/out/$app.callbacks" && grep -q " detach " "$folder/out/$app.callbacks"; }

by_script() { "$script" -p "$app" -d 200 --attach-library "build/$host/$1.so.1"; }
by_variables() { ROCPROF_ATTACH_PID=$app ROCPROF_ATTACH_DURATION=200 ROCPROF_ATTACH_LIBRARY=build/$host/$1.so.1 "$script"; }
by_enter() { echo | "$script" -p "$app"; }
by_interrupt() {
	mkfifo "$folder/stdin"
	"$script" -p "$app" < "$folder/stdin" & script_id=$!
	exec 8> "$folder/stdin"
	for _ in $(seq 100); do sleep 0.3; grep -q 'Press Enter' "$folder/said" && break; done
	kill -INT "$script_id"
	wait "$script_id" && answer=0 || answer=$?
	exec 8>&-
	rm "$folder/stdin"
	return "$answer"
}
by_main() {
	python3 - "$script" "$app" "build/$host/librocprofiler-sdk-rocattach.so.1" <<-'END'
	import importlib.util, sys
	spec = importlib.util.spec_from_file_location("attach", sys.argv[1])
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	sys.exit(module.main(int(sys.argv[2]), sys.argv[3], 200))
	END
}
by_ctypes() {
	python3 - "$app" "build/$host" <<-'END'
	import ctypes, sys, threading
	new = ctypes.CDLL(sys.argv[2] + "/librocprofiler-sdk-rocattach.so")
	old = ctypes.CDLL(sys.argv[2] + "/librocprofv3-attach.so")
	pid = int(sys.argv[1])
	new.rocattach_get_status_name.restype = ctypes.c_char_p
	assert new.rocattach_get_status_name(2) == b"ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT"
	assert new.rocattach_get_status_name(7) is None
	answers = []
	threads = [threading.Thread(target=lambda: answers.append(new.rocattach_attach(pid))) for _ in range(3)]
	[thread.start() for thread in threads], [thread.join() for thread in threads]
	assert sorted(answers) == [0, 2, 2], answers
	assert new.rocattach_detach(pid) == 0 and new.rocattach_detach(pid) == 2
	assert old.attach(ctypes.c_uint(pid)) == 0 and old.detach(ctypes.c_int(pid)) == 0
	END
}

attaches_by() { with_sample "$@" && recorded && seen "Attaching to PID $app using library .* :: success" &&
	seen "Detaching from PID $app using library .* :: success"; }
attaches_by_enter() { attaches_by by_enter && seen 'Press Enter to detach\.\.\.'; }
attaches_by_interrupt() { attaches_by by_interrupt && seen 'Caught signal SIGINT'; }
attaches_by_ctypes() { with_sample by_ctypes && recorded; }
refuses_this_shell() {
	status 1 "$script" -p $$ -d 200 > "$folder/said" 2>&1
	cat "$folder/said"
	seen 'returned non-zero status 1' && seen 'rocattach: attach .* librocprofiler-register is not loaded'
}

for name in librocprofiler-sdk-rocattach librocprofv3-attach; do
	check "rocprofv3-attach.py attaches by $name" attaches_by by_script "$name"
	check "rocprofv3-attach.py takes $name from its variables" attaches_by by_variables "$name"
done
check "rocprofv3-attach.py detaches at Enter" attaches_by_enter
check "rocprofv3-attach.py detaches at SIGINT" attaches_by_interrupt
check "main of rocprofv3-attach.py can be called" attaches_by by_main
check "ctypes calls the libraries, from several threads" attaches_by_ctypes
check "rocprofv3-attach.py says why it could not, with status 1" refuses_this_shell
check "a duration of nothing is wrong usage" status 2 "$script" -p 1 -d 0
check "no process is wrong usage" status 2 "$script"
