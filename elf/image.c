/* SPDX-License-Identifier: MIT */
#include "elf/image.h"

#include <stdio.h>
#include <string.h>

#include "arch/machines.h"
#include "elf/headers.h"

/* The extent of all PT_LOAD, which says where everything else must lie. */
static int find_extent(struct elf_image *image, const struct elf_headers *headers,
		       struct err *err)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < headers->count; i++) {
		const Elf64_Phdr *phdr = &headers->phdr[i];
		uint64_t end;
		if (phdr->p_type != PT_LOAD || phdr->p_memsz == 0)
			continue;
		if (__builtin_add_overflow(phdr->p_vaddr, phdr->p_memsz, &end))
			return err_set(err, ERR_FAILED, 0,
				       "malformed ELF: a segment is larger than the address space");
		if (phdr->p_vaddr < low)
			low = phdr->p_vaddr;
		if (end > high)
			high = end;
	}
	if (low >= high)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: no loadable segment");

	/* The bias may be "negative": only the difference of addresses counts. */
	image->low = low + image->bias;
	image->high = high + image->bias;
	if (image->low >= image->high)
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: the segments wrap around the address space");
	return 0;
}

static int read_segment(struct elf_image *image, struct elf_view *view, const Elf64_Phdr *phdr,
			struct err *err)
{
	switch (phdr->p_type) {
	case PT_INTERP:
		image->has_interp = true;
		return 0;
	case PT_GNU_STACK:
		image->wants_exec_stack = phdr->p_flags & PF_X;
		return 0;
	case PT_NOTE:
	case PT_GNU_PROPERTY:
		elf_notes_read(image, view, phdr);
		return 0;
	case PT_DYNAMIC:
		/* Debug files keep the header and drop the bytes. */
		return phdr->p_filesz ? elf_dynamic_read(image, view, phdr, err) : 0;
	default:
		return 0;
	}
}

int elf_image_from_headers(struct elf_image *image, struct elf_view *view, uint64_t header,
			   const struct elf_headers *headers, struct err *err)
{
	image->header = header;
	image->bias = header - elf_headers_vaddr(headers);
	image->machine = headers->ehdr.e_machine;
	image->type = headers->ehdr.e_type;
	const struct arch_machine *cpu = arch_machine(image->machine);
	image->wants_exec_stack = cpu && cpu->exec_stack;
	if (find_extent(image, headers, err))
		return -1;
	for (size_t i = 0; i < headers->count; i++)
		if (read_segment(image, view, &headers->phdr[i], err))
			return -1;
	return 0;
}

int elf_image_open(struct elf_image *image, struct elf_source source,
		   uint64_t header, struct err *err)
{
	struct elf_headers headers;
	struct elf_view view;

	memset(image, 0, sizeof *image);
	image->source = source;
	elf_view_init(&view, source, &image->bytes_read);
	if (elf_headers_read(&view, header, &headers, err))
		return -1;
	return elf_image_from_headers(image, &view, header, &headers, err);
}

void elf_build_id_text(const struct elf_image *image, char *text, size_t size)
{
	if (!size)
		return;
	text[0] = '\0';
	for (size_t i = 0; i < image->build_id_size && 2 * i + 2 < size; i++)
		snprintf(text + 2 * i, 3, "%02x", image->build_id[i]);
}
