/* SPDX-License-Identifier: MIT */
/* Functions from the symbol tables of an image and of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf/cover.h"
#include "elf/functions.h"
#include "elf/section.h"
#include "elf/table.h"
#include "elf/xz.h"

#define DYNAMIC_STRINGS_MAX (256u << 20)
/* A dynamic symbol without a size: what stands behind it may be code that the table does not name. */
#define DYNAMIC_REACH 512
#define DEBUGDATA_MAX (64u << 20)
#define DEBUGDATA_UNPACKED_MAX (256u << 20)

/* What a symbol's section says. */
struct extent {
	uint64_t start, end;
	bool code;
};

/* $x, $d.4: where code and data begin in code of ARM's; .L: labels of compilers. */
static bool is_mark(const char *name)
{
	return (name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.')) ||
	       (name[0] == '.' && name[1] == 'L');
}

/* extent may be NULL: not known. */
static bool is_function(const Elf64_Sym *sym, const char *name, const struct extent *extent)
{
	uint8_t type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || (sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX) ||
	    !name[0])
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && !is_mark(name) &&
	       (!extent || (extent->code && sym->st_value >= extent->start && sym->st_value < extent->end));
}

static int add(struct functions *functions, const Elf64_Sym *sym, uint32_t name, uint64_t reach, struct err *err)
{
	unsigned rank = elf_bind_rank(sym) | (sym->st_size ? FUNCTION_SIZED : 0) |
			(ELF64_ST_TYPE(sym->st_info) != STT_NOTYPE ? FUNCTION_TYPED : 0);
	uint64_t size = sym->st_size ? sym->st_size : reach;

	if (size > UINT64_MAX - sym->st_value)
		return 0;
	return functions_add(functions, &(struct function){ sym->st_value, size, name, (uint8_t)rank }, err);
}

int functions_add_dynamic(struct functions *functions, struct elf_image *image, struct err *err)
{
	struct elf_view view;
	uint64_t count;
	uint32_t names;
	bool guessed;

	if (!image->symtab || !image->strtab)
		return 0;
	if (image->strtab_size > DYNAMIC_STRINGS_MAX)
		return err_set(err, ERR_FAILED, 0, "%llu bytes of dynamic names", (unsigned long long)image->strtab_size);
	elf_view_init(&view, image->source, &image->bytes_read);
	if (elf_table_count(image, &view, &count, &guessed, err))
		return -1;
	char *text = functions_names(functions, image->strtab_size, &names, err);
	if (!text)
		return -1;
	image->bytes_read += image->strtab_size;
	if (image->source.read(image->source.ctx, image->strtab, text, image->strtab_size))
		return err_set(err, ERR_FAILED, 0, "the string table cannot be read");
	for (uint64_t i = 1; i < count; i++) {
		Elf64_Sym sym;
		if (elf_table_read(&view, image->symtab, i, &sym, sizeof sym, "symbol", err))
			return guessed ? 0 : -1;
		if (sym.st_name >= image->strtab_size) {
			if (guessed)
				break;
			continue;
		}
		if (is_function(&sym, functions->names + names + sym.st_name, NULL) &&
		    add(functions, &sym, names + sym.st_name, DYNAMIC_REACH, err))
			return -1;
	}
	return 0;
}

/* Where each section lies, by its index; NULL with err. */
static struct extent *read_extents(struct elf_sections *sections, struct err *err)
{
	struct extent *extents = calloc(sections->count + 1, sizeof *extents);
	Elf64_Shdr section;

	if (!extents)
		err_set(err, ERR_FAILED, 0, "out of memory for %llu sections", (unsigned long long)sections->count);
	for (uint64_t i = 1; extents && i < sections->count; i++) {
		if (elf_section_read(sections, i, &section, err)) {
			free(extents);
			return NULL;
		}
		uint64_t room = UINT64_MAX - section.sh_addr;
		extents[i] = (struct extent){ section.sh_addr,
			section.sh_addr + (section.sh_size < room ? section.sh_size : room),
			section.sh_flags & SHF_EXECINSTR };
	}
	return extents;
}

