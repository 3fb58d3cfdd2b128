/* SPDX-License-Identifier: MIT */
/* The environment of a live process as it is now, not as it was started with. */
#ifndef ROCLATCH_ROCP_ENVIRONMENT_H
#define ROCLATCH_ROCP_ENVIRONMENT_H

#include "inject/images.h"
#include "rocp/env.h"

/* Variables whose names begin with ROC, HIP, HSA or LD_.  0, or -1 with err: there is no
 * environ in its libraries, or it changes faster than it can be read. */
int environment_read(struct images *images, struct env *env, struct err *err);

#endif
