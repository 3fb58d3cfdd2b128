/* SPDX-License-Identifier: MIT */
/*
 * Which tables are registered with rocprofiler-register?  Only the library knows,
 * and asking it means calling into the target; calling its attach function
 * without a "rocattach" table crashes the target.  So its list is found by its
 * looks in the library's data:
 *
 *   bool propagated; const char *name; function *import; uint32_t version;
 *   void **begin, **end, **capacity; uint64_t instance; bool engaged;
 */
#ifndef ROCLATCH_ROCP_REGISTERED_H
#define ROCLATCH_ROCP_REGISTERED_H

#include "inject/images.h"

struct registered_table {
	char name[24];
	uint32_t version;
	bool propagated;        /* passed on to an SDK already */
};

/* Entries of the register's list, at most `max`.  How many; 0 also when its layout is another one. */
size_t registered_tables(struct images *images, const struct image *reg, struct registered_table *tables, size_t max);

#endif
