/* SPDX-License-Identifier: MIT */
/*
 * A blocked thread's stack is copied from outside; where that leads not to its end, as registers are
 * not known then, it is stopped for the copy if its system call does not notice that.  One that runs is
 * stopped.  What names the frames have is asked only after all copies.
 */
#include "bin/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "inject/blocked.h"

#define LOOKS 3                 /* at one that runs or ran meanwhile, from outside */
#define ROUNDS 3
#define STOP_WAIT_NS 200000000u /* one that waits for a CPU stops only when it gets one */

int stacks_open(struct stacks *stacks, struct watched *watched, size_t depth, struct err *err)
{
	*stacks = (struct stacks){ .watched = watched };
	stacks->frames.room = depth;
	stacks->frames.v = calloc(depth, sizeof *stacks->frames.v);
	if (!stacks->frames.v || copy_init(&stacks->copy, COPY_LARGE) < 0) {
		free(stacks->frames.v);
		return err_set(err, ERR_FAILED, 0, "out of memory for stacks");
	}
	stacks->unwinder = unwinder_open(&watched->images, err);
	if (stacks->unwinder)
		return 0;
	copy_free(&stacks->copy);
	free(stacks->frames.v);
	return -1;
}

void stacks_close(struct stacks *stacks)
{
	unwinder_close(stacks->unwinder);
	copy_free(&stacks->copy);
	free(stacks->frames.v);
	for (size_t i = 0; i < stacks->n; i++)
		free(stacks->v[i].frames);
	free(stacks->v);
}

static raddr stack_end(void *ctx, raddr sp)
{
	const struct images *images = ctx;
	const struct mapping *mapping = maps_at(&images->maps, sp);
	return mapping ? mapping->end : 0;
}

static int outside(struct stacks *stacks, pid_t tid, struct err *err)
{
	struct watched *watched = stacks->watched;
	int rc = 0;
	for (int i = 0; i < LOOKS && rc == 0; i++)
		rc = copy_outside(&stacks->copy, &watched->target.memory, watched->target.pid, tid, stack_end,
				  &watched->images, err);
	return rc;
}

/* Where the stack lies that a handler on a stack of its own has interrupted; 0: the one that was copied goes on. */
static raddr interrupted_stack(const struct stacks *stacks)
{
	const struct stack_copy *copy = &stacks->copy;
	raddr sp = stacks->frames.end_sp;
	return stacks->frames.end == END_CUT && sp - copy->low > copy->size ? sp : 0;
}

/* A stack that is deeper than the largest copy, or one of several, is read where it lies; that counts only if the
 * thread slept on. */
static void unwind_deep(struct stacks *stacks, pid_t tid)
{
	struct target *target = &stacks->watched->target;
	uint64_t before, after;
	if (proc_switches(target->pid, tid, &before) < 0 || outside(stacks, tid, NULL) <= 0)
		return;
	unwind(stacks->unwinder, &stacks->copy, &target->memory, &stacks->frames);
	if (proc_switches(target->pid, tid, &after) < 0 || before != after)
		unwind(stacks->unwinder, &stacks->copy, NULL, &stacks->frames);
}

/* Is there nothing that its registers could add? */
static bool is_sure(const struct frames *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		if (frames->v[i].how == FRAME_SEARCH)
			return false;
	return frames->end == END_OUTERMOST || frames->end == END_DEPTH || frames->end == END_CUT;
}

/* One that is blocked, as it was copied: will its system call go on as if nothing had happened? */
static bool may_stop(const struct stacks *stacks, const struct task *task)
{
	const char *what;
	if (task->state == TASK_WAITING || task->state == TASK_STOPPED)
		return false;
	enum pick_class class = blocked_class(&stacks->watched->target, &stacks->copy.call, &what);
	return class == PICK_EXACT || class == PICK_FUTEX;
}

static int keep(struct stacks *stacks, struct thread_stack *stack, struct err *err)
{
	const struct frames *frames = &stacks->frames;
	free(stack->frames);
	stack->frames = malloc((frames->n ? frames->n : 1) * sizeof *stack->frames);
	if (!stack->frames)
		return err_set(err, ERR_FAILED, 0, "out of memory for stacks");
	memcpy(stack->frames, frames->v, frames->n * sizeof *stack->frames);
	stack->n = frames->n;
	stack->taken = true;
	stack->way = stacks->copy.way;
	stack->end = frames->end;
	stack->why[0] = 0;
	if (frames->end != END_OUTERMOST)
		unwind_why(stacks->unwinder, frames, stack->why, sizeof stack->why);
	return 0;
}

static int from_outside(struct stacks *stacks, struct thread_stack *stack, bool *sure, struct err *err)
{
	stacks->copy.second_sp = 0;
	int rc = outside(stacks, stack->tid, err);
	*sure = false;
	if (rc <= 0)
		return rc;
	unwind(stacks->unwinder, &stacks->copy, NULL, &stacks->frames);
	stacks->copy.second_sp = interrupted_stack(stacks);
	if (stacks->frames.end == END_CUT)
		unwind_deep(stacks, stack->tid);
	*sure = is_sure(&stacks->frames);
	return keep(stacks, stack, err) < 0 ? -1 : 1;
}

