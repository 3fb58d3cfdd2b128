/* SPDX-License-Identifier: MIT */
/* What both sources of recordings share: the names, and the ways to them. */
#ifndef ROCLATCH_ROCP_TRACE_NAMES_H
#define ROCLATCH_ROCP_TRACE_NAMES_H

#include "rocp/trace/demangle.h"
#include "rocp/trace/texts.h"
#include "rocp/trace/trace.h"

#define VALUES_MOST (1u << 20)          /* of one dispatch's counters in one event */

/* Every source's `reading` begins with this. */
struct names {
	struct texts texts;
	struct index agents, counters, threads, kernels;
	struct index dispatched;        /* ids of kernels that events name */
};

static inline struct names *names_of(const struct trace *trace)
{
	return trace->reading;
}

/* A kernel id that an event names; if nothing tells its name by the end, it gets one. */
int names_dispatched(struct trace *trace, uint64_t kernel, struct err *err);
/* All names are there: sort them, make what is missing, demangle.  Nothing is added after this. */
int names_finish(struct trace *trace, struct err *err);
const struct kernel_symbol *names_kernel(const struct trace *trace, uint64_t id);      /* or NULL */
int names_note(struct trace *trace, const char *text, struct err *err);
void names_free(struct trace *trace);

/* The fields of the SDK's agent (LOG_AGENT_SIZE bytes) but its texts. */
void agent_decode(struct agent *agent, const unsigned char *bytes);

/* The sources.  The file is theirs from the call on. */
int log_open(struct trace *trace, int fd, struct err *err);
int rocpd_open(struct trace *trace, int fd, struct err *err);

#endif
