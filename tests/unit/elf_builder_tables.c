/* SPDX-License-Identifier: MIT */
#include "elf_builder_parts.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 3
#define VERSIONS_MAX 16

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = (hash << 5) + hash + (uint8_t)*name++;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0, top;

	while (*name) {
		hash = (hash << 4) + (uint8_t)*name++;
		top = hash & 0xf0000000;
		if (top)
			hash ^= top >> 24;
		hash &= ~top;
	}
	return hash;
}

static uint32_t buckets(const struct built *b)
{
	return b->plan.symbols > 100 ? (uint32_t)(b->plan.symbols / 3) : BUCKETS;
}

/* ---- the dynamic symbols, in the order that DT_GNU_HASH wants ---- */

static uint32_t order_buckets;

static int by_bucket(const void *x, const void *y)
{
	const struct built_symbol *a = x, *b = y;
	uint32_t left = a->value ? 1 + gnu_hash(a->name) % order_buckets : 0;
	uint32_t right = b->value ? 1 + gnu_hash(b->name) % order_buckets : 0;

	return left < right ? -1 : left > right;
}

static struct built_symbol *in_order(const struct built *b)
{
	size_t n = b->plan.symbols;
	struct built_symbol *symbol = malloc((n + 1) * sizeof *symbol);

	if (n)
		memcpy(symbol, b->plan.symbol, n * sizeof *symbol);
	order_buckets = buckets(b);
	qsort(symbol, n, sizeof *symbol, by_bucket);
	return symbol;
}

static void put_gnu_hash(struct built *b, const struct built_symbol *symbol)
{
	uint32_t n = (uint32_t)b->plan.symbols, undefined = 0, count = buckets(b);

	while (undefined < n && symbol[undefined].value == 0)
		undefined++;
	uint32_t header[4] = { count, 1 + undefined, 2, 6 };
	uint64_t bloom[2] = { 0 };
	for (uint32_t i = undefined; i < n; i++) {
		uint32_t hash = gnu_hash(symbol[i].name);
		bloom[hash / 64 % 2] |= 1ULL << hash % 64 | 1ULL << (hash >> 6) % 64;
	}
	built_align(b, 8);
	b->gnu_hash = built_put(b, header, sizeof header);
	built_put(b, bloom, sizeof bloom);
	uint32_t *bucket = (uint32_t *)(void *)(b->data + built_put(b, NULL, 4ULL * count));
	for (uint32_t i = undefined; i < n; i++) {
		uint32_t hash = gnu_hash(symbol[i].name);
		bool last = i + 1 == n || gnu_hash(symbol[i + 1].name) % count != hash % count;
		uint32_t link = (hash & ~1u) | last;
		if (bucket[hash % count] == 0)
			bucket[hash % count] = 1 + i;
		built_put(b, &link, sizeof link);
	}
}

static void put_sysv_hash(struct built *b, const struct built_symbol *symbol)
{
	uint32_t n = (uint32_t)b->plan.symbols, count = buckets(b);
	uint32_t header[2] = { count, n + 1 };

	built_align(b, 8);
	b->sysv_hash = built_put(b, header, sizeof header);
	uint32_t *bucket = (uint32_t *)(void *)(b->data + built_put(b, NULL, 4ULL * (count + n + 1)));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *head = &bucket[sysv_hash(symbol[i].name) % count];
		bucket[count + 1 + i] = *head;
		*head = 1 + i;
	}
}

/* ---- versions ---- */

static uint16_t version_index(const char **version, size_t *n, const char *name)
{
	if (!name)
		return VER_NDX_GLOBAL;
	for (size_t i = 0; i < *n; i++)
		if (strcmp(version[i], name) == 0)
			return (uint16_t)(2 + i);
	version[(*n)++] = name;
	return (uint16_t)(1 + *n);
}

static size_t put_versions(struct built *b, const struct built_symbol *symbol,
			   const char **version)
{
	size_t n = 0;
	uint16_t entry = 0;

	built_align(b, 8);
	b->versym = built_put(b, &entry, sizeof entry);
	for (size_t i = 0; i < b->plan.symbols; i++) {
		entry = version_index(version, &n, symbol[i].version);
		if (symbol[i].hidden)
			entry |= 0x8000;
		built_put(b, &entry, sizeof entry);
	}
	if (n == 0)
		b->versym = 0;
	return n;
}

