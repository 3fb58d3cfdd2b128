// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk-tool.so.1 (and, with OWN_TOOL, for
 * libroclatch-tool.so).  It writes what is called, on which thread and with which
 * variables, to the file OUTPUT_PATH/OUTPUT_FILE_NAME.callbacks, for tests to read:
 *   NUMBER CALLBACK tid=TID ...
 *   <tab>NAME=VALUE      behind init, attach and start: each ROCP* variable, sorted
 * Built with one of the letters of build.mk it fails in a way of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/tool_abi.h"
#include "sdk_abi.h"

#define VARIABLES 256

extern char **environ;

static struct handle context, buffer, thread;
static _Atomic unsigned callbacks;
static _Atomic unsigned long seen;
static int state;
#ifdef CRASHES
static volatile int *volatile nowhere;
#endif

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
}

static int open_log(void)
{
	const char *folder = getenv("ROCPROF_OUTPUT_PATH"), *file = getenv("ROCPROF_OUTPUT_FILE_NAME");
	char path[4096], own[32];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	snprintf(path, sizeof(path), "%s/%s.callbacks", folder && *folder ? folder : ".", file && *file ? file : own);
	make_folders(path);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A new line in a value is written as \n, a backslash as two. */
static void put_variable(int log, const char *variable)
{
	char text[8192];
	size_t n = 0;

	text[n++] = '\t';
	for (; *variable && n < sizeof(text) - 3; variable++) {
		if (*variable == '\n' || *variable == '\\')
			text[n++] = '\\';
		text[n++] = *variable == '\n' ? 'n' : *variable;
	}
	text[n++] = '\n';
	if (write(log, text, n) != (ssize_t)n)
		abort();
}

static void put_variables(int log)
{
	char *list[VARIABLES];
	unsigned n = 0;

	for (char **at = environ; *at && n < VARIABLES; at++)
		if (!strncmp(*at, "ROCP", 4))
			list[n++] = *at;
	qsort(list, n, sizeof(list[0]), by_name);
	for (unsigned i = 0; i < n; i++)
		put_variable(log, list[i]);
}

static void put(int with_variables, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(int with_variables, const char *fmt, ...)
{
	char text[512], details[400];
	int log = open_log(), n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(details, sizeof(details), fmt, ap);
	va_end(ap);
	n = snprintf(text, sizeof(text), "%u %s\n", atomic_fetch_add(&callbacks, 1) + 1, details);
	if (log < 0)
		return;
	if (write(log, text, (size_t)n) != n)
		abort();
	if (with_variables)
		put_variables(log);
	close(log);
}

static void on_hip(struct callback_tracing_record record, uint64_t *user, void *argument)
{
	(void)user, (void)argument;
	if (record.phase == PHASE_ENTER)
		atomic_fetch_add(&seen, 1);
}

static int initialize(void (*finalize)(struct client_id), void *data)
{
	int wrong = 0;

	(void)finalize, (void)data;
	wrong |= rocprofiler_create_context(&context);
	wrong |= rocprofiler_configure_callback_tracing_service(context, CALLBACK_HIP_RUNTIME_API, NULL, 0, on_hip, NULL);
	wrong |= rocprofiler_create_buffer(context, 65536, 61440, 2, NULL, NULL, &buffer);
	wrong |= rocprofiler_create_callback_thread(&thread);
	wrong |= rocprofiler_assign_callback_thread(buffer, thread);
	state = wrong ? -wrong : 1;
	put(1, "init tid=%d status=%d", (int)gettid(), wrong);
	return wrong ? -1 : 0;
}

static void finalize(void *data)
{
	(void)data;
	put(0, "fini tid=%d", (int)gettid());
}

static int attach(void (*detach)(struct client_id), struct handle *contexts, uint64_t n, void *data)
{
	(void)data;
	put(1, "attach tid=%d contexts=%llu detach=%s", (int)gettid(), (unsigned long long)n, detach ? "given" : "null");
#ifdef CRASHES
	*nowhere = 1;
#endif
	for (uint64_t i = 0; i < n; i++)
		rocprofiler_start_context(contexts[i]);
	state = 2;
	return 0;
}

static void detach(void *data)
{
	(void)data;
#ifdef SLOW
	sleep(3);
#endif
	rocprofiler_flush_buffer(buffer);
	state = 3;
	put(0, "detach tid=%d seen=%lu", (int)gettid(), atomic_exchange(&seen, 0));
}

PUBLIC struct tool_configure_result *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
	struct client_id *id)
{
	static struct tool_configure_result result = { sizeof(result), initialize, finalize, NULL };

	id->name = "stand-in";
	put(0, "configure tid=%d version=%u runtime=%s priority=%u", (int)gettid(), version, runtime_version, priority);
#ifdef REFUSES
	return NULL;
#endif
	return &result;
}

PUBLIC struct tool_configure_attach_result *rocprofiler_configure_attach(uint32_t version, const char *runtime_version,
	uint32_t priority, struct client_id *id)
{
	static struct tool_configure_attach_result result = { sizeof(result), attach, detach, NULL };

	(void)version, (void)runtime_version, (void)id;
	put(0, "configure_attach tid=%d priority=%u", (int)gettid(), priority);
	return &result;
}

#ifdef OWN_TOOL
PUBLIC int roclatch_tool_state(void);
PUBLIC int roclatch_tool_start(void);
PUBLIC int roclatch_tool_stop(void);

int roclatch_tool_state(void)
{
	return state;
}

int roclatch_tool_start(void)
{
	int status;

	if (state != 1 && state != 3)
		return EBUSY;
	put(1, "start tid=%d", (int)gettid());
	status = rocprofiler_start_context(context);
	if (!status)
		state = 2;
	return status;
}

int roclatch_tool_stop(void)
{
	int status;

	if (state != 2)
		return EINVAL;
	status = rocprofiler_stop_context(context);
	rocprofiler_flush_buffer(buffer);
	state = 3;
	put(0, "stop tid=%d seen=%lu", (int)gettid(), atomic_exchange(&seen, 0));
	return status;
}
#endif
