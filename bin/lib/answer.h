/* SPDX-License-Identifier: MIT */
/* Between the public structures and our own: errors, options, results. */
#ifndef ROCLATCH_BIN_LIB_ANSWER_H
#define ROCLATCH_BIN_LIB_ANSWER_H

#include "bin/lib/roclatch.h"
#include "rocp/request.h"

/* The error as the caller gets it; public may be NULL.  -1 if there is one, else 0. */
int answer_error(struct roclatch_error *public, const struct err *err);

/* Copy what a caller has filled in, by the size that it says; given may be NULL: all 0.  -1: it has no size, or asks for
 * something that only a later version knows. */
int answer_options(void *options, size_t size, const void *given, struct err *err);
/* Can it be filled in?  -1: the caller has not said its size.  NULL can. */
int answer_room(const void *wanted, struct err *err);
/* Fill in a structure of the caller's, as far as it knows it; wanted may be NULL. */
void answer_result(void *wanted, const void *result, size_t size);

/* No control characters. */
char *answer_plain(char *text);

/* roclatch attach's options and variables, for one process.  The request must be freed in either case. */
int answer_request(struct request *request, pid_t pid, const struct roclatch_attach_options *options, struct err *err);

#endif