static void put_verdef(struct built *b, size_t n, const size_t *name)
{
	built_align(b, 8);
	b->verdef = b->size;
	for (size_t i = 0; i <= n; i++) {
		struct { Elf64_Verdef def; Elf64_Verdaux aux; } both = {
			.def = { .vd_version = 1, .vd_flags = i == 0, .vd_ndx = (uint16_t)(1 + i),
				 .vd_cnt = 1, .vd_aux = sizeof(Elf64_Verdef),
				 .vd_next = i == n ? 0 : sizeof both },
			.aux = { .vda_name = i ? (uint32_t)name[i - 1] : 0 },
		};
		built_put(b, &both, sizeof both);
	}
}

static void put_dynamic(struct built *b, size_t versions, size_t soname, size_t strings_size)
{
	uint64_t move = b->plan.moved == MOVED_BY_GLIBC ? b->plan.base - b->plan.vaddr : 0;
	uint64_t verdef_move = b->plan.verdef_moved ? b->plan.base - b->plan.vaddr : 0;
	const Elf64_Dyn entry[] = {
		{ DT_SYMTAB, { built_vaddr(b, b->symtab) + move } },
		{ DT_STRTAB, { built_vaddr(b, b->strtab) + move } },
		{ DT_STRSZ, { strings_size } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ b->plan.soname ? DT_SONAME : DT_DEBUG, { soname } },
		{ b->gnu_hash ? DT_GNU_HASH : DT_DEBUG, { built_vaddr(b, b->gnu_hash) + move } },
		{ b->sysv_hash ? DT_HASH : DT_DEBUG, { built_vaddr(b, b->sysv_hash) + move } },
		{ versions ? DT_VERSYM : DT_DEBUG, { built_vaddr(b, b->versym) + move } },
		{ versions ? DT_VERDEF : DT_DEBUG, { built_vaddr(b, b->verdef) + verdef_move } },
		{ versions ? DT_VERDEFNUM : DT_DEBUG, { versions + 1 } },
		{ DT_FLAGS_1, { b->plan.flags_1 } },
		{ DT_NULL, { 0 } },
	};

	built_align(b, 8);
	b->dynamic = built_put(b, entry, sizeof entry);
}

void built_put_tables(struct built *b)
{
	struct built_symbol *symbol = in_order(b);
	const char *version[VERSIONS_MAX];
	size_t name[VERSIONS_MAX] = { 0 }, soname = 0;
	Elf64_Sym none = { 0 };

	built_align(b, 8);
	b->symtab = built_put(b, &none, sizeof none);
	built_put(b, NULL, b->plan.symbols * sizeof none);
	b->strtab = built_put(b, "", 1);
	for (size_t i = 0; i < b->plan.symbols; i++) {
		Elf64_Sym sym = built_make_symbol(b, &symbol[i], built_put_text(b, b->strtab, symbol[i].name));
		memcpy(b->data + b->symtab + (1 + i) * sizeof sym, &sym, sizeof sym);
	}
	size_t versions = 0, room = b->size;
	if (b->plan.soname)
		soname = built_put_text(b, b->strtab, b->plan.soname);
	/* Names of versions are known only after the symbols' entries are made. */
	room = b->size;
	built_put(b, NULL, 512);
	size_t strings_size = b->size - b->strtab;
	versions = put_versions(b, symbol, version);
	for (size_t i = 0; i < versions; i++) {
		name[i] = room - b->strtab;
		memcpy(b->data + room, version[i], strlen(version[i]) + 1);
		room += strlen(version[i]) + 1;
	}
	if (versions)
		put_verdef(b, versions, name);
	if (b->plan.hash & HASH_GNU)
		put_gnu_hash(b, symbol);
	if (b->plan.hash & HASH_SYSV)
		put_sysv_hash(b, symbol);
	put_dynamic(b, versions, soname, strings_size);
	free(symbol);
}
