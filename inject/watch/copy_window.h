/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_INJECT_WATCH_COPY_WINDOW_H
#define ROCLATCH_INJECT_WATCH_COPY_WINDOW_H

#include "inject/watch/copy.h"

#define COPY_STOP_STACK (64u << 10)     /* behind the room for bytes: for the process that stops */

/* Copy from sp (less the red zone) to the end of its mapping, or as much as there is room for. */
int copy_window(struct stack_copy *copy, struct memory *memory, raddr sp, copy_end *end, void *ctx,
		struct err *err);

#endif
