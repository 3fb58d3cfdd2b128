/* SPDX-License-Identifier: MIT */
#include "inject/timed.h"

#include <asm/unistd.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define SECOND 1000000000ull

/* "se.exec_start : 3230265.439231", in ms of the scheduler's clock. */
static int exec_start(pid_t tid, uint64_t *ns)
{
	static const char key[] = "\nse.exec_start";   /* the name before it is what the process likes */
	size_t size;
	char *text = proc_read(&size, NULL, "/proc/%d/sched", tid);
	char *at = text ? strstr(text, key) : NULL;
	at = at ? strchr(at, ':') : NULL;
	int rc = -1;
	if (at) {
		char *point;
		*ns = strtoull(at + 1, &point, 10) * MS;
		if (*point == '.')
			*ns += strtoull(point + 1, NULL, 10);   /* six digits */
		/* one that was moved to another CPU in its sleep has 0 (kernel/sched/fair.c, migrate_task_rq_fair) */
		rc = *ns ? 0 : -1;
	}
	free(text);
	return rc;
}

/* The clocks of two CPUs differ by what interrupts and the host took of them: ask
 * for the time on the one where the thread last ran. */
int timed_slept(pid_t tid, uint64_t *ns)
{
	struct proc_stat stat;
	cpu_set_t ours, there;
	uint64_t then, now;
	if (exec_start(tid, &then) < 0 || proc_stat(tid, tid, &stat, NULL) < 0 ||
	    sched_getaffinity(0, sizeof ours, &ours) < 0 || stat.processor < 0 || stat.processor >= CPU_SETSIZE)
		return -1;
	CPU_ZERO(&there);
	CPU_SET(stat.processor, &there);
	if (sched_setaffinity(0, sizeof there, &there) < 0)
		return -1;
	sched_yield();          /* brings our own up to date */
	int rc = exec_start(getpid(), &now);
	sched_setaffinity(0, sizeof ours, &ours);
	if (rc < 0 || now < then)
		return -1;
	*ns = now - then;
	return 0;
}

enum where { NOWHERE, IN_MS, IN_TIMESPEC };

/* Which argument is the time. */
static enum where find(long nr, unsigned *arg)
{
	switch (nr) {
#ifdef __NR_epoll_wait
	case __NR_epoll_wait:
#endif
	case __NR_epoll_pwait:
		*arg = 3;
		return IN_MS;
#ifdef __NR_epoll_pwait2
	case __NR_epoll_pwait2:
#endif
	case __NR_semtimedop:
		*arg = 3;
		return IN_TIMESPEC;
	case __NR_rt_sigtimedwait:
	case __NR_clock_nanosleep:
		*arg = 2;
		return IN_TIMESPEC;
	case __NR_nanosleep:
		*arg = 0;
		return IN_TIMESPEC;
	case __NR_futex:
		*arg = 3;
		return IN_TIMESPEC;
#ifdef __NR_poll
	case __NR_poll:
		*arg = 2;
		return IN_MS;
#endif
	case __NR_io_getevents:
#ifdef __NR_io_pgetevents
	case __NR_io_pgetevents:
#endif
		*arg = 4;
		return IN_TIMESPEC;
	default:
		return NOWHERE;
	}
}

static bool length(struct memory *memory, enum where where, uint64_t value, uint64_t *ns)
{
	uint64_t spec[2];
	if (where == IN_MS) {
		*ns = (uint64_t)(uint32_t)value * MS;
		return (int)value >= 0;
	}
	if (where != IN_TIMESPEC || !value || memory_read(memory, value, spec, sizeof spec, NULL) < 0 ||
	    spec[0] > UINT32_MAX || spec[1] >= SECOND)
		return false;
	*ns = spec[0] * SECOND + spec[1];
	return true;
}

/* Until a point in time: that does not change when the call is made again. */
static bool is_absolute(long nr, uint64_t arg1)
{
	return (nr == __NR_futex && (arg1 & FUTEX_CMD_MASK) != FUTEX_WAIT) ||
	       (nr == __NR_clock_nanosleep && (arg1 & TIMER_ABSTIME));
}

bool timed_length(struct memory *memory, long nr, const uint64_t args[6], uint64_t *ns)
{
	unsigned arg = 0;
	enum where where = find(nr, &arg);
	return !is_absolute(nr, args[1]) && length(memory, where, args[arg], ns);
}

bool timed_is_rest(const struct regs *regs, long nr)
{
	return (nr == __NR_nanosleep && arch_arg(regs, 1) == arch_arg(regs, 0)) ||
	       (nr == __NR_clock_nanosleep && arch_arg(regs, 3) == arch_arg(regs, 2));
}

void timed_shorten(struct memory *memory, struct regs *regs, long nr, uint64_t slept_ns, raddr scratch)
{
	unsigned arg = 0;
	uint64_t whole;
	enum where where = find(nr, &arg);
	if (where == NOWHERE || is_absolute(nr, arch_arg(regs, 1)) || !length(memory, where, arch_arg(regs, arg), &whole))
		return;
	/* The scheduler's clock is not quite the timer's: rather late than early. */
	uint64_t left = (slept_ns < whole ? whole - slept_ns : 0) + MS;
	if (where == IN_MS) {
		arch_arg_set(regs, arg, (left + MS - 1) / MS);
		return;
	}
	const uint64_t spec[2] = { left / SECOND, left % SECOND };
	if (memory_write(memory, scratch, spec, sizeof spec, NULL) == 0)
		arch_arg_set(regs, arg, scratch);
}
