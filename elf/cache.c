/* SPDX-License-Identifier: MIT */
/* The layout is that of glibc's sysdeps/generic/dl-cache.h. */
#include "elf/cache.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "arch/machines.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define ENDIAN_MASK 3
#define ENDIAN_LITTLE 2
#define FLAG_LIBC6 3            /* FLAG_ELF_LIBC6 */

struct old_header { char magic[12]; uint32_t entries; };
struct old_entry { int32_t flags; uint32_t key, value; };

struct new_header {
	char magic[20];
	uint32_t entries, strings_size;
	uint8_t flags, padding[3];
	uint32_t extensions, unused[3];
};

struct new_entry {
	int32_t flags;
	uint32_t key, value;    /* offsets from the new header */
	uint32_t os_version;
	uint64_t hwcap;
};

_Static_assert(sizeof(struct old_header) == 16 && sizeof(struct old_entry) == 12, "ld.so-1.7.0");
_Static_assert(sizeof(struct new_header) == 48 && sizeof(struct new_entry) == 24, "ld.so.cache 1.1");

/* Where the new table begins; past the end if it does not. */
static uint64_t behind_old(const uint8_t *data, size_t size)
{
	struct old_header old;

	if (size < sizeof old || memcmp(data, OLD_MAGIC, sizeof OLD_MAGIC - 1) != 0)
		return 0;
	memcpy(&old, data, sizeof old);
	uint64_t end = sizeof old + (uint64_t)old.entries * sizeof(struct old_entry);
	return (end + 7) & ~(uint64_t)7;
}

int ld_cache_open(struct ld_cache *cache, const void *data, size_t size, struct err *err)
{
	struct new_header header;
	uint64_t start = behind_old(data, size);

	memset(cache, 0, sizeof *cache);
	if (start > size || size - start < sizeof header)
		return err_set(err, ERR_FAILED, 0, "it is too short for a loader's cache");
	const uint8_t *at = (const uint8_t *)data + start;
	memcpy(&header, at, sizeof header);
	if (memcmp(header.magic, NEW_MAGIC, sizeof NEW_MAGIC - 1) != 0)
		return err_set(err, ERR_FAILED, 0, "it is no loader's cache of format 1.1");
	unsigned order = header.flags & ENDIAN_MASK;
	if (order && order != ENDIAN_LITTLE)
		return err_set(err, ERR_FAILED, 0, "it is a loader's cache of another byte order");
	if (header.entries > (size - start - sizeof header) / sizeof(struct new_entry))
		return err_set(err, ERR_FAILED, 0, "the loader's cache is cut short: %u entries do not fit",
			       header.entries);
	cache->data = at;
	cache->size = size - start;
	cache->entries = header.entries;
	return 0;
}

static bool flags_of(uint16_t machine, int32_t *flags)
{
	const struct arch_machine *cpu = arch_machine(machine);
	*flags = FLAG_LIBC6 | (cpu ? cpu->cache_flag : 0);
	return cpu != NULL;
}

/* A text that ends inside of the file, or NULL. */
static const char *text_at(const struct ld_cache *cache, uint32_t offset)
{
	if (offset >= cache->size || !memchr(cache->data + offset, '\0', cache->size - offset))
		return NULL;
	return (const char *)cache->data + offset;
}

/* Is the soname at offset?  Without a search for the end of what else may be there. */
static bool is_key(const struct ld_cache *cache, uint32_t offset, const char *soname, size_t length)
{
	return offset < cache->size && cache->size - offset > length &&
	       memcmp(cache->data + offset, soname, length + 1) == 0;
}

const char *ld_cache_find(const struct ld_cache *cache, const char *soname, uint16_t machine)
{
	size_t length = strlen(soname);
	int32_t flags;

	if (!flags_of(machine, &flags))
		return NULL;
	for (uint32_t i = 0; i < cache->entries; i++) {
		struct new_entry entry;
		memcpy(&entry, cache->data + sizeof(struct new_header) + (size_t)i * sizeof entry, sizeof entry);
		if (entry.flags != flags || entry.hwcap || !is_key(cache, entry.key, soname, length))
			continue;
		const char *path = text_at(cache, entry.value);
		if (path && path[0] == '/')
			return path;
	}
	return NULL;
}
