/* SPDX-License-Identifier: MIT */
/* Records with any content, in logs whose sums are right: what opens can be written, and is valid. */
#include "json_case.h"

#define LOGS 400
#define FLIPS 12

static uint64_t random_state = 20260101;

void setUp(void)
{
	json_begin();
}

void tearDown(void)
{
	json_end();
}

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

/* Bytes behind the frames change, so that the records stay records. */
static void spoil(unsigned char *payload, size_t size)
{
	static const unsigned char byte[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	for (size_t flip = 0; flip < FLIPS; flip++) {
		size_t wanted = random_below(size), at = 0;
		const struct log_frame *frame = NULL;
		for (; at <= wanted; at += frame->size)
			frame = (const struct log_frame *)(payload + at);
		size_t first = at - frame->size + sizeof *frame;
		if (wanted >= first)
			payload[wanted] = random_below(2) ? byte[random_below(sizeof byte)] : (unsigned char)random_below(256);
	}
}

static void make(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	log.block = LOG_BLOCK_MOST;
	made_everything(&log);
	spoil(log.payload, log.used);
	made_log_close(&log);
}

static void remove_outputs(void)
{
	DIR *dir = opendir(folder);
	for (struct dirent *entry; (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static void write_all(void)
{
	struct file file;
	conversion = (struct conversion){ .trace = &trace, .stats = &stats, .settings = &settings, .base = base, .wrote = told };
	TEST_ASSERT_EQUAL_MESSAGE(0, csv_write(&conversion, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, json_write(&conversion, &err), err.text);
	TEST_ASSERT_EQUAL(0, file_create(&file, base, "_summary.txt", &err));
	TEST_ASSERT_EQUAL_MESSAGE(0, summary_write(&conversion, &file, &err), err.text);
	TEST_ASSERT_EQUAL(0, file_finish(&file, &err));
	json_load("out_results.json");
	is_number(".metadata.pid", trace.pid);
	length_is(".buffer_records.kernel_dispatch", trace.events[DOMAIN_KERNEL]);
	length_is(".callback_records.counter_collection", trace.events[DOMAIN_COUNTERS]);
}

static void test_odd_records(void)
{
	size_t opened = 0;
	set("ROCPROF_STATS", "1");
	set("ROCPROF_STATS_SUMMARY", "1");
	set("ROCPROF_STATS_SUMMARY_PER_DOMAIN", "1");
	set("ROCPROF_KERNEL_RENAME", "1");
	TEST_ASSERT_EQUAL(0, settings_from(&settings, &env, &err));
	for (size_t i = 0; i < LOGS; i++) {
		make();
		if (trace_open(&trace, log_path, &err) == 0) {
			TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &trace, &err), err.text);
			write_all();
			stats_free(&stats);
			trace_close(&trace);
			opened++;
		}
		remove_outputs();
	}
	TEST_ASSERT_TRUE(opened > LOGS / 2);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_odd_records);
	return UNITY_END();
}
