/* SPDX-License-Identifier: MIT */
/* Logs that are cut off, damaged, still growing, from the future, or no logs at all. */
#include <stdio.h>
#include <sys/stat.h>
#include <unity.h>

#include "made_log_everything.h"
#include "rocp/trace/trace.h"

static char folder[] = "/tmp/roclatch-log-XXXXXX";
static char path[64];
static unsigned char whole[32768];
static size_t size;
static struct trace trace;
static struct err err;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	snprintf(path, sizeof path, "%s/log%s", folder, LOG_ENDING);
	made_log_everything(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, whole, sizeof whole);
	close(fd);
	TEST_ASSERT_TRUE(n > 0 && n < (ssize_t)sizeof whole);
	size = (size_t)n;
}

void tearDown(void)
{
	unlink(path);
}

static void write_file(const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	close(fd);
}

static int number(void *ctx, const struct event *event, struct err *why)
{
	(void)event, (void)why;
	++*(uint64_t *)ctx;
	return 0;
}

/* Counts and visits agree, whatever the file is. */
static uint64_t events(void)
{
	uint64_t counted = 0, visited = 0;
	for (size_t i = 0; i < DOMAINS; i++)
		counted += trace.events[i];
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_each(&trace, DOMAINS_ALL, number, &visited, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(counted, visited);
	return counted;
}

static bool opens(void)
{
	err = (struct err){ .code = ERR_NONE };
	int rc = trace_open(&trace, path, &err);
	TEST_ASSERT_TRUE(rc == 0 || (err.code != ERR_NONE && *err.text));
	return rc == 0;
}

static void refused(const char *with)
{
	TEST_ASSERT_FALSE(opens());
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, with), err.text);
}

/* Where the blocks begin, and where the file ends. */
static size_t blocks(size_t at[64])
{
	size_t n = 0, offset = sizeof(struct log_head);
	for (; offset < size; n++) {
		struct log_block block;
		memcpy(&block, whole + offset, sizeof block);
		at[n] = offset;
		offset += sizeof block + block.size;
	}
	at[n] = offset;
	TEST_ASSERT_TRUE(n > 1);
	return n;
}

/* Every byte where blocks begin and end, each eleventh between. */
static size_t next(size_t i, const size_t *at, size_t n)
{
	for (size_t k = 0; k <= n; k++)
		if (i + 16 > at[k] && i < at[k] + 48)
			return i + 1;
	return i < at[0] ? i + 1 : i + 11;
}

static void test_cut_off_anywhere(void)
{
	size_t at[64], n = blocks(at), whole_blocks = 0;
	uint64_t before = 0;
	for (size_t length = 1; length <= size; length = next(length, at, n)) {
		write_file(whole, length);
		TEST_ASSERT_EQUAL(length >= sizeof(struct log_head), opens());
		if (length < sizeof(struct log_head))
			continue;
		while (whole_blocks < n && at[whole_blocks + 1] <= length)
			whole_blocks++;
		uint64_t now = events();
		TEST_ASSERT_TRUE(now >= before);
		before = now;
		TEST_ASSERT_EQUAL(length == size, trace.closed);
		TEST_ASSERT_EQUAL(at[whole_blocks] != length, *trace.damage != '\0');
		if (*trace.damage) {
			char begin[64];
			snprintf(begin, sizeof begin, "block %zu at byte %zu is truncated (", whole_blocks, at[whole_blocks]);
			TEST_ASSERT_EQUAL_STRING_LEN(begin, trace.damage, strlen(begin));
		}
		trace_close(&trace);
	}
	TEST_ASSERT_EQUAL(31, before);
}

/* Any changed byte is found, but in a block's time, which nothing depends on. */
static void test_every_byte_is_checked(void)
{
	size_t at[64], n = blocks(at), block = 0;
	for (size_t i = 0; i < size; i = next(i, at, n)) {
		while (block < n && at[block + 1] <= i)
			block++;
		bool in_time = i >= at[0] && i - at[block] >= 16 && i - at[block] < 24;
		unsigned char was = whole[i];
		whole[i] ^= 0x41;
		write_file(whole, size);
		whole[i] = was;
		bool open = opens();
		TEST_ASSERT_EQUAL(i >= sizeof(struct log_head), open);
		if (!open)
			continue;
		events();
		TEST_ASSERT_EQUAL(in_time, trace.closed);
		TEST_ASSERT_EQUAL(!in_time, *trace.damage != '\0');
		trace_close(&trace);
	}
}

/* One record after a few good ones; check and sizes of the block are right. */
static void with_record(const void *record, size_t length)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_name(&log, MADE_HIP, -1, "HIP_RUNTIME_API");
	made_api(&log, MADE_HIP, 1, 1, 0, 1);
	memcpy(log.payload + log.used, record, length);
	log.used += length;
	made_api(&log, MADE_HIP, 1, 2, 0, 1);
	made_log_close(&log);
}

