// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: the file of what was delivered; see truth.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"
#include "truth.h"

#define BUFFER (1 << 18)

enum { COUNTED = BUFFER_KINDS_MOST, VALUE, COUNTS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static bool counts_only, anew;
static _Atomic uint64_t counts[COUNTS];

static FILE *open_for_process(void)
{
	const char *given = getenv("SDK_TRUTH"), *pid = given ? strstr(given, "%p") : NULL;
	char path[4096];
	FILE *made;

	if (!given || !*given)
		return NULL;
	if (pid)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(pid - given), given, (int)getpid(), pid + 2);
	else
		snprintf(path, sizeof(path), "%s", given);
	made = fopen(path, "ae");
	if (!made)
		sdk_fatal("SDK_TRUTH", path);
	setvbuf(made, malloc(BUFFER), _IOFBF, BUFFER);
	if (!counts_only)
		put_circumstances(made);
	return made;
}

/* The parent's lines are the parent's; the child has its own if there are any. */
static void begin_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	if (file)
		anew = true;
	file = NULL;
	for (unsigned i = 0; i < COUNTS; i++)
		counts[i] = 0;
}

void truth_open(void)
{
	const char *only = getenv("SDK_TRUTH_COUNTS");

	counts_only = only && !strcmp(only, "1");
	file = open_for_process();
}

/* Before the threads of a child are there, which deliver: handlers of forks are called in the order of registration. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, begin_in_child);
}

void truth_flush(void)
{
	pthread_mutex_lock(&lock);
	if (file)
		fflush(file);
	pthread_mutex_unlock(&lock);
}

static const char *count_name(int i)
{
	return i == COUNTED ? "COUNTED" : i == VALUE ? "VALUE" : i < buffer_kinds() ? kind_name(i) : "";
}

void truth_counts(char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (int i = 0; i < COUNTS && used < size; i++)
		if (counts[i])
			used += (size_t)snprintf(text + used, size - used, "%s%s=%llu", used ? " " : "", count_name(i),
				(unsigned long long)counts[i]);
}

void truth_close(void)
{
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < COUNTS; i++)
		if (counts[i])
			fprintf(file, "count\t%s\t%llu\n", count_name(i), (unsigned long long)counts[i]);
	fclose(file);
	file = NULL;
	pthread_mutex_unlock(&lock);
}

static FILE *begin_lines(void)
{
	if ((!file && !anew) || counts_only)
		return NULL;
	pthread_mutex_lock(&lock);
	if (anew)
		file = open_for_process();
	anew = false;
	return file;
}

static int counted_as(const struct record_header *header)
{
	if (header->category == CATEGORY_TRACING)
		return (int)header->kind;
	return header->kind == COUNTER_RECORD_VALUE ? VALUE : COUNTED;
}

void truth_records(struct handle context, struct record_header **headers, size_t n)
{
	FILE *out = begin_lines();

	for (size_t i = 0; i < n; i++) {
		counts[counted_as(headers[i])]++;
		if (out)
			put_record(out, context, headers[i]);
	}
	if (out)
		pthread_mutex_unlock(&lock);
}

void truth_callback(const struct callback_tracing_record *record)
{
	FILE *out = begin_lines();

	if (!out)
		return;
	put_callback(out, record);
	pthread_mutex_unlock(&lock);
}

void truth_counted(struct handle context, const struct dispatch_counting_service_data *data,
	const struct counter_record *values, size_t n)
{
	FILE *out = begin_lines();

	counts[COUNTED]++;
	counts[VALUE] += n;
	if (!out)
		return;
	put_counted(out, context, data, n);
	for (size_t i = 0; i < n; i++)
		put_value(out, context, &values[i]);
	pthread_mutex_unlock(&lock);
}
