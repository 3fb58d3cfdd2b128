/* SPDX-License-Identifier: MIT */
/* What can be known before a thread is stopped. */
#include "inject/gadgets.h"
#include "inject/run.h"

#define FUNCTION_LOOK 64        /* bytes of a function that are decoded before it is called */

/* The function lies in executable memory and begins with instructions. */
static int check_function(struct images *images, raddr fn, struct err *err)
{
	uint8_t code[FUNCTION_LOOK];
	const struct mapping *m = maps_at(&images->maps, fn);
	if (!m || !m->x)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "0x%lx is not executable memory of the target",
			       (unsigned long)fn);
	size_t size = m->end - fn < sizeof code ? (size_t)(m->end - fn) : sizeof code;
	if (memory_read(&images->target->memory, fn, code, size, err) < 0)
		return err_wrap(err, "read the function at 0x%lx", (unsigned long)fn);
	struct image *image = images_at(images, fn);
	if (arch_function_check(code, size, image && image->elf.bti_or_ibt, err) < 0) {
		char where[128];
		images_describe(images, fn, where, sizeof where);
		return err_wrap(err, "%s", where);
	}
	return 0;
}

static int find_libc(struct images *images, const char *name, raddr *addr, struct err *err)
{
	const char *const names[] = { name, NULL };
	struct elf_symbol symbol;
	int rc = images_libc_symbol(images, names, &symbol, err);
	if (rc < 0)
		return -1;
	if (rc == 0 || symbol.ifunc) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "the target has no %s, which a fresh thread needs", name);
		return err_remedy(err, "for a short function, borrow a thread: --on borrowed");
	}
	*addr = symbol.addr;
	return 0;
}

static int find_thread_functions(struct run *run, struct err *err)
{
	struct images *images = run->images;
	if (find_libc(images, "pthread_create", &run->libc.create, err) < 0 ||
	    find_libc(images, "pthread_attr_init", &run->libc.attr_init, err) < 0 ||
	    find_libc(images, "pthread_attr_setstack", &run->libc.attr_setstack, err) < 0 ||
	    find_libc(images, "pthread_attr_setdetachstate", &run->libc.attr_setdetach, err) < 0)
		return -1;
	find_libc(images, "syscall", &run->libc.syscall, NULL);
	/* glibc before 2.34 */
	if (images->target->libc == LIBC_GLIBC && images_at(images, run->libc.create) != images_libc_image(images)) {
		find_libc(images, "malloc", &run->libc.malloc, NULL);
		find_libc(images, "free", &run->libc.free, NULL);
	}
	if (check_function(images, run->libc.create, err) < 0 ||
	    check_function(images, run->libc.attr_init, err) < 0 ||
	    check_function(images, run->libc.attr_setstack, err) < 0 ||
	    check_function(images, run->libc.attr_setdetach, err) < 0)
		return -1;
	return 0;
}

int run_check_steps(struct run *run, struct err *err)
{
	for (unsigned i = 0; i < run->call->steps; i++)
		if (check_function(run->images, run->call->step[i].fn, err) < 0)
			return -1;
	return 0;
}

int run_prepare(struct run *run, struct images *images, struct call *call, struct err *err)
{
	*run = (struct run){ .images = images, .call = call };
	run->deadline_ns = now_ns() + (uint64_t)call->timeout_ms * 1000000u;
	run->caught_before = images->target->status.sig_caught;
	call->report = (struct call_report){ .untraced = true, .fresh_gone = true, .region_unmapped = true };

	if (arch_trampoline_check(trampoline_start, (size_t)(trampoline_end - trampoline_start), err) < 0)
		return -1;
	if (run_check_steps(run, err) < 0 || gadgets_find(images, &run->gadgets, err) < 0)
		return -1;
	say(&images->target->say, "system call instruction at 0x%lx, rt_sigreturn at 0x%lx",
	    (unsigned long)run->gadgets.syscall, (unsigned long)run->gadgets.restore);
	if (call->on == CALL_ON_FRESH && find_thread_functions(run, err) < 0)
		return -1;
	find_libc(images, "__errno_location", &run->libc.errno_at, NULL);
	pick_open(&run->pick, images, run->gadgets.restore);
	return 0;
}

int call_plan(struct images *images, struct call *call, struct err *err)
{
	struct run run;
	int rc = run_prepare(&run, images, call, err);
	if (rc == 0)
		rc = pick_candidates(&run.pick, call->thread, call->prefer, err);
	for (size_t i = 0; rc == 0 && i < run.pick.n; i++)
		say(&images->target->say, "%s thread %d: %s", i ? "else" : "would borrow",
		    run.pick.v[i].tid, run.pick.v[i].why);
	if (rc == 0 && run.pick.n)
		call->report.borrowed = run.pick.v[0].tid;
	pick_close(&run.pick);
	return rc;
}
