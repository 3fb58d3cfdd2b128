/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_DROPIN_STATUS_H
#define ROCLATCH_BIN_DROPIN_STATUS_H

#include "bin/dropin/include/rocprofiler-sdk-rocattach/types.h"
#include "rocp/attach.h"

/* What a failure is called in rocattach's few words. */
rocattach_status_t status_of(pid_t pid, const struct preflight *preflight, const struct err *err);

#endif
