/* SPDX-License-Identifier: MIT */
/*
 * Names of output files with keys in them, as rocprofv3's -o and -d know them:
 * %pid%, {hostname}, %p, %env{NAME}%.  They are filled in outside the target,
 * from what is known of it.
 */
#ifndef ROCLATCH_ROCP_OUTPUT_NAME_H
#define ROCLATCH_ROCP_OUTPUT_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

#define OUTPUT_NAME_VARIABLE "ROCPROF_OUTPUT_FILE_NAME"
#define OUTPUT_NAME_DEFAULT "%hostname%/%pid%"

struct output_facts {
	const char *hostname;
	long pid, ppid, pgid, psid;     /* as the process sees them */
	long siblings;                  /* processes of the same parent, with itself; 0: not known */
	const char *const *argument;
	size_t arguments;
	const char *folder;             /* its current one */
	int64_t launched;               /* CLOCK_REALTIME in seconds */
	/* a variable of the process, or NULL */
	const char *(*variable)(void *ctx, const char *name);
	void *ctx;
};

/* ERR_USAGE if it would be longer than size.  What is no key stays as it is. */
int output_name_expand(const char *text, const struct output_facts *facts, char *out, size_t size, struct err *err);

/* Would two processes of a job write to the same files?  Not if there is a key in the folder or the name that differs
 * between them, as %pid% or %rank%.  folder may be NULL. */
int output_name_is_shared(const char *folder, const char *name);

/* Are there keys in it? */
int output_name_has_keys(const char *text);

#endif
