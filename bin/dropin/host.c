/* SPDX-License-Identifier: MIT */
#include "bin/dropin/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "inject/aside.h"
#include "inject/thread.h"

#define TOOL_VARIABLE "ROCPROF_ATTACH_TOOL_LIBRARY="

__attribute__((constructor)) static void be_quiet(void)
{
	thread_quiet = true;
}

struct job {
	host_work *work;
	pid_t pid;
	rocattach_status_t status;
};

static void run(void *with)
{
	struct job *job = with;
	job->status = job->work(job->pid);
}

rocattach_status_t host_run(host_work *work, pid_t pid)
{
	rocattach_status_t status = ROCATTACH_STATUS_ERROR;
	int error = errno;
	struct job *job = malloc(sizeof *job);
	if (job) {
		*job = (struct job){ .work = work, .pid = pid };
		aside_run(run, job);
		status = job->status;
		free(job);
	}
	errno = error;
	return status;
}

bool host_is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

/* Read each time, as the variable may be set after we are loaded. */
static enum log_level allowed(void)
{
	static const char *const names[] = { "fatal", "error", "warning", "info", "trace" };
	const char *wanted = host_is_secure() ? NULL : getenv("ROCATTACH_LOG_LEVEL");
	for (size_t i = 0; wanted && i < sizeof names / sizeof *names; i++)
		if (!strcmp(wanted, names[i]))
			return (enum log_level)i;
	return LOG_SILENT;
}

/* One write a line, past the host's stdio. */
static void write_line(const char *text)
{
	char line[1200];
	int n = snprintf(line, sizeof line, "rocattach: %s\n", text);
	size_t size = n < (int)sizeof line ? (size_t)n : sizeof line - 1;
	for (size_t i = 0; i + 1 < size; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	line[size - 1] = '\n';
	ssize_t written = write(STDERR_FILENO, line, size);
	(void)written;
}

void host_log(enum log_level level, const char *fmt, ...)
{
	char text[1024];
	if (level > allowed())
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	write_line(text);
}

void host_log_error(const struct err *err)
{
	host_log(LOG_ERROR, "%s", err->text);
	if (err->remedy[0])
		host_log(LOG_ERROR, "  %s", err->remedy);
}

static void explain(void *unused, const char *text)
{
	(void)unused;
	host_log(LOG_TRACE, "%s", text);
}

const struct say host_say = { .line = explain };

/* The first helper script named the attaching library itself by the variable that now names the tool. */
static bool names_ourselves(const char *variable)
{
	if (strncmp(variable, TOOL_VARIABLE, sizeof TOOL_VARIABLE - 1))
		return false;
	const char *name = strrchr(variable, '/');
	name = name ? name + 1 : variable + sizeof TOOL_VARIABLE - 1;
	return !strncmp(name, "librocprofv3-attach.so", 22) || !strncmp(name, "librocprofiler-sdk-rocattach.so", 31);
}

char **host_environment(void)
{
	size_t n = 0, kept = 0;
	while (environ && environ[n])
		n++;
	char **list = calloc(n + 1, sizeof *list);
	for (size_t i = 0; list && i < n && environ[i]; i++)
		if (!names_ourselves(environ[i]))
			list[kept++] = environ[i];
	return list;
}