static int add_symbols(struct functions *functions, struct elf_symtab *symtab, uint32_t names,
		       const struct extent *extents, struct err *err)
{
	static const struct extent unknown;

	for (uint64_t i = 1; i < symtab->count; i++) {
		Elf64_Sym sym;
		if (elf_table_read(&symtab->sections.view, symtab->symbols, i, &sym, sizeof sym, "symbol", err))
			return -1;
		if (sym.st_name >= symtab->strings_size)
			continue;
		const struct extent *extent = sym.st_shndx < symtab->sections.count && sym.st_shndx < SHN_LORESERVE ?
			&extents[sym.st_shndx] : &unknown;
		if (!is_function(&sym, functions->names + names + sym.st_name, extent))
			continue;
		bool inside = sym.st_value >= extent->start && sym.st_value < extent->end;
		if (add(functions, &sym, names + sym.st_name, inside ? extent->end - sym.st_value : 1, err))
			return -1;
	}
	return 0;
}

static int add_symtab(struct functions *functions, struct elf_file *file, struct err *err)
{
	struct elf_symtab symtab;
	uint32_t names;
	int there = elf_symtab_open(&symtab, file, err);

	if (there != 1)
		return there;
	char *text = functions_names(functions, symtab.strings_size, &names, err);
	if (!text)
		return -1;
	file->image.bytes_read += symtab.strings_size;
	if (elf_offset_read(file, symtab.strings, text, symtab.strings_size))
		return err_set(err, ERR_FAILED, 0, ".strtab cannot be read");
	struct extent *extents = read_extents(&symtab.sections, err);
	int rc = extents ? add_symbols(functions, &symtab, names, extents, err) : -1;
	free(extents);
	return rc ? -1 : 1;
}

/* The unpacked file goes to memory that has a descriptor: there is one way to read a file. */
static int add_unpacked(struct functions *functions, const uint8_t *data, size_t size, struct err *err)
{
	struct elf_file inner;
	size_t done = 0;
	int fd = (int)syscall(SYS_memfd_create, "roclatch-debugdata", MFD_CLOEXEC);

	if (fd < 0)
		return err_set(err, ERR_FAILED, errno, "make room for what .gnu_debugdata holds");
	while (done < size) {
		ssize_t n = write(fd, data + done, size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	int rc = done < size ? err_set(err, ERR_FAILED, errno, "write what .gnu_debugdata holds") :
		 elf_file_open_debug(&inner, fd, err) ? -1 : add_symtab(functions, &inner, err);
	close(fd);
	return rc < 0 ? -1 : 0;
}

static int add_debugdata(struct functions *functions, struct elf_file *file, struct err *err)
{
	struct elf_sections sections;
	Elf64_Shdr section;
	void *unpacked = NULL;
	size_t size;

	if (elf_sections_open(&sections, file, err))
		return -1;
	int there = elf_section_find(&sections, ".gnu_debugdata", &section, err);
	if (there != 1 || section.sh_type == SHT_NOBITS)
		return there < 0 ? -1 : 0;
	if (!elf_section_is_in_file(file, &section) || section.sh_size > DEBUGDATA_MAX)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: .gnu_debugdata is not in the file, or too large");
	uint8_t *packed = malloc(section.sh_size + 1);
	int rc = !packed ? err_set(err, ERR_FAILED, 0, "out of memory for .gnu_debugdata") :
		 elf_offset_read(file, section.sh_offset, packed, section.sh_size) ?
			err_set(err, ERR_FAILED, 0, ".gnu_debugdata cannot be read") :
		 xz_unpack(packed, section.sh_size, DEBUGDATA_UNPACKED_MAX, &unpacked, &size, err);
	free(packed);
	if (rc == 0)
		rc = add_unpacked(functions, unpacked, size, err);
	free(unpacked);
	return rc < 0 ? err_wrap(err, ".gnu_debugdata") : 0;
}

int functions_add_file(struct functions *functions, struct elf_file *file, struct err *err)
{
	int there = add_symtab(functions, file, err);

	if (there == 1)
		functions->whole = true;
	/* Who has the one does not need the other. */
	return there == 0 ? add_debugdata(functions, file, err) : there < 0 ? -1 : 0;
}
