// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk-tool.so.1 as roclatch selftest meets it: launches and copies become the
 * tables OUTPUT_PATH/OUTPUT_FILE_NAME_kernel_trace.csv and _memory_copy_trace.csv, made after the detach as newer ones do.
 * TABLES in the environment of the process has it write what no tool should: "empty" (no rows), "backwards" (ends before
 * beginnings), "double" (each row twice), "nameless" (other kernels), "long" (one a minute later), "headless" (no heads).
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk_abi.h"

#define CALLS 65536
#define LATER_MS 700
#define MINUTE_NS UINT64_C(60000000000)

static struct handle context;
static struct call { bool copy; uint64_t start, end; } calls[CALLS];
static _Atomic unsigned made;
static char base[PATH_MAX];

static bool fault(const char *name)
{
	const char *is = getenv("TABLES");

	return is && !strcmp(is, name);
}

static void on_hip(struct callback_tracing_record record, uint64_t *user, void *argument)
{
	const char *name = "";
	uint64_t length, now;
	unsigned place;

	(void)argument;
	rocprofiler_get_timestamp(&now);
	if (record.phase == PHASE_ENTER) {
		*user = now;
		return;
	}
	rocprofiler_query_buffer_tracing_kind_operation_name(BUFFER_HIP_RUNTIME_API, record.operation, &name, &length);
	if (strcmp(name, "hipLaunchKernel") && strcmp(name, "hipMemcpy"))
		return;
	place = atomic_fetch_add(&made, 1);
	if (place < CALLS)
		calls[place] = (struct call){ !strcmp(name, "hipMemcpy"), *user, now };
}

static void put(FILE *to, const struct call *call, unsigned number)
{
	uint64_t start = call->start, end = call->end;

	if (fault("backwards") && number == 3)
		end = start - 1;
	if (fault("long") && number == 3)
		end += MINUTE_NS;
	for (int i = 0; i < 1 + fault("double"); i++) {
		fprintf(to, call->copy ? "\"MEMORY_COPY\",\"\"" : "\"KERNEL_DISPATCH\",\"%s(int*, int) [clone .kd]\"",
			fault("nameless") ? "other, \"\"odd\"\"" : "roclatch_selftest");
		fprintf(to, ",%llu,%llu\n", (unsigned long long)start, (unsigned long long)end);
	}
}

static void write_table(bool copies, const char *ending, const char *heads)
{
	char path[PATH_MAX + 32];
	unsigned n = atomic_load(&made), rows = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", base, ending);
	file = fopen(path, "w");
	if (!file)
		abort();
	fputs(fault("headless") ? "\n" : heads, file);
	for (unsigned i = 0; i < n && i < CALLS && !fault("empty"); i++)
		if (calls[i].copy == copies)
			put(file, &calls[i], rows++);
	fclose(file);
}

static void *write_later(void *unused)
{
	usleep(LATER_MS * 1000);
	write_table(true, "_memory_copy_trace.csv", "\"Kind\",\"Direction\",\"Start_Timestamp\",\"End_Timestamp\"\n");
	write_table(false, "_kernel_trace.csv", "\"Kind\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n");
	return unused;
}

static int initialize(void (*finalize)(struct client_id), void *data)
{
	(void)finalize, (void)data;
	return rocprofiler_create_context(&context) ||
		rocprofiler_configure_callback_tracing_service(context, CALLBACK_HIP_RUNTIME_API, NULL, 0, on_hip, NULL) ? -1 : 0;
}

static void finalize(void *data)
{
	(void)data;
}

static int attach(void (*detach)(struct client_id), struct handle *contexts, uint64_t n, void *data)
{
	const char *folder = getenv("ROCPROF_OUTPUT_PATH"), *file = getenv("ROCPROF_OUTPUT_FILE_NAME");

	(void)detach, (void)data;
	snprintf(base, sizeof(base), "%s/%s", folder ? folder : ".", file ? file : "out");
	atomic_store(&made, 0);
	for (uint64_t i = 0; i < n; i++)
		rocprofiler_start_context(contexts[i]);
	return 0;
}

static void detach(void *data)
{
	pthread_t thread;

	(void)data;
	if (pthread_create(&thread, NULL, write_later, NULL) || pthread_detach(thread))
		abort();
}

PUBLIC struct tool_configure_result *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
	struct client_id *id)
{
	static struct tool_configure_result result = { sizeof(result), initialize, finalize, NULL };

	(void)version, (void)runtime_version, (void)priority;
	id->name = "tables";
	return &result;
}

PUBLIC struct tool_configure_attach_result *rocprofiler_configure_attach(uint32_t version, const char *runtime_version,
	uint32_t priority, struct client_id *id)
{
	static struct tool_configure_attach_result result = { sizeof(result), attach, detach, NULL };

	(void)version, (void)runtime_version, (void)priority, (void)id;
	return &result;
}
