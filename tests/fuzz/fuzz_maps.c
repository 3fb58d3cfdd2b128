/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of /proc/PID/maps. */
#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"
#include "inject/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Both halves of the input, one as what was before: each line that is left is one of the text, and no other is lost. */
static void cut(const uint8_t *data, size_t size)
{
	struct cursor then = { (const char *)data, (const char *)data + size / 2 };
	size_t rest = size - size / 2;
	char *text = malloc(rest + 1);
	if (!text)
		return;
	memcpy(text, data + size / 2, rest);
	size_t left = maps_cut(text, rest, &then);
	if (left > rest || text[left] || (left && !memmem(data + size / 2, rest, text, left)))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps maps;
	struct err err;
	cut(data, size);
	if (maps_parse(&maps, (const char *)data, size, &err) < 0)
		return 0;
	size_t paths = 0;
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *m = &maps.v[i];
		if (!i || m->path != m[-1].path)
			paths += strlen(m->path);
		if (maps_at(&maps, m->start) != m || maps_at(&maps, m->end - 1) != m || maps_at(&maps, m->end) == m)
			abort();
	}
	if (paths > size)
		abort();
	maps_free(&maps);
	return 0;
}