static void test_records_that_cannot_be(void)
{
	unsigned char record[512];
	for (unsigned type = 0; type < 70; type++)
		for (uint32_t length = 0; length < 400; length += length < 32 ? 4 : 44) {
			memset(record, 'x', sizeof record);
			struct log_frame frame = { .size = length, .type = (uint16_t)type, .part = 1 };
			memcpy(record, &frame, sizeof frame);
			with_record(record, length < 8 ? 8 : (length + 7) & ~7u);
			TEST_ASSERT_TRUE(opens());
			uint64_t n = events();
			/* what is before it is used, what is behind it is not */
			TEST_ASSERT_TRUE(*trace.damage ? n == 1 : n >= 2);
			if (length % 8 || length < 8)
				TEST_ASSERT_NOT_NULL(strstr(trace.damage, "block 0 at byte 72 is damaged (a record has no possible size)"));
			if (type == LOG_AGENT || type == LOG_THREAD || type == LOG_NOTE)
				TEST_ASSERT_TRUE(*trace.damage);
			if (type == 0 || type == 20 || type > LOG_END)
				TEST_ASSERT_EQUAL(length % 8 || length < 8, *trace.damage != '\0');
			trace_close(&trace);
		}
}

static void test_unknown_records_are_left_out_and_told(void)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_record(&log, 25, 0, 64);
	made_record(&log, 99, 0, 8);
	made_record(&log, LOG_MARKER + 1, 0, 16);
	made_text(&log, LOG_FACT, 77, sizeof(struct log_frame), "what a later tool knows");
	made_api(&log, MADE_HIP, 1, 1, 0, 1);
	made_end(&log, 5, "the disk is full");
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(1, events());
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_STRING("the disk is full", trace.why);
	TEST_ASSERT_EQUAL(1, trace.notes);
	TEST_ASSERT_EQUAL_STRING("4 entries of unknown kinds were left out: the log was made by a newer tool", trace.note[0]);
	TEST_ASSERT_EQUAL_STRING("", trace.hostname);
	TEST_ASSERT_EQUAL_UINT64(1, trace.missing);     /* the others are no records */
	trace_close(&trace);
}

/* The log's last words count more than is in it; of those, one has a type that is not known. */
static void test_records_that_are_missing(void)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_record(&log, LOG_MARKER + 1, 0, 16);
	made_api(&log, MADE_HIP, 1, 1, 0, 1);
	made_numbered_text(&log, (uint64_t)1 << 40, "no number of this kind is kept");
	log.records += 5;
	made_end(&log, 5, "");
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(1, events());
	TEST_ASSERT_EQUAL_UINT64(5 + 1, trace.missing);
	TEST_ASSERT_TRUE(trace.says_how_it_ended);
	TEST_ASSERT_EQUAL_STRING("6 records were written and 1 are in the log", trace.note[0]);
	trace_close(&trace);
	made_log_begin(&log, path);
	made_api(&log, MADE_HIP, 1, 1, 0, 1);
	made_end(&log, 5, "");
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL_UINT64(0, trace.missing);
	trace_close(&trace);
}

/* Numbers must not decide over memory. */
static void test_hostile_numbers(void)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_name(&log, INT32_MAX, 0, "a");
	made_name(&log, MADE_HIP, INT32_MAX, "b");
	made_name(&log, INT32_MIN, INT32_MIN, "c");
	made_name(&log, MADE_KERNEL, -1, "HIP_RUNTIME_API");
	made_name(&log, MADE_HIP, -1, "KERNEL_DISPATCH");       /* calls are never kernels */
	made_numbered_text(&log, UINT64_MAX, "d");
	made_numbered_text(&log, 0, "e");
	made_marker(&log, UINT64_MAX, UINT64_MAX);
	made_api(&log, INT32_MIN, INT32_MAX, UINT64_MAX, 0, 1);
	made_api(&log, MADE_HIP, -5, 1, 0, 1);
	made_dispatch(&log, 1, UINT64_MAX, 1, 1, 0, 1)->external = UINT64_MAX;
	made_lost(&log, UINT64_MAX, "f");
	made_lost(&log, UINT64_MAX, "g");
	made_end(&log, 5, "");
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(3, events());
	TEST_ASSERT_EQUAL(2, trace.events[DOMAIN_OTHER_API]);
	TEST_ASSERT_EQUAL_STRING("kernel 18446744073709551615", trace.kernel[0].name);
	trace_close(&trace);
}

static void test_a_log_that_is_still_written(void)
{
	struct made_log log;
	made_log_begin(&log, path);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(0, events());
	TEST_ASSERT_FALSE(trace.closed);
	TEST_ASSERT_EQUAL_STRING("", trace.damage);
	TEST_ASSERT_EQUAL_UINT64(MADE_START, trace.end);
	trace_close(&trace);
	made_api(&log, MADE_HIP, 1, 1, 100, 200);
	made_log_flush(&log);
	TEST_ASSERT_TRUE(opens());
	/* what comes after it was opened is for the next time */
	made_api(&log, MADE_HIP, 1, 2, 300, 400);
	made_log_close(&log);
	TEST_ASSERT_EQUAL(1, events());
	TEST_ASSERT_EQUAL_UINT64(MADE_START + 200, trace.end);
	trace_close(&trace);
}

