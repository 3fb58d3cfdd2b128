/* SPDX-License-Identifier: MIT */
/* A library made by hand, and a loader that maps it as ld.so would: header and
 * build id, code, data, .bss.  Nothing in it runs. */
#ifndef ROCLATCH_TESTS_MADE_LIBRARY_H
#define ROCLATCH_TESTS_MADE_LIBRARY_H

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/machine.h"

/* SPREAD: each segment has pages of its own in the file.  TIGHT: all lie in the
 * file's first page, which is then mapped three times (as with 64 KiB pages). */
enum made_layout { SPREAD, TIGHT };
enum { MADE_HEADER, MADE_CODE, MADE_DATA, MADE_BSS, MADE_PAGES };

struct made_note { Elf64_Nhdr header; char name[4]; unsigned char id[16]; };

static inline size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static inline uint64_t made_offset(enum made_layout layout, int segment)
{
	return layout == SPREAD ? (uint64_t)segment * page_size() : (uint64_t)segment * 0x400;
}

static inline Elf64_Phdr made_load(enum made_layout layout, int segment, uint32_t flags)
{
	uint64_t offset = made_offset(layout, segment);
	return (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = flags, .p_offset = offset, .p_filesz = 0x400, .p_align = page_size(),
		.p_vaddr = (uint64_t)segment * page_size() + offset % page_size(),
		.p_memsz = segment == MADE_DATA ? 2 * page_size() - offset % page_size() : 0x400,
	};
}

/* Write it to fd, with a build id of that byte. */
static inline bool made_write(int fd, enum made_layout layout, unsigned char id)
{
	struct { Elf64_Ehdr ehdr; Elf64_Phdr phdr[4]; struct made_note note; } image = {
		.ehdr = {
			.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_DYN, .e_machine = machine_ours(), .e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 4,
		},
		.phdr = {
			made_load(layout, MADE_HEADER, PF_R), made_load(layout, MADE_CODE, PF_R | PF_X),
			made_load(layout, MADE_DATA, PF_R | PF_W), {.p_type = PT_NOTE, .p_align = 4},
		},
		.note = {.header = {4, 16, 3 /* NT_GNU_BUILD_ID */}, .name = "GNU"},
	};
	Elf64_Phdr *note = &image.phdr[3];
	note->p_offset = note->p_vaddr = (uint64_t)((char *)&image.note - (char *)&image);
	note->p_filesz = note->p_memsz = sizeof image.note;
	memset(image.note.id, id, sizeof image.note.id);
	return ftruncate(fd, (off_t)(3 * page_size())) == 0 && pwrite(fd, &image, sizeof image, 0) == sizeof image;
}

static inline bool made_file(const char *path, enum made_layout layout, unsigned char id)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && made_write(fd, layout, id);
	close(fd);
	return ok;
}

/* Map it like a loader does, a free page behind; where its header is. */
static inline char *made_map(int fd, enum made_layout layout)
{
	static const int protection[] = {PROT_READ, PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE};
	size_t page = page_size();
	char *at = mmap(NULL, (MADE_PAGES + 1) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = MADE_HEADER; i <= MADE_DATA; i++)
		if (mmap(at + (size_t)i * page, page, protection[i], MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(made_offset(layout, i) & ~(uint64_t)(page - 1))) == MAP_FAILED)
			_exit(97);
	mprotect(at + MADE_BSS * page, page, PROT_READ | PROT_WRITE);
	munmap(at + MADE_PAGES * page, page);
	return at;
}

static inline char *made_map_path(const char *path, enum made_layout layout)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *at = made_map(fd, layout);
	close(fd);
	return at;
}

/* Put a copy of a page in its place, in anonymous memory, as those do who want
 * their code on huge pages. */
static inline void made_copy_page(char *at, int protection)
{
	size_t page = page_size();
	char *copy = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(copy, at, page);
	if (mprotect(copy, page, protection) < 0 || mremap(copy, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, at) != at)
		_exit(96);
}

#endif
