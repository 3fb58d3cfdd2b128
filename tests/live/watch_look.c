// SPDX-License-Identifier: MIT
/* Running roclatch when its output is long, or what it holds meanwhile counts. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define WORDS 40

static unsigned files_of(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static char *take(int fd, size_t *n)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);

	require(text && pread(fd, text, (size_t)size, 0) == size, "cannot read what it said");
	text[size] = 0;
	*n = (size_t)size;
	close(fd);
	return text;
}

static void become(char *words, int out, int err)
{
	char *argv[WORDS], *rest = NULL;
	unsigned n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	dup2(out, 1);
	dup2(err, 2);
	argv[n++] = strdup(options.roclatch);
	for (char *word = strtok_r(words, " ", &rest); word && n < WORDS - 1; word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	argv[n] = NULL;
	execv(argv[0], argv);
	_exit(127);
}

struct looked look_at(unsigned limit_ms, const char *words, ...)
{
	struct looked l = { .status = -1 };
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC), status = 0;
	int64_t end = now_ns() + limit_ms * INT64_C(1000000);
	struct rusage used = { 0 };
	char text[1024];
	va_list ap;
	pid_t pid;

	va_start(ap, words);
	vsnprintf(text, sizeof(text), words, ap);
	va_end(ap);
	pid = fork();
	if (!pid)
		become(text, out, err);
	while (!wait4(pid, &status, WNOHANG, &used)) {
		unsigned files = files_of(pid);

		l.files = files > l.files ? files : l.files;
		if (now_ns() > end) {
			kill(pid, SIGKILL);
			wait4(pid, &status, 0, &used);
			fail("roclatch %s did not end within %u ms", text, limit_ms);
			break;
		}
		sleep_ms(1);
	}
	if (now_ns() <= end)
		l.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	l.peak_kib = used.ru_maxrss;
	l.out = take(out, &l.out_n);
	l.err = take(err, &l.err_n);
	return l;
}

void looked_free(struct looked *looked)
{
	free(looked->out);
	free(looked->err);
}

void looked_well(const struct looked *looked, const char *command)
{
	check(looked->status == 0, "%s: status %d; it said: %.500s", command, looked->status, looked->err);
	check(looked->out_n, "%s printed nothing", command);
}

/* The length of the character at s, 0 if it is none that may be printed. */
static size_t printable(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n == 1)
		return s[0] == '\n' || s[0] == '\t' || (s[0] >= 0x20 && s[0] != 0x7f);
	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n;
}

static void check_text(const char *text, size_t n, const char *command)
{
	for (size_t i = 0, step; i < n; i += step) {
		step = printable((const unsigned char *)text + i, n - i);
		if (!step) {
			fail("%s printed the byte 0x%02x behind: %.*s", command, (unsigned char)text[i], (int)(i < 60 ? i : 60),
			     text + (i < 60 ? 0 : i - 60));
			return;
		}
	}
}

void looked_harmless(const struct looked *looked, const char *command)
{
	check_text(looked->out, looked->out_n, command);
	check_text(looked->err, looked->err_n, command);
}

bool is_free(const struct target *target)
{
	char path[64], text[8192];
	struct dirent *entry;
	bool held = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !read_text(text, sizeof(text), "%s/%s/status", path, entry->d_name))
			continue;
		held |= !strstr(text, "TracerPid:\t0\n") || strstr(text, "State:\tT") || strstr(text, "State:\tt");
	}
	if (dir)
		closedir(dir);
	return !held;
}

static void check_thread(pid_t pid, const char *tid)
{
	char text[4096];
	const char *tracer, *state;

	if (!read_text(text, sizeof(text), "/proc/%d/task/%s/status", (int)pid, tid))
		return;
	tracer = strstr(text, "TracerPid:\t");
	state = strstr(text, "State:\t");
	unharmed(tracer && atoi(tracer + 11) == 0, "thread %s of %d is still traced", tid, (int)pid);
	unharmed(state && state[7] != 't' && state[7] != 'T', "thread %s of %d is still stopped", tid, (int)pid);
}

void not_held(pid_t pid, unsigned threads)
{
	char path[64];
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	require(dir, "cannot list %s", path);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			check_thread(pid, entry->d_name);
			n++;
		}
	closedir(dir);
	unharmed(!threads || n == threads, "%d has %u threads and not %u", (int)pid, n, threads);
}
