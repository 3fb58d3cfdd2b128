/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "arch/machines.h"
#include "elf/file.h"

const char *elf_machine_name(uint16_t machine, char *buf, size_t size)
{
	static const struct { uint16_t machine; const char *name; } known[] = {
		{ EM_386, "i386" }, { EM_ARM, "arm" }, { 243, "riscv" }, { 258, "loongarch" }, { EM_PPC, "ppc" },
		{ EM_PPC64, "ppc64" }, { EM_S390, "s390" }, { EM_MIPS, "mips" },
		{ EM_SPARC, "sparc" }, { EM_SPARCV9, "sparc64" }, { EM_IA_64, "ia64" },
		{ EM_68K, "m68k" }, { EM_SH, "sh" }, { EM_PARISC, "hppa" },
		{ 0x9026, "alpha" }, { 224, "amdgpu" }, { 190, "cuda" }, { 247, "bpf" },
	};

	const struct arch_machine *ours = arch_machine(machine);
	if (ours)
		return ours->name;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].machine == machine)
			return known[i].name;
	snprintf(buf, size, "machine %#x", machine);
	return buf;
}
