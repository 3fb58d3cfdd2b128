/* SPDX-License-Identifier: MIT */
/*
 * Reading an image in pages, for the time of one question.  A source that is a
 * live process costs a system call for each read; the view keeps the last few
 * pages, and is dropped when the question is answered, so that nothing stale
 * is ever used.
 */
#ifndef ROCLATCH_ELF_VIEW_H
#define ROCLATCH_ELF_VIEW_H

#include "elf/image.h"

#define ELF_VIEW_PAGE 4096
#define ELF_VIEW_WINDOWS 6

/* A question ends, whatever tables a hostile image builds that lead round and
 * round: behind these limits, far from all that is real, nothing can be read. */
#define ELF_VIEW_STEPS_MAX (1u << 24)
#define ELF_VIEW_STEPS_FEW (1u << 20)   /* for what does not read whole tables */
#define ELF_VIEW_FILLS_MAX (1u << 20)

struct elf_view {
	struct elf_source source;
	uint64_t *bytes_read;
	unsigned steps, steps_max, fills;
	struct elf_window {
		uint64_t addr;
		size_t size;            /* 0: nothing here */
		unsigned used;
		uint8_t data[ELF_VIEW_PAGE];
	} window[ELF_VIEW_WINDOWS];
};

/* bytes_read is added to.  steps_max may be set lower afterwards. */
void elf_view_init(struct elf_view *view, struct elf_source source, uint64_t *bytes_read);

/* The bytes at addr: *size of them, at least 1, up to the end of a page (or of
 * what can be read); at least `want` if the page has them.  NULL if they cannot
 * be read.  Valid until the next call. */
const uint8_t *elf_view_span(struct elf_view *view, uint64_t addr, size_t want, size_t *size);

/* All of it: 0, or -1. */
int elf_view_read(struct elf_view *view, uint64_t addr, void *buf, size_t size);

/* Are these `size` bytes there?  1, 0, or -1 unreadable. */
int elf_view_equal(struct elf_view *view, uint64_t addr, const void *bytes, size_t size);

/* The text at addr, which ends by a NUL or after `limit` bytes; cut to
 * size - 1.  0, or -1 unreadable (buf is then ""). */
int elf_view_text(struct elf_view *view, uint64_t addr, uint64_t limit, char *buf, size_t size);

#endif
