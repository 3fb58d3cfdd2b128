/* SPDX-License-Identifier: MIT */
/* Rows of statistics taken together. */
#ifndef ROCLATCH_ROCP_FORMATS_TOTALS_H
#define ROCLATCH_ROCP_FORMATS_TOTALS_H

#include "rocp/trace/stats.h"

/* As if the calls of both had been counted in one; the name stays. */
void stat_add(struct stat_row *to, const struct stat_row *more);
/* All rows of a domain, without a name. */
struct stat_row stat_total(const struct stats *stats, enum domain domain);
double stat_percent(uint64_t part, uint64_t whole);
/* Are there rows to show?  Upstream has none for counters. */
bool stat_shown(const struct stats *stats, enum domain domain);

#endif
