/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of /proc/PID/maps. */
#include <stdlib.h>
#include <string.h>

#include "inject/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps maps;
	struct err err;
	if (maps_parse(&maps, (const char *)data, size, &err) < 0)
		return 0;
	size_t paths = 0;
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.v[i];
		paths += strlen(m->path);
		if (maps_at(&maps, m->start) != m || maps_at(&maps, m->end - 1) != m || maps_at(&maps, m->end) == m)
			abort();
	}
	if (paths > size)
		abort();
	maps_free(&maps);
	return 0;
}
