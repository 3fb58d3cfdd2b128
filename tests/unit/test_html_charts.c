/* SPDX-License-Identifier: MIT */

#include "html_case.h"

/* What a function that writes into a file wrote. */
static const char *written(void (*write_it)(struct file *out))
{
	static char text[4096];
	char path[96];
	struct file out;
	path_in(path, "text");
	TEST_ASSERT_EQUAL(0, file_create(&out, path, "", &err));
	write_it(&out);
	TEST_ASSERT_EQUAL(0, file_finish(&out, &err));
	size_t size;
	char *all = contents(path, &size);
	snprintf(text, sizeof text, "%s", all);
	free(all);
	unlink(path);
	return text;
}

static void hostile_string(struct file *out) { html_string(out, "</script><!--&\"\\\x01\x7f\xff\xc3\xa9\xed\xa0\x80\n", 100); }
static void cut_string(struct file *out) { html_string(out, "abc\xc3\xa9" "def", 4); }
static void some_base64(struct file *out)
{
	for (size_t i = 0; i <= 6; i++) {
		html_base64(out, "foobar", i);
		file_text(out, " ");
	}
}

static void test_a_string_is_json_and_cannot_end_a_script(void)
{
	TEST_ASSERT_EQUAL_STRING("\"\\u003c/script\\u003e\\u003c!--\\u0026\\u0022\\u005c\\u0001\\u007f\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\u000a\"",
				 written(hostile_string));
	TEST_ASSERT_EQUAL_STRING("\"abc\xe2\x80\xa6\"", written(cut_string));
}

static void test_base64_is_that_of_rfc_4648(void)
{
	TEST_ASSERT_EQUAL_STRING(" Zg== Zm8= Zm9v Zm9vYg== Zm9vYmE= Zm9vYmFy ", written(some_base64));
}

static void expect_hash(const char *text, size_t n, const char *hex)
{
	unsigned char hash[32];
	char is[65];
	html_sha256(text, n, hash);
	for (size_t i = 0; i < 32; i++)
		snprintf(is + 2 * i, 3, "%02x", hash[i]);
	TEST_ASSERT_EQUAL_STRING(hex, is);
}

