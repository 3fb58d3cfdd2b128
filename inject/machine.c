/* SPDX-License-Identifier: MIT */
#include "inject/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/machines.h"
#include "elf/file.h"

/* e_ident and e_machine lie at the same place in both classes. */
struct header_start {
	unsigned char ident[EI_NIDENT];
	uint16_t type, machine;
};
_Static_assert(offsetof(struct header_start, machine) == offsetof(Elf64_Ehdr, e_machine), "elf(5)");
_Static_assert(offsetof(struct header_start, machine) == offsetof(Elf32_Ehdr, e_machine), "elf(5)");

/* The linker's name for our own ELF header. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

uint16_t machine_ours(void)
{
	return __ehdr_start.e_machine;
}

static bool header_of_exe(const struct target *target, struct header_start *header)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/exe", (int)target->pid, (int)target->live_tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = pread(fd, header, sizeof *header, 0);
	close(fd);
	return n == (ssize_t)sizeof *header && memcmp(header->ident, ELFMAG, SELFMAG) == 0;
}

static bool header_of_vdso(struct target *target, struct header_start *header)
{
	return target->auxv.vdso &&
	       memory_read(&target->memory, target->auxv.vdso, header, sizeof *header, NULL) == 0 &&
	       memcmp(header->ident, ELFMAG, SELFMAG) == 0;
}

int machine_refuse(pid_t pid, const char *name, unsigned char elf_class, uint16_t machine,
		   uint16_t ours, struct err *err)
{
	char theirs_text[32], ours_text[32];
	const char *theirs = elf_machine_name(machine, theirs_text, sizeof theirs_text);
	const char *us = elf_machine_name(ours, ours_text, sizeof ours_text);
	if (elf_class == ELFCLASS64 && machine == ours)
		return 0;
	if (elf_class == ELFCLASS64) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is a program for %s, and this roclatch is for %s",
			(int)pid, name, theirs, us);
		return err_remedy(err, "use the roclatch that was built for %s", theirs);
	}
	if (arch_machine(machine))
		theirs = arch_machine(machine)->narrow;
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is a 32-bit program for %s; roclatch works on 64-bit programs",
		(int)pid, name, theirs);
	return err_remedy(err, "use a 64-bit build of the program");
}

int machine_check(struct target *target, struct err *err)
{
	struct header_start header;
	if (!header_of_exe(target, &header) && !header_of_vdso(target, &header)) {
		memcpy(header.ident, ELFMAG, SELFMAG);
		header.ident[EI_CLASS] = target->auxv.wide ? ELFCLASS64 : ELFCLASS32;
		header.machine = target->auxv.wide ? machine_ours() : EM_NONE;
	}
	return machine_refuse(target->pid, target->status.name, header.ident[EI_CLASS], header.machine,
			      machine_ours(), err);
}
