/* SPDX-License-Identifier: MIT */
/*
 * Wait until the right process is there and can be attached, without asking hot: a process that did not answer is
 * asked again only now and then (it may become another program by exec), one that cannot be attached yet when it has
 * run meanwhile.  All of it takes less than a hundredth of one CPU.
 */
#ifndef ROCLATCH_ROCP_AWAITED_H
#define ROCLATCH_ROCP_AWAITED_H

#include "rocp/attachable.h"
#include "rocp/select.h"

struct awaited {
	const struct request *request;  /* whom (with descendants if it says so), late or not */
	uint64_t deadline_ns;           /* CLOCK_MONOTONIC; 0: none */
	/* Called after each look in vain, with what is missing, and with a remedy where waiting alone will not help; may be
	 * NULL. */
	void (*waiting)(void *ctx, const char *missing, const char *remedy, bool changed);
	void *ctx;
};

/*
 * All that answer and can be attached now, as soon as there is one, or (-p) as each that was given has one in its
 * family.  Others that answer and have not initialised ROCm yet get a second to do so: the ranks of a job are seldom
 * ready in the same instant.  Whether the tool that is asked for fits is not looked at: that would not change by
 * waiting.  0, or -1: ERR_TIMEOUT with what was still missing, ERR_SIGNAL + n when call_stop_signal became n,
 * ERR_TARGET_EXITED when a given process ended, ERR_NOT_POSSIBLE when it is not there, ERR_FAILED.
 */
int awaited_processes(struct selection *selection, const struct awaited *awaited, struct err *err);

#endif
