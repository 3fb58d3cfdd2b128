/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bin/selftest.h"
#include "inject/thread.h"
#include "rocp/arena.h"

#define LOOK_MS 20
#define GRACE_MS 15000          /* roclatch attach detaches when it is told to end */
#define ANSWER_MS 300000        /* to attach and to detach may take two minutes each */
#define WORDS_MAX 32
#define LAST_MAX 4096           /* of what a program has said, looked at from its end */

bool pause_ms(unsigned ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&time, NULL);
	return !call_stop_signal;
}

int stopped(struct err *err)
{
	return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
}

/* Ours, with what is added before, where it counts. */
static char **environment(const struct child *child, unsigned how)
{
	size_t n = 0, at = 0;
	while (environ[n])
		n++;
	char **variables = calloc(n + 3, sizeof *variables);
	if (variables && how & CHILD_ATTACHABLE) {
		variables[at++] = (char *)(uintptr_t)"ROCP_TOOL_ATTACH=1";
		variables[at++] = (char *)(uintptr_t)child->mark;
	}
	if (variables)
		memcpy(variables + at, environ, n * sizeof *environ);
	return variables;
}

static _Noreturn void become(const struct child *child, const char *const *words, unsigned how, int in, int told)
{
	int errors = how & CHILD_OWN ? open("/dev/null", O_WRONLY | O_CLOEXEC) : child->out;
	char **variables = environment(child, how);
	setpgid(0, 0);
	/* roclatch detaches by it, all others end */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (variables && dup2(in, 0) == 0 && dup2(child->out, 1) == 1 && dup2(errors, 2) == 2)
		execve(how & CHILD_OWN ? "/proc/self/exe" : words[0], (char *const *)words, variables);
	int wrong = errno;
	if (write(told, &wrong, sizeof wrong) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *child, const char *const *words, unsigned how, struct err *err)
{
	int in[2] = { -1, -1 }, told[2] = { -1, -1 }, wrong = 0;
	*child = (struct child){ .in = -1, .out = memfd_create("roclatch-selftest", MFD_CLOEXEC), .mark = child->mark };
	if (child->out >= 0 && pipe2(in, O_CLOEXEC) == 0 && pipe2(told, O_CLOEXEC) == 0)
		child->pid = fork();
	else
		child->pid = -1;
	if (child->pid == 0)
		become(child, words, how, in[0], told[1]);
	if (child->pid < 0)
		wrong = errno;
	child->in = in[1];
	close(in[0]);
	close(told[1]);
	/* its end is closed by exec; what comes is why that failed */
	while (!wrong && read(told[0], &wrong, sizeof wrong) < 0 && errno == EINTR)
		;
	close(told[0]);
	if (!wrong)
		return 0;
	child->pid = child->pid > 0 ? child->pid : 0;
	child_end(child);
	return err_set(err, ERR_FAILED, wrong, "start %.200s", words[0]);
}

/* It is not reaped before its end is told to all that it has started: its id is that of the group. */
bool child_lives(struct child *child)
{
	siginfo_t info = { 0 };
	if (child->pid <= 0)
		return false;
	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
		return true;
	child->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	return false;
}

static bool ends_within(struct child *child, unsigned ms, bool also_stopped)
{
	uint64_t deadline = now_ns() + ms * UINT64_C(1000000);
	while (child_lives(child)) {
		if (now_ns() >= deadline || (call_stop_signal && !also_stopped))
			return false;
		pause_ms(LOOK_MS);
	}
	return true;
}

int child_wait(struct child *child, unsigned limit_ms, struct err *err)
{
	if (ends_within(child, limit_ms, false))
		return child->status;
	return call_stop_signal ? stopped(err) : err_set(err, ERR_TIMEOUT, 0, "no end within %u ms", limit_ms);
}

void child_end(struct child *child)
{
	if (child->in >= 0)
		close(child->in);
	if (child_lives(child)) {
		kill(-child->pid, SIGTERM);
		ends_within(child, GRACE_MS, true);
	}
	if (child->pid > 0) {
		kill(-child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
	}
	if (child->out >= 0)
		close(child->out);
	*child = (struct child){ .in = -1, .out = -1 };
}

static off_t said_size(const struct child *child)
{
	struct stat st;
	return fstat(child->out, &st) < 0 ? 0 : st.st_size;
}

void child_last(const struct child *child, const char *begin, char *line, size_t size)
{
	char text[LAST_MAX + 1];
	off_t end = said_size(child), from = end > LAST_MAX ? end - LAST_MAX : 0;
	ssize_t n = pread(child->out, text, LAST_MAX, from);
	line[0] = '\0';
	text[n > 0 ? n : 0] = '\0';
	for (char *at = text, *stop; (stop = strchr(at, '\n')); at = stop + 1) {
		*stop = '\0';
		if (at[0] && !strncmp(at, begin, strlen(begin)))
			snprintf(line, size, "%s", at);
	}
}

const struct node *answer(const struct node *node, const char *key)
{
	unsigned at = 0;
	for (node = node ? node->child : NULL; node; node = node->next, at++)
		if (node->key ? !strcmp(node->key, key) : at == strtoul(key, NULL, 10))
			return node;
	return NULL;
}

const char *answer_text(const struct node *node, const char *key)
{
	node = answer(node, key);
	return node && node->text ? node->text : "";
}

/* What the child has said, read as JSON. */
static const struct node *read_answer(struct selftest *selftest, const struct child *child, struct err *err)
{
	off_t size = said_size(child);
	char *text = size <= 0 || size > INPUT_MOST ? NULL : arena_take(&selftest->arena, (size_t)size + 1, err);
	if (!text || pread(child->out, text, (size_t)size, 0) != size)
		return NULL;
	return input_json(&selftest->arena, text, (size_t)size, err);
}

const struct node *ask(struct selftest *selftest, int *status, struct err *err, const char *word, ...)
{
	const char *words[WORDS_MAX] = { "roclatch" };
	struct child child = { 0 };
	size_t n = 1;
	va_list ap;
	va_start(ap, word);
	for (const char *next = word; next && n < WORDS_MAX - 1; next = va_arg(ap, const char *))
		words[n++] = next;
	va_end(ap);
	*status = -1;
	if (child_start(&child, words, CHILD_OWN, err) < 0)
		return NULL;
	*status = child_wait(&child, ANSWER_MS, err);
	const struct node *said = *status < 0 ? NULL : read_answer(selftest, &child, err);
	child_end(&child);
	if (*status >= 0 && !said)
		err_set(err, ERR_FAILED, 0, "roclatch %s ended with status %d and gave no answer", word, *status);
	const struct node *wrong = answer(said, "error");
	if (said && *status) {
		err_set(err, (enum err_code)*status, 0, "%s", answer_text(wrong, "text"));
		err_remedy(err, "%s", answer_text(wrong, "remedy"));
	}
	return said;
}
