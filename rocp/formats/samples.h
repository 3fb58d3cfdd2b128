/* SPDX-License-Identifier: MIT */
/* What a sampler has seen (inject/watch/profile.h), as files that people open. */
#ifndef ROCLATCH_ROCP_FORMATS_SAMPLES_H
#define ROCLATCH_ROCP_FORMATS_SAMPLES_H

#include "inject/watch/profile.h"
#include "rocp/formats/file.h"

enum samples_format {
	SAMPLES_TEXT,           /* a summary to read */
	SAMPLES_JSON,
	SAMPLES_FOLDED,         /* "thread;outer;inner count": what flame graph tools read */
	SAMPLES_SPEEDSCOPE,
	SAMPLES_PFTRACE,
	SAMPLES_HTML,           /* one page for offline: flame graph, states over time, tables */
};

extern const char *const samples_endings[];     /* ".txt", ".json", ".folded", ... by format */

/* Into an open file; the caller finishes it.  -1 with err: no memory. */
int samples_write(enum samples_format format, const struct profile *profile, struct file *file, struct err *err);

/* A place for people: demangled, else "libx.so+0x1a2b[BUILDID]", else "0x7f..." or "[no unwind table]". */
void samples_place_text(const struct place *place, char *text, size_t size);

#endif
