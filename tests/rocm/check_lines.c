// SPDX-License-Identifier: MIT
/* check-sdk: the lines of truth.h, from the bytes that the SDK gave; see check_sdk.c. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_sdk.h"

static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[64], counted, values;
static uint32_t version;

/* Fields are written as OFFSET, with a letter behind it if they are not 8 bytes: w 4, s 4 with a sign,
 * l 8 with a sign, h 2, t text. */
static void put(const unsigned char *bytes, const char *fields)
{
	char *end;

	for (; *fields; fields = end + strspn(end, " ")) {
		size_t at = strtoul(fields, &end, 10);
		uint64_t number = 0;
		int32_t small = 0;
		const char *text;

		switch (*end) {
		case 'w': memcpy(&number, bytes + at, 4); break;
		case 'h': memcpy(&number, bytes + at, 2); break;
		case 's': memcpy(&small, bytes + at, 4); break;
		default: memcpy(&number, bytes + at, 8);
		}
		if (*end == 't') {
			putc('\t', out);
			for (text = (const char *)(uintptr_t)number; *text; text++)
				if (strchr("\t\n\r\\", *text))
					fprintf(out, "\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : *text == '\r' ? 'r' : '\\');
				else
					putc(*text, out);
		} else if (*end == 'l') {
			fprintf(out, "\t%" PRId64, (int64_t)number);
		} else if (*end == 's') {
			fprintf(out, "\t%" PRId32, small);
		} else {
			fprintf(out, "\t%" PRIu64, number);
		}
		end += *end && *end != ' ';
	}
}

bool write_begin(const char *path)
{
	out = fopen(path, "w");
	return out;
}

static int put_operation(int kind, int32_t operation, void *unused)
{
	const char *name = NULL;

	(void)unused;
	is("name", rocprofiler_query_buffer_tracing_kind_operation_name(kind, operation, &name, NULL), 0);
	fprintf(out, "operation\t%d\t%d\t%s\n", kind, operation, name);
	return 0;
}

static int put_kind(int kind, void *unused)
{
	const char *name = NULL;

	rocprofiler_query_buffer_tracing_kind_name(kind, &name, NULL);
	fprintf(out, "kind\t%d\t%s\n", kind, name);
	rocprofiler_iterate_buffer_tracing_kind_operations(kind, put_operation, unused);
	return 0;
}

static int put_counters(struct handle agent, struct handle *counters, size_t n, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < n; i++) {
		unsigned char info[512];

		is("counter", rocprofiler_query_counter_info(counters[i], 1, info), 0);
		fprintf(out, "counter\t%" PRIu64 "\t%" PRIu64, counters[i].handle, agent.handle);
		put(info, "8t 16t 24t 32t");
		fprintf(out, "\t%d\t%d\n", info[40] & 1, info[40] >> 1 & 1);
	}
	return 0;
}

static int put_agents(int number, const void **agents, size_t n, void *unused)
{
	is("version of agents", number, 1);
	for (size_t i = 0; i < n; i++) {
		const unsigned char *agent = agents[i];
		struct handle id;

		memcpy(&id, agent + 8, 8);
		fputs("agent", out);
		put(agent, "8 16w 20w 24w 28w 32w 36w 40w 44w 48w 52w 56w 60w 64w 68w 72w 76w 80w 84w 88w 92w 96w 100w 104h 106h "
			"108w 112w 116w 120w 124w 128w 132w 136w 140w 144w 148w 152w 156w 160w 164w 168w 172w 176 184 192 200w "
			"204w 208w 212w 216w 220w 280w 284s 288s 292w 248t 256t 264t 272t");
		putc('\n', out);
		rocprofiler_iterate_agent_supported_counters(id, put_counters, unused);
	}
	return 0;
}

void write_circumstances(void)
{
	uint32_t major, minor, patch;

	rocprofiler_get_version(&major, &minor, &patch);
	version = 10000 * major + 100 * minor + patch;
	fprintf(out, "sdk\t%u\t%d\n", version, (int)getpid());
	rocprofiler_iterate_buffer_tracing_kinds(put_kind, NULL);
	is("a larger agent", rocprofiler_query_available_agents(1, put_agents, 1000, NULL), SDK_INCOMPATIBLE_ABI);
	is("agents", rocprofiler_query_available_agents(1, put_agents, 296, NULL), 0);
}

static void put_value(uint64_t context, const unsigned char *value)
{
	struct handle counter = { 0 };
	uint64_t id;
	double number;

	memcpy(&id, value, 8);
	memcpy(&number, value + 8, 8);
	is("counter of a value", rocprofiler_query_record_counter_id(id, &counter), 0);
	fprintf(out, "value\t%" PRIu64, context);
	put(value, "16 32");
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%.17g\n", counter.handle, id, number);
	values++;
}

