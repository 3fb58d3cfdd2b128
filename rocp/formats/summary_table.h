/* SPDX-License-Identifier: MIT */
/* One table of a summary: the names of some domains, those that took most time first. */
#ifndef ROCLATCH_ROCP_FORMATS_SUMMARY_TABLE_H
#define ROCLATCH_ROCP_FORMATS_SUMMARY_TABLE_H

#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"

/* domains: bits of those to be in it.  Nothing is written where they have no calls. */
int summary_table(const struct conversion *conversion, unsigned domains, const char *title, struct file *out, struct err *err);

#endif
