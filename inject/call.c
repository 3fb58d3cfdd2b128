/* SPDX-License-Identifier: MIT */
/* The order of things in a call. */
#include "inject/call.h"

#include <asm/unistd.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/run.h"

volatile int call_stop_signal;

void call_rest(uint64_t ns)
{
	sigset_t block, open;
	struct timespec limit = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, &open);  /* so that none slips in between look and sleep */
	if (!call_stop_signal)
		ppoll(NULL, 0, &limit, &open);
	sigprocmask(SIG_SETMASK, &open, NULL);
}

#define MAKE_TRIES 5
#define REFUSED_NAP_NS 10000000
#define UNMAP_LIMIT_NS 2000000000ull

/* Does anybody else trace a thread of the target: another roclatch that our lock does
 * not reach (another mount of /proc)? */
static bool others_are_at_work(struct run *run)
{
	pid_t *tids = NULL;
	size_t n = 0;
	bool found = false;
	if (proc_threads(run->images->target->pid, &tids, &n, NULL) < 0)
		return true;
	for (size_t i = 0; i < n && !found; i++) {
		struct proc_status status;
		found = proc_status(run->images->target->pid, tids[i], &status, NULL) == 0 &&
			status.tracer && status.tracer != thread_tracer();
	}
	free(tids);
	return found;
}

static size_t look_for_leftovers(struct run *run, struct leftover found[LEFTOVERS_MAX])
{
	struct maps maps;
	if (target_maps(run->images->target, &maps, NULL) < 0)
		return 0;
	size_t n = region_leftovers(run->images, &maps, run->leftovers, run->leftovers_n, found, LEFTOVERS_MAX);
	maps_free(&maps);
	return n;
}

/* Unmap what killed runs left behind, or a failed one of ours. */
static void remove_leftovers(struct run *run)
{
	struct leftover leftovers[LEFTOVERS_MAX];
	size_t n = look_for_leftovers(run, leftovers);
	if (n && others_are_at_work(run))
		return;
	for (size_t i = 0; i < n; i++) {
		long result;
		const uint64_t args[6] = { leftovers[i].base, leftovers[i].size };
		if (borrow_syscall(&run->borrow, __NR_munmap, args, &result, NULL) < 0)
			return;
		say(&run->images->target->say, "removed what a failed run left at 0x%lx",
		    (unsigned long)leftovers[i].base);
	}
}

/* A thread that came up when we no longer wanted it.  It was not told to go on, so
 * it ends by itself, but on our region.  True when it is gone. */
static bool dismiss(pid_t tid)
{
	struct thread child = { .tid = tid, .state = THREAD_RUNNING };
	uint64_t limit = now_ns() + UNMAP_LIMIT_NS;
	thread_wait(&child, limit);
	if (child.state == THREAD_STOPPED || child.state == THREAD_GROUP_STOP)
		thread_detach(&child, 0, NULL);
	while (thread_lives(tid) && now_ns() < limit)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return !thread_lives(tid);
}

/* After a failure: whatever we have mapped goes, also if we do not know where. */
static void clean_up(struct run *run)
{
	if (borrow_halt(&run->borrow, NULL) < 0)
		return;
	if (run->unknown || (run->borrow.child && !dismiss(run->borrow.child)))
		return;
	if (run->region.base)
		borrow_unmap(&run->borrow, &run->region, NULL);
	remove_leftovers(run);
}

/* All rounds on the borrowed thread itself. */
static int rounds_on_borrowed(struct run *run, struct err *err)
{
	struct call *call = run->call;
	for (;;) {
		uint64_t since = now_ns();
		if (run_on_borrowed(run, call->step, call->steps, run->region.stack, run->region.mailbox,
				    false, err) < 0)
			return -1;
		call->report.call_ns = now_ns() - since;
		int more = call->held ? call->held(call, run->images, call->ctx, err) : 0;
		if (more <= 0)
			return more;
		if (run_check_steps(run, err) < 0)
			return -1;
	}
}

/* pthread_create waits for locks.  If the borrowed thread itself holds one of
 * them, it never returns: then the thread is put back where it was. */
static int make_fresh(struct run *run, struct err *err)
{
	run->making = true;
	int rc = fresh_make(run, err);
	run->making = false;
	return rc;
}

/* Work on the borrowed thread and give it back.  1: it would not do, try another. */
static int work(struct run *run, struct err *err)
{
	struct err back = { 0 };
	bool fresh = run->call->on == CALL_ON_FRESH;
	if (run->leftovers_n)
		remove_leftovers(run);
	int rc = borrow_map(&run->borrow, &run->region, err);
	run->call->report.region = run->region.base;
	run->call->report.region_size = run->region.size;
	if (rc == 0)
		rc = fresh ? make_fresh(run, err) : rounds_on_borrowed(run, err);
	bool stuck = rc < 0 && run->stuck && !run->fresh.tid;
	if (rc < 0 && !run->fresh.tid)
		clean_up(run);
	else if (!fresh && borrow_halt(&run->borrow, err) == 0)
		rc = borrow_unmap(&run->borrow, &run->region, err);
	if (run_give_back(run, &back) < 0 && rc == 0) {
		*err = back;
		rc = -1;
	}
	/* While a thread of the process is in execve(2), no other is made (kernel/fork.c, copy_fs: EAGAIN). */
	bool another = (stuck || (rc < 0 && run->refused)) && !run->stranded;
	return another && now_ns() < run->deadline_ns ? 1 : rc;
}

/* Has the program become another one?  If our thread was killed, it may be about to:
 * wait for that, as until then it looks full of remains.  (One that an exec ends has the status of one that returned.) */
