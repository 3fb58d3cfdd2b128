/* SPDX-License-Identifier: MIT */
/*
 * Code that a process makes at run time, by the map that its compiler writes for perf:
 * /tmp/perf-PID.map as the process sees it, lines of "START SIZE name".  It grows while the process
 * runs and is read again when it has changed.
 */
#ifndef ROCLATCH_INJECT_WATCH_JIT_H
#define ROCLATCH_INJECT_WATCH_JIT_H

#include "elf/functions.h"
#include "inject/target.h"

#define JIT_NAME_MAX 255
#define JIT_KEPT 256

struct jit {
	char path[64];          /* as the process sees it; "" before the first look */
	int fd;                 /* of the map, or -1 */
	uint64_t size;          /* when it was read */
	int64_t mtime_ns;
	uint64_t looked_ns, read_ns, took_ns;   /* CLOCK_MONOTONIC: tried to open it, read it; how long that took */
	struct functions functions;
	struct jit_kept *kept[JIT_KEPT];        /* names that were told: they outlive the map */
};

void jit_init(struct jit *jit);
void jit_free(struct jit *jit);
/* The name of what covers addr, which lives as long as jit, and the start of it; NULL if there is none. */
const char *jit_at(struct jit *jit, const struct target *target, raddr addr, raddr *start);
/* The text of a map into functions, which become those of the text alone.  The text (size bytes with room
 * for a NUL behind) stays in their names.  Lines that are none are passed over. */
void jit_parse(struct functions *functions, uint32_t text, size_t size);

#endif
