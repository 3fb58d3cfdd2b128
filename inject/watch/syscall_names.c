/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "inject/watch/tasks.h"

static const char *const names[] = {
#include "syscall_names.inc"    /* made by build.mk */
};

const char *task_syscall_name(long nr, char *buf, size_t size)
{
	if (nr >= 0 && (size_t)nr < sizeof names / sizeof *names && names[nr])
		return names[nr];
	snprintf(buf, size, "syscall %ld", nr);
	return buf;
}
