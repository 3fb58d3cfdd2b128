/* SPDX-License-Identifier: MIT */
/* Around each test of the page: a folder, a log in it, the log's page. */
#ifndef ROCLATCH_TESTS_HTML_CASE_H
#define ROCLATCH_TESTS_HTML_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "html_sample.h"
#include "made_log.h"
#include "rocp/formats/html_parts.h"
#include "unity.h"

static char folder[64], log_path[96], base[96];
static struct trace trace;
static struct stats stats;
static struct settings settings;
static struct conversion conversion;
static struct page page;
static struct err err;
static bool is_open;

static inline void path_in(char out[96], const char *name) { snprintf(out, 96, "%s/%s", folder, name); }

void setUp(void)
{
	snprintf(folder, sizeof folder, "/tmp/test_html.XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	path_in(log_path, "a.rlog");
	path_in(base, "out");
	settings = (struct settings){ .formats = FORMAT_HTML };
	conversion = (struct conversion){ .trace = &trace, .stats = &stats, .settings = &settings, .base = base };
	memset(&page, 0, sizeof page);
	is_open = false;
}

void tearDown(void)
{
	char path[96];
	page_free(&page);
	if (is_open) {
		stats_free(&stats);
		trace_close(&trace);
	}
	unlink(log_path);
	path_in(path, "out_results.html");
	unlink(path);
	TEST_ASSERT_EQUAL(0, rmdir(folder));
}

static inline void open_trace(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, log_path, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &trace, &err), err.text);
	is_open = true;
}

static inline void read_sample(uint64_t steps, uint64_t most)
{
	sample_log(log_path, steps);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, most, &err), err.text);
}

static inline char *contents(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	TEST_ASSERT_NOT_NULL(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	char *text = malloc(*size + 1);
	TEST_ASSERT_EQUAL(*size, fread(text, 1, *size, file));
	text[*size] = '\0';
	fclose(file);
	return text;
}

static inline char *write_sample(uint64_t steps, uint64_t most)
{
	char path[96];
	size_t size;
	sample_log(log_path, steps);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, html_write_most(&conversion, most, &err), err.text);
	path_in(path, "out_results.html");
	return contents(path, &size);
}

/* A log of what one test needs. */
static inline void begin(struct made_log *log)
{
	made_log_begin(log, log_path);
	made_name(log, MADE_HIP, -1, "HIP_RUNTIME_API");
	made_name(log, MADE_HIP, 1, "hipOne");
	made_name(log, MADE_ALLOCATION, -1, "MEMORY_ALLOCATION");
	made_name(log, MADE_ALLOCATION, 1, "MEMORY_ALLOCATION_ALLOCATE");
	made_name(log, MADE_ALLOCATION, 3, "MEMORY_ALLOCATION_FREE");
	made_agent(log, 7, 1, 0, 90402, "gfx942", "GPU");
	made_kernel(log, 1, 1, "kernel.kd");
	made_counter(log, 5, 7, "SQ_WAVES", "");
}

static inline void finish(struct made_log *log, uint64_t time)
{
	made_end(log, time, "");
	made_log_close(log);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, HTML_EVENTS_MOST, &err), err.text);
}

#endif
