/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "inject/watch/tasks.h"

static const char names[] =
#include "syscall_names.inc"    /* made by build.mk: "read\0" "write\0" ..., in order of their numbers */
;

const char *task_syscall_name(long nr, char *buf, size_t size)
{
	const char *name = names, *end = names + sizeof names - 1;
	for (long i = 0; i < nr && name < end; i++)
		name += strlen(name) + 1;
	if (nr >= 0 && name < end && name[0])
		return name;
	snprintf(buf, size, "syscall %ld", nr);
	return buf;
}
