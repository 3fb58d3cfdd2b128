/* SPDX-License-Identifier: MIT */
#include "rocp/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLES_MAX 16384
#define VALUE_MAX (1u << 20)
#define TRIES 3

/* A program that uses environ itself has it in its own data (a copy relocation). */
static int find_environ(struct images *images, raddr *at, struct err *err)
{
	static const char *const names[] = { "__environ", "environ" };
	struct image *holders[] = { images_exe(images), images_libc_image(images) };
	for (size_t h = 0; h < 2; h++)
		for (size_t n = 0; n < 2; n++) {
			struct elf_symbol symbol;
			if (holders[h] && image_open(images, holders[h], NULL) == 0 &&
			    elf_symbol_find(&holders[h]->elf, names[n], &symbol, NULL) == 1) {
				*at = symbol.addr;
				return 0;
			}
		}
	return err_set(err, ERR_NOT_POSSIBLE, 0, "the process has no environ: it is statically linked, or has no C library");
}

static bool is_wanted(const char *text)
{
	return !strncmp(text, "ROC", 3) || !strncmp(text, "HIP", 3) || !strncmp(text, "HSA", 3) || !strncmp(text, "LD_", 3);
}

static int read_variable(struct memory *memory, raddr at, struct env *env, struct err *err)
{
	char head[64], *text = head;
	if (memory_read_text(memory, at, head, sizeof head, err) < 0)
		return -1;
	if (!is_wanted(head))
		return 0;
	if (strlen(head) == sizeof head - 1) {
		text = malloc(VALUE_MAX);
		if (!text)
			return err_set(err, ERR_FAILED, ENOMEM, "read the environment");
	}
	int rc = text == head ? 0 : memory_read_text(memory, at, text, VALUE_MAX, err);
	char *value = rc == 0 ? strchr(text, '=') : NULL;
	/* of two with one name, getenv takes the first */
	if (value && value != text) {
		*value++ = '\0';
		rc = env_get(env, text) ? 0 : env_set(env, text, value, err);
	}
	if (text != head)
		free(text);
	return rc;
}

static int read_once(struct images *images, raddr environ_at, struct env *env, struct err *err)
{
	struct memory *memory = &images->target->memory;
	raddr list, at[64];
	if (memory_read(memory, environ_at, &list, sizeof list, err) < 0)
		return -1;
	for (size_t i = 0, n; list && i < VARIABLES_MAX; i += n) {
		/* as many as lie in one piece: behind its end there may be nothing */
		n = sizeof at - (list + i * sizeof *at) % sizeof at;
		n = n < sizeof *at ? 1 : n / sizeof *at;
		if (memory_read(memory, list + i * sizeof *at, at, n * sizeof *at, err) < 0)
			return -1;
		for (size_t k = 0; k < n; k++) {
			if (!at[k])
				return 0;
			if (read_variable(memory, at[k], env, err) < 0)
				return -1;
		}
	}
	return list ? err_set(err, ERR_FAILED, 0, "the environment has no end") : 0;
}

int environment_read(struct images *images, struct env *env, struct err *err)
{
	raddr at = 0;
	*env = (struct env){ 0 };
	if (find_environ(images, &at, err) < 0)
		return -1;
	for (int i = 0; i < TRIES; i++) {
		if (read_once(images, at, env, err) == 0)
			return 0;
		env_free(env);          /* it changed under our eyes */
	}
	return err_wrap(err, "read the environment");
}
