/* SPDX-License-Identifier: MIT */
#include "rocp/registered.h"

#include <stdlib.h>
#include <string.h>

#define DATA_MAX (4u << 20)

/* As they lie in memory; seen in 0.6.0. */
struct entry { uint64_t propagated, name, import, version, begin, end, capacity, instance, engaged; };
_Static_assert(sizeof(struct entry) == 72, "std::optional<registered_library_api_table>");

static bool is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
	return length >= 2 && text[length] == '\0';
}

static bool looks_right(const struct images *images, const struct entry *e)
{
	const struct mapping *import = maps_at(&images->maps, e->import), *name = maps_at(&images->maps, e->name);
	return e->propagated <= 1 && (e->engaged & 0xff) == 1 && e->instance < 64 && e->version >> 32 == 0 &&
	       (!e->import || (import && import->x)) && name && name->r && e->begin && e->begin < e->end && e->end <= e->capacity &&
	       (e->end - e->begin) % 8 == 0 && e->capacity - e->begin < 65536;
}

/* Look through one piece of its data. */
static size_t look(struct images *images, const uint64_t *words, size_t n, struct registered_table *tables, size_t max)
{
	size_t found = 0;
	for (size_t i = 0; i + sizeof(struct entry) / 8 <= n && found < max; i++) {
		struct entry e;
		struct registered_table *table = &tables[found];
		if (!words[i + 1])
			continue;
		memcpy(&e, words + i, sizeof e);
		if (!looks_right(images, &e) ||
		    memory_read_text(&images->target->memory, e.name, table->name, sizeof table->name, NULL) < 0 ||
		    !is_name(table->name))
			continue;
		table->version = (uint32_t)e.version;
		table->propagated = e.propagated;
		found++;
		i += sizeof e / 8 - 1;
	}
	return found;
}

size_t registered_tables(struct images *images, const struct image *reg, struct registered_table *tables, size_t max)
{
	size_t found = 0;
	for (size_t i = 0; i < images->maps.n && found < max; i++) {
		const struct mapping *m = &images->maps.v[i];
		uint64_t from = m->start > reg->elf.low ? m->start : reg->elf.low;
		uint64_t to = m->end < reg->elf.high ? m->end : reg->elf.high;
		if (!m->w || from >= to || to - from > DATA_MAX)
			continue;
		uint64_t *words = malloc(to - from);
		if (words && memory_read(&images->target->memory, from, words, to - from, NULL) == 0)
			found += look(images, words, (to - from) / 8, tables + found, max - found);
		free(words);
	}
	return found;
}