static int stop(struct stacks *stacks, struct thread_stack *stack, struct err *err)
{
	struct target *target = &stacks->watched->target;
	int rc = copy_stop(&stacks->copy, &target->memory, target->pid, stack->tid, STOP_WAIT_NS, stack_end,
			   &stacks->watched->images, err);
	if (rc <= 0)
		return rc;
	unwind(stacks->unwinder, &stacks->copy, NULL, &stacks->frames);
	if (stacks->copy.stopped_ns > stack->stopped_ns)
		stack->stopped_ns = stacks->copy.stopped_ns;
	if (stack->stopped_ns > stacks->longest_stop_ns)
		stacks->longest_stop_ns = stack->stopped_ns;
	return 1;
}

/* One that runs tells only then that it has a second stack: once more, with that one. */
static int by_stop(struct stacks *stacks, struct thread_stack *stack, struct err *err)
{
	int rc = stop(stacks, stack, err);
	if (rc <= 0)
		return rc;
	raddr second = interrupted_stack(stacks);
	bool had = stack->taken && stack->end != END_CUT;
	if (second && second != stacks->copy.second_sp) {
		if (!had && keep(stacks, stack, err) < 0)
			return -1;
		stacks->copy.second_sp = second;
		rc = stop(stacks, stack, err);
	}
	/* what was read from outside goes further than a copy has room for */
	if (rc <= 0 || (had && stacks->frames.end == END_CUT))
		return rc;
	return keep(stacks, stack, err);
}

/* As it was when it was copied, which may be later than the look at all of them. */
static void describe(struct thread_stack *stack, const struct task *task, const struct stack_copy *blocked)
{
	struct task now = *task;
	char buf[sizeof stack->call];
	now.call_known = blocked != NULL;
	if (blocked)
		now.call = blocked->call;
	if (!blocked && task->state == TASK_SLEEPING)
		now.state = TASK_RUNNING;
	if (blocked && task->state == TASK_RUNNING)
		now.state = TASK_SLEEPING;
	stack->state = task_state_text(now.state);
	task_doing(&now, stack->doing, sizeof stack->doing);
	if (blocked && blocked->call.nr >= 0)
		snprintf(stack->call, sizeof stack->call, "%s", task_syscall_name(blocked->call.nr, buf, sizeof buf));
}

static void say_why_not(struct thread_stack *stack, int rc, const struct err *err)
{
	if (rc < 0 && err->code)
		snprintf(stack->why, sizeof stack->why, "%.250s", err->text);
	else
		snprintf(stack->why, sizeof stack->why, "it could neither be copied while it slept nor stopped within %u ms",
			 ROUNDS * (STOP_WAIT_NS / 1000000u));
}

/* -1 only when there is no sense in going on. */
static int take_one(struct stacks *stacks, struct thread_stack *stack, const struct task *task, struct err *err)
{
	const struct target *target = &stacks->watched->target;
	struct err inner = { .code = ERR_NONE };
	bool sure;
	stack->tid = task->tid;
	memcpy(stack->name, task->name, sizeof stack->name);
	int rc = 0;
	/* one that goes to sleep and wakes up again all the time may evade both for a while */
	for (int i = 0; i < ROUNDS && rc == 0 && !stack->taken; i++) {
		rc = from_outside(stacks, stack, &sure, &inner);
		describe(stack, task, rc > 0 ? &stacks->copy : NULL);
		if (rc == 0 || (rc > 0 && !sure && may_stop(stacks, task)))
			rc = by_stop(stacks, stack, &inner);
	}
	if (!target_alive(target))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d (%s) has ended", (int)target->pid, target->status.name);
	if (!stack->taken)
		say_why_not(stack, rc, &inner);
	stacks->outside += stack->taken && stack->way == COPY_OUTSIDE;
	stacks->stopped += stack->taken && stack->way == COPY_STOP;
	return 0;
}

static bool is_wanted(pid_t tid, const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tids[i] == tid)
			return true;
	return n == 0;
}

static int check_wanted(const struct tasks *tasks, const pid_t *tids, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		bool there = false;
		for (size_t k = 0; k < tasks->n && !there; k++)
			there = tasks->v[k].tid == tids[i];
		if (there)
			continue;
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no thread %d", (int)tasks->pid, (int)tids[i]);
		return err_remedy(err, "roclatch threads %d lists its threads", (int)tasks->pid);
	}
	return 0;
}

int stacks_take(struct stacks *stacks, const pid_t *tids, size_t n, struct err *err)
{
	struct tasks tasks;
	if (tasks_open(&tasks, stacks->watched->target.pid, err) < 0)
		return -1;
	int rc = tasks_tick(&tasks, true, err);
	if (rc == 0)
		rc = check_wanted(&tasks, tids, n, err);
	stacks->v = rc == 0 ? calloc(tasks.n ? tasks.n : 1, sizeof *stacks->v) : NULL;
	if (rc == 0 && !stacks->v)
		rc = err_set(err, ERR_FAILED, 0, "out of memory for %zu stacks", tasks.n);
	for (size_t i = 0; rc == 0 && i < tasks.n; i++)
		if (is_wanted(tasks.v[i].tid, tids, n))
			rc = take_one(stacks, &stacks->v[stacks->n++], &tasks.v[i], err);
	tasks_close(&tasks);
	return rc;
}
