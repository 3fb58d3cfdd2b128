/* SPDX-License-Identifier: MIT */
/* /proc/PID/auxv: pairs of words of the process's own size, ended by AT_NULL. */
#include <elf.h>
#include <string.h>

#include "inject/proc.h"

#ifndef AT_HWCAP2
#define AT_HWCAP2 26
#endif

/* No key of any kernel is as large (include/uapi/linux/auxvec.h); a pair of
 * 32-bit words read as one 64-bit key is. */
#define KEY_LIMIT 4096

static uint64_t word_at(const unsigned char *data, size_t index, size_t width)
{
	uint32_t narrow;
	uint64_t wide;
	if (width == sizeof narrow) {
		memcpy(&narrow, data + index * width, width);
		return narrow;
	}
	memcpy(&wide, data + index * width, width);
	return wide;
}

static void keep(struct auxv *auxv, uint64_t key, uint64_t value)
{
	switch (key) {
	case AT_PHDR: auxv->phdr = value; break;
	case AT_PHNUM: auxv->phnum = value; break;
	case AT_PAGESZ: auxv->page_size = value; break;
	case AT_BASE: auxv->base = value; break;
	case AT_ENTRY: auxv->entry = value; break;
	case AT_HWCAP: auxv->hwcap = value; break;
	case AT_HWCAP2: auxv->hwcap2 = value; break;
	case AT_RANDOM: auxv->random = value; break;
	case AT_SYSINFO_EHDR: auxv->vdso = value; break;
	default: break;
	}
}

static bool parse_as(struct auxv *auxv, const unsigned char *data, size_t size, size_t width)
{
	*auxv = (struct auxv){.wide = width == 8};
	for (size_t i = 0; (i + 2) * width <= size; i += 2) {
		uint64_t key = word_at(data, i, width);
		if (key == AT_NULL)
			break;
		if (key > KEY_LIMIT)
			return false;
		keep(auxv, key, word_at(data, i + 1, width));
	}
	uint64_t page = auxv->page_size;
	return page >= 4096 && page <= 1 << 20 && (page & (page - 1)) == 0 && auxv->phdr;
}

int auxv_parse(struct auxv *auxv, const void *data, size_t size, struct err *err)
{
	if (parse_as(auxv, data, size, 8) || parse_as(auxv, data, size, 4))
		return 0;
	*auxv = (struct auxv){0};
	return err_set(err, ERR_FAILED, 0, "the auxiliary vector (%zu bytes) is malformed", size);
}
