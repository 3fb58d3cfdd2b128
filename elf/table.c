/* SPDX-License-Identifier: MIT */
#include "elf/table.h"

#include <string.h>

int elf_table_read(struct elf_view *view, uint64_t array, uint64_t index, void *element,
		   size_t size, const char *what, struct err *err)
{
	uint64_t addr;

	if (__builtin_mul_overflow(index, size, &addr) ||
	    __builtin_add_overflow(addr, array, &addr) ||
	    elf_view_read(view, addr, element, size))
		return err_set(err, ERR_FAILED, 0, "%s %llu cannot be read", what,
			       (unsigned long long)index);
	return 0;
}

int elf_gnu_hash_read(struct elf_image *image, struct elf_view *view,
		      struct elf_gnu_hash *hash, struct err *err)
{
	uint32_t word[4];

	if (elf_view_read(view, image->gnu_hash, word, sizeof word))
		return err_set(err, ERR_FAILED, 0, "the GNU hash table cannot be read");
	hash->buckets = word[0];
	hash->first = word[1];
	hash->bloom_words = word[2];
	hash->bloom_shift = word[3];
	if (hash->bloom_words == 0 || (hash->bloom_words & (hash->bloom_words - 1)) != 0)
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: a GNU hash table with a filter of %u words",
			       hash->bloom_words);

	/* The address is inside the image, so 64 GiB behind it cannot wrap far. */
	if (__builtin_add_overflow(image->gnu_hash, sizeof word, &hash->bloom) ||
	    __builtin_add_overflow(hash->bloom, 8 * (uint64_t)hash->bloom_words, &hash->bucket) ||
	    __builtin_add_overflow(hash->bucket, 4 * (uint64_t)hash->buckets, &hash->chain) ||
	    hash->chain > image->high)
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: the GNU hash table is larger than the image");
	return 0;
}

/* Buckets hold the index of their first symbol: the last symbol is at the end
 * of the chain of the highest one. */
static int count_by_gnu_hash(struct elf_image *image, struct elf_view *view, uint64_t *count,
			     struct err *err)
{
	struct elf_gnu_hash hash;
	uint32_t last = 0;

	if (elf_gnu_hash_read(image, view, &hash, err))
		return -1;
	for (uint32_t i = 0; i < hash.buckets && i < ELF_TABLE_MAX; i++) {
		uint32_t index;
		if (elf_table_read(view, hash.bucket, i, &index, sizeof index, "hash bucket", err))
			return -1;
		if (index > last)
			last = index;
	}
	if (last < hash.first || last == 0) {
		*count = hash.first;
		return 0;
	}
	for (uint64_t i = last; i < ELF_TABLE_MAX; i++) {
		uint32_t link;
		if (elf_table_read(view, hash.chain, i - hash.first, &link, sizeof link,
				   "hash chain", err))
			return -1;
		if (link & 1) {
			*count = i + 1;
			return 0;
		}
	}
	return err_set(err, ERR_FAILED, 0, "malformed ELF: a hash chain does not end");
}

/* Linkers put other tables behind the symbols; the nearest one bounds them. */
static uint64_t count_by_neighbours(const struct elf_image *image)
{
	uint64_t end = image->high;
	const uint64_t other[] = { image->strtab, image->versym, image->verdef };

	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		if (other[i] > image->symtab && other[i] < end)
			end = other[i];
	return (end - image->symtab) / sizeof(Elf64_Sym);
}

int elf_table_count(struct elf_image *image, struct elf_view *view, uint64_t *count,
		    bool *guessed, struct err *err)
{
	*guessed = false;
	if (image->sysv_hash) {
		uint32_t chains;
		if (elf_table_read(view, image->sysv_hash, 1, &chains, sizeof chains,
				   "hash table word", err))
			return -1;
		*count = chains;
	} else if (image->gnu_hash) {
		if (count_by_gnu_hash(image, view, count, err))
			return -1;
	} else {
		*guessed = true;
		*count = count_by_neighbours(image);
	}
	if (*count > ELF_TABLE_MAX)
		*count = ELF_TABLE_MAX;
	return 0;
}
