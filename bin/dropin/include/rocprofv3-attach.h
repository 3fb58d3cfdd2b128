/* SPDX-License-Identifier: MIT */
/*
 * librocprofv3-attach: the older interface, with one process at a time.  Names
 * this short are easily taken by others; new programs use
 * rocprofiler-sdk-rocattach/rocattach.h.
 */
#ifndef ROCPROFV3_ATTACH_H
#define ROCPROFV3_ATTACH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Both answer 0, or a rocattach_status_t that says why not. */
int attach(uint32_t pid);
/* What attach attached.  An argument, as some callers give it, does no harm. */
int detach(void);

#ifdef __cplusplus
}
#endif

#endif
