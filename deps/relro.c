// SPDX-License-Identifier: MIT
/*
 * Make what the start-up code has relocated read-only. A dynamic loader does this for the programs it
 * loads; for a static one nobody does: musl's rcrt1.o relocates and goes on to main.
 */
#include <elf.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static void protect(uintptr_t start, uintptr_t end)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	start &= -page;
	end &= -page;
	if (start < end)
		(void)mprotect((void *)start, end - start, PROT_READ);
}

__attribute__((constructor)) static void protect_relocated(void)
{
	uintptr_t base = (uintptr_t)&__ehdr_start;
	const Elf64_Phdr *header = (const Elf64_Phdr *)(base + __ehdr_start.e_phoff);

	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (header[i].p_type == PT_GNU_RELRO)
			protect(base + header[i].p_vaddr, base + header[i].p_vaddr + header[i].p_memsz);
}
