/* SPDX-License-Identifier: MIT */
#include "inject/watch/segments.h"

void segments_read(struct segments *segments, struct elf_image *image, uint64_t page, uint32_t flags)
{
	struct elf_headers headers;
	struct elf_view view;
	segments->n = 0;
	elf_view_init(&view, image->source, &image->bytes_read);
	if (elf_headers_read(&view, image->header, &headers, NULL))
		return;
	for (size_t i = 0; i < headers.count; i++) {
		const Elf64_Phdr *phdr = &headers.phdr[i];
		if (phdr->p_type != PT_LOAD || (phdr->p_flags & flags) != flags)
			continue;
		segments->v[segments->n].start = phdr->p_vaddr & ~(page - 1);
		segments->v[segments->n].end = (phdr->p_vaddr + phdr->p_memsz + page - 1) & ~(page - 1);
		segments->n++;
	}
}

bool segments_hold(const struct segments *segments, uint64_t vaddr)
{
	for (size_t i = 0; i < segments->n; i++)
		if (vaddr >= segments->v[i].start && vaddr < segments->v[i].end)
			return true;
	return segments->n == 0;
}
