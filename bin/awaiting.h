/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_AWAITING_H
#define ROCLATCH_BIN_AWAITING_H

#include "bin/output.h"
#include "rocp/select.h"

/* Those whom the request means, once they can be attached; what is missing is told meanwhile, whenever that changes.
 * As awaited_processes. */
int await_processes(struct selection *selection, const struct request *request, struct output *out, struct err *err);

#endif
