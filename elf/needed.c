/* SPDX-License-Identifier: MIT */
#include "elf/needed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/headers.h"

#define DYNAMIC_ENTRIES_MAX 4096
#define NAME_LIMIT 4096         /* of a library or a version: no path is longer */

struct reader {
	struct elf_image *image;
	struct elf_view *view;
	struct elf_needs *needs;
	uint64_t verneed, verneed_count;
	struct err *err;
};

static int no_memory(struct reader *reader)
{
	return err_set(reader->err, ERR_FAILED, ENOMEM, "what the image needs");
}

/* A text of the string table in memory of its own. */
static int read_text(struct reader *reader, uint64_t offset, size_t limit, char **text)
{
	const struct elf_image *image = reader->image;

	*text = NULL;
	if (!image->strtab || offset >= image->strtab_size)
		return err_set(reader->err, ERR_FAILED, 0,
			       "malformed ELF: a name at %#llx is outside the string table",
			       (unsigned long long)offset);
	char *buf = malloc(limit + 1);
	if (!buf)
		return no_memory(reader);
	if (elf_view_text(reader->view, image->strtab + offset, image->strtab_size - offset,
			  buf, limit + 1)) {
		free(buf);
		return err_set(reader->err, ERR_FAILED, 0, "the string table cannot be read");
	}
	if (strlen(buf) == limit) {
		free(buf);
		return err_set(reader->err, ERR_FAILED, 0,
			       "malformed ELF: a name of more than %zu bytes", limit - 1);
	}
	char *fitting = realloc(buf, strlen(buf) + 1);
	*text = fitting ? fitting : buf;
	return 0;
}

/* Room for one more, which doubles as it grows. */
static int grow(struct reader *reader, void **v, size_t n, size_t size, size_t max, const char *what)
{
	if (n >= max)
		return err_set(reader->err, ERR_FAILED, 0, "malformed ELF: more than %zu %s", max, what);
	if (n & (n - 1))
		return 0;
	void *larger = realloc(*v, (n ? 2 * n : 1) * size);
	if (!larger)
		return no_memory(reader);
	*v = larger;
	return 0;
}

static int add_name(struct reader *reader, char ***list, size_t *n, uint64_t offset, size_t max, const char *what)
{
	void *v = *list;

	if (grow(reader, &v, *n, sizeof **list, max, what))
		return -1;
	*list = v;
	if (read_text(reader, offset, NAME_LIMIT, &(*list)[*n]))
		return -1;
	(*n)++;
	return 0;
}

static int read_path_list(struct reader *reader, uint64_t offset, char **list)
{
	free(*list);
	return read_text(reader, offset, ELF_PATH_LIST_MAX, list);
}

static int note_entry(struct reader *reader, const Elf64_Dyn *entry)
{
	struct elf_needs *needs = reader->needs;
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_NEEDED:
		return add_name(reader, &needs->library, &needs->libraries, value, ELF_NEEDED_MAX,
				"needed libraries");
	case DT_RPATH: return read_path_list(reader, value, &needs->rpath);
	case DT_RUNPATH: return read_path_list(reader, value, &needs->runpath);
	case DT_VERNEED: reader->verneed = value; return 0;
	case DT_VERNEEDNUM: reader->verneed_count = value; return 0;
	default: return 0;
	}
}

static int read_dynamic(struct reader *reader)
{
	uint64_t addr = reader->image->dynamic;

	for (size_t i = 0; addr && i < DYNAMIC_ENTRIES_MAX; i++, addr += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;
		if (elf_view_read(reader->view, addr, &entry, sizeof entry))
			return err_set(reader->err, ERR_FAILED, 0, "the dynamic section cannot be read");
		if (entry.d_tag == DT_NULL)
			break;
		if (note_entry(reader, &entry))
			return -1;
	}
	return 0;
}

static int add_version(struct reader *reader, uint64_t file, const Elf64_Vernaux *aux)
{
	struct elf_needs *needs = reader->needs;
	struct elf_version_need need = { .weak = aux->vna_flags & VER_FLG_WEAK };
	void *v = needs->version;

	if (grow(reader, &v, needs->versions, sizeof need, ELF_VERSIONS_MAX, "needed versions"))
		return -1;
	needs->version = v;
	if (read_text(reader, file, NAME_LIMIT, &need.file))
		return -1;
	if (read_text(reader, aux->vna_name, NAME_LIMIT, &need.version)) {
		free(need.file);
		return -1;
	}
	needs->version[needs->versions++] = need;
	return 0;
}

