/* SPDX-License-Identifier: MIT */
#include "rocp/remote.h"

#include <string.h>
#include <sys/prctl.h>

static int find(struct images *images, const char *name, raddr *at, struct err *err)
{
	const char *const names[] = { name, NULL };
	struct elf_symbol symbol;
	int found = images_libc_symbol(images, names, &symbol, err);
	if (found == 0)
		err_set(err, ERR_NOT_POSSIBLE, 0, "the C library of process %d has no %s", (int)images->target->pid, name);
	if (found <= 0)
		return -1;
	*at = symbol.addr;
	return 0;
}

int remote_find(struct remote *remote, struct images *images, struct err *err)
{
	*remote = (struct remote){ 0 };
	if (find(images, "setenv", &remote->set, err) < 0 || find(images, "unsetenv", &remote->unset, err) < 0)
		return -1;
	return find(images, "prctl", &remote->control, err);
}

static struct call_arg text(const char *value)
{
	return (struct call_arg){ .data = value, .size = strlen(value) + 1 };
}

struct call_step remote_variable(const struct remote *remote, const char *name, const char *value)
{
	if (!value)
		return (struct call_step){ .fn = remote->unset, .nargs = 1, .arg = { text(name) } };
	return (struct call_step){ .fn = remote->set, .nargs = 3, .arg = { text(name), text(value), { .value = 1 } } };
}

struct call_step remote_name(const struct remote *remote, const char *name)
{
	return (struct call_step){ .fn = remote->control, .nargs = 2, .arg = { { .value = PR_SET_NAME }, text(name) } };
}

int remote_function(struct images *images, struct image *image, const char *name, struct call_step *step,
		    struct err *err)
{
	struct elf_symbol symbol;
	if (images_symbol(images, image, name, &symbol, err) < 0)
		return -1;
	*step = (struct call_step){ .fn = symbol.addr };
	return 0;
}
