/* SPDX-License-Identifier: MIT */
/*
 * Environment variables on their way into a target: an ordered list, and the
 * form in which rocprofiler_register_attach takes it.
 */
#ifndef ROCLATCH_ROCP_ENV_H
#define ROCLATCH_ROCP_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/err.h"

struct env_var { char *name, *value; };
struct env {
	struct env_var *v;      /* in order of their first setting, each name once */
	size_t n, room;
};

/* All return 0, or -1 with err (out of memory; ERR_USAGE for a name that is empty or has a '='). */
int env_set(struct env *env, const char *name, const char *value, struct err *err);
/* Behind what is there, with the separator between; as env_set if it is not there. */
int env_append(struct env *env, const char *name, const char *value, const char *separator, struct err *err);
void env_unset(struct env *env, const char *name);
const char *env_get(const struct env *env, const char *name);   /* NULL: not there */
void env_free(struct env *env);

/* What upstream forwards of the caller's own variables: names that begin with ROCP, without
 * ROCPROFILER_REGISTER_LIBRARY and ROCP_TOOL_LIBRARIES. */
bool env_is_forwarded(const char *name);
int env_inherit(struct env *env, char *const *environment, struct err *err);

/* uint32 count in host order, then count times name NUL value NUL.  *buffer is the caller's to free. */
int env_encode(const struct env *env, void **buffer, size_t *size, struct err *err);

#endif
