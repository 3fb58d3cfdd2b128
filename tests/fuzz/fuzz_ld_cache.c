/* SPDX-License-Identifier: MIT */
/* Any bytes as /etc/ld.so.cache, and as the text of a loader. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cache.h"
#include "rocp/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "", "libc.so.6", "libx.so.1" };
	struct ld_cache cache;
	struct err err = { .code = ERR_NONE };
	char folders[64], path[32];

	if (ld_cache_open(&cache, data, size, &err)) {
		if (err.code == ERR_NONE || !err.text[0] || cache.entries)
			abort();
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *x86 = ld_cache_find(&cache, names[i], EM_X86_64);
		const char *arm = ld_cache_find(&cache, names[i], EM_AARCH64);
		/* what is found ends, and is a path */
		if ((x86 && (!strlen(x86) || x86[0] != '/')) || (arm && (!strlen(arm) || arm[0] != '/')))
			abort();
	}
	bool found = search_system_in((const char *)data, size, folders, sizeof folders, path, sizeof path);
	if (found != (folders[0] != '\0') || strlen(folders) >= sizeof folders || strlen(path) >= sizeof path)
		abort();
	return 0;
}