static void test_sha256_is_that_of_fips_180(void)
{
	static char million[1000000];
	memset(million, 'a', sizeof million);
	expect_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_hash(million, sizeof million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_memory_is_what_was_allocated_less_what_was_freed(void)
{
	struct made_log log;
	begin(&log);
	made_allocation(&log, 1, 7, 100, 1, 10, 20)->address = 0x1000;
	made_allocation(&log, 1, 7, 50, 2, 30, 40)->address = 0x2000;
	made_allocation(&log, 3, 0, 0, 3, 50, 60)->address = 0x1000;
	made_allocation(&log, 3, 0, 0, 4, 70, 80)->address = 0x9000;   /* allocated before */
	made_allocation(&log, 1, 7, 20, 5, 90, 95)->address = 0x2000;  /* its free was lost */
	finish(&log, 200);
	static const struct { uint64_t time; double by; } steps[] = { { 20, 100 }, { 40, 50 }, { 60, -100 }, { 90, -50 }, { 95, 20 } };
	TEST_ASSERT_EQUAL(1, page.memory.unknown);
	TEST_ASSERT_EQUAL(5, page.series.n);
	for (size_t i = 0; i < 5; i++) {
		TEST_ASSERT_EQUAL(MADE_START + steps[i].time, page.series.point[i].start);
		TEST_ASSERT_TRUE(page.series.point[i].value == steps[i].by);
	}
}

static void test_many_live_allocations_are_all_found_again(void)
{
	struct made_log log;
	begin(&log);
	for (uint64_t i = 1; i <= 5000; i++)
		made_allocation(&log, 1, 7, i, i, i, i)->address = i * 4096;
	for (uint64_t i = 5000; i; i--)
		made_allocation(&log, 3, 0, 0, i, 10000 - i, 10000 - i)->address = (i * 1237 % 5000 + 1) * 4096;
	finish(&log, 20000);
	double level = 0, most = 0;
	for (size_t i = 0; i < page.series.n; i++) {
		level += page.series.point[i].value;
		most = level > most ? level : most;
	}
	TEST_ASSERT_EQUAL(0, page.memory.unknown);
	TEST_ASSERT_EQUAL(0, page.memory.n);
	TEST_ASSERT_TRUE(level == 0 && most == 5000.0 * 5001 / 2);
}

static void test_a_long_chart_stays_small_and_keeps_its_peak_and_end(void)
{
	struct series series = { .keys.size = sizeof(struct series_key) };
	const struct series_key key = { .agent = 7 };
	for (uint64_t i = 0; i < 3 * HTML_POINTS_MOST; i++) {
		double by = i == 123456 ? 1e6 : i == 123457 ? -1e6 : i % 2 ? -1 : 2;
		TEST_ASSERT_EQUAL(0, series_add(&series, &key, (struct point){ .start = i, .end = i, .value = by, .peak = by, .of = 1 }, &err));
	}
	series_sort(&series);
	double level = 0, peak = 0;
	uint64_t of = 0;
	for (size_t i = 0; i < series.n; i++) {
		peak = level + series.point[i].peak > peak ? level + series.point[i].peak : peak;
		level += series.point[i].value;
		of += series.point[i].of;
	}
	TEST_ASSERT_TRUE(series.n <= HTML_POINTS_MOST);
	TEST_ASSERT_EQUAL(3 * HTML_POINTS_MOST, of);
	/* Two less 2 * 1 than all pairs give, for the two that are different. */
	TEST_ASSERT_TRUE(level == 1.5 * HTML_POINTS_MOST - 1);
	TEST_ASSERT_TRUE(peak == 123456 / 2 + 1e6);
	series_free(&series);
}

static void test_counters_of_one_dispatch_are_added_up(void)
{
	const struct log_value first[] = { { 0, 5, 10 }, { 1, 5, 20 } }, second[] = { { 2, 5, 30 } };
	struct made_log log;
	begin(&log);
	made_counters(&log, 7, 1, 1, 1, 10, 20, first, 2);
	made_counters(&log, 7, 1, 1, 1, 10, 20, second, 1);
	made_counters(&log, 7, 1, 2, 2, 30, 40, second, 1);
	finish(&log, 100);
	TEST_ASSERT_EQUAL(1, page.counters.keys.n);
	TEST_ASSERT_EQUAL(2, page.counters.row[0].dispatches);
	TEST_ASSERT_TRUE(page.counters.row[0].sum == 90 && page.counters.row[0].least == 30 && page.counters.row[0].most == 60);
	TEST_ASSERT_EQUAL(2, page.series.n);
	TEST_ASSERT_TRUE(page.series.point[0].value == 60 && page.series.point[1].value == 30);
}

/* An event may have a million values of as many counters. */
static void test_very_many_counters_of_one_dispatch_are_added_up_at_once(void)
{
	enum { N = 100000 };
	struct counter_value *value = calloc(N, sizeof *value);
	struct counters counters = { .keys.size = sizeof(struct counter_key) };
	struct series series = { .keys.size = sizeof(struct series_key) };
	for (uint64_t i = 0; i < N; i++)
		value[i] = (struct counter_value){ .counter = i, .value = (double)i };
	const struct event event = { .domain = DOMAIN_COUNTERS, .dispatch = 1, .start = 1, .end = 2, .value = value, .values = N };
	TEST_ASSERT_EQUAL(0, counters_event(&counters, &event, &series, &err));
	TEST_ASSERT_EQUAL(0, counters_event(&counters, &event, &series, &err));
	TEST_ASSERT_EQUAL(0, counters_end(&counters, &series, &err));
	TEST_ASSERT_EQUAL(N, counters.keys.n);
	TEST_ASSERT_TRUE(counters.row[7].sum == 14 && counters.row[7].dispatches == 1);
	counters_free(&counters);
	series_free(&series);
	free(value);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_string_is_json_and_cannot_end_a_script);
	RUN_TEST(test_base64_is_that_of_rfc_4648);
	RUN_TEST(test_sha256_is_that_of_fips_180);
	RUN_TEST(test_memory_is_what_was_allocated_less_what_was_freed);
	RUN_TEST(test_many_live_allocations_are_all_found_again);
	RUN_TEST(test_a_long_chart_stays_small_and_keeps_its_peak_and_end);
	RUN_TEST(test_counters_of_one_dispatch_are_added_up);
	RUN_TEST(test_very_many_counters_of_one_dispatch_are_added_up_at_once);
	return UNITY_END();
}
