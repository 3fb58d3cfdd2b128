# SPDX-License-Identifier: MIT
# libroclatch-tool.so: small, hardened, needs nothing but an old libc, offers its entry points and no other name.
. tests/lab/check.sh
scratch
host=$(uname -m)

own='roclatch_tool_start roclatch_tool_state roclatch_tool_status roclatch_tool_stop rocprofiler_configure
rocprofiler_configure_attach'

symbols() { readelf --dyn-syms -W "$library"; }
dynamic() { readelf -dW "$library"; }
segments() { readelf -lW "$library"; }
defined() { symbols | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" { print $8 }' | sort; }
needed() { dynamic | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

is_for() { readelf -h "$library" | grep -q "Machine:.*$machine"; }
is_small() { [ "$(stat -c %s "$library")" -le $((128 * 1024)) ] || { ls -l "$library"; false; }; }
exports_only() { defined > "$folder/defined"; echo "$own" | tr ' ' '\n' | sort | diff - "$folder/defined"; }
soname_is() { dynamic | grep -q "(SONAME).*\[$1\]"; }
needs_libc_alone() { needed && ! needed | grep -vx -e libc.so.6 -e 'ld-linux-.*'; }
versions() { symbols | grep -o 'GLIBC_[0-9.]*' | sort -u; }
old_glibc_will_do() {
	versions
	versions | sed 's/GLIBC_//' | awk -F . '{ known = 1; if ($1 != 2 || $2 > 17) new = 1 } END { exit !known || new }'
}
# Names that no version of libc.so.6 can miss are strong; those of libdl and libpthread are weak.
weak_are() { symbols | awk '$5 == "WEAK" && $7 == "UND" && $8 !~ /@|^_/ { print $8 }' | sort | tr '\n' ' ' > "$folder/weak"
	cat "$folder/weak"
	[ "$(cat "$folder/weak")" = "dladdr dlclose dlopen dlsym pthread_attr_setstacksize pthread_create pthread_detach pthread_join " ]; }
strong_without_version() { symbols | awk '$5 == "GLOBAL" && $7 == "UND" && $8 !~ /@/ { print; found = 1 } END { exit !found }'; }
executable_stack() { segments | grep 'GNU_STACK.* RWE '; }
marks_stack() { segments | grep -q 'GNU_STACK.* RW '; }
writable_text() { segments | grep -E ' LOAD .* RWE '; }
relro() { segments | grep -q GNU_RELRO && dynamic | grep -q 'Flags:.*NOW'; }
static_tls() { dynamic | grep STATIC_TLS; }
text_relocations() { dynamic | grep TEXTREL; }
has_symtab() { readelf -SW "$library" | grep -E ' \.(symtab|comment|debug)'; }
names_this_place() { grep -aqF -e "$PWD" "$library"; }

for pair in x86_64:X86-64 aarch64:AArch64; do
	cpu=${pair%:*} machine=${pair#*:} library=build/${pair%:*}/libroclatch-tool.so
	check "$cpu tool is for its CPU" is_for
	check "$cpu tool is at most 128 KiB" is_small
	check "$cpu tool exports its entry points and no other name" exports_only
	check "$cpu tool has its soname" soname_is libroclatch-tool.so
	check "$cpu tool needs the C library alone" needs_libc_alone
	check "$cpu tool asks for nothing newer than GLIBC_2.17" old_glibc_will_do
	check "$cpu tool takes what moved into libc from the process" weak_are
	check "$cpu tool has no other name without a version" denies strong_without_version
	check "$cpu tool has a stack that is not executable" marks_stack
	check "$cpu tool asks for no executable stack" denies executable_stack
	check "$cpu tool has nothing writable and executable" denies writable_text
	check "$cpu tool has full RELRO" relro
	check "$cpu tool takes no static thread-local storage" denies static_tls
	check "$cpu tool has no text relocations" denies text_relocations
	check "$cpu tool is stripped" denies has_symtab
	check "$cpu tool does not name the folder it was built in" denies names_this_place
done

# ---- loaded under the oldest and the newest C library ------------------------------------------
# An SDK that asks what the tool says to versions: none before 1.0, and none whose functions are not there.
make_loader() {
	cat > "$folder/load.c" <<-'END'
	#include <dlfcn.h>
	#include <stdint.h>
	#include <stdio.h>
	#include <string.h>
	int main(int argc, char **argv)
	{
		void *tool = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
		if (!tool)
			return printf("%s\n", dlerror()), 1;
		void *(*configure)(uint32_t, const char *, uint32_t, void *);
		int (*state)(void), (*start)(void);
		*(void **)&configure = dlsym(tool, "rocprofiler_configure");
		*(void **)&state = dlsym(tool, "roclatch_tool_state");
		*(void **)&start = dlsym(tool, "roclatch_tool_start");
		uint64_t *status = dlsym(tool, "roclatch_tool_status");
		uint64_t client[3] = { 24, 0, 0 };
		if (!configure || !state || !start || !status)
			return printf("a name is missing\n"), 1;
		if (memcmp(status, "RlStatus", 8) || state() != 0)
			return printf("the status is not that of a tool\n"), 1;
		if (configure(900, "0.9.0", 0, client) || configure(10100, "1.1.0", 0, client) || client[1])
			return printf("configured without an SDK\n"), 1;
		return start() == 0;
	}
	END
	suite_root=build/deps/$1-$host lib=build/deps/$1-$host/usr/lib/$host-linux-gnu
	gcc --sysroot="$suite_root" -B"$lib" -L"$lib" -Wl,-rpath-link,"$lib" -O1 "$folder/load.c" -o "$folder/load-$1" -ldl
}
loads_under() {
	make_loader "$1" || return 1
	loader=$(find -L "$lib" "$suite_root/lib64" -maxdepth 1 -name 'ld-linux-*.so.?' | head -n 1)
	"$loader" --library-path "$lib" "$folder/load-$1" "build/$host/libroclatch-tool.so"
}
for suite_name in bullseye bookworm sid; do
	check "the tool loads under the C library of $suite_name and refuses what is no SDK" loads_under "$suite_name"
done
