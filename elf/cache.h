/* SPDX-License-Identifier: MIT */
/*
 * /etc/ld.so.cache, which ldconfig writes and glibc's loader asks before it looks
 * into the default folders: format "glibc-ld.so.cache1.1", alone or behind the
 * table of the older "ld.so-1.7.0".  Entries for special CPUs (glibc-hwcaps and
 * older hardware capabilities) are passed over: the plain one beside them counts.
 */
#ifndef ROCLATCH_ELF_CACHE_H
#define ROCLATCH_ELF_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

struct ld_cache {
	const uint8_t *data;    /* of the caller; from the new header on */
	size_t size;
	uint32_t entries;
};

/* Look at the bytes of the file, which stay the caller's.  0, or -1 (ERR_FAILED: not this format). */
int ld_cache_open(struct ld_cache *cache, const void *data, size_t size, struct err *err);

/* The path for a soname and EM_*: NULL if there is none.  Lies in the caller's bytes, ends in NUL. */
const char *ld_cache_find(const struct ld_cache *cache, const char *soname, uint16_t machine);

#endif
