/* SPDX-License-Identifier: MIT */
/* Steps of a call that change the target's environment by its own C library. */
#ifndef ROCLATCH_ROCP_REMOTE_H
#define ROCLATCH_ROCP_REMOTE_H

#include "inject/call.h"

struct remote { raddr set, unset, control; };   /* setenv, unsetenv, prctl */

int remote_find(struct remote *remote, struct images *images, struct err *err);
/* The texts must stay until the call is made.  value NULL: unset it. */
struct call_step remote_variable(const struct remote *remote, const char *name, const char *value);

/* Name the calling thread.  A fresh one has the name of the thread that was borrowed to make it,
 * and what the tool starts would inherit the listener's. */
struct call_step remote_name(const struct remote *remote, const char *name);

/* A function of one image, as a step without arguments. */
int remote_function(struct images *images, struct image *image, const char *name, struct call_step *step,
		    struct err *err);

#endif
