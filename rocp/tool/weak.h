/* SPDX-License-Identifier: MIT */
/*
 * Functions that are in libdl and libpthread before glibc 2.34 and in libc since.
 * They are taken from the process, which has them (the SDK that loads us uses
 * them), rather than from libraries that we would have to name: a tool that cannot
 * be loaded is a target that aborts.
 */
#ifndef ROCLATCH_ROCP_TOOL_WEAK_H
#define ROCLATCH_ROCP_TOOL_WEAK_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlopen
#pragma weak dlsym
#pragma weak pthread_create
#pragma weak pthread_detach
#pragma weak pthread_join
#pragma weak pthread_attr_setstacksize

static inline bool weak_are_there(void)
{
	return dladdr && dlclose && dlopen && dlsym && pthread_create && pthread_detach && pthread_join &&
	       pthread_attr_setstacksize;
}

#endif
