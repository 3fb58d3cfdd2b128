/* SPDX-License-Identifier: MIT */
/* The stacks of a process's threads, each taken once. */
#ifndef ROCLATCH_BIN_STACKS_H
#define ROCLATCH_BIN_STACKS_H

#include "bin/watched.h"
#include "inject/watch/unwind.h"

/* What was had of one thread. */
struct thread_stack {
	pid_t tid;
	char name[32];
	char doing[64];         /* "sleeping in futex" */
	const char *state;
	char call[32];          /* "" if it is in none */
	bool taken;
	enum copy_way way;
	uint64_t stopped_ns;
	struct frame *frames;
	size_t n;
	enum unwind_end end;
	char why[256];          /* there is no stack, or it goes no further; "" */
};

struct stacks {
	struct watched *watched;
	struct unwinder *unwinder;
	struct stack_copy copy;
	struct frames frames;   /* room for the deepest */
	struct thread_stack *v;
	size_t n;
	uint64_t longest_stop_ns;
	size_t stopped, outside;
};

int stacks_open(struct stacks *stacks, struct watched *watched, size_t depth, struct err *err);
void stacks_close(struct stacks *stacks);
/* Of all threads, or of those named.  ERR_NOT_POSSIBLE: a thread is not there.  ERR_TARGET_EXITED: what
 * was had until then is there. */
int stacks_take(struct stacks *stacks, const pid_t *tids, size_t n, struct err *err);

#endif
