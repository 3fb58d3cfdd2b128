/* SPDX-License-Identifier: MIT */
/* What this program has attached, for all of its threads.  All functions answer a rocattach_status_t. */
#ifndef ROCLATCH_BIN_DROPIN_SESSIONS_H
#define ROCLATCH_BIN_DROPIN_SESSIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "bin/dropin/include/rocprofiler-sdk-rocattach/types.h"

rocattach_status_t sessions_attach(pid_t pid);
rocattach_status_t sessions_detach(pid_t pid);
/* Is it attached, and does it live? */
bool sessions_has(pid_t pid);
/* The last failure, or success; also if there was nothing. */
rocattach_status_t sessions_detach_all(pid_t unused);

rocattach_status_t sessions_attach_tree(pid_t root);
rocattach_status_t sessions_detach_tree(pid_t root);

#endif
