/* SPDX-License-Identifier: MIT */
/* What is asked for: rocprofv3's variables, as they are when the SDK initialises us.  Services cannot be
 * changed later. */
#ifndef ROCLATCH_ROCP_TOOL_SETTINGS_H
#define ROCLATCH_ROCP_TOOL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum service {
	SERVICE_HIP_RUNTIME, SERVICE_HIP_COMPILER, SERVICE_HSA_CORE, SERVICE_HSA_AMD, SERVICE_HSA_IMAGE,
	SERVICE_HSA_FINALIZER, SERVICE_MARKER, SERVICE_RCCL, SERVICE_ROCDECODE, SERVICE_ROCJPEG, SERVICE_ROCSHMEM,
	SERVICE_HIPFILE, SERVICE_KERNEL, SERVICE_COPY, SERVICE_ALLOCATION, SERVICE_SCRATCH, SERVICE_COUNTERS,
	SERVICES
};
extern const char *const service_variable[SERVICES];

struct settings {
	bool service[SERVICES];
	bool kernel_rename, selected_regions, regions_counted, mangled;
	const char *include, *exclude, *range;  /* of kernels that are counted; NULL: all */
	const char *counters;                   /* "pmc: A B:device=1", or NULL */
};

void settings_read(struct settings *settings, const char *(*get)(const char *name));
bool settings_are_true(const char *value);
/* Every variable that matters to a recording or to what is made of it: the n-th, or NULL. */
const char *settings_name(size_t n);
/* Variables that ask for what this tool does not do: the n-th, or NULL. */
const char *settings_not_done(size_t n);

/* The next counter's name in a list, with ":device=N" taken off and given (-1: all).  False: no more. */
bool settings_counter(const char **at, char *name, size_t size, int *device);

#endif
