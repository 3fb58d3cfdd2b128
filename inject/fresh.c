/* SPDX-License-Identifier: MIT */
/* The fresh thread: made by the target's own pthread_create, watched while it
 * makes the call, and gone without a trace. */
#include <asm/unistd.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

#include "inject/run.h"

#define POLL_FIRST_NS 20000ull
#define POLL_LAST_NS 2000000ull
#define STOPPED_LOOK_NS 50000000ull

int fresh_make(struct run *run, struct err *err)
{
	struct region *region = &run->region;
	raddr attr, id, low = region->base + region->page;
	if (region_reserve(region, 128, &attr, err) < 0 || region_reserve(region, 16, &id, err) < 0)
		return -1;
	run->borrow.blocked[1] = ~(run_open_signals(run) | 7ull << 31);         /* and the C library's own signals, 32 to 34 */
	struct mailbox head = { .mask = run->borrow.blocked[1], .nap_nsec = 1000000 };
	if (steps_write(run, run->call->step, run->call->steps, region->mailbox, &head, err) < 0)
		return -1;

	struct call_step make[4] = {
		{ .fn = run->libc.attr_init, .nargs = 1, .arg = { { .value = attr } } },
		{ .fn = run->libc.attr_setstack, .nargs = 3,
		  .arg = { { .value = attr }, { .value = low }, { .value = region->stack - low } } },
		{ .fn = run->libc.attr_setdetach, .nargs = 2,
		  .arg = { { .value = attr }, { .value = 1 /* PTHREAD_CREATE_DETACHED */ } } },
		{ .fn = run->libc.create, .nargs = 4,
		  .arg = { { .value = id }, { .value = attr },
			   { .value = region_code(region, trampoline_fresh) },
			   { .value = region->mailbox } } },
	};
	for (int i = 0; i < 4; i++)
		make[i].stop_if_nonzero = true;
	if (run_on_borrowed(run, make, 4, region->small_stack, region->maker, true, err) < 0)
		return run->call->report.crash.signo ? err_wrap(err, "pthread_create") : -1;
	run->refused = make[3].returned && (int)make[3].result == EAGAIN;
	for (int i = 0; i < 4; i++)
		if (!make[i].returned || (int)make[i].result)
			return err_set(err, ERR_NOT_POSSIBLE, (int)make[i].result, "the target's %s failed",
				       i == 3 ? "pthread_create" : "pthread_attr_setstack");
	if (!run->fresh.tid)
		return err_set(err, ERR_FAILED, 0, "pthread_create made no thread");
	return 0;
}

/* One stop of the fresh thread while the call runs. */
static int on_stop(struct run *run, struct err *err)
{
	struct thread *fresh = &run->fresh;
	struct regs regs;
	struct mailbox mailbox;

	switch (fresh->state) {
	case THREAD_GROUP_STOP:
		return thread_resume(fresh, PTRACE_LISTEN, 0, err);
	case THREAD_SIGNAL:
		if (!crash_is_one(run, fresh->tid, fresh->signo))
			return thread_resume(fresh, PTRACE_CONT, fresh->signo, err);
		crash_note(run, fresh->tid, fresh->signo);
		if (mailbox_read(run, run->region.mailbox, &mailbox, err) < 0)
			return -1;
		if (thread_regs_get(fresh, &regs, err) < 0)
			return -1;
		arch_divert_recover(&regs, region_code(&run->region, trampoline_recover),
				    mailbox.saved_sp, run->region.mailbox);
		if (thread_regs_set(fresh, &regs, err) < 0)
			return -1;
		return thread_resume(fresh, PTRACE_CONT, 0, err);
	default:
		return thread_resume(fresh, PTRACE_CONT, 0, err);
	}
}

static int give_up(const struct run *run, struct err *err)
{
	bool stopped = run_is_stopped(run);
	err_set(err, ERR_TIMEOUT, 0, "the function was not done in %u ms%s", run->call->timeout_ms,
		stopped ? ", as its process was stopped meanwhile" : "");
	if (stopped)
		return err_remedy(err, "continue it: kill -CONT %d", run->images->target->pid);
	return err_remedy(err, "allow more time with --timeout-msec");
}

static int was_signalled(struct err *err)
{
	return err_set(err, ERR_SIGNAL + call_stop_signal, 0, "stopped by a signal while the function ran");
}

int fresh_await_continue(struct run *run, struct err *err)
{
	struct thread *fresh = &run->fresh;
	for (;;) {
		if (fresh->state == THREAD_STOPPED)
			return 0;
		if (fresh->state == THREAD_GONE)
			return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", fresh->tid);
		if (fresh->state != THREAD_RUNNING && thread_resume(fresh, PTRACE_LISTEN, 0, err) < 0)
			return -1;
		if (call_stop_signal)
			return was_signalled(err);
		uint64_t now = now_ns();
		if (now >= run->deadline_ns) {
			err_set(err, ERR_TIMEOUT, 0, "the function is done, but its process was stopped before its thread had ended");
			return err_remedy(err, "continue it: kill -CONT %d", run->images->target->pid);
		}
		thread_wait(fresh, now + STOPPED_LOOK_NS < run->deadline_ns ? now + STOPPED_LOOK_NS : run->deadline_ns);
	}
}

static bool is_done(const struct run *run)
{
	struct memory *memory = &run->images->target->memory;
	uint32_t done = 0;
	return memory_read(memory, run->region.mailbox + MB_DONE, &done, sizeof done, NULL) == 0 && done &&
	       memory_is_current(memory, run->gadgets.syscall);         /* or it is another program's */
}

