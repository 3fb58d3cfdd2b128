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

# ---- under the oldest and the newest C library -------------------------------------------------
# build SUITE NAME SOURCE...: a program of that system, which has the libraries that an SDK brings along.
build() {
	system=build/deps/$1-$host lib=build/deps/$1-$host/usr/lib/$host-linux-gnu program=$folder/$2-$1
	shift 2
	gcc --sysroot="$system" -B"$lib" -L"$lib" -Wl,-rpath-link,"$lib" -std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -I. \
		-Itests/bench -rdynamic "$@" -Wl,--no-as-needed -ldl -lpthread -o "$program"
}
start() {
	loader=$(find -L "$lib" "$system/lib64" -maxdepth 1 -name 'ld-linux-*.so.?' 2> /dev/null | head -n 1)
	"$loader" --library-path "$lib" "$program" "build/$host/libroclatch-tool.so"
}

# What is no SDK is refused: a version before 1.0, and one whose functions are not there.
cat > "$folder/load.c" <<'END'
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
refuses_under() { build "$1" load "$folder/load.c" && start; }

# A recording from start to end.
cat > "$folder/record.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "rocp/log.h"
#include "rocp/tool_abi.h"
#include "tool_sdk.h"
int main(int argc, char **argv)
{
	void *tool = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	struct sdk_configured *(*configure)(uint32_t, const char *, uint32_t, struct sdk_client *), *configured;
	struct sdk_client client = { .size = sizeof client };
	struct log_api api = { .frame = { .size = sizeof api }, .kind = BENCH_KIND_HIP, .start = 1, .end = 2, .thread = 3 };
	struct sdk_header header = { CATEGORY_TRACING, BENCH_KIND_HIP, &api }, *headers[100];
	int (*stop)(void);
	if (!tool)
		return printf("%s\n", dlerror()), 1;
	struct tool_status *status = dlsym(tool, TOOL_STATUS);
	*(void **)&configure = dlsym(tool, "rocprofiler_configure");
	*(void **)&stop = dlsym(tool, TOOL_STOP);
	setenv("ROCPROF_HIP_RUNTIME_API_TRACE", "1", 1);
	configured = configure(10000, "1.0.0", 0, &client);
	if (!configured || configured->initialize(NULL, NULL) || status->state != 2)
		return printf("does not record: %s\n", status->why), 1;
	for (int i = 0; i < 100; i++)
		headers[i] = &header;
	for (int i = 0; i < 1000; i++)
		bench_callback((struct sdk_handle){ 2 }, (struct sdk_handle){ 4 }, headers, 100, NULL, 0);
	stop();
	printf("%d %d %s\n", (int)status->records, (int)status->lost, status->why);
	return status->records != 100000 || status->lost || status->why[0] || status->state != 3 || status->bytes < 6400000;
}
END
records_under() {
	build "$1" record "$folder/record.c" tests/bench/tool_sdk.c || return 1
	ROCPROF_ROCLATCH_LOG=$folder/$1.rlog start && [ "$(stat -c %s "$folder/$1.rlog")" -gt 6400000 ]
}
for system_name in bullseye bookworm sid; do
	check "under the C library of $system_name the tool loads and refuses what is no SDK" refuses_under "$system_name"
	check "under the C library of $system_name the tool records" records_under "$system_name"
done
