// SPDX-License-Identifier: MIT
/* Makes a 32-bit program without an assembler for one, and sees whether it runs here. */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "live.h"
#include "small.h"

#define BASE 0x10000u

static int small_program(void)
{
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		unsigned char code[sizeof(small.code)];
	} image = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC,
			.e_machine = small.machine, .e_version = EV_CURRENT,
			.e_entry = BASE + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), .e_phoff = sizeof(Elf32_Ehdr),
			.e_flags = small.flags, .e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 1 },
		.load = { .p_type = PT_LOAD, .p_vaddr = BASE, .p_paddr = BASE, .p_filesz = sizeof(image),
			.p_memsz = sizeof(image), .p_flags = PF_R | PF_X, .p_align = BASE },
	};
	int memory = memfd_create("small", 0);

	memcpy(image.code, small.code, sizeof(small.code));
	return write(memory, &image, sizeof(image)) == sizeof(image) ? memory : -1;
}

static bool is_small(pid_t child)
{
	char path[32], program[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)child);
	return readlink(path, program, sizeof(program) - 1) > 0 && strstr(program, "memfd:small");
}

pid_t small_start(void)
{
	int memory = small_program();
	char name[] = "small", *argv[] = { name, NULL };
	pid_t child = fork();

	if (!child) {
		syscall(SYS_execveat, memory, "", argv, argv + 1, 0x1000 /* AT_EMPTY_PATH */);
		_exit(120);
	}
	close(memory);
	/* until it is that program, or could not become it; and then it may crash at once */
	for (unsigned i = 0; i < 2000 && !has_ended(child) && !is_small(child); i++)
		sleep_ms(5);
	sleep_ms(slow_machine() ? 300 : 50);
	return child;
}

bool small_runs(void)
{
	pid_t child = small_start();
	int status;

	if (waitpid(child, &status, WNOHANG))
		return false;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return true;
}
