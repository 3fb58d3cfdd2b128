/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_INJECT_GADGETS_H
#define ROCLATCH_INJECT_GADGETS_H

#include "arch/arch.h"
#include "inject/images.h"

/* Find a system call instruction and an rt_sigreturn that are already in the
 * target's text: in the vdso, the C library, the program, then anywhere.
 * They are decoded before they are given.  ERR_NOT_POSSIBLE if there is none. */
int gadgets_find(struct images *images, struct gadgets *gadgets, struct err *err);

#endif
