// SPDX-License-Identifier: MIT
/*
 * check-sdk FILE: a program with a tool in it that asks the SDK stand-in for all it has, and writes what
 * it gets to FILE in the lines of truth.h, by offsets in bytes and nothing of the stand-in's structures.
 * With SDK_TRUTH set both files must have the same lines.  What the SDK answers is checked on the way.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_sdk.h"
#include "runtime.h"

static struct handle all, code, counting, lossy, small, big, discarding;
static unsigned wrong;
static uint64_t kept, drops, requests;
static pid_t main_thread;

void is(const char *what, long long got, long long wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%s: %lld and not %lld\n", what, got, wanted);
	wrong++;
}

static void on_buffer(struct handle context, struct handle buffer, struct record_header **headers, size_t n, void *data,
	uint64_t dropped)
{
	is("a buffer came with its own data", (long long)((struct handle *)data)->handle, (long long)buffer.handle);
	is("a buffer comes on a thread of the SDK", gettid() == main_thread, 0);
	drops += dropped;
	if (context.handle == lossy.handle) {
		kept += n;
		usleep(2000);
		return;
	}
	for (size_t i = 0; i < n; i++)
		write_record(context.handle, headers[i]);
}

static void on_callback(struct callback_tracing_record record, uint64_t *user, void *data)
{
	is("a callback came with its own data", (long long)(uintptr_t)data, 77);
	if (record.phase == PHASE_EXIT && record.kind != CALLBACK_CODE_OBJECT)
		is("user data lives from enter to exit", (long long)*user, 4711);
	*user = 4711;
	write_callback(&record);
}

static int on_request(uint64_t thread, struct handle context, int kind, int32_t operation, uint64_t internal,
	uint64_t *external, void *data)
{
	(void)thread, (void)context, (void)operation, (void)data;
	requests++;
	*external = internal << 8 | (uint64_t)kind;
	return internal % 7 == 3;
}

/* All counters of the GPU, made when it is first seen. */
static int make_config(struct handle agent, struct handle *counters, size_t n, void *config)
{
	return rocprofiler_create_counter_config(agent, counters, n, config);
}

static void on_dispatch(struct dispatch_counting_service_data data, struct handle *config, uint64_t *user, void *unused)
{
	static struct { uint64_t agent; struct handle config; } made[4];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	unsigned i = 0;

	(void)unused;
	pthread_mutex_lock(&lock);
	while (made[i].agent && made[i].agent != data.dispatch_info.agent_id.handle)
		i++;
	if (!made[i].agent) {
		made[i].agent = data.dispatch_info.agent_id.handle;
		is("make a configuration", rocprofiler_iterate_agent_supported_counters(data.dispatch_info.agent_id, make_config,
			&made[i].config), 0);
	}
	pthread_mutex_unlock(&lock);
	*config = made[i].config;
	*user = data.dispatch_info.dispatch_id;
}

static void on_counters(struct dispatch_counting_service_data data, struct counter_record *records, size_t n,
	uint64_t user, void *unused)
{
	(void)unused;
	is("counters come on a thread of the SDK", gettid() == main_thread, 0);
	is("user data of a dispatch", (long long)user, (long long)data.dispatch_info.dispatch_id);
	write_counted(counting.handle, &data, records, n);
}

static void dies(const char *what, int (*call)(void))
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		_exit(call());
	}
	waitpid(child, &status, 0);
	is(what, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGABRT);
}

static int ask_for_too_much(void)
{
	return rocprofiler_configure_buffer_tracing_service(all, BUFFER_KINDS_MOST, NULL, 0, small);
}

static int ask_for_kfd(void)
{
	return rocprofiler_configure_buffer_tracing_service(all, BUFFER_KFD_PAGE_FAULT, NULL, 0, small);
}

static int ask_for_kind(int kind, void *unused)
{
	const char *name = NULL;
	uint64_t length = 0;

	(void)unused;
	is("query a kind", rocprofiler_query_buffer_tracing_kind_name(kind, &name, &length), 0);
	is("length of a name", (long long)length, (long long)strlen(name));
	if (kind && strncmp(name, "KFD", 3))
		is(name, rocprofiler_configure_buffer_tracing_service(all, kind, NULL, 0,
			kind == BUFFER_KERNEL_DISPATCH ? big : small), 0);
	return 0;
}

static int ask_for_callbacks(int kind, void *unused)
{
	const char *name = NULL;

	(void)unused;
	rocprofiler_query_callback_tracing_kind_name(kind, &name, NULL);
	if (!strncmp(name, "MARKER", 6) || !strcmp(name, "HIP_STREAM"))
		is(name, rocprofiler_configure_callback_tracing_service(all, kind, NULL, 0, on_callback, (void *)77), 0);
	if (!strcmp(name, "CODE_OBJECT"))
		is(name, rocprofiler_configure_callback_tracing_service(code, kind, NULL, 0, on_callback, (void *)77), 0);
	return 0;
}

