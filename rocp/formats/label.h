/* SPDX-License-Identifier: MIT */
/* How outputs call what they show, where that is a matter of settings. */
#ifndef ROCLATCH_ROCP_FORMATS_LABEL_H
#define ROCLATCH_ROCP_FORMATS_LABEL_H

#include "rocp/formats/formats.h"

/* The kernel's name: with --kernel-rename the text of the marker around it. */
const char *kernel_label(const struct conversion *conversion, const struct event *event);
/* "HIP_API", "KERNEL_DISPATCH", ...: as stats and summaries call a domain. */
void domain_label(enum domain domain, char out[32]);
/* Upstream's order of domains, all of them. */
extern const enum domain domain_order[DOMAINS];

#endif
