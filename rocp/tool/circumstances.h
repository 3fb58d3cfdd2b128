/* SPDX-License-Identifier: MIT */
/* Who and where: what a log begins with, and the names of threads as they come. */
#ifndef ROCLATCH_ROCP_TOOL_CIRCUMSTANCES_H
#define ROCLATCH_ROCP_TOOL_CIRCUMSTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "rocp/log.h"

void circumstances_head(struct log_head *head, uint32_t sdk_version, uint32_t session);
void circumstances_put(const char *log_path);

/* Threads that are new, and with `all` those whose name has changed. */
void threads_put(bool all);
void threads_forget(void);

#endif
