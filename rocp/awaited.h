/* SPDX-License-Identifier: MIT */
/*
 * Wait until the right process is there and can be attached, without asking hot: what
 * has not changed since the last look is not looked at again.
 */
#ifndef ROCLATCH_ROCP_AWAITED_H
#define ROCLATCH_ROCP_AWAITED_H

#include "rocp/attachable.h"
#include "rocp/select.h"

struct awaited {
	const struct request *request;  /* whom, and late or not */
	uint64_t deadline_ns;           /* CLOCK_MONOTONIC; 0: none */
	/* may be NULL: told when the reason to wait changes; true to stop */
	bool (*waiting)(void *ctx, const char *reason);
	void *ctx;
};

/* All that answer, each attachable now.  0; -1: ERR_TIMEOUT with what was still missing, a signal, or what can
 * never become right. */
int awaited_processes(struct selection *selection, const struct awaited *awaited, struct err *err);

#endif