static void put_tracing(uint64_t context, uint32_t kind, const unsigned char *r)
{
	static const struct { const char *name, *type, *fields; } shapes[] = {
		{ "KERNEL_DISPATCH", "dispatch", "0 8w 12w 16 24 32 40 48 64 72 80 88 96w 100w 104w 108w 112w 116w 120w 124w" },
		{ "MEMORY_COPY", "copy", "0 8w 12w 16 24 32 40 48 56 64 72 80 88" },
		{ "MEMORY_ALLOCATION", "allocation", "0 8w 12w 16 24 32 40 48 56 64 72 80" },
		{ "SCRATCH_MEMORY", "scratch", "0 8w 12w 16 24 32 40 48 56 64 72 80s" },
		{ "HIP_GRAPH", "graph", "0 8w 12w 16 24 32 40 48 56 64 72 80 88" },
		{ "RUNTIME_INITIALIZATION", "initialization", "0 8w 12w 40 48 56 64" },
		{ "CORRELATION_ID_RETIREMENT", "retirement", "0 8w 16 24" },
		{ "", "api", "0 8w 12w 16 24 32 40 48 56" },
	};
	const char *name = NULL, *operation = NULL;
	int32_t number;
	size_t i = 0;

	memcpy(&number, r + 12, 4);
	rocprofiler_query_buffer_tracing_kind_name((int)kind, &name, NULL);
	while (*shapes[i].name && strcmp(shapes[i].name, name))
		i++;
	fprintf(out, "%s\t%" PRIu64, shapes[i].type, context);
	put(r, shapes[i].fields);
	if (!strcmp(shapes[i].type, "api")) {
		rocprofiler_query_buffer_tracing_kind_operation_name((int)kind, number, &operation, NULL);
		fprintf(out, "\t%s\t%s", name, operation);
	}
	if (!strcmp(shapes[i].type, "dispatch"))
		put(version < 10300 ? (const unsigned char *)"\0\0\0\0" : r + 184, "0s");
	if (!strcmp(shapes[i].type, "scratch"))
		put(version < 10100 ? (const unsigned char *)"\0\0\0\0\0\0\0" : r + 88, "0");
	putc('\n', out);
	counts[kind]++;
}

void write_record(uint64_t context, const struct record_header *header)
{
	const unsigned char *r = header->payload;

	pthread_mutex_lock(&lock);
	if (header->hash == (UINT64_C(1) << 32 | 3)) {
		fprintf(out, "counted\t%" PRIu64, context);
		put(r, "16 24 32 40 56 64 72 80 8");
		putc('\n', out);
		counted++;
	} else if (header->hash == (UINT64_C(2) << 32 | 3)) {
		put_value(context, r);
	} else {
		is("category", header->category, 1);
		put_tracing(context, header->kind, r);
	}
	pthread_mutex_unlock(&lock);
}

void write_counted(uint64_t context, const void *data, const void *records, size_t n)
{
	pthread_mutex_lock(&lock);
	fprintf(out, "counted\t%" PRIu64, context);
	put(data, "8 16 24 32 48 56 64 72");
	fprintf(out, "\t%zu\n", n);
	counted++;
	for (size_t i = 0; i < n; i++)
		put_value(context, (const unsigned char *)records + 40 * i);
	pthread_mutex_unlock(&lock);
}

void write_callback(const struct callback_tracing_record *record)
{
	const unsigned char *r = (const unsigned char *)record, *payload = record->payload;
	const char *name = NULL, *operation = NULL;
	bool text;

	rocprofiler_query_callback_tracing_kind_name(record->kind, &name, NULL);
	rocprofiler_query_callback_tracing_kind_operation_name(record->kind, record->operation, &operation, NULL);
	pthread_mutex_lock(&lock);
	if (!strcmp(name, "CODE_OBJECT")) {
		bool load = !strcmp(operation, "CODE_OBJECT_LOAD");

		fprintf(out, "%s", load ? "code_object" : "kernel");
		put(r, "0 48w");
		put(payload, load ? "8 16 40 48 56l 64w 72 80 32t" : "8 16 32 40w 44w 48w 52w 56w 60w 64w 72l 80 24t");
	} else if (!strcmp(name, "HIP_STREAM")) {
		fputs("stream", out);
		put(r, "0 48w 44w 8");
		put(payload, "8 16");
	} else {
		text = !strncmp(name, "MARKER_NAME", 11) || strstr(operation, "Mark") || strstr(operation, "Push") ||
			strstr(operation, "Start") || strstr(operation, "ThreadRange") || strstr(operation, "ProcessRange");
		fputs("marker", out);
		put(r, "0 48w 40w 44w 16 24 32 8");
		if (text)
			put(payload, "8t");
		else
			putc('\t', out);
	}
	putc('\n', out);
	pthread_mutex_unlock(&lock);
}

void write_end(void)
{
	for (unsigned i = 0; i < 64; i++) {
		const char *name = NULL;

		if (counts[i] && !rocprofiler_query_buffer_tracing_kind_name((int)i, &name, NULL))
			fprintf(out, "count\t%s\t%" PRIu64 "\n", name, counts[i]);
	}
	fprintf(out, "count\tCOUNTED\t%" PRIu64 "\ncount\tVALUE\t%" PRIu64 "\n", counted, values);
	is("written", ferror(out) || fclose(out), 0);
}
