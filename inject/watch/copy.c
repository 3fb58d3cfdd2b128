/* SPDX-License-Identifier: MIT */
/* The bytes of a stack, and copies from outside. */
#include "inject/watch/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/watch/copy_window.h"
#include "inject/watch/tasks_look.h"

#define SMALLEST_PAGE 4096
#define SECOND_MAX (64u << 10)  /* a stop is to be short */

int copy_init(struct stack_copy *copy, size_t room)
{
	*copy = (struct stack_copy){ .room = room };
	copy->bytes = malloc(room + COPY_STOP_STACK);
	if (!copy->bytes)
		return -1;
	memset(copy->bytes, 0, room + COPY_STOP_STACK); /* or its pages are made while a thread stands still */
	return 0;
}

void copy_free(struct stack_copy *copy)
{
	free(copy->bytes);
	*copy = (struct stack_copy){ 0 };
}

/* Where the end is not known, or not true any more: pages until one cannot be read. */
static int copy_pages(struct stack_copy *copy, struct memory *memory, struct err *err)
{
	copy->size = 0;
	while (copy->size < copy->room) {
		raddr at = copy->low + copy->size;
		size_t step = SMALLEST_PAGE - at % SMALLEST_PAGE;
		if (step > copy->room - copy->size)
			step = copy->room - copy->size;
		if (memory_read(memory, at, copy->bytes + copy->size, step, err) < 0)
			break;
		copy->size += step;
	}
	copy->whole = copy->size < copy->room;
	return copy->size ? 0 : -1;
}

static int copy_from(struct stack_copy *copy, struct memory *memory, raddr low, raddr end, struct err *err)
{
	copy->low = low;
	copy->whole = end > low && end - low <= copy->room;
	copy->size = copy->whole ? end - low : copy->room;
	if (end > low && memory_read(memory, low, copy->bytes, copy->size, err) == 0)
		return 0;
	return copy_pages(copy, memory, err);
}

static int copy_first(struct stack_copy *copy, struct memory *memory, raddr sp, raddr top, struct err *err)
{
	if (sp > ARCH_RED_ZONE && copy_from(copy, memory, sp - ARCH_RED_ZONE, top, err) == 0 &&
	    copy->size > ARCH_RED_ZONE)
		return 0;
	return copy_from(copy, memory, sp, top, err);   /* a stack that is empty: nothing is below it */
}

static void copy_second(struct stack_copy *copy, struct memory *memory, copy_end *end, void *ctx)
{
	raddr sp = copy->second_sp, top = sp > ARCH_RED_ZONE && end ? end(ctx, sp) : 0;
	if (top <= sp)
		return;
	size_t room = copy->room - copy->size, size = top - (sp - ARCH_RED_ZONE);
	if (room > SECOND_MAX)
		room = SECOND_MAX;
	if (size > room)
		size = room;
	copy->second_low = sp - ARCH_RED_ZONE;
	if (memory_read(memory, copy->second_low, copy->bytes + copy->size, size, NULL) == 0)
		copy->second_size = size;
}

int copy_window(struct stack_copy *copy, struct memory *memory, raddr sp, copy_end *end, void *ctx,
		struct err *err)
{
	copy->stopped_ns = 0;
	copy->second_size = 0;
	if (copy_first(copy, memory, sp, end ? end(ctx, sp) : 0, err) < 0)
		return -1;
	copy_second(copy, memory, end, ctx);
	return 0;
}

int copy_blocked(struct stack_copy *copy, struct memory *memory, pid_t tid, const struct proc_syscall *call,
		 copy_end *end, void *ctx, struct err *err)
{
	copy->tid = tid;
	copy->way = COPY_OUTSIDE;
	copy->call = *call;
	copy->regs.known = 0;
	frame_set(&copy->regs, UNWIND_SP, call->sp);
	frame_set(&copy->regs, UNWIND_PC, call->pc);
	return copy_window(copy, memory, call->sp, end, ctx, err);
}

static int thread_gone(pid_t tid, struct err *err)
{
	return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", (int)tid);
}

static int copy_between(struct stack_copy *copy, struct memory *memory, struct tasks *tasks, pid_t tid,
			copy_end *end, void *ctx, struct err *err)
{
	struct task task = { .tid = tid, .fd_sched = -1, .fd_call = -1, .fd_stat = -1 };
	struct task_ran before, after;
	struct proc_syscall call;
	struct err why = { 0 };
	if (task_ran(tasks, &task, &before) < 0)
		return thread_gone(tid, err);
	if (proc_syscall(tasks->pid, tid, &call, &why) < 0) {
		if (why.sys == ESRCH || why.sys == ENOENT)
			return thread_gone(tid, err);
		return err_set(err, ERR_NOT_POSSIBLE, why.sys, "read what thread %d waits for", (int)tid);
	}
	if (call.running)
		return 0;
	int rc = copy_blocked(copy, memory, tid, &call, end, ctx, err);
	if (task_ran(tasks, &task, &after) < 0)
		return thread_gone(tid, err);
	if (before.run_ns != after.run_ns || before.switches != after.switches)
		return 0;
	return rc < 0 ? -1 : 1;
}

int copy_outside(struct stack_copy *copy, struct memory *memory, pid_t pid, pid_t tid,
		 copy_end *end, void *ctx, struct err *err)
{
	struct tasks tasks;
	if (tasks_open(&tasks, pid, err) < 0) {
		if (err && err->code == ERR_NOT_POSSIBLE)
			err->code = ERR_TARGET_EXITED;
		return -1;
	}
	tasks.fds_max = 0;
	int rc = copy_between(copy, memory, &tasks, tid, end, ctx, err);
	tasks_close(&tasks);
	return rc;
}
