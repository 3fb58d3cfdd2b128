/* SPDX-License-Identifier: MIT */
/* The program that has loaded the library: its environment, its stderr, and the thread that calls. */
#ifndef ROCLATCH_BIN_DROPIN_HOST_H
#define ROCLATCH_BIN_DROPIN_HOST_H

#include "bin/dropin/include/rocprofiler-sdk-rocattach/types.h"
#include "inject/target.h"

/* Do something for a thread that calls us, as inject/aside.h says. */
typedef rocattach_status_t host_work(pid_t pid);
rocattach_status_t host_run(host_work *work, pid_t pid);

/* What ROCATTACH_LOG_LEVEL allows; silence without it. */
enum log_level { LOG_SILENT, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_TRACE };
void host_log(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void host_log_error(const struct err *err);
/* The core's explanations. */
extern const struct say host_say;

/* Set-user-id or the like: the environment is somebody else's. */
bool host_is_secure(void);
/* Its environment without what is not meant for us; the list, not the texts, is the caller's to
 * free.  NULL: out of memory. */
char **host_environment(void);

#endif