static void ask_for_services(void)
{
	static const int requested[] = { 10, 11 };
	int32_t hip[] = { 3, 9999 };

	rocprofiler_iterate_buffer_tracing_kinds(ask_for_kind, NULL);
	rocprofiler_iterate_callback_tracing_kinds(ask_for_callbacks, NULL);
	is("a kind twice", rocprofiler_configure_buffer_tracing_service(all, 5, NULL, 0, small), SDK_SERVICE_ALREADY_CONFIGURED);
	is("a bad operation", rocprofiler_configure_buffer_tracing_service(lossy, 5, hip, 2, discarding),
		SDK_OPERATION_NOT_FOUND);
	is("one operation", rocprofiler_configure_buffer_tracing_service(lossy, 5, hip, 1, discarding), 0);
	is("another kind", rocprofiler_configure_buffer_tracing_service(lossy, 1, NULL, 0, discarding), 0);
	is("requests", rocprofiler_configure_external_correlation_id_request_service(all, requested, 2, on_request, NULL), 0);
	is("counting", rocprofiler_configure_buffer_dispatch_counting_service(all, big, on_dispatch, NULL), 0);
	is("counting by callback", rocprofiler_configure_callback_dispatch_counting_service(counting, on_dispatch, NULL,
		on_counters, NULL), 0);
}

static void make_buffers(void)
{
	struct handle thread = { 0 };

	is("thread", rocprofiler_create_callback_thread(&thread), 0);
	is("small", rocprofiler_create_buffer(all, 4096, 2048, POLICY_LOSSLESS, on_buffer, &small, &small), 0);
	is("big", rocprofiler_create_buffer(all, 65536, 61440, POLICY_LOSSLESS, on_buffer, &big, &big), 0);
	is("discarding", rocprofiler_create_buffer(lossy, 4096, 4096, POLICY_DISCARD, on_buffer, &discarding, &discarding), 0);
	is("assign", rocprofiler_assign_callback_thread(small, thread), 0);
	is("no such thread", rocprofiler_assign_callback_thread(small, (struct handle){ 99 }), SDK_THREAD_NOT_FOUND);
}

static int initialize(void (*finalize)(struct client_id), void *data)
{
	struct handle used = { 5 };

	(void)finalize, (void)data;
	main_thread = gettid();
	is("context", rocprofiler_create_context(&all), 0);
	is("context", rocprofiler_create_context(&code), 0);
	is("context", rocprofiler_create_context(&counting), 0);
	is("context", rocprofiler_create_context(&lossy), 0);
	is("context that is not 0", rocprofiler_create_context(&used), SDK_CONTEXT_ID_NOT_ZERO);
	make_buffers();
	dies("a kind behind the last", ask_for_too_much);
	if (access("/dev/kfd", F_OK))
		dies("KFD without KFD", ask_for_kfd);
	ask_for_services();
	is("start", rocprofiler_start_context(code), 0);
	write_circumstances();
	return 0;
}

static void finalize(void *data)
{
	(void)data;
	rocprofiler_flush_buffer(small);
	rocprofiler_flush_buffer(big);
	write_end();
	is("no drops are told of", (long long)drops, 0);
	if (wrong)
		_exit(1);
}

PUBLIC struct tool_configure_result *rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
	struct client_id *id)
{
	static struct tool_configure_result result = { sizeof(result), initialize, finalize, NULL };

	(void)text, (void)priority, (void)id;
	is("version", version >= 10000 && version < 20000, 1);
	return &result;
}

static uint64_t tell(const char *order)
{
	char answer[4096] = "";

	is(order, sdk_order(order, answer, sizeof(answer)), 1);
	return strtoull(answer, NULL, 10);
}

static void drive(void)
{
	uint64_t emitted;
	int active = 0;

	is("nobody listens", (long long)tell("emit HIP_RUNTIME_API 10 2"), 0);
	is("start", rocprofiler_start_context(all), 0);
	is("active", rocprofiler_context_is_active(all, &active) + active, 1);
	is("a second that counts", rocprofiler_start_context(counting), SDK_CONTEXT_CONFLICT);
	stand_in_make_kernels(80, 1);
	tell("emit all 300 2");
	tell("emit all 200 1");
	tell("emit-threads 4 2000 6");
	tell("stream create 9 18446744073709551615");
	tell("stream set 9 18446744073709551615");
	tell("emit MEMORY_COPY 2 8");
	tell("stream unset");
	tell("stream destroy 9 18446744073709551615");
	tell("marker push outer \"one\"");
	tell("marker push inner");
	tell("emit MEMORY_ALLOCATION 3 8");
	tell("marker pop");
	tell("marker start a process range");
	tell("marker stop 1");
	tell("marker mark here");
	tell("marker name main");
	tell("pause");
	tell("resume");
	tell("marker pop");
	is("flush", rocprofiler_flush_buffer(small) + rocprofiler_flush_buffer(big), 0);
	is("stop", rocprofiler_stop_context(all), 0);
	is("stop again", rocprofiler_stop_context(all), SDK_CONTEXT_NOT_FOUND);
	is("requests were made", requests > 500, 1);
	is("start to count", rocprofiler_start_context(counting), 0);
	tell("emit KERNEL_DISPATCH 100 10");
	rocprofiler_stop_context(counting);
	rocprofiler_start_context(lossy);
	emitted = tell("emit HSA_CORE_API 5000 2");
	rocprofiler_flush_buffer(discarding);
	is("a buffer that discards", emitted < 5000 && kept == emitted, 1);
}

int main(int argc, char **argv)
{
	static struct hsa_table hsa;
	void *table[] = { &hsa };
	struct handle late = { 0 };

	if (argc != 2 || !write_begin(argv[1]))
		return 2;
	is("table", rocprofiler_set_api_table("hsa", 20000, 0, table, 1), 0);
	is("late context", rocprofiler_create_context(&late), SDK_CONFIGURATION_LOCKED);
	is("unknown status", rocprofiler_get_status_name(99) == NULL && rocprofiler_get_status_string(16), 1);
	drive();
	return 0;
}
