/* SPDX-License-Identifier: MIT */
/* How outputs call what they show, where that is a matter of settings. */
#ifndef ROCLATCH_ROCP_FORMATS_LABEL_H
#define ROCLATCH_ROCP_FORMATS_LABEL_H

#include "rocp/formats/formats.h"

/* "HIP_API", "KERNEL_DISPATCH", ...: as stats and summaries call a domain. */
void domain_label(enum domain domain, char out[32]);
/* Upstream's order of domains, all of them. */
extern const enum domain domain_order[DOMAINS];

#endif
