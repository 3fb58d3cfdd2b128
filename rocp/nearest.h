/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_ROCP_NEAREST_H
#define ROCLATCH_ROCP_NEAREST_H

/* The candidate that `word` was probably meant to be, or NULL.  next() gives
 * candidates until NULL. */
const char *nearest(const char *word, const char *(*next)(void *ctx), void *ctx);

#endif
