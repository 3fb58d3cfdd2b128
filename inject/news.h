/* SPDX-License-Identifier: MIT */
/* What a process has mapped that it had not before. */
#ifndef ROCLATCH_INJECT_NEWS_H
#define ROCLATCH_INJECT_NEWS_H

#include "inject/proc.h"

/* Call `each` for every library (file-backed executable mapping) that is in
 * `now` and was not in `then`. */
void news_libraries(const struct maps *then, const struct maps *now, void (*each)(void *ctx, const char *path), void *ctx);
/* As above for anonymous mappings (a malloc arena of the fresh thread is
 * 64 MiB aligned to 64 MiB). */
void news_memory(const struct maps *then, const struct maps *now,
		 void (*each)(void *ctx, const struct mapping *mapping), void *ctx);

#endif
