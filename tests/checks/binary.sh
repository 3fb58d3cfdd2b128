# SPDX-License-Identifier: MIT
# The binaries are what the README promises: small, static, hardened, without a trace of the builder.
. tests/lab/check.sh

segments() { readelf -lW "$binary"; }
dynamic() { readelf -dW "$binary"; }

is_small() { [ "$(stat -c %s "$binary")" -le $((2 * 1024 * 1024)) ] || { ls -l "$binary"; false; }; }
is_for() { readelf -h "$binary" | grep -q "Machine:.*$machine"; }
is_pie() { readelf -h "$binary" | grep 'Type:.*DYN' && dynamic | grep 'Flags:.*PIE'; }
needs_nothing() { dynamic | grep NEEDED && return 1 || return 0; }
has_interp() { segments | grep INTERP; }
relro() { segments | grep GNU_RELRO && dynamic | grep 'Flags:.*NOW'; }
executable_stack() { segments | grep 'GNU_STACK.* RWE '; }
marks_stack() { segments | grep 'GNU_STACK.* RW '; }
writable_text() { segments | grep -E '(LOAD|GNU_STACK) .* RWE '; }
symbols() { readelf -SW "$binary" | grep -E ' \.(symtab|comment|debug)'; }
names_this_place() { grep -aqF -e "$PWD" "$binary"; }

for pair in x86_64:X86-64 aarch64:AArch64; do
	cpu=${pair%:*} machine=${pair#*:} binary=build/$cpu/roclatch
	check "$cpu binary is for its CPU" is_for
	check "$cpu binary is at most 2 MiB" is_small
	check "$cpu binary is position independent" is_pie
	check "$cpu binary has no interpreter" denies has_interp
	check "$cpu binary needs no library" needs_nothing
	check "$cpu binary has full RELRO" relro
	check "$cpu binary has a stack that is not executable" marks_stack
	check "$cpu binary has nothing writable and executable" denies writable_text
	check "$cpu binary is stripped" denies symbols
	check "$cpu binary does not name the folder it was built in" denies names_this_place
done

# The header alone protects nothing in a static program: see that it is acted on.
relro_is_applied() { strace -e trace=mprotect "build/$(uname -m)/roclatch" --help 2>&1 | grep 'PROT_READ) *= 0'; }
check "the program write-protects what was relocated" relro_is_applied
