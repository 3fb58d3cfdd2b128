/* SPDX-License-Identifier: MIT */
/* What both sources of recordings share: the names, and the ways to them. */
#ifndef ROCLATCH_ROCP_TRACE_NAMES_H
#define ROCLATCH_ROCP_TRACE_NAMES_H

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

/* demangle.c: what a name in an ELF file is to people; NULL with err: no memory.
 * More than DEMANGLE_PLAIN bytes need a stack of DEMANGLE_STACK; more than DEMANGLE_MOST stay as they are. */
#define DEMANGLE_PLAIN 1000u
#define DEMANGLE_MOST (16u << 10)
#define DEMANGLE_STACK (64u << 20)
const char *demangled_name(struct texts *texts, const char *name, struct err *err);
const char *truncated_name(struct texts *texts, const char *demangled, struct err *err);

/* The sources.  The file is theirs from the call on. */
int log_open(struct trace *trace, int fd, struct err *err);
int rocpd_open(struct trace *trace, int fd, struct err *err);

#endif
