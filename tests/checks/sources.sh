# SPDX-License-Identifier: MIT
# What every file of the tree has in common.
. tests/lab/check.sh

sources() { find . -name build -prune -o -name .git -prune -o -type f "$@" -print; }
code() { sources '(' -name '*.[chS]' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' -o -name Makefile -o -path './.ci/run' -o -path './tests/lab/*' ')'; }
scripts() { sources '(' -name '*.sh' -o -path './.ci/run' -o -path './tests/lab/vm' ')'; }

without_licence() { code | xargs grep -L 'SPDX-License-Identifier: MIT' | grep .; }
lint() { scripts | xargs -n 16 -P "$(nproc)" shellcheck -x -s sh; }
too_long() { code | xargs wc -l | awk '$2 != "total" && $1 > 400' | grep .; }

# Comments may: they are taken away before the second look.
named_outside() {
	words='[re](ax|bx|cx|dx|si|di|bp|sp|ip)|r([89]|1[0-5])|orig_rax|eflags|[xw]([0-9]|[12][0-9]|30)|pstate|fpsr|fpcr|[xyz]mm[0-9]*'
	words="$words|user_(regs_struct|pt_regs)|NT_(X86|ARM)_[A-Z_]+|x86_64|aarch64|EM_X86_64|EM_AARCH64|__x86_64__|__aarch64__"
	find elf inject rocp bin -name '*.[chS]' -print0 | xargs -0 grep -lwE "$words" | while read -r file; do
		gcc -fpreprocessed -dD -E -P -w -x c "$file" | grep -wE "$words" | sed "s|^|$file: |"
	done | grep .
}

check "every source names its licence" denies without_licence
check "no source is longer than 400 lines" denies too_long
check "nothing outside arch/ names a CPU or one of its registers" denies named_outside
check "shellcheck has nothing to say" lint
