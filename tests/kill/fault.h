/* SPDX-License-Identifier: MIT */
/* System calls by name, how each may fail, and what an old kernel does not have. */
#ifndef ROCLATCH_TESTS_KILL_FAULT_H
#define ROCLATCH_TESTS_KILL_FAULT_H

#include <stddef.h>
#include <stdint.h>

struct fault_call {
	uint64_t nr, arg[6];
};

/* "ptrace(SETREGSET, 4711)" */
void fault_describe(const struct fault_call *call, char *text, size_t size);

/* An errno that this call can really end with; another one for another round.
 * 0: a call that cannot fail (exit_group). */
int fault_errno(const struct fault_call *call, unsigned round);

/* A set of features taken away, one bit each. */
#define FAULT_FEATURES_ALL UINT64_MAX
uint64_t fault_feature(const char *name);               /* 0: there is none of that name */
const char *fault_feature_name(unsigned bit);           /* NULL: that was the last */
int fault_taken_away(const struct fault_call *call, uint64_t features); /* the errno, or 0 */

#endif