static int malformed_versions(struct reader *reader)
{
	return err_set(reader->err, ERR_FAILED, 0, "malformed ELF: the needed versions cannot be read");
}

static int read_versions_of(struct reader *reader, uint64_t addr, const Elf64_Verneed *verneed)
{
	Elf64_Vernaux aux;

	if (__builtin_add_overflow(addr, verneed->vn_aux, &addr))
		return malformed_versions(reader);
	for (unsigned i = 0; i < verneed->vn_cnt; i++) {
		if (elf_view_read(reader->view, addr, &aux, sizeof aux))
			return malformed_versions(reader);
		if (add_version(reader, verneed->vn_file, &aux))
			return -1;
		if (!aux.vna_next)
			break;
		if (__builtin_add_overflow(addr, aux.vna_next, &addr))
			return malformed_versions(reader);
	}
	return 0;
}

/* glibc leaves DT_VERNEED as it is in the file; others might not. */
static uint64_t verneed_address(const struct reader *reader)
{
	const struct elf_image *image = reader->image;
	uint64_t moved = reader->verneed + image->bias;

	return moved >= image->low && moved < image->high ? moved : reader->verneed;
}

static int read_needed_versions(struct reader *reader)
{
	uint64_t addr = verneed_address(reader);
	Elf64_Verneed verneed;

	if (!reader->verneed)
		return 0;
	for (uint64_t i = 0; i < reader->verneed_count && i < ELF_VERSIONS_MAX; i++) {
		if (elf_view_read(reader->view, addr, &verneed, sizeof verneed) ||
		    verneed.vn_version != VER_NEED_CURRENT)
			return malformed_versions(reader);
		if (read_versions_of(reader, addr, &verneed))
			return -1;
		if (!verneed.vn_next)
			break;
		if (__builtin_add_overflow(addr, verneed.vn_next, &addr))
			return malformed_versions(reader);
	}
	return 0;
}

/* The first auxiliary entry of each definition is its name. */
static int read_definitions(struct reader *reader)
{
	struct elf_needs *needs = reader->needs;
	uint64_t addr = reader->image->verdef;
	Elf64_Verdef verdef;
	Elf64_Verdaux aux;

	for (uint64_t i = 0; addr && i < reader->image->verdef_count; i++) {
		uint64_t name;
		if (elf_view_read(reader->view, addr, &verdef, sizeof verdef) ||
		    verdef.vd_version != VER_DEF_CURRENT ||
		    __builtin_add_overflow(addr, verdef.vd_aux, &name) ||
		    elf_view_read(reader->view, name, &aux, sizeof aux))
			return err_set(reader->err, ERR_FAILED, 0,
				       "malformed ELF: the defined versions cannot be read");
		if (add_name(reader, &needs->defined, &needs->definitions, aux.vda_name,
			     ELF_VERSIONS_MAX, "defined versions"))
			return -1;
		if (!verdef.vd_next || __builtin_add_overflow(addr, verdef.vd_next, &addr))
			break;
	}
	return 0;
}

static void read_skew(struct reader *reader)
{
	struct elf_headers headers;

	if (elf_headers_read(reader->view, reader->image->header, &headers, NULL))
		return;
	for (size_t i = 0; i < headers.count; i++)
		if (headers.phdr[i].p_type == PT_LOAD)
			reader->needs->skew |= headers.phdr[i].p_vaddr - headers.phdr[i].p_offset;
}

int elf_needs_read(struct elf_image *image, struct elf_needs *needs, struct err *err)
{
	struct elf_view view;
	struct reader reader = { .image = image, .view = &view, .needs = needs, .err = err };

	memset(needs, 0, sizeof *needs);
	elf_view_init(&view, image->source, &image->bytes_read);
	view.steps_max = ELF_VIEW_STEPS_FEW;
	if (read_dynamic(&reader) || read_needed_versions(&reader) || read_definitions(&reader)) {
		elf_needs_free(needs);
		return -1;
	}
	read_skew(&reader);
	return 0;
}

void elf_needs_free(struct elf_needs *needs)
{
	for (size_t i = 0; i < needs->libraries; i++)
		free(needs->library[i]);
	for (size_t i = 0; i < needs->definitions; i++)
		free(needs->defined[i]);
	for (size_t i = 0; i < needs->versions; i++) {
		free(needs->version[i].file);
		free(needs->version[i].version);
	}
	free(needs->library);
	free(needs->defined);
	free(needs->version);
	free(needs->rpath);
	free(needs->runpath);
	memset(needs, 0, sizeof *needs);
}
