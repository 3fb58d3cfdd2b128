/* SPDX-License-Identifier: MIT */
/* What the target has, before and after: the raw material of the verdict. */
#ifndef ROCLATCH_INJECT_SNAPSHOT_H
#define ROCLATCH_INJECT_SNAPSHOT_H

#include "inject/target.h"

struct snapshot {
	struct maps maps;
	pid_t *threads;
	size_t thread_count;
	size_t fd_count;
	pid_t tracer;           /* of any thread that we know of; 0 if none */
};
int snapshot_take(struct snapshot *snapshot, const struct target *target, struct err *err);
void snapshot_free(struct snapshot *snapshot);

/* Call `each` for every library (file-backed executable mapping) that is in
 * `after` and was not in `before`. */
void snapshot_new_libraries(const struct snapshot *before, const struct snapshot *after,
			    void (*each)(void *ctx, const char *path), void *ctx);
/* As above for anonymous mappings (a malloc arena of the fresh thread is
 * 64 MiB aligned to 64 MiB). */
void snapshot_new_anonymous(const struct snapshot *before, const struct snapshot *after,
			    void (*each)(void *ctx, const struct mapping *mapping), void *ctx);

#endif
