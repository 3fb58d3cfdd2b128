/* SPDX-License-Identifier: MIT */
/* For tables that nobody sorted: .debug_frame, and .eh_frame without a header. */
#include <errno.h>
#include <stdlib.h>

#include "elf/cfi_entry.h"

#define ENTRIES_MAX (1u << 20)

struct place {
	uint64_t start, end;    /* of the function */
	uint64_t entry;
};

struct cfi_index {
	struct place *v;
	size_t n, room;
};

static int add(struct cfi_index *index, const struct cfi_fde *fde, uint64_t entry)
{
	if (index->n == index->room) {
		size_t room = index->room ? index->room * 2 : 64;
		struct place *v = realloc(index->v, room * sizeof *v);
		if (!v)
			return -1;
		index->v = v;
		index->room = room;
	}
	index->v[index->n++] = (struct place){ fde->start, fde->end, entry };
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

/* An entry that is broken does not hide those before and behind it. */
static int collect(struct cfi_index *index, const struct cfi_section *section, struct elf_view *view)
{
	struct cfi_fde fde = { .start = 0 };
	struct cfi_head head;
	uint64_t at = section->start;

	for (unsigned i = 0; i < ENTRIES_MAX && cfi_head_read(view, section, at, &head, NULL) == 1; i++) {
		/* A function that the linker has dropped begins at 0. */
		if (!head.is_cie && cfi_fde_read(view, section, &head, &fde, NULL) == 0 &&
		    fde.start != section->bias && fde.start < fde.end && add(index, &fde, at))
			return -1;
		at = head.end;
	}
	return 0;
}

struct cfi_index *cfi_index_build(const struct cfi_section *section, uint64_t *bytes_read, struct err *err)
{
	struct elf_view view;
	struct cfi_index *index = calloc(1, sizeof *index);

	elf_view_init(&view, section->source, bytes_read);
	if (!index || collect(index, section, &view)) {
		cfi_index_free(index);
		err_set(err, ERR_FAILED, ENOMEM, "read the unwind table");
		return NULL;
	}
	if (index->n)
		qsort(index->v, index->n, sizeof *index->v, compare);
	return index;
}

void cfi_index_free(struct cfi_index *index)
{
	if (index)
		free(index->v);
	free(index);
}

bool cfi_index_find(const struct cfi_index *index, uint64_t pc, uint64_t *entry)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (index->v[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= index->v[low - 1].end)
		return false;
	*entry = index->v[low - 1].entry;
	return true;
}
