/* SPDX-License-Identifier: MIT */
#ifndef ROCATTACH_TYPES_H
#define ROCATTACH_TYPES_H

#include <stdint.h>

/* What a function answers.  The numbers are fixed. */
typedef enum rocattach_status_t {
	ROCATTACH_STATUS_SUCCESS = 0,
	/* the process cannot be attached, or the attachment failed inside of it */
	ROCATTACH_STATUS_ERROR,
	/* no process id, attached already, not attached, or a tool library that the process could not load */
	ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT,
	/* another CPU: never answered by this library */
	ROCATTACH_STATUS_ERROR_NOT_SUPPORTED,
	/* the kernel refused in the middle of the work */
	ROCATTACH_STATUS_ERROR_PTRACE_ERROR,
	/* the process may not be traced by this user, or somebody traces it */
	ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED,
	/* there is no such process (any more) */
	ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND,
	ROCATTACH_STATUS_LAST
} rocattach_status_t;

typedef struct rocattach_version_triplet_t {
	uint32_t major;
	uint32_t minor;
	uint32_t patch;
} rocattach_version_triplet_t;

#endif
