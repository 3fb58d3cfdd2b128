// SPDX-License-Identifier: MIT
/* What /proc says about a target, as lines of text that can be compared one by one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live.h"

#define TEXT_SIZE (1 << 20)

static void put(struct snapshot *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct snapshot *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->lines == s->room) {
		s->room = s->room ? s->room * 2 : 256;
		s->line = realloc(s->line, s->room * sizeof(*s->line));
		require(s->line, "out of memory");
	}
	s->line[s->lines] = strdup(text);
	require(s->line[s->lines], "out of memory");
	s->lines++;
}

void forget(struct snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->lines; i++)
		free(snapshot->line[i]);
	free(snapshot->line);
	*snapshot = (struct snapshot){ 0 };
}

static uint64_t hash(uint64_t h, const unsigned char *data, size_t size)
{
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t word;
		memcpy(&word, data + i, 8);
		h = (h ^ word) * UINT64_C(0x100000001b3);
		h ^= h >> 29;
	}
	return h;
}

/* The bytes of a mapping that the target itself cannot write. */
static void put_bytes(struct snapshot *s, int memory, uint64_t begin, uint64_t end, const char *name)
{
	static unsigned char buffer[1 << 18];
	uint64_t h = UINT64_C(0xcbf29ce484222325), at = begin;

	while (at < end) {
		size_t want = end - at < sizeof(buffer) ? (size_t)(end - at) : sizeof(buffer);
		ssize_t n = pread(memory, buffer, want, (off_t)at);
		if (n <= 0)
			break;
		h = hash(h, buffer, (size_t)n);
		at += (uint64_t)n;
	}
	put(s, "bytes %llx-%llx %016llx %s", (unsigned long long)begin, (unsigned long long)at,
		(unsigned long long)h, name);
}

static void put_maps(struct snapshot *s, const struct target *target)
{
	char *text = malloc(TEXT_SIZE), path[64], *rest = NULL;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", (int)target->pid, (int)target->tid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	require(text && read_text(text, TEXT_SIZE, "/proc/%d/task/%d/maps", (int)target->pid,
		(int)target->tid), "cannot read maps");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long begin, end;
		char perms[8], name[256] = "";
		unsigned long inode = 0;

		put(s, "map %s", line);
		sscanf(line, "%llx-%llx %7s %*s %*s %lu %255[^\n]", &begin, &end, perms, &inode, name);
		if (perms[0] == 'r' && perms[1] != 'w' && (inode || !strcmp(name, "[vdso]")))
			put_bytes(s, memory, begin, end, name);
	}
	close(memory);
	free(text);
}

/* Pages of code that are the process's own: the mark of text that was patched, even if patched back. */
static void put_patched(struct snapshot *s, const struct target *target)
{
	char *text = malloc(TEXT_SIZE), *rest = NULL, where[64] = "";
	bool code = false;

	if (!text || !read_text(text, TEXT_SIZE, "/proc/%d/task/%d/smaps", (int)target->pid,
	    (int)target->tid)) {
		free(text);
		return;
	}
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long begin, end;
		char perms[8];
		unsigned long inode, kib;

		if (sscanf(line, "%llx-%llx %7s %*s %*s %lu", &begin, &end, perms, &inode) == 4) {
			code = inode && perms[2] == 'x';
			snprintf(where, sizeof(where), "%llx", begin);
		} else if (code && sscanf(line, "Anonymous: %lu kB", &kib) == 1) {
			put(s, "own pages of code at %s: %lu KiB", where, kib);
		}
	}
	free(text);
}

static void put_files(struct snapshot *s, const struct target *target)
{
	char path[64], link[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fd", (int)target->pid, (int)target->tid);
	dir = opendir(path);
	require(dir, "cannot read %s", path);
	while ((entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		if (n > 0) {
			link[n] = 0;
			put(s, "file %s %s", entry->d_name, link);
		}
	}
	closedir(dir);
}

static bool wanted(const char *line, unsigned how)
{
	static const char *const always[] = { "Name:", "TracerPid:", "Uid:", "Gid:", "SigBlk:", "SigIgn:", "SigCgt:",
		"CapEff:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "Cpus_allowed:" };
	static const char *const pending[] = { "SigPnd:", "ShdPnd:" };

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (!strncmp(line, always[i], strlen(always[i])))
			return true;
	for (size_t i = 0; i < sizeof(pending) / sizeof(pending[0]); i++)
		if (!strncmp(line, pending[i], strlen(pending[i])))
			return !(how & WITHOUT_PENDING);
	return false;
}

/* Running and asleep are the same here; stopped, traced and dead are not. */
static const char *liveness(char state)
{
	switch (state) {
	case 'R': case 'S': case 'D': return "at work";
	case 'T': return "stopped";
	case 't': return "held by a tracer";
	case 'Z': case 'X': return "dead";
	default: return "in an unknown state";
	}
}

/* A thread in its handler has the signal blocked: with signals that come and go, so does that bit. */
static bool in_handler(const char *line, unsigned how)
{
	const uint64_t loads = 1ull << (SIGALRM - 1) | 1ull << (SIGCHLD - 1);

	return (how & WITHOUT_PENDING) && !strncmp(line, "SigBlk:", 7) && (strtoull(line + 7, NULL, 16) & loads);
}

static void put_task(struct snapshot *s, const struct target *target, pid_t tid, unsigned how)
{
	char text[8192], *rest = NULL;
	void *robust = NULL;
	size_t size = 0;

	put(s, "thread %d is %s", (int)tid, liveness(state_of(target, tid)));
	if (!read_text(text, sizeof(text), "/proc/%d/task/%d/status", (int)target->pid, (int)tid))
		return;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (in_handler(line, how))
			put(s, "thread %d SigBlk:\t%016llx", (int)tid, strtoull(line + 7, NULL, 16) &
				~(1ull << (SIGALRM - 1) | 1ull << (SIGCHLD - 1)));
		else if (wanted(line, how))
			put(s, "thread %d %s", (int)tid, line);
	if (!syscall(SYS_get_robust_list, tid, &robust, &size))
		put(s, "thread %d robust list %p", (int)tid, robust);
}

static void put_tasks(struct snapshot *s, const struct target *target, unsigned how)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	dir = opendir(path);
	require(dir, "the target is gone");
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			put_task(s, target, atoi(entry->d_name), how);
	closedir(dir);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct snapshot look(const struct target *target, unsigned how)
{
	struct snapshot s = { 0 };

	if (!(how & WITHOUT_TASKS))
		put_tasks(&s, target, how);
	if (!(how & WITHOUT_MAPS)) {
		put_maps(&s, target);
		put_patched(&s, target);
	}
	if (!(how & WITHOUT_FILES))
		put_files(&s, target);
	qsort(s.line, s.lines, sizeof(*s.line), by_text);
	return s;
}
