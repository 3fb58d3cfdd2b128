// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: what roctx calls become.  A range is
 * told of when it begins and again when it ends, with its text both times, and is
 * one record; what the thread does within a push and its pop descends from it.
 *   marker push TEXT | pop | mark TEXT | start TEXT (answers its number) | stop NUMBER | name TEXT
 *   pause, resume
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"

enum { CORE_MARK, CORE_PUSH, CORE_POP, CORE_START, CORE_STOP };
enum { RANGE_MARK, RANGE_THREAD, RANGE_PROCESS };

struct range {
	struct activity activity;
	uint64_t start, number;
	char *text;
	struct range *next;
};

static __thread struct range *innermost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *started;
static uint64_t last_number;

bool marker_has_text(int kind, int operation)
{
	switch (kind) {
	case CALLBACK_MARKER_CORE_API: return operation == CORE_MARK || operation == CORE_PUSH || operation == CORE_START;
	case CALLBACK_MARKER_CORE_RANGE_API: return operation <= RANGE_PROCESS;
	case CALLBACK_MARKER_NAME_API: return true;
	default: return false;
	}
}

static void tell(struct activity *activity, int phase, const char *text, uint64_t number)
{
	struct callback_tracing_marker_api_data data = { .size = sizeof(data), .retval = number };

	if (marker_has_text(activity->callback, activity->operation))
		data.args.message = text;
	else
		data.args.id = number;
	activity_tell(activity, phase, &data);
}

void tell_marker(struct activity *activity, const char *text)
{
	tell(activity, PHASE_ENTER, text, 0);
	tell(activity, PHASE_EXIT, text, 0);
}

static void put_record(struct activity *activity, uint64_t start)
{
	struct buffer_tracing_api_record record = { .size = sizeof(record), .kind = activity->kind,
		.operation = activity->operation, .start_timestamp = start, .end_timestamp = sdk_now(),
		.thread_id = (uint64_t)gettid() };

	activity_record(activity, &record, sizeof(record));
}

/* A call of roctx itself. */
static void call(int kind, int32_t operation, const char *text, uint64_t number)
{
	struct activity activity;
	uint64_t start = sdk_now();

	if (!activity_begin(&activity, kind, operation))
		return;
	tell(&activity, PHASE_ENTER, text, number);
	tell(&activity, PHASE_EXIT, text, number);
	put_record(&activity, start);
}

static struct range *begin_range(int32_t operation, const char *text)
{
	struct range *range = calloc(1, sizeof(*range));

	if (!range)
		sdk_fatal("no memory", NULL);
	range->text = strdup(text);
	range->start = sdk_now();
	activity_begin(&range->activity, BUFFER_MARKER_CORE_RANGE_API, operation);
	tell(&range->activity, PHASE_ENTER, range->text, 0);
	return range;
}

static void end_range(struct range *range)
{
	tell(&range->activity, PHASE_EXIT, range->text, 0);
	put_record(&range->activity, range->start);
	free(range->text);
	free(range);
}

PUBLIC void sdk_marker_push(const char *text);
PUBLIC void sdk_marker_pop(void);
PUBLIC void sdk_marker_mark(const char *text);

void sdk_marker_push(const char *text)
{
	struct range *range;

	call(BUFFER_MARKER_CORE_API, CORE_PUSH, text, 0);
	range = begin_range(RANGE_THREAD, text);
	if (range->activity.n)
		activity_push(range->activity.internal);
	range->next = innermost;
	innermost = range;
}

void sdk_marker_pop(void)
{
	struct range *range = innermost;

	call(BUFFER_MARKER_CORE_API, CORE_POP, NULL, 0);
	if (!range)
		return;
	innermost = range->next;
	if (range->activity.n)
		activity_pop();
	end_range(range);
}

void sdk_marker_mark(const char *text)
{
	struct activity activity;
	uint64_t start = sdk_now();

	call(BUFFER_MARKER_CORE_API, CORE_MARK, text, 0);
	if (!activity_begin(&activity, BUFFER_MARKER_CORE_RANGE_API, RANGE_MARK))
		return;
	tell_marker(&activity, text);
	put_record(&activity, start);
}

static uint64_t start_range(const char *text)
{
	struct range *range = begin_range(RANGE_PROCESS, text);

	pthread_mutex_lock(&lock);
	range->number = ++last_number;
	range->next = started;
	started = range;
	pthread_mutex_unlock(&lock);
	call(BUFFER_MARKER_CORE_API, CORE_START, text, range->number);
	return range->number;
}

static bool stop_range(uint64_t number)
{
	struct range **at = &started, *range;

	call(BUFFER_MARKER_CORE_API, CORE_STOP, NULL, number);
	pthread_mutex_lock(&lock);
	while (*at && (*at)->number != number)
		at = &(*at)->next;
	range = *at;
	if (range)
		*at = range->next;
	pthread_mutex_unlock(&lock);
	if (range)
		end_range(range);
	return range;
}

static bool obey(const char *line, uint64_t *number)
{
	if (!strncmp(line, "push ", 5))
		sdk_marker_push(line + 5);
	else if (!strcmp(line, "pop"))
		sdk_marker_pop();
	else if (!strncmp(line, "mark ", 5))
		sdk_marker_mark(line + 5);
	else if (!strncmp(line, "start ", 6))
		*number = start_range(line + 6);
	else if (!strncmp(line, "stop ", 5))
		return stop_range(strtoull(line + 5, NULL, 10));
	else if (!strncmp(line, "name ", 5))
		call(BUFFER_MARKER_NAME_API, 0, line + 5, 0);
	else
		return false;
	return true;
}

bool marker_order(const char *line, char *answer, size_t size)
{
	uint64_t number = 0;

	if (!strcmp(line, "pause") || !strcmp(line, "resume"))
		call(BUFFER_MARKER_CONTROL_API, line[0] == 'r', NULL, 0);
	else if (strncmp(line, "marker ", 7) || !obey(line + 7, &number))
		return false;
	snprintf(answer, size, "%llu", (unsigned long long)number);
	return true;
}
