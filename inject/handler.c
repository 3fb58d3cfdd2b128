/* SPDX-License-Identifier: MIT */
/*
 * A handler that runs before a borrowed thread is back in its call.  Where the kernel moves pc back itself (aarch64), it
 * no longer knows then that the call was interrupted, and would make it anew: read(2) would go on after a handler that
 * is there to end it.  Only the process can be asked how a handler was installed, so the thread asks, where the handler
 * begins, and what the handler returns to is set right before it does.
 */
#include <asm/unistd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "arch/unwind.h"
#include "inject/borrow.h"
#include "inject/seccomp.h"

/* struct sigaction of the kernel, up to what is asked for; sa_restorer and the mask follow. */
struct kernel_action { uint64_t handler, flags, rest[2]; };

static bool may_ask(const struct borrow *borrow)
{
	struct proc_status status;
	const struct seccomp_call ask = {
		.nr = __NR_rt_sigaction, .args = { [3] = 8 }, .what = "rt_sigaction",
		.pc = borrow->gadgets->syscall + ARCH_SYSCALL_SIZE,
	};
	return proc_status(borrow->images->target->pid, borrow->thread.tid, &status, NULL) == 0 &&
	       (status.seccomp <= 0 || seccomp_check(borrow->thread.tid, ARCH_AUDIT, &ask, 1, NULL) == 0);
}

/* The answer goes where the frame has its siginfo, at which rt_sigreturn does not look. */
static bool ends_call(struct borrow *handler, int signo)
{
	struct kernel_action action;
	long result;
	const uint64_t args[6] = { (uint64_t)signo, 0, handler->frame, 8 };
	_Static_assert(sizeof action <= sizeof(siginfo_t), "fits there");
	return borrow_syscall(handler, __NR_rt_sigaction, args, &result, NULL) == 0 && result == 0 &&
	       memory_read(&handler->images->target->memory, handler->frame, &action, sizeof action, NULL) == 0 &&
	       !(action.flags & SA_RESTART);
}

/* In the kernel's frame at sp, by one write: neither of the two is right without the other. */
static void answer_eintr(struct memory *memory, raddr sp, const struct regs *call)
{
	const int result_at = arch_unwind_sigcontext(0), pc_at = arch_unwind_sigcontext(UNWIND_PC),
		  sp_at = arch_unwind_sigcontext(UNWIND_SP);
	uint8_t saved[512];
	const size_t size = (size_t)(pc_at - result_at) + 8;
	uint64_t pc, stack;
	struct regs after = *call;
	if (size > sizeof saved || memory_read(memory, sp + (raddr)result_at, saved, size, NULL) < 0)
		return;
	memcpy(&pc, saved + (pc_at - result_at), sizeof pc);
	memcpy(&stack, saved + (sp_at - result_at), sizeof stack);
	if (pc != arch_pc(call) || stack != arch_sp(call))
		return;
	arch_answer_eintr(&after);
	pc = arch_pc(&after);
	uint64_t result = arch_result(&after);
	memcpy(saved, &result, sizeof result);
	memcpy(saved + (pc_at - result_at), &pc, sizeof pc);
	memory_write(memory, sp + (raddr)result_at, saved, size, NULL);
}

int borrow_handle(struct borrow *borrow, int signo, const struct regs *call, uint64_t deadline_ns, struct err *err)
{
	struct thread *thread = &borrow->thread;
	struct borrow handler = { .images = borrow->images, .gadgets = borrow->gadgets };
	if (thread_on_to_stop(thread, signo, err) < 0)
		return -1;
	thread_wait(thread, deadline_ns);
	if (thread->state == THREAD_RUNNING || thread->state == THREAD_GONE)
		return err_set(err, thread->state == THREAD_GONE ? ERR_TARGET_EXITED : ERR_TIMEOUT, 0,
			       "thread %d did not come to its handler", thread->tid);
	handler.thread = *thread;
	bool plain = thread->state == THREAD_STOPPED || thread->state == THREAD_GROUP_STOP;
	if (!plain || !may_ask(borrow) || borrow_save(&handler, NULL) < 0) {
		free(handler.below);
		return thread_detach(thread, thread->state == THREAD_SIGNAL ? thread->signo : 0, err);
	}
	if (ends_call(&handler, signo))
		answer_eintr(&borrow->images->target->memory, arch_sp(&handler.regs), call);
	int rc = borrow_give_back(&handler, NULL, err);
	*thread = handler.thread;
	free(handler.below);
	return rc;
}
