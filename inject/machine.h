/* SPDX-License-Identifier: MIT */
/* Is the target of our CPU and width? */
#ifndef ROCLATCH_INJECT_MACHINE_H
#define ROCLATCH_INJECT_MACHINE_H

#include "inject/target.h"

/* EM_* of this very program. */
uint16_t machine_ours(void);

/* The pure rule: ELF class and machine of a program against ours.  0, or -1
 * with ERR_NOT_POSSIBLE that names what it is. */
int machine_refuse(pid_t pid, const char *name, unsigned char elf_class, uint16_t machine,
		   uint16_t ours, struct err *err);

/* Look at the header of /proc/PID/exe, else at the vdso's in memory. */
int machine_check(struct target *target, struct err *err);

#endif
