/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

unsigned subject_patience = 1;

static uint64_t limit_ns(void)
{
	return SUBJECT_LIMIT_MS * 1000000ull * subject_patience;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(void)
{
	usleep(1000);
}

static bool fail(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return false;
}

int subject_start(struct subject *s, const char *folder, const char *state)
{
	int fd = memfd_create("victim", 0);
	char number[16];
	uint64_t end = now() + limit_ns();

	if (fd < 0 || ftruncate(fd, (off_t)sizeof *s->shown) != 0)
		return -1;
	s->state = state;
	s->shown = mmap(NULL, sizeof *s->shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->shown == MAP_FAILED)
		return -1;
	snprintf(number, sizeof number, "%d", fd);
	s->pid = fork();
	if (s->pid == 0) {
		/* It names its loader by a path below the folder. */
		if (chdir(folder) == 0)
			execl("./kill-victim", "kill-victim", state, number, (char *)NULL);
		_exit(127);
	}
	close(fd);
	while (s->pid > 0 && !s->shown->ready) {
		if (now() > end || waitpid(s->pid, NULL, WNOHANG) == s->pid) {
			errno = ENOEXEC;
			return -1;
		}
		nap();
	}
	return s->pid > 0 ? 0 : -1;
}

void subject_end(struct subject *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	if (s->shown)
		munmap(s->shown, sizeof *s->shown);
	s->shown = NULL;
	s->pid = 0;
}

void subject_settle(struct subject *s)
{
	layout_read(&s->before, s->pid);
}

static bool alive(struct subject *s, char *why, size_t size)
{
	int status;

	if (s->pid == 0)
		return fail(why, size, "the target is gone");
	if (waitpid(s->pid, &status, WNOHANG) != s->pid)
		return true;
	s->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(why, size, "the target died of signal %d", WTERMSIG(status));
	else
		snprintf(why, size, "the target exited with %d", WEXITSTATUS(status));
	return false;
}

static const char *thread_name(const struct subject *s, int tid)
{
	for (unsigned k = 0; k < VICTIM_KINDS; k++)
		if (s->shown->thread[k].tid == tid)
			return victim_kind_name[k];
	return "another";
}

/* "" or what is odd about that thread's state */
static void thread_oddity(const struct subject *s, const char *tid, char *why, size_t size)
{
	char path[96], line[256], state = '?';
	int tracer = 0;
	FILE *f;

	why[0] = '\0';
	snprintf(path, sizeof path, "/proc/%d/task/%.16s/status", (int)s->pid, tid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof line, f)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "TracerPid: %d", &tracer);
	}
	fclose(f);
	if (tracer != 0)
		snprintf(why, size, "thread %s (%s) is still traced, by %d", tid, thread_name(s, atoi(tid)), tracer);
	else if (state == 't' || state == 'T')
		snprintf(why, size, "thread %s (%s) is left in state %c", tid, thread_name(s, atoi(tid)), state);
}

static bool none_stopped(struct subject *s, char *why, size_t size)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
	dir = opendir(path);
	why[0] = '\0';
	while (dir && why[0] == '\0' && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			thread_oddity(s, entry->d_name, why, size);
	if (dir)
		closedir(dir);
	return why[0] == '\0';
}

/* What the threads noticed themselves. */
static bool none_complains(const struct subject *s, char *why, size_t size)
{
	for (unsigned k = 0; k < VICTIM_KINDS; k++) {
		const struct victim_thread *t = &s->shown->thread[k];

		if (t->wrong == 0 && t->eintr == 0 && t->early == 0)
			continue;
		snprintf(why, size, "thread %d (%s) saw %" PRIu64 " wrong results, %" PRIu64 " EINTR, %" PRIu64
			 " early ends, last errno %d", t->tid, victim_kind_name[k], t->wrong, t->eintr, t->early,
			 t->last_errno);
		return false;
	}
	return true;
}

static bool all_go_on(struct subject *s, char *why, size_t size)
{
	uint64_t since[VICTIM_KINDS], begin = now(), took;

	for (unsigned k = 0; k < VICTIM_KINDS; k++)
		since[k] = s->shown->thread[k].rounds;
	for (unsigned k = 0; k < VICTIM_KINDS; k++) {
		const struct victim_thread *t = &s->shown->thread[k];

		while (t->tid != 0 && t->rounds < since[k] + 2) {
			if (!alive(s, why, size))
				return false;
			if (now() - begin > limit_ns()) {
				snprintf(why, size, "thread %d (%s) does not go on", t->tid, victim_kind_name[k]);
				return false;
			}
			nap();
		}
	}
	took = now() - begin;
	if (took > s->slowest_ns)
		s->slowest_ns = took;
	return true;
}

bool subject_unharmed(struct subject *s, char *why, size_t size)
{
	return alive(s, why, size) && none_stopped(s, why, size) && all_go_on(s, why, size) &&
	       none_complains(s, why, size) && alive(s, why, size);
}

bool subject_quiet(struct subject *s, char *why, size_t size)
{
	return alive(s, why, size) && none_stopped(s, why, size) && none_complains(s, why, size);
}

bool subject_as_before(struct subject *s, unsigned wait_ms, char *why, size_t size)
{
	static struct layout l;
	uint64_t end = now() + wait_ms * 1000000ull;

	for (;;) {
		if (!layout_read(&l, s->pid))
			return fail(why, size, "the target is gone");
		if (layout_same(&s->before, &l, why, size))
			return true;
		if (now() >= end)
			return false;
		nap();
	}
}

bool subject_alone(struct subject *s, char *why, size_t size)
{
	static struct layout l;
	uint64_t end = now() + limit_ns();
	bool alone;

	s->shown->rest = 1;
	while (!(alone = !layout_read(&l, s->pid) || l.threads <= s->before.threads) && now() < end)
		nap();
	s->shown->rest = 0;
	return alone ? alive(s, why, size) : fail(why, size, "the fresh thread does not end");
}
