/* SPDX-License-Identifier: MIT */
/*
 * .symtab, by section headers.  It has no hash table, so a name is found in
 * two passes: where it stands in the string table (linkers let names share
 * their tails, so it may end a longer one), then which symbol points there.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/cover.h"
#include "elf/section.h"
#include "elf/table.h"

#define PLACES_MAX (1u << 20)

struct places {
	uint32_t *v;
	size_t n, room;
};

static int places_add(struct places *places, uint64_t offset, struct err *err)
{
	if (places->n == places->room) {
		size_t room = places->room ? places->room * 2 : 16;
		uint32_t *v = room > PLACES_MAX ? NULL : realloc(places->v, room * sizeof *v);
		if (!v)
			return err_set(err, ERR_FAILED, 0, "the name ends too many others in .strtab");
		places->v = v;
		places->room = room;
	}
	places->v[places->n++] = (uint32_t)offset;
	return 0;
}

/* The first NUL that may end the name: its last letter comes before, or bytes
 * that are not in this span. */
static const uint8_t *find_end(const uint8_t *bytes, size_t size, uint8_t last)
{
	const uint8_t *stop = bytes + size;
	const uint8_t *nul = memchr(bytes, 0, size);

	while (nul && nul != bytes && nul[-1] != last)
		nul = memchr(nul + 1, 0, (size_t)(stop - nul - 1));
	return nul;
}

/* All places where `name` and a NUL stand, in rising order. */
static int find_places(struct elf_symtab *symtab, const char *name, struct places *places,
		       struct err *err)
{
	size_t length = strlen(name);
	uint64_t at = 0;

	while (at < symtab->strings_size) {
		size_t have;
		const uint8_t *bytes = elf_view_span(&symtab->sections.view, symtab->strings + at, 1, &have);
		if (!bytes)
			return err_set(err, ERR_FAILED, 0, ".strtab cannot be read");
		if (have > symtab->strings_size - at)
			have = symtab->strings_size - at;
		const uint8_t *nul = find_end(bytes, have, (uint8_t)name[length - 1]);
		if (!nul) {
			at += have;
			continue;
		}
		uint64_t end = at + (uint64_t)(nul - bytes);
		if (end >= length &&
		    elf_view_equal(&symtab->sections.view, symtab->strings + end - length, name, length) == 1 &&
		    places_add(places, end - length, err))
			return -1;
		at = end + 1;
	}
	return 0;
}

static bool is_place(const struct places *places, uint32_t offset)
{
	size_t low = 0, high = places->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (places->v[middle] == offset)
			return true;
		if (places->v[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool is_wanted(const Elf64_Sym *sym)
{
	uint8_t type = ELF64_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
		type == STT_NOTYPE || type == STT_TLS);
}

/* Global before weak before local; the latter only if there is one. */
static int choose(struct elf_symtab *symtab, const struct places *places, Elf64_Sym *best,
		  struct err *err)
{
	bool found = false, ambiguous = false;

	for (uint64_t i = 1; i < symtab->count; i++) {
		Elf64_Sym sym;
		if (elf_table_read(&symtab->sections.view, symtab->symbols, i, &sym, sizeof sym, "symbol", err))
			return -1;
		if (!is_place(places, sym.st_name) || !is_wanted(&sym))
			continue;
		int rank = elf_bind_rank(&sym), best_rank = elf_bind_rank(best);
		if (!found || rank > best_rank) {
			*best = sym;
			ambiguous = false;
		} else if (rank == ELF_RANK_LOCAL && best_rank == ELF_RANK_LOCAL &&
			   sym.st_value != best->st_value) {
			ambiguous = true;
		}
		found = true;
	}
	if (ambiguous)
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "ambiguous: several local symbols have this name");
	return found;
}

int elf_file_symbol_find(struct elf_file *file, const char *name,
			 struct elf_symbol *symbol, struct err *err)
{
	struct elf_symtab symtab;
	struct places places = { .v = NULL };
	Elf64_Sym sym = { .st_name = 0 };

	memset(symbol, 0, sizeof *symbol);
	if (!*name)
		return 0;
	int found = elf_symtab_open(&symtab, file, err);
	if (found == 1)
		found = find_places(&symtab, name, &places, err) ? -1 : places.n > 0;
	if (found == 1)
		found = choose(&symtab, &places, &sym, err);
	free(places.v);
	if (found < 0)
		return err_wrap(err, "look up %s", name);
	if (found == 1) {
		symbol->addr = sym.st_value;
		symbol->size = sym.st_size;
		symbol->type = ELF64_ST_TYPE(sym.st_info);
		symbol->bind = ELF64_ST_BIND(sym.st_info);
		symbol->ifunc = symbol->type == STT_GNU_IFUNC;
	}
	return found;
}

int elf_file_symbol_at(struct elf_file *file, uint64_t vaddr, char *name, size_t name_size,
		       uint64_t *offset, struct err *err)
{
	struct elf_symtab symtab;
	struct elf_cover best = { .found = false };

	if (name_size)
		name[0] = '\0';
	*offset = 0;
	int there = elf_symtab_open(&symtab, file, err);
	if (there != 1)
		return there;
	for (uint64_t i = 1; i < symtab.count; i++) {
		Elf64_Sym sym;
		if (elf_table_read(&symtab.sections.view, symtab.symbols, i, &sym, sizeof sym, "symbol", err))
			return -1;
		if (sym.st_name < symtab.strings_size)
			elf_cover_offer(&best, &sym, vaddr);
	}
	if (!best.found)
		return 0;
	*offset = vaddr - best.sym.st_value;
	if (elf_view_text(&symtab.sections.view, symtab.strings + best.sym.st_name,
			  symtab.strings_size - best.sym.st_name, name, name_size))
		return err_set(err, ERR_FAILED, 0, ".strtab cannot be read");
	return 1;
}
