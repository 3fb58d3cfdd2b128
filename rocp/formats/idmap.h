/* SPDX-License-Identifier: MIT */
/* Numbers by numbers: which row or track belongs to an id.  Begins as { 0 }. */
#ifndef ROCLATCH_ROCP_FORMATS_IDMAP_H
#define ROCLATCH_ROCP_FORMATS_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap {
	struct idmap_slot { uint64_t key, value; } *slot;
	size_t used, room;
	bool has_last;          /* ~0 marks free slots and has its value here */
	uint64_t last;
};

bool idmap_get(const struct idmap *map, uint64_t key, uint64_t *value);
int idmap_set(struct idmap *map, uint64_t key, uint64_t value); /* -1: out of memory */
void idmap_remove(struct idmap *map, uint64_t key);
void idmap_free(struct idmap *map);

/* One key of two. */
uint64_t idmap_mix(uint64_t a, uint64_t b);

/* Texts by their content, each with a number from 1 in the order of their coming.  The texts must outlive it. */
struct textmap { struct idmap by_pointer, by_content; const char **text; size_t texts, room; };

/* The text's number; *is_new: it was not there.  0: out of memory. */
uint64_t textmap_number(struct textmap *map, const char *text, bool *is_new);
uint64_t textmap_find(const struct textmap *map, const char *text);    /* 0: not there */
void textmap_free(struct textmap *map);

#endif
