/* SPDX-License-Identifier: MIT */
/* What a process holds, as /proc shows it: mappings, threads, descriptors. */
#ifndef ROCLATCH_TESTS_KILL_LAYOUT_H
#define ROCLATCH_TESTS_KILL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LAYOUT_MAPPINGS 512

struct layout {
	struct layout_mapping {
		uint64_t start, end;
		bool exec, write, grows;        /* grows: the heap and the main stack */
		bool named;
	} mapping[LAYOUT_MAPPINGS];
	unsigned mappings, threads, descriptors;
};

/* false: the process is gone */
bool layout_read(struct layout *l, pid_t pid);

/* Is there as much as before, no more and no less?  What glibc keeps for a
 * thread that used malloc (an arena of 64 MiB) is left out: it is the called
 * code's own.  false with the difference in words. */
bool layout_same(const struct layout *before, const struct layout *now, char *why, size_t size);

#endif
