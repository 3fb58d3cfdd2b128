// SPDX-License-Identifier: MIT
/* roclatch, and what comes between. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"
#include "watch.h"

#define LIMIT_MS 120000
#define SLOWER (slow_machine() ? 20u : 1u)      /* than the machine that deeds were timed on */
#define BURNERS 3
#define MEMORY (slow_machine() ? 48u << 20 : 256u << 20)

/* ---- load: others that compute, and take memory and give it back ---- */

static pid_t burners[BURNERS];

static void burn(bool memory)
{
	volatile unsigned work = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		char *taken = memory ? mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;

		for (size_t i = 0; taken != MAP_FAILED && i < MEMORY; i += 4096)
			taken[i] = 1;
		if (taken != MAP_FAILED)
			munmap(taken, MEMORY);
		for (unsigned i = 0; i < 1000000; i++)
			work += i;
	}
}

static void load_begin(void)
{
	for (unsigned i = 0; i < BURNERS; i++) {
		burners[i] = fork();
		if (!burners[i])
			burn(i == 0);
	}
}

static void load_end(void)
{
	for (unsigned i = 0; i < BURNERS; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
}

/* ---- signals to the target, 1 kHz ---- */

static void queue_one(struct ground *g)
{
	const struct target *t = &g->app[0].t;
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = RECORD_QUEUE_SIGNAL;
	info.si_code = SI_QUEUE;
	if (!(dice(2) ? syscall(SYS_rt_tgsigqueueinfo, t->pid, t->tid, RECORD_QUEUE_SIGNAL, &info) :
	      syscall(SYS_rt_sigqueueinfo, t->pid, RECORD_QUEUE_SIGNAL, &info)))
		g->signals++;
}

/* To any of its threads, the register's and ours as well. */
static void signal_thread(struct ground *g)
{
	const struct target *t = &g->app[dice(g->apps)].t;
	struct dirent *entry;
	unsigned skip = dice(8);
	pid_t tid = t->pid;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			tid = atoi(entry->d_name);
			if (!skip--)
				break;
		}
	if (dir)
		closedir(dir);
	if (!syscall(SYS_tgkill, t->pid, tid, dice(2) ? SIGUSR1 : SIGWINCH))
		g->signals++;
}

static void send_signals(struct ground *g, const struct run *run)
{
	int64_t end = now_ns() + patient(LIMIT_MS) * INT64_C(1000000);

	do {
		if (g->queue)
			queue_one(g);
		else
			signal_thread(g);
		sleep_ms(1);
	} while (run_goes_on(run) && now_ns() < end);
	atomic_fetch_add(&tally->signals, (unsigned)g->signals);
}

/* ---- the end of a target ---- */

static void end_target(struct ground *g)
{
	struct target *t = &g->app[dice(g->apps)].t;
	/* one that sleeps on would be asked in vain */
	bool ask = dice(2) && !t->record->wanted_ns;
	int status;

	if (ask) {
		atomic_store(&t->record->stop, 1);
		if (atomic_load(&t->record->entered))
			wake(t);
	} else {
		kill(t->pid, SIGKILL);
	}
	status = end_of(t, LIMIT_MS);
	if (ask)
		unharmed(WIFEXITED(status) && WEXITSTATUS(status) == TARGET_END, "the target that was asked to end did so with %#x",
			(unsigned)status);
	else
		check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the target that was killed ended with %#x", (unsigned)status);
	unharmed(!atomic_load(&t->record->wrong), "the target found %u things wrong; the first: %s", atomic_load(&t->record->wrong),
		t->record->wrong_text);
	t->pid = 0;
}

/* ---- roclatch ---- */

/* Half of them in the first quarter of the time, where most is done. */
static void wait_for_chance(const struct deed *deed)
{
	unsigned us = deed->ms * 1000 * SLOWER;

	us = dice(2) ? dice(us / 4) : dice(us + us / 5);
	sleep_ms(us / 1000);
	usleep(us % 1000);
}

