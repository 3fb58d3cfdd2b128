/* SPDX-License-Identifier: MIT */
/* A log that a test of the ring writes and reads again. */
#ifndef ROCLATCH_TESTS_TOOL_LOG_H
#define ROCLATCH_TESTS_TOOL_LOG_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rocp/tool/circumstances.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/ring.h"
#include "rocp/tool/thread.h"
#include "rocp/trace/trace.h"
#include "unity.h"

/* The ring takes these from the process only if they are there: a static program has what it names. */
static int (*const linked)(pthread_t) = pthread_detach;
static int (*const linked_too)(pthread_attr_t *, size_t) = pthread_attr_setstacksize;

static char folder[64], path[128];
static struct tool_status *const status = &roclatch_tool_status;

void setUp(void)
{
	TEST_ASSERT_TRUE(linked && linked_too);
	snprintf(folder, sizeof folder, "/tmp/roclatch-ring-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.rlog", folder);
	status->why[0] = '\0';
	status->sys = 0;
	status->records = status->lost = status->bytes = 0;
	status->state = 2;
}

void tearDown(void)
{
	char command[128];
	ring_stop();
	snprintf(command, sizeof command, "rm -r %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
}

static inline int make_log(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
	TEST_ASSERT_GREATER_OR_EQUAL(0, fd);
	return fd;
}

static inline void start(int fd)
{
	struct log_head head;
	circumstances_head(&head, 10300, 0);
	TEST_ASSERT_EQUAL(0, ring_start(fd, &head));
	remember_name(5, -1, "HIP_RUNTIME_API");
	remember_name(5, 1, "hipMalloc");
	remembered_open();
}

/* One call; false: it is lost. */
static inline bool put_call(uint64_t number)
{
	struct log_api api = { .frame = { .size = sizeof api, .type = LOG_API }, .kind = 5, .operation = 1,
		.correlation = number, .start = number, .end = number + 1, .thread = 7 };
	ring_lock();
	void *place = ring_take(sizeof api);
	if (place) {
		memcpy(place, &api, sizeof api);
		ring_fill.records++;
		status->records++;
	} else {
		status->lost++;
	}
	ring_unlock();
	return place;
}

static inline void put_calls(uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++)
		put_call(i);
}

static inline void stop(void)
{
	ring_settle();
	remembered_close();
	ring_stop();
}

struct sum { uint64_t n, sum; };
static inline int add(void *ctx, const struct event *event, struct err *err)
{
	struct sum *sum = ctx;
	(void)err;
	TEST_ASSERT_EQUAL_STRING("hipMalloc", event->operation_name);
	sum->n++;
	sum->sum += event->correlation;
	return 0;
}

/* How many calls are in the log, which must have the first ones, whole and in order of their numbers. */
static inline uint64_t calls_in_log(struct trace *trace)
{
	struct err err = { 0 };
	struct sum sum = { 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(trace, path, &err), err.text);
	TEST_ASSERT_EQUAL(0, trace_each(trace, DOMAINS_ALL, add, &sum, &err));
	TEST_ASSERT_EQUAL_STRING("", trace->damage);
	TEST_ASSERT_EQUAL_UINT64(trace->events[DOMAIN_HIP], sum.n);
	return sum.n;
}

static inline unsigned threads(void)
{
	unsigned n = 0;
	DIR *list = opendir("/proc/self/task");
	for (struct dirent *entry; list && (entry = readdir(list));)
		n += entry->d_name[0] != '.';
	closedir(list);
	return n;
}

static inline bool ends_within(bool (*done)(void), unsigned ms)
{
	while (!done() && ms) {
		usleep(10000);
		ms = ms > 10 ? ms - 10 : 0;
	}
	return done();
}

#endif
