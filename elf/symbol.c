/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "elf/table.h"
#include "elf/version.h"

/* Longer than any real hash chain. */
#define CHAIN_MAX 16384

struct question {
	struct elf_image *image;
	struct elf_view *view;
	const char *name;
	size_t name_size;
	const char *version;    /* NULL: the default one */
	bool default_only;
	struct elf_symbol *answer;
	struct err *err;
};

/* What a dynamic linker would bind to (cf. check_match in glibc's
 * elf/dl-lookup.c). */
static bool is_definition(const Elf64_Sym *sym)
{
	uint8_t bind = ELF64_ST_BIND(sym->st_info);

	if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE)
		return false;
	if (sym->st_shndx == SHN_UNDEF)
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_NOTYPE:
	case STT_OBJECT:
	case STT_FUNC:
	case STT_COMMON:
	case STT_GNU_IFUNC:
		return sym->st_value != 0 || sym->st_shndx == SHN_ABS;
	case STT_TLS:
		return true;
	default:
		return false;
	}
}

static int is_named(struct question *q, const Elf64_Sym *sym)
{
	if (sym->st_name >= q->image->strtab_size ||
	    q->name_size >= q->image->strtab_size - sym->st_name)
		return 0;
	uint64_t addr = q->image->strtab + sym->st_name;
	int same = elf_view_equal(q->view, addr, q->name, q->name_size);
	if (same == 1)
		same = elf_view_equal(q->view, addr + q->name_size, "", 1);
	if (same < 0)
		return err_set(q->err, ERR_FAILED, 0, "the string table cannot be read");
	return same;
}

static int is_of_version(struct question *q, uint64_t index)
{
	struct elf_image *image = q->image;
	uint16_t entry;
	uint64_t offset;

	q->answer->version[0] = '\0';
	if (elf_version_entry(image, q->view, index, &entry, q->err))
		return -1;
	if ((entry & ELF_VERSION_HIDDEN) && (!q->version || q->default_only))
		return 0;
	int named = elf_version_name(image, q->view, entry, &offset, q->err);
	if (named < 0)
		return -1;
	if (!named)
		return !q->version;

	uint64_t limit = image->strtab_size - offset;
	if (q->version) {
		size_t size = strlen(q->version) + 1;
		int same = size > limit ? 0 :
			elf_view_equal(q->view, image->strtab + offset, q->version, size);
		if (same == 0)
			return 0;
	}
	if (elf_view_text(q->view, image->strtab + offset, limit, q->answer->version,
			  sizeof q->answer->version))
		return err_set(q->err, ERR_FAILED, 0, "the string table cannot be read");
	return 1;
}

static int answer(struct question *q, const Elf64_Sym *sym)
{
	struct elf_symbol *symbol = q->answer;
	uint8_t type = ELF64_ST_TYPE(sym->st_info);
	bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;

	symbol->addr = sym->st_value;
	if (type != STT_TLS && sym->st_shndx != SHN_ABS)
		symbol->addr += q->image->bias;
	if (is_code && (symbol->addr < q->image->low || symbol->addr >= q->image->high))
		return err_set(q->err, ERR_FAILED, 0,
			       "malformed ELF: the function lies outside its image");
	symbol->size = sym->st_size;
	symbol->type = type;
	symbol->bind = ELF64_ST_BIND(sym->st_info);
	symbol->ifunc = type == STT_GNU_IFUNC;
	return 1;
}

/* 1 if symbol `index` is what was asked for, 0 if not, -1. */
static int consider(struct question *q, uint64_t index)
{
	Elf64_Sym sym;

	if (elf_table_read(q->view, q->image->symtab, index, &sym, sizeof sym, "symbol", q->err))
		return -1;
	if (!is_definition(&sym))
		return 0;
	int is = is_named(q, &sym);
	if (is == 1)
		is = is_of_version(q, index);
	return is == 1 ? answer(q, &sym) : is;
}

