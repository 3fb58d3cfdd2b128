/* SPDX-License-Identifier: MIT */
/* The ELF header and program headers, and the parts of elf_image_open. */
#ifndef ROCLATCH_ELF_HEADERS_H
#define ROCLATCH_ELF_HEADERS_H

#include "elf/view.h"

#define ELF_SEGMENTS_MAX 64

/* Not in the <elf.h> of glibc 2.31. */
#ifndef PT_GNU_PROPERTY
#define PT_GNU_PROPERTY 0x6474e553
#endif

struct elf_headers {
	Elf64_Ehdr ehdr;
	size_t count;
	Elf64_Phdr phdr[ELF_SEGMENTS_MAX];
};

/* Read them; `at` is where the ELF header is: an address, or 0 for a view of a
 * file's offsets.  0, or -1 with err. */
int elf_headers_read(struct elf_view *view, uint64_t at, struct elf_headers *headers,
		     struct err *err);

/* The virtual address that offset 0 of the file has, or would have. */
uint64_t elf_headers_vaddr(const struct elf_headers *headers);

/* elf_image_open for headers that have been read already. */
int elf_image_from_headers(struct elf_image *image, struct elf_view *view, uint64_t header,
			   const struct elf_headers *headers, struct err *err);

/* What PT_DYNAMIC says, into image.  0, or -1 with err. */
int elf_dynamic_read(struct elf_image *image, struct elf_view *view, const Elf64_Phdr *phdr,
		     struct err *err);

/* Build id and properties from one PT_NOTE or PT_GNU_PROPERTY, into image.
 * Notes that make no sense are passed over: nothing depends on them. */
void elf_notes_read(struct elf_image *image, struct elf_view *view, const Elf64_Phdr *phdr);

#endif