/* What killat says first: "calls N wall_us N[ at CALL][ failed with WORDS] status N" or "ended by signal N". */
static void read_result(struct disturbed *d, enum disturbance how)
{
	char *end = strchr(d->o.out, '\n'), *status, *at;

	if (d->o.status || !end) {
		fail("killat ended with %d and said: %s%s", d->o.status, d->o.out, d->o.err);
		return;
	}
	*end = 0;
	at = strstr(d->o.out, " at ");
	snprintf(d->where, sizeof(d->where), "%s", at ? at + 4 : "");
	d->hit = at != NULL && (how != FAILING || strstr(at, " failed with "));
	status = strstr(d->o.out, " status ");
	if (status)
		d->o.status = atoi(status + 8);
	else if ((status = strstr(d->o.out, "ended by signal ")))
		d->o.status = 128 + atoi(status + 16);
	memmove(d->o.err, end + 1, strlen(end + 1) + 1);
}

static struct disturbed through_killat(const struct deed *deed, enum disturbance how, const char *words)
{
	struct disturbed d = { .hit = false };
	char through[1024];
	struct run run;

	snprintf(through, sizeof(through), "%s --result-first --limit-msec %u --rounds %u %s %u --", killat(), patient(LIMIT_MS), 1 + dice(3),
		how == FAILING ? "--fail" : dice(2) ? "--kill" : "--kill-after", 1 + dice(deed->calls));
	run_through = through;
	run = run_start(INPUT_NULL, "%s", words);
	run_through = NULL;
	d.o = run_end(&run, LIMIT_MS + 30000);
	read_result(&d, how);
	return d;
}

static struct disturbed on_terminal(struct ground *g, const struct deed *deed, enum disturbance how)
{
	struct screen_test test = screen_start(80 + dice(80), 24, "top", g->app[0].pid, dice(2) ? NULL : "--stacks=all", NULL);
	struct disturbed d = { .hit = true };

	if (how == CALM || how == LOADED || how == SIGNALLED)
		screen_wait(&test, "TID");
	wait_for_chance(deed);
	if (how == INTERRUPTED)
		kill(test.pid, d.signo = dice(2) ? SIGINT : SIGTERM);
	else if (how == KILLED)
		kill(test.pid, d.signo = SIGKILL);
	else if (how == ENDING)
		end_target(g);
	screen_forget(&test);
	if (how != KILLED)
		screen_press(&test, "q");
	d.o.status = screen_end(&test);
	snprintf(d.o.err, sizeof(d.o.err), "%.2000s", test.seen ? test.seen : "");
	return d;
}

static struct disturbed while_it_runs(struct ground *g, const struct deed *deed, enum disturbance how, const char *words)
{
	struct disturbed d = { .hit = false };
	struct run run = run_start(INPUT_NULL, "%s", words);

	if (how == SIGNALLED)
		send_signals(g, &run);
	else if (how != CALM && how != LOADED)
		wait_for_chance(deed);
	d.hit = run_goes_on(&run) || how == SIGNALLED || how == LOADED;
	if (how == INTERRUPTED)
		kill(run.pid, d.signo = dice(2) ? SIGINT : SIGTERM);
	else if (how == KILLED)
		kill(run.pid, d.signo = SIGKILL);
	else if (how == ENDING)
		end_target(g);
	d.o = run_end(&run, LIMIT_MS);
	return d;
}

struct disturbed disturb(struct ground *g, const struct deed *deed, enum disturbance how, const char *words)
{
	struct disturbed d;

	if (how == LOADED)
		load_begin();
	if (deed->terminal)
		d = on_terminal(g, deed, how);
	else if (how == KILLED_AT || how == FAILING)
		d = through_killat(deed, how, words);
	else
		d = while_it_runs(g, deed, how, words);
	if (how == LOADED)
		load_end();
	return d;
}
