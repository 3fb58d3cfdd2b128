/* SPDX-License-Identifier: MIT */
/* What a name in an ELF file is to people. */
#ifndef ROCLATCH_ROCP_TRACE_DEMANGLE_H
#define ROCLATCH_ROCP_TRACE_DEMANGLE_H

#include "rocp/trace/texts.h"

/* NULL with err: no memory.
 * More than DEMANGLE_PLAIN bytes need a stack of DEMANGLE_STACK; more than DEMANGLE_MOST stay as they are. */
#define DEMANGLE_PLAIN 1000u
#define DEMANGLE_MOST (16u << 10)
#define DEMANGLE_STACK (64u << 20)
const char *demangled_name(struct texts *texts, const char *name, struct err *err);
const char *truncated_name(struct texts *texts, const char *demangled, struct err *err);

#endif
