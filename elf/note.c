/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "arch/machines.h"
#include "elf/headers.h"

#define NOTES_SIZE_MAX (64 * 1024)

#define PROPERTY_BTI_OR_IBT 1u

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

static void read_properties(struct elf_image *image, struct elf_view *view, uint64_t addr,
			    uint64_t size)
{
	const struct arch_machine *cpu = arch_machine(image->machine);
	uint64_t at = 0;

	while (cpu && size - at >= 8) {
		uint32_t property[3] = { 0 };   /* type, size, first word */
		size_t part = size - at >= 12 ? 12 : 8;
		if (elf_view_read(view, addr + at, property, part))
			return;
		if (property[0] == cpu->feature_note && property[1] >= 4 && part == 12)
			image->bti_or_ibt = property[2] & PROPERTY_BTI_OR_IBT;
		at += align_up(8 + (uint64_t)property[1], 8);
		if (at > size)
			return;
	}
}

static void read_note(struct elf_image *image, struct elf_view *view, uint32_t type,
		      uint64_t addr, uint64_t size)
{
	if (type == NT_GNU_BUILD_ID && image->build_id_size == 0) {
		size_t kept = size < ELF_BUILD_ID_MAX ? size : ELF_BUILD_ID_MAX;
		if (!elf_view_read(view, addr, image->build_id, kept))
			image->build_id_size = kept;
	} else if (type == NT_GNU_PROPERTY_TYPE_0) {
		read_properties(image, view, addr, size);
	}
}

void elf_notes_read(struct elf_image *image, struct elf_view *view, const Elf64_Phdr *phdr)
{
	uint64_t addr = phdr->p_vaddr + image->bias;
	uint64_t size = phdr->p_filesz < NOTES_SIZE_MAX ? phdr->p_filesz : NOTES_SIZE_MAX;
	uint64_t align = phdr->p_align == 8 ? 8 : 4;

	if (addr < image->low || addr >= image->high || size > image->high - addr)
		return;
	for (uint64_t at = 0; at < size && size - at >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr note;
		if (elf_view_read(view, addr + at, &note, sizeof note))
			return;
		uint64_t name = at + sizeof note;
		uint64_t desc = at + align_up(sizeof note + (uint64_t)note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return;
		if (note.n_namesz == 4 && elf_view_equal(view, addr + name, "GNU", 4) == 1)
			read_note(image, view, note.n_type, addr + desc, note.n_descsz);
		at = desc + align_up(note.n_descsz, align);
	}
}