/* Wait until the round is done: 1 done, 0 thread gone, -1 limit or failure.  A thread that was done and has waited for us in
 * vain is gone, too. */
static int wait_done(struct run *run, struct err *err)
{
	struct thread *fresh = &run->fresh;
	uint64_t nap = POLL_FIRST_NS;
	for (;;) {
		if (is_done(run))
			return 1;
		uint64_t now = now_ns();
		if (call_stop_signal)
			return was_signalled(err);
		if (now >= run->deadline_ns)
			return target_dumps(run->images->target) ? 0 : give_up(run, err);
		thread_wait(fresh, now + nap < run->deadline_ns ? now + nap : run->deadline_ns);
		if (fresh->state == THREAD_GONE) {
			run_let_new_program_go(run);
			return is_done(run);
		}
		if (fresh->state != THREAD_RUNNING && on_stop(run, err) < 0)
			return fresh->state == THREAD_GONE ? 0 : -1;
		nap = nap * 3 / 2 < POLL_LAST_NS ? nap * 3 / 2 : POLL_LAST_NS;
	}
}

/* Hold the thread in its hold loop. */
static int hold(struct run *run, struct err *err)
{
	int rc = thread_stop(&run->fresh, now_ns() + END_LIMIT_NS, err);
	return rc > 0 ? fresh_await_continue(run, err) : rc;
}

int fresh_answer(struct run *run, uint32_t ack, struct err *err)
{
	return memory_write(&run->images->target->memory, run->region.mailbox + MB_ACK, &ack, sizeof ack, err);
}

/* Another round of steps on the held thread. */
static int again(struct run *run, const struct call_step *steps, unsigned n, struct err *err)
{
	struct mailbox head;
	if (mailbox_read(run, run->region.mailbox, &head, err) < 0)
		return -1;
	head.done = 0;
	head.ack = MB_ACK_AGAIN;
	if (steps_write(run, steps, n, run->region.mailbox, &head, err) < 0)
		return -1;
	return thread_resume(&run->fresh, PTRACE_CONT, 0, err);
}

int fresh_round(struct run *run, struct call_step *steps, unsigned n, struct err *err)
{
	if (again(run, steps, n, err) < 0 || wait_done(run, err) != 1 || hold(run, err) < 0)
		return -1;
	return steps_read(run, steps, n, run->region.mailbox, err);
}

static int ended_early(struct run *run, struct err *err)
{
	if (target_ends(run->images->target))
		return err_set(err, ERR_TARGET_EXITED, 0,
			       "process %d ended while the function ran (it may have called exit)",
			       run->images->target->pid);
	if (!memory_is_current(&run->images->target->memory, run->gadgets.syscall))
		return err_set(err, ERR_TARGET_EXITED, 0,
			       "process %d became another program (exec) while the function ran",
			       run->images->target->pid);
	return err_set(err, ERR_CALLED_CODE, 0, "the function ended its own thread and did not return");
}

/* The limit is reached: the function goes on without us. */
static int leave_running(struct run *run)
{
	struct thread *fresh = &run->fresh;
	pid_t tid = fresh->tid;
	fresh_answer(run, MB_ACK_END, NULL);  /* it need not wait for us at its end */
	if (thread_stop(fresh, now_ns() + END_LIMIT_NS, NULL) >= 0)
		thread_detach(fresh, 0, NULL);
	left(&run->call->report, "thread %d, which %s, and its stack of %u KiB; both go when it returns and roclatch runs again",
	     tid, run_is_stopped(run) ? "is stopped as its process is" : "still runs the function", REGION_SIZE >> 10);
	return -1;
}

/* We were too slow for its patience, but it was done; what was to follow cannot. */
static int without_thread(const struct run *run, int more, struct err *err)
{
	if (more <= 0)
		return more;
	if (target_ends(run->images->target))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended before the call was done", run->images->target->pid);
	err_set(err, ERR_TIMEOUT, 0, "the thread of the call ended, as roclatch got no CPU for more than a second, and the call is done in part");
	return err_remedy(err, "try again when the machine is less busy, or give roclatch priority: chrt -f 1 roclatch ...");
}

int fresh_watch(struct run *run, struct err *err)
{
	struct call *call = run->call;
	struct err later = { 0 };
	int more, rc = 0;
	do {
		int done = wait_done(run, err);
		if (done < 0)
			return leave_running(run);
		if (done == 0)
			return ended_early(run, err);
		call->report.call_ns = now_ns() - run->go_ns;
		bool held = hold(run, err) == 0;
		if (steps_read(run, call->step, call->steps, run->region.mailbox, err) < 0)
			return leave_running(run);
		if (!held && thread_lives(run->fresh.tid))
			return leave_running(run);
		if (call->report.crash.signo) {
			rc = crash_error(run, err);
			break;
		}
		more = call->held ? call->held(call, run->images, call->ctx, err) : 0;
		if (more > 0 && run_check_steps(run, err) < 0)
			more = -1;
		if (!held)
			return without_thread(run, more, err);
		if (more < 0)
			rc = -1;
		if (more > 0 && again(run, call->step, call->steps, err) < 0)
			return leave_running(run);
	} while (more > 0);

	if (fresh_finish(run, &later) < 0) {
		/* too slow for its patience: it was done, and has ended by itself */
		if (run->fresh.state == THREAD_GONE && !run->fresh.killed && target_alive(run->images->target))
			return rc;
		if (run->fresh.state != THREAD_GONE)
			leave_running(run);
		if (rc == 0 && err)
			*err = later;
		return -1;
	}
	return rc;
}
