/* SPDX-License-Identifier: MIT */
/*
 * Where an image's own memory is.  Between its segments there may be mappings of others: code that was made
 * at run time, for one.
 */
#ifndef ROCLATCH_INJECT_WATCH_SEGMENTS_H
#define ROCLATCH_INJECT_WATCH_SEGMENTS_H

#include "elf/headers.h"
#include "elf/image.h"

struct segments {
	size_t n;               /* 0: not known */
	struct { uint64_t start, end; } v[ELF_SEGMENTS_MAX];    /* virtual addresses, whole pages */
};

/* Those with all of these flags (PF_X; 0: any). */
void segments_read(struct segments *segments, struct elf_image *image, uint64_t page, uint32_t flags);
/* Yes if they are not known. */
bool segments_hold(const struct segments *segments, uint64_t vaddr);

#endif