static int find_by_gnu_hash(struct question *q)
{
	struct elf_gnu_hash table;
	uint32_t hash = 5381, index, link;
	uint64_t word;

	for (size_t i = 0; i < q->name_size; i++)
		hash = hash * 33 + (uint8_t)q->name[i];
	if (elf_gnu_hash_read(q->image, q->view, &table, q->err))
		return -1;
	if (table.buckets == 0)
		return 0;
	if (elf_table_read(q->view, table.bloom, (hash / 64) & (table.bloom_words - 1),
			   &word, sizeof word, "hash filter word", q->err))
		return -1;
	if (!(word >> (hash % 64) & word >> ((hash >> (table.bloom_shift & 31)) % 64) & 1))
		return 0;
	if (elf_table_read(q->view, table.bucket, hash % table.buckets, &index, sizeof index,
			   "hash bucket", q->err))
		return -1;
	if (index == 0 || index < table.first)
		return 0;

	for (uint32_t steps = 0; steps < CHAIN_MAX; steps++, index++) {
		if (elf_table_read(q->view, table.chain, index - table.first, &link, sizeof link,
				   "hash chain", q->err))
			return -1;
		int is = (link | 1) == (hash | 1) ? consider(q, index) : 0;
		if (is || (link & 1))
			return is;
	}
	return err_set(q->err, ERR_FAILED, 0, "malformed ELF: a hash chain does not end");
}

static uint32_t sysv_hash(const char *name, size_t size)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < size; i++) {
		hash = (hash << 4) + (uint8_t)name[i];
		hash ^= hash >> 24 & 0xf0;
		hash &= 0x0fffffff;
	}
	return hash;
}

static int find_by_sysv_hash(struct question *q)
{
	uint64_t words = q->image->sysv_hash;
	uint32_t header[2], index;      /* buckets, chains */

	if (elf_view_read(q->view, words, header, sizeof header))
		return err_set(q->err, ERR_FAILED, 0, "the hash table cannot be read");
	if (header[0] == 0)
		return 0;
	if (elf_table_read(q->view, words, 2 + (uint64_t)(sysv_hash(q->name, q->name_size) % header[0]),
			   &index, sizeof index, "hash table word", q->err))
		return -1;
	for (uint32_t steps = 0; steps < CHAIN_MAX; steps++) {
		if (index == 0)
			return 0;
		if (index >= header[1])
			return err_set(q->err, ERR_FAILED, 0,
				       "malformed ELF: a hash chain leaves the table");
		int is = consider(q, index);
		if (is)
			return is;
		if (elf_table_read(q->view, words, 2 + (uint64_t)header[0] + index, &index,
				   sizeof index, "hash table word", q->err))
			return -1;
	}
	return err_set(q->err, ERR_FAILED, 0, "malformed ELF: a hash chain does not end");
}

static int find_by_scan(struct question *q)
{
	uint64_t count;
	bool guessed;

	if (elf_table_count(q->image, q->view, &count, &guessed, q->err))
		return -1;
	for (uint64_t i = 1; i < count; i++) {
		Elf64_Sym sym;
		/* Only a guess said that there is a symbol. */
		if (elf_table_read(q->view, q->image->symtab, i, &sym, sizeof sym, "symbol", NULL) ||
		    sym.st_name >= q->image->strtab_size)
			return 0;
		int is = consider(q, i);
		if (is)
			return is;
	}
	return 0;
}

int elf_symbol_find(struct elf_image *image, const char *name,
		    struct elf_symbol *symbol, struct err *err)
{
	struct elf_view view;
	const char *at = strchr(name, '@');
	struct question q = {
		.image = image, .view = &view, .name = name, .answer = symbol, .err = err,
		.name_size = at ? (size_t)(at - name) : strlen(name),
	};

	memset(symbol, 0, sizeof *symbol);
	if (at) {
		q.default_only = at[1] == '@';
		q.version = at + 1 + q.default_only;
	}
	if (!image->symtab || !image->strtab || q.name_size == 0)
		return 0;
	elf_view_init(&view, image->source, &image->bytes_read);
	view.steps_max = ELF_VIEW_STEPS_FEW;

	int found = image->gnu_hash ? find_by_gnu_hash(&q) :
		    image->sysv_hash ? find_by_sysv_hash(&q) : find_by_scan(&q);
	if (found != 1)
		memset(symbol, 0, sizeof *symbol);
	return found < 0 ? err_wrap(err, "look up %s", name) : found;
}
