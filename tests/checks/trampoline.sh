# SPDX-License-Identifier: MIT
# What runs in the target: the program holds what the assembler makes of the source, objdump reads
# nothing else out of it than is meant, and the two ports are one program.
. tests/lab/check.sh
scratch

# In the order of the text. Each name with its number on x86_64 and on aarch64.
calls="gettid rt_sigprocmask rt_sigtimedwait gettid getpid rt_sigreturn gettid exit_group"
numbers="rt_sigprocmask 14 135
gettid 186 178
rt_sigtimedwait 128 137
getpid 39 172
rt_sigreturn 15 139
exit_group 231 94"

x86_64_instructions="push pop mov movl lea xor add sub cmp cmpl test je jne jmp call ret syscall fninit ldmxcsr cld"
aarch64_instructions="stp ldp str ldr stlr mov add sub cmp b b.eq b.ne bl blr ret cbz cbnz tbnz svc msr"
# mailbox, step, stack
x86_64_bases="%rbx %r12 %rsp"
aarch64_bases="x19 x21 x10 sp"

# awk of this kind reads no hex.
hex_value='function value(hex,  i, n) {
	for (i = 1; i <= length(hex); i++)
		n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}'

address() { "${tools}nm" "$program.full" | awk -v name="trampoline_$1" '$3 == name { print "0x" $1 }'; }

# The bytes of a file, as hex on one line.
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

assemble() {
	make -s ARCH="$cpu" OUT="$folder" "$folder/$cpu/obj/arch/$cpu/trampoline.o" &&
		"${tools}ld" -e 0 -o "$folder/$cpu.linked" "$folder/$cpu/obj/arch/$cpu/trampoline.o" &&
		"${tools}objcopy" -O binary -j .rodata "$folder/$cpu.linked" "$folder/$cpu.bytes"
}

# mnemonic and operands, with the address before them: "1f40 mov %rsp,%rbp"
disassemble() {
	"${tools}objdump" -D -j .rodata --no-show-raw-insn --start-address="$1" --stop-address="$2" "$program.full" |
		awk -F '\t' '/^ *[0-9a-f]+:\t/ { sub(/^ */, "", $1); sub(/:$/, "", $1); $1 = $1; sub(/[ \t]+(\/\/|# ).*/, ""); print }' |
		tr -s ' ' > "$folder/$cpu.listing"
	[ -s "$folder/$cpu.listing" ]
}
listing() { cat "$folder/$cpu.listing"; }

has_length_of_source() { [ $(($(address end) - $(address start))) -eq "$(stat -c %s "$folder/$cpu.bytes")" ]; }
is_in_program() { hex "$program" | grep -qF "$(hex "$folder/$cpu.bytes")"; }

only_known_instructions() { listing | awk -v known=" $instructions " '!index(known, " " $2 " ") { print; bad = 1 } END { exit bad }'; }

# No number stands where an instruction should be, and nothing of it is cut.
is_wholly_decoded() { ! listing | grep -E '\(bad\)|\.(word|inst|byte)|undefined|<unknown>'; }

branches_stay_inside() {
	listing | awk -v start="$(address start)" -v end="$(address end)" "$hex_value"'
		BEGIN { low = value(substr(start, 3)); high = value(substr(end, 3)) }
		{ at[value($1)] = 1 }
		# the target is the hex number before <symbol+offset>
		/ <[^>]*>$/ { target[value($(NF - 1))] = $0; found++ }
		$2 ~ /^(j|b$|b\.|bl$|cb|tb|call)/ && !/ <[^>]*>$/ && $3 !~ /^\*/ { print "no target: " $0; bad = 1 }
		END {
			for (t in target)
				if (t + 0 < low || t + 0 >= high || !at[t]) { print target[t]; bad = 1 }
			exit bad || found < 15
		}'
}

# One call goes out: that of the function.
calls_one_function() { [ "$(listing | grep -cE ' (call +\*|blr )')" = 1 ]; }

touches_only() {
	listing | grep -oE '\(%?[a-z0-9]+|\[[a-z0-9]+' | tr -d '([' | sort -u |
		while read -r base; do case " $bases " in *" $base "*) ;; *) echo "$base"; exit 1 ;; esac; done
}

# The number that the instruction before each call puts into its register.
system_calls() {
	listing | awk "$hex_value"'
		/ (syscall|svc #0x0)$/ { print number }
		{ number = "unknown" }
		/ mov \$0x[0-9a-f]+,%eax$/ { split($0, part, /[$x,]/); number = value(part[3]) }
		/ mov x8, #0x[0-9a-f]+$/ { split($0, part, /#0x/); number = value(part[2]) }'
}

named_calls() {
	system_calls | while read -r nr; do
		echo "$numbers" | awk -v nr="$nr" -v column="$column" '$column == nr { print $1; found = 1 } END { if (!found) print "number " nr }'
	done | tr '\n' ' '
}
makes_the_calls() { made=$(named_calls); echo "$made"; [ "$made" = "$calls " ]; }
numbers_are_the_kernels() {
	echo "$numbers" | while read -r name on_x86_64 on_aarch64; do
		case $cpu in x86_64) nr=$on_x86_64 ;; *) nr=$on_aarch64 ;; esac
		echo "#include <asm/unistd.h>
__NR_$name" | "${tools}gcc" -E -P -nostdinc -I "build/deps/musl-$cpu/usr/include/$cpu-linux-gnu" -I "build/deps/musl-$cpu/usr/include" - |
			grep -qx "$nr" || { echo "$name is not $nr"; exit 1; }
	done
}

for cpu in x86_64 aarch64; do
	program=build/$cpu/roclatch
	[ "$cpu" = "$(uname -m)" ] && tools='' || tools=$cpu-linux-gnu-
	case $cpu in
	x86_64) column=2 instructions=$x86_64_instructions bases=$x86_64_bases ;;
	aarch64) column=3 instructions=$aarch64_instructions bases=$aarch64_bases ;;
	esac
	check "$cpu trampoline assembles" assemble
	check "$cpu trampoline in the program is as long as its source makes it" has_length_of_source
	check "$cpu trampoline in the program has the bytes that the assembler makes" is_in_program
	check "$cpu trampoline is read by objdump" disassemble "$(address start)" "$(address end)"
	check "$cpu trampoline is instructions from end to end" is_wholly_decoded
	check "$cpu trampoline holds only instructions that it is meant to hold" only_known_instructions
	check "$cpu trampoline branches only to instructions of its own" branches_stay_inside
	check "$cpu trampoline calls out at one place" calls_one_function
	check "$cpu trampoline touches only the mailbox and the stack" touches_only
	check "$cpu system call numbers here are the kernel's" numbers_are_the_kernels
	check "$cpu trampoline makes the system calls that the other port makes, in their order" makes_the_calls
done
