/* SPDX-License-Identifier: MIT */
#include "rocp/env.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, ENOMEM, "keep an environment");
}

static struct env_var *find(const struct env *env, const char *name)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strcmp(env->v[i].name, name))
			return &env->v[i];
	return NULL;
}

static int add(struct env *env, const char *name, char *value, struct err *err)
{
	if (env->n == env->room) {
		size_t room = env->room ? 2 * env->room : 32;
		struct env_var *v = realloc(env->v, room * sizeof *v);
		if (!v)
			return no_memory(err);
		env->v = v;
		env->room = room;
	}
	char *copy = strdup(name);
	if (!copy)
		return no_memory(err);
	env->v[env->n++] = (struct env_var){ copy, value };
	return 0;
}

/* Takes over value, also when it fails. */
static int put(struct env *env, const char *name, char *value, struct err *err)
{
	if (!value)
		return no_memory(err);
	struct env_var *there = find(env, name);
	if (there) {
		free(there->value);
		there->value = value;
		return 0;
	}
	if (add(env, name, value, err) < 0) {
		free(value);
		return -1;
	}
	return 0;
}

int env_set(struct env *env, const char *name, const char *value, struct err *err)
{
	if (!*name || strchr(name, '='))
		return err_set(err, ERR_USAGE, 0, "'%s' cannot be the name of a variable", name);
	return put(env, name, strdup(value), err);
}

int env_append(struct env *env, const char *name, const char *value, const char *separator, struct err *err)
{
	const char *there = env_get(env, name);
	if (!there)
		return env_set(env, name, value, err);
	char *joined = malloc(strlen(there) + strlen(separator) + strlen(value) + 1);
	if (joined)
		strcpy(stpcpy(stpcpy(joined, there), separator), value);
	return put(env, name, joined, err);
}

void env_unset(struct env *env, const char *name)
{
	struct env_var *there = find(env, name);
	if (!there)
		return;
	free(there->name);
	free(there->value);
	size_t behind = (size_t)(env->v + env->n - (there + 1));
	memmove(there, there + 1, behind * sizeof *there);
	env->n--;
}

const char *env_get(const struct env *env, const char *name)
{
	const struct env_var *there = find(env, name);
	return there ? there->value : NULL;
}

void env_free(struct env *env)
{
	for (size_t i = 0; i < env->n; i++) {
		free(env->v[i].name);
		free(env->v[i].value);
	}
	free(env->v);
	*env = (struct env){ .n = 0 };
}

bool env_is_forwarded(const char *name)
{
	return !strncmp(name, "ROCP", 4) && strcmp(name, "ROCPROFILER_REGISTER_LIBRARY") &&
	       strcmp(name, "ROCP_TOOL_LIBRARIES");
}

int env_inherit(struct env *env, char *const *environment, struct err *err)
{
	for (; environment && *environment; environment++) {
		const char *equals = strchr(*environment, '=');
		if (!equals || equals == *environment)
			continue;
		char *name = strndup(*environment, (size_t)(equals - *environment));
		if (!name)
			return no_memory(err);
		/* Of a name that is there twice getenv answers the first. */
		int rc = !env_is_forwarded(name) || find(env, name) ? 0 : env_set(env, name, equals + 1, err);
		free(name);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int env_encode(const struct env *env, void **buffer, size_t *size, struct err *err)
{
	uint32_t count = (uint32_t)env->n;
	size_t need = sizeof count;
	for (size_t i = 0; i < env->n; i++)
		need += strlen(env->v[i].name) + strlen(env->v[i].value) + 2;
	char *bytes = malloc(need);
	if (!bytes)
		return no_memory(err);
	char *at = bytes;
	memcpy(at, &count, sizeof count);
	at += sizeof count;
	for (size_t i = 0; i < env->n; i++) {
		size_t length = strlen(env->v[i].name) + 1;
		memcpy(at, env->v[i].name, length);
		at += length;
		length = strlen(env->v[i].value) + 1;
		memcpy(at, env->v[i].value, length);
		at += length;
	}
	*buffer = bytes;
	*size = need;
	return 0;
}