static bool is_replaced(struct run *run)
{
	struct target *target = run->images->target;
	bool killed = (run->fresh.state == THREAD_GONE && !run->fresh_exits) || run->stranded ||
		      run->borrow.thread.state == THREAD_GONE;
	for (int i = 0; i < 100 && killed && target_alive(target) &&
		     memory_is_current(&target->memory, run->gadgets.syscall); i++)
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	/* one that ends has no memory at all */
	struct maps maps;
	if (memory_is_current(&target->memory, run->gadgets.syscall) || target_maps(target, &maps, NULL) < 0)
		return false;
	bool has_memory = maps.n > 0;
	maps_free(&maps);
	return has_memory;
}

/* If the region outlived its thread, unmap it through another borrowed one. */
static void unmap_late(struct run *run)
{
	uint64_t whole = run->deadline_ns;
	if (!run->region.base || is_replaced(run) || run->stranded || thread_lives(run->fresh.tid) ||
	    !verdict_region_mapped(run))
		return;
	run_await_continue(run);
	run->deadline_ns = now_ns() + UNMAP_LIMIT_NS;
	pid_t chosen = run->call->report.borrowed;
	if (target_alive(run->images->target) && run_borrow(run, NULL) == 0) {
		borrow_unmap(&run->borrow, &run->region, NULL);
		run_give_back(run, NULL);
	}
	run->call->report.borrowed = chosen;
	run->deadline_ns = whole;
}

static bool something_ran(const struct run *run)
{
	for (unsigned i = 0; i < run->call->steps; i++)
		if (run->call->step[i].returned)
			return true;
	return false;
}

static int conclude(struct run *run, int rc, struct err *err)
{
	struct call_report *report = &run->call->report;
	struct target *target = run->images->target;
	bool replaced = is_replaced(run), dumps = target_dumps(target);
	if (replaced)
		run_let_new_program_go(run);
	verdict_look(run);
	if (replaced || dumps) {
		report->left[0] = '\0';
		report->region_unmapped = report->fresh_gone = report->untraced = true;
	}
	if (replaced && (rc < 0 || !something_ran(run)))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d became another program (exec) meanwhile",
			       target->pid);
	if (rc < 0 && dumps)
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended: a signal killed it, and it dumps core", target->pid);
	/* its memory goes first; the rest may take a while, as the files of one that uses a GPU do */
	if (rc < 0 && (!target_alive(target) || memory_is_gone(&target->memory)))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended%s", target->pid,
			       report->region ? " while the function ran; it may have called exit, "
						"whose handlers have then run" : "");
	/* "failed, the target is untouched" must be true */
	if (rc < 0 && err->code == ERR_FAILED && (report->left[0] || report->fresh || something_ran(run)))
		err->code = ERR_RESIDUE;
	if (rc == 0 && run->call->steps && !run->call->step[0].returned)
		return err_set(err, ERR_CALLED_CODE, 0, "the function did not come back as a C function does");
	if (rc == 0 && report->left[0])
		return err_set(err, ERR_RESIDUE, 0, "done, but something was left behind");
	return rc;
}

bool call_goes_on(struct images *images)
{
	struct maps maps;
	if (target_maps(images->target, &maps, NULL) < 0)
		return false;
	bool busy = region_busy(images, &maps);
	maps_free(&maps);
	return busy;
}

/* A cheap look, so that most runs need not read the mappings again. */
static bool may_have_leftovers(const struct maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->v[i].x && !maps->v[i].w && !maps->v[i].inode && !maps->v[i].path[0])
			return true;
	return false;
}

/* Ctrl-Z has to wait as long as a thread of the target may be borrowed, which would stand still with us. */
static void put_off_own_stops(sigset_t *before)
{
	sigset_t stops;
	sigemptyset(&stops);
	sigaddset(&stops, SIGTSTP);
	sigaddset(&stops, SIGTTIN);
	sigaddset(&stops, SIGTTOU);
	if (!thread_quiet)
		sigprocmask(SIG_BLOCK, &stops, before);
}

int call_run(struct images *images, struct call *call, struct err *err)
{
	struct run run;
	struct err ignored = { 0 };
	sigset_t old, listening;
	if (!err)
		err = &ignored;
	int rc = run_prepare(&run, images, call, err);
	if (rc < 0) {
		target_blame(images->target, err);
		goto out;
	}

	if (target_lock(images->target, run.deadline_ns, err) < 0) {
		rc = -1;
		goto out;
	}
	thread_listen(&old);
	put_off_own_stops(&listening);
	images->target->memory.by_file = true;
	if (may_have_leftovers(&images->maps))
		run.leftovers_n = look_for_leftovers(&run, run.leftovers);
	for (int attempt = 0; attempt < MAKE_TRIES; attempt++) {
		rc = run_borrow(&run, err);
		if (rc == 0)
			rc = work(&run, err);
		if (rc <= 0)
			break;
		say(&images->target->say, run.refused ? "pthread_create on thread %d answered EAGAIN; trying again" :
		    "thread %d held a lock that pthread_create needs; trying another", call->report.borrowed);
		if (run.refused)
			nanosleep(&(struct timespec){ 0, REFUSED_NAP_NS }, NULL);
	}
	thread_unlisten(&listening);
	if (rc > 0 && run.refused)
		rc = -1;
	if (rc > 0)
		rc = err_set(err, ERR_TIMEOUT, 0, "pthread_create did not return on any borrowed thread");
	if (run.fresh.tid) {
		if (rc == 0)
			rc = fresh_watch(&run, err);
		else
			fresh_watch(&run, NULL);
		unmap_late(&run);
	}
	rc = conclude(&run, rc, err);
	images->target->memory.by_file = false;
	thread_unlisten(&old);
	target_unlock(images->target);
out:
	pick_close(&run.pick);
	return rc;
}
