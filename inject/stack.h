/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_INJECT_STACK_H
#define ROCLATCH_INJECT_STACK_H

#include "inject/images.h"

/* Find `size` bytes that nobody uses, ending at or below `top` (a stack pointer
 * less its red zone).  Only on what is surely a stack with room: the main stack,
 * or a mapping with a guard page below it.  Fibers, goroutines and alternate
 * stacks lie in memory that others share: for these, the unused end of a
 * library's last page.  0 and *at, or -1. */
int stack_room(struct images *images, raddr top, size_t size, raddr *at, struct err *err);

#endif
