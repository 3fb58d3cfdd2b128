/* SPDX-License-Identifier: MIT */
/* Where the unwind tables of an image are, and which entry covers an address. */
#include "elf/cfi.h"

#include <string.h>

#include "elf/cfi_entry.h"
#include "elf/headers.h"
#include "elf/offset.h"
#include "elf/table.h"

#define HDR_VERSION 1
#define SECTIONS_MAX (1u << 16)
#define ROW_STEPS_MAX (1u << 17)        /* of the view: bytes of an entry, mostly */

struct cfi_section cfi_eh_section(const struct cfi *cfi)
{
	/* Entries that .eh_frame_hdr points to may be anywhere in the image. */
	struct cfi_section section = { .source = cfi->image->source, .start = cfi->image->low,
				       .end = cfi->image->high, .data = cfi->header };
	if (!cfi->table) {
		section.start = cfi->eh_frame;
		if (cfi->eh_frame_size && cfi->eh_frame_size < section.end - section.start)
			section.end = section.start + cfi->eh_frame_size;
	}
	return section;
}

struct cfi_section cfi_debug_section(const struct cfi *cfi)
{
	return (struct cfi_section){
		.source = elf_offset_source(cfi->file), .is_debug = true, .start = cfi->debug_frame,
		.end = cfi->debug_frame + cfi->debug_frame_size, .bias = cfi->image->bias,
	};
}

static bool is_inside(const struct elf_image *image, uint64_t addr, uint64_t size)
{
	return addr >= image->low && addr < image->high && size <= image->high - addr;
}

/* A header that makes no sense is as none: section headers may still lead to .eh_frame. */
static void read_header(struct cfi *cfi, struct elf_view *view)
{
	struct cfi_cursor c = { .view = view, .at = cfi->header, .end = cfi->header + cfi->header_size };
	struct cfi_bases bases = { .data = cfi->header };
	uint8_t form[4];

	for (size_t i = 0; i < sizeof form; i++)
		form[i] = (uint8_t)cfi_fixed(&c, 1);
	if (c.bad || form[0] != HDR_VERSION)
		return;
	uint64_t eh_frame = cfi_pointer(&c, form[1], &bases);
	if (c.bad || !is_inside(cfi->image, eh_frame, 4))
		return;
	cfi->eh_frame = eh_frame;
	if (form[2] == CFI_PE_OMIT || !cfi_pointer_size(form[3]))
		return;
	uint64_t entries = cfi_pointer(&c, form[2], &bases);
	uint64_t room = (c.end - c.at) / (2 * cfi_pointer_size(form[3]));
	if (c.bad || !room)
		return;
	cfi->table = c.at;
	cfi->entries = entries < room ? entries : room;
	cfi->table_encoding = form[3];
}

static void find_header(struct cfi *cfi, struct elf_view *view, const struct elf_headers *headers)
{
	for (size_t i = 0; i < headers->count; i++) {
		const Elf64_Phdr *phdr = &headers->phdr[i];
		uint64_t at = phdr->p_vaddr + cfi->image->bias;
		if (phdr->p_type != PT_GNU_EH_FRAME || !phdr->p_filesz || !is_inside(cfi->image, at, phdr->p_filesz))
			continue;
		cfi->header = at;
		cfi->header_size = phdr->p_filesz;
		read_header(cfi, view);
		return;
	}
}

static void take_section(struct cfi *cfi, const Elf64_Shdr *section, const char *name)
{
	const struct elf_file *file = cfi->file;
	uint64_t end, at = section->sh_addr + cfi->image->bias;

	if (section->sh_type == SHT_NOBITS || !section->sh_size || section->sh_flags & SHF_COMPRESSED ||
	    __builtin_add_overflow(section->sh_offset, section->sh_size, &end) || end > file->size)
		return;
	if (!strcmp(name, ".debug_frame")) {
		cfi->debug_frame = section->sh_offset;
		cfi->debug_frame_size = section->sh_size;
	} else if (!strcmp(name, ".eh_frame") && !cfi->eh_frame && is_inside(cfi->image, at, section->sh_size)) {
		cfi->eh_frame = at;
		cfi->eh_frame_size = section->sh_size;
	}
}

/* Section headers are for people: what is wrong with them is no error here. */
static void find_sections(struct cfi *cfi)
{
	struct elf_file *file = cfi->file;
	struct elf_view view;
	Elf64_Ehdr ehdr;
	Elf64_Shdr names, section;

	elf_view_init(&view, elf_offset_source(file), &file->image.bytes_read);
	if (!file->sections || file->section_count > SECTIONS_MAX || elf_view_read(&view, 0, &ehdr, sizeof ehdr) ||
	    ehdr.e_shstrndx >= file->section_count ||
	    elf_table_read(&view, file->sections, ehdr.e_shstrndx, &names, sizeof names, "section header", NULL))
		return;
	for (uint64_t i = 1; i < file->section_count; i++) {
		char name[16];
		if (elf_table_read(&view, file->sections, i, &section, sizeof section, "section header", NULL))
			return;
		if (section.sh_name < names.sh_size && names.sh_offset < file->size &&
		    !elf_view_text(&view, names.sh_offset + section.sh_name, sizeof name, name, sizeof name))
			take_section(cfi, &section, name);
	}
}

int cfi_open(struct cfi *cfi, struct elf_image *image, struct elf_file *file, struct err *err)
{
	struct elf_headers headers;
	struct elf_view view;

	*cfi = (struct cfi){ .image = image, .file = file };
	elf_view_init(&view, image->source, &image->bytes_read);
	if (elf_headers_read(&view, image->header, &headers, err))
		return err_wrap(err, "look for unwind tables");
	find_header(cfi, &view, &headers);
	if (file)
		find_sections(cfi);
	return 0;
}

void cfi_close(struct cfi *cfi)
{
	cfi_index_free(cfi->eh_index);
	cfi_index_free(cfi->debug_index);
	cfi->eh_index = cfi->debug_index = NULL;
}

int cfi_row(struct cfi *cfi, uint64_t pc, struct cfi_row *row, struct err *err)
{
	struct elf_view view;
	struct cfi_fde fde;
	int found = 0;

	for (int debug = 0; debug < 2 && !found; debug++) {
		struct cfi_section section;
		if (debug ? !cfi->debug_frame : !cfi->eh_frame)
			continue;
		section = debug ? cfi_debug_section(cfi) : cfi_eh_section(cfi);
		elf_view_init(&view, section.source, &cfi->image->bytes_read);
		view.steps_max = ROW_STEPS_MAX;
		found = cfi_find(cfi, &view, &section, pc, &fde, err);
		if (found == 1 && cfi_program(cfi, &view, &section, &fde, pc, row, err))
			found = -1;
	}
	return found;
}