static void test_a_log_that_changes_while_it_is_read(void)
{
	uint64_t visited = 0;
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(0, truncate(path, (off_t)size - 100));
	TEST_ASSERT_EQUAL(-1, trace_each(&trace, DOMAINS_ALL, number, &visited, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "was changed while it was read"));
	struct made_log log;
	made_log_begin(&log, path);
	made_dispatch(&log, 1, 12345, 1, 1, 0, 1);
	made_end(&log, 5, "");
	made_log_close(&log);
	TEST_ASSERT_EQUAL(-1, trace_each(&trace, DOMAINS_ALL, number, &visited, &err));
	trace_close(&trace);
}

static void test_a_newer_version_is_refused(void)
{
	uint32_t version = LOG_VERSION + 1;
	memcpy(whole + offsetof(struct log_head, version), &version, sizeof version);
	write_file(whole, size);
	refused("is a recording of version 2, this roclatch reads version 1");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "newer"));
	write_file(whole, 12);
	refused("version 2");
}

static void test_what_is_no_recording(void)
{
	write_file("", 0);
	refused("is empty");
	write_file("hello", 5);
	refused("no recording of roclatch and no rocpd database");
	write_file(LOG_MAGIC, 8);
	refused("no recording");
	unlink(path);
	refused("cannot open");
	TEST_ASSERT_EQUAL(0, mkfifo(path, 0600));
	refused("is no ordinary file");
	unlink(path);
	TEST_ASSERT_EQUAL(-1, trace_open(&trace, folder, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "is a folder"));
	TEST_ASSERT_EQUAL(-1, trace_open(&trace, "/dev/zero", &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "is no ordinary file"));
	char *long_path = memset(calloc(1, 5001), 'a', 5000);
	TEST_ASSERT_EQUAL(-1, trace_open(&trace, long_path, &err));
	free(long_path);
}

static void test_lost_for_many_reasons(void)
{
	struct made_log log;
	char why[32];
	made_log_begin(&log, path);
	for (int i = 0; i < 100; i++) {
		snprintf(why, sizeof why, "reason %d", i);
		made_lost(&log, 2, why);
	}
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(200, trace.lost);
	TEST_ASSERT_EQUAL(32, trace.notes);
	TEST_ASSERT_EQUAL_STRING("2 records were lost: reason 30", trace.note[30]);
	TEST_ASSERT_EQUAL_STRING("138 records were lost: various reasons", trace.note[31]);
	trace_close(&trace);
}

static void test_the_last_that_was_told_counts(void)
{
	struct made_log log;
	made_log_begin(&log, path);
	for (uint64_t i = 0; i < 3; i++) {
		made_agent(&log, 7, 1, 0, 90010, i == 2 ? "last" : "first", "");
		made_agent(&log, 8 + i, 1, 0, 90010, "other", "");
		made_stream(&log, 5, i);
		made_stream(&log, 6, 9);
		made_code_object(&log, 3, i, "x");
		made_counter(&log, 4, 7, i == 2 ? "last" : "first", "");
		made_kernel(&log, 9 - i, 1, "more");
		made_kernel(&log, 2, 1, i == 2 ? "last" : "first");
		made_thread(&log, 1, i == 2 ? "last" : "first");
	}
	made_log_close(&log);
	TEST_ASSERT_TRUE(opens());
	TEST_ASSERT_EQUAL(4, trace.agents);
	TEST_ASSERT_EQUAL_STRING("last", trace.agent[0].name);
	TEST_ASSERT_EQUAL(10, trace.agent[3].id);
	TEST_ASSERT_EQUAL_STRING("last", trace_agent(&trace, 7)->name);
	TEST_ASSERT_EQUAL(2, trace.streams);
	TEST_ASSERT_EQUAL(2, trace.stream[0].value);
	TEST_ASSERT_EQUAL(1, trace.code_objects);
	TEST_ASSERT_EQUAL(2, trace.code_object[0].agent);
	TEST_ASSERT_EQUAL(1, trace.counters);
	TEST_ASSERT_EQUAL_STRING("last", trace_counter(&trace, 4)->name);
	TEST_ASSERT_EQUAL(4, trace.kernels);
	TEST_ASSERT_EQUAL_STRING("last", trace.kernel[0].name);
	TEST_ASSERT_EQUAL(9, trace.kernel[3].id);
	TEST_ASSERT_EQUAL_STRING("last", trace_thread_name(&trace, 1));
	trace_close(&trace);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_cut_off_anywhere);
	RUN_TEST(test_every_byte_is_checked);
	RUN_TEST(test_records_that_cannot_be);
	RUN_TEST(test_unknown_records_are_left_out_and_told);
	RUN_TEST(test_records_that_are_missing);
	RUN_TEST(test_hostile_numbers);
	RUN_TEST(test_a_log_that_is_still_written);
	RUN_TEST(test_a_log_that_changes_while_it_is_read);
	RUN_TEST(test_a_newer_version_is_refused);
	RUN_TEST(test_what_is_no_recording);
	RUN_TEST(test_lost_for_many_reasons);
	RUN_TEST(test_the_last_that_was_told_counts);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
