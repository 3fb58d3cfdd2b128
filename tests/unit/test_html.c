/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
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

static void path_in(char out[96], const char *name) { snprintf(out, 96, "%s/%s", folder, name); }

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

static void open_trace(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, log_path, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &trace, &err), err.text);
	is_open = true;
}

static void read_sample(uint64_t steps, uint64_t most)
{
	sample_log(log_path, steps);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, most, &err), err.text);
}

static char *contents(const char *path, size_t *size)
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

static char *write_sample(uint64_t steps, uint64_t most)
{
	char path[96];
	size_t size;
	sample_log(log_path, steps);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, html_write_most(&conversion, most, &err), err.text);
	path_in(path, "out_results.html");
	return contents(path, &size);
}

static size_t count_in(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

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

/* A log of what one test needs. */
static void begin(struct made_log *log)
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

static void finish(struct made_log *log, uint64_t time)
{
	made_end(log, time, "");
	made_log_close(log);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, HTML_EVENTS_MOST, &err), err.text);
}

static void test_nested_calls_are_below_each_other(void)
{
	static const struct { uint64_t start, end; uint32_t row; } calls[] = {
		{ 20, 30, 2 }, { 10, 50, 1 }, { 60, 70, 1 }, { 0, 100, 0 }, { 100, 110, 0 }, { 105, 130, 1 }, { 112, 120, 0 }, { 140, 140, 0 },
		{ 140, 150, 0 },
	};
	struct made_log log;
	begin(&log);
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		made_api(&log, MADE_HIP, 1, i + 1, calls[i].start, calls[i].end);
	finish(&log, 200);
	TEST_ASSERT_EQUAL(9, page.kept_n);
	for (size_t i = 0; i < page.kept_n; i++) {
		const struct kept *kept = &page.kept[i];
		uint32_t row = calls[kept->correlation - 1].row;
		/* The longer of two that begin together comes first; the instant is below it. */
		TEST_ASSERT_EQUAL(kept->correlation == 8 ? 1 : row, kept->row);
		TEST_ASSERT_EQUAL(calls[kept->correlation - 1].start, kept->start);
	}
	TEST_ASSERT_EQUAL(3, page.shown[0]->rows);
}

static uint64_t drawable(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < DOMAIN_COUNTERS; i++)
		sum += trace.events[i];
	return sum;
}

static void expect_rows_without_overlap(void)
{
	size_t at = 0;
	for (size_t i = 0; i < page.lane_keys.n; i++) {
		for (uint32_t row = 0; row < page.shown[i]->rows; row++) {
			uint64_t until = 0;
			for (uint32_t k = 0; k < page.shown[i]->row[row]; k++) {
				const struct kept *kept = &page.kept[page.sequence[at++]];
				TEST_ASSERT_EQUAL_PTR(page.shown[i], &page.lane[kept->lane]);
				TEST_ASSERT_TRUE(kept->start >= until);
				until = kept->start + kept->duration;
			}
		}
	}
	TEST_ASSERT_EQUAL(page.kept_n, at);
}

static void test_every_event_has_a_place_of_its_own(void)
{
	read_sample(3000, HTML_EVENTS_MOST);
	TEST_ASSERT_EQUAL(drawable(), page.kept_n);
	TEST_ASSERT_EQUAL(page.all, page.kept_n);
	TEST_ASSERT_TRUE(page.kept_n > 8000);
	expect_rows_without_overlap();
}

struct found { uint64_t longer, kept_longer, least; };

static int count_longer(void *ctx, const struct event *event, struct err *unused)
{
	struct found *found = ctx;
	(void)unused;
	found->longer += event->end - event->start >= found->least;
	return 0;
}

static void test_of_too_many_the_longest_and_some_of_every_lane_are_drawn(void)
{
	read_sample(20000, 6000);
	TEST_ASSERT_TRUE(page.all > 50000);
	TEST_ASSERT_TRUE_MESSAGE(page.kept_n <= 6000 && page.kept_n > 4800, "about as many as there may be");
	expect_rows_without_overlap();
	/* Whatever lasted at least this long was kept: fewer than half of what a page may have. */
	struct found found = { .least = 90000 };
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAINS_ALL & ~DOMAIN_BIT(DOMAIN_COUNTERS), count_longer, &found, &err));
	for (size_t i = 0; i < page.kept_n; i++)
		found.kept_longer += page.kept[i].duration >= found.least;
	TEST_ASSERT_EQUAL(found.longer, found.kept_longer);
	TEST_ASSERT_TRUE(found.longer > 1000 && found.longer < 3000);
	for (size_t i = 0; i < page.lane_keys.n; i++) {
		uint64_t drawn = 0;
		for (uint32_t row = 0; row < page.shown[i]->rows; row++)
			drawn += page.shown[i]->row[row];
		TEST_ASSERT_TRUE(drawn >= (page.shown[i]->all < 100 ? page.shown[i]->all : 100));
	}
}

static void test_what_is_drawn_of_many_is_even_over_time(void)
{
	uint64_t part[10] = { 0 };
	read_sample(20000, 6000);
	for (size_t i = 0; i < page.kept_n; i++)
		part[page.kept[i].start * 10 / (page.extent + 1)]++;
	for (int i = 0; i < 9; i++)
		TEST_ASSERT_TRUE(part[i] > page.kept_n / 20 && part[i] < page.kept_n / 5);
}

/* Kernels are spread over fewer events a lane than calls, so that more of them are kept. */
static void test_a_sampled_launch_keeps_its_kernel(void)
{
	static bool has_kernel[200000];
	read_sample(20000, 6000);
	const struct shape *shape = (const struct shape *)(const void *)page.shapes.item;
	const char *const *name = (const char *const *)(const void *)page.names.item;
	uint64_t launches = 0, with_kernel = 0;
	for (size_t i = 0; i < page.kept_n; i++)
		if (shape[page.kept[i].shape].domain == DOMAIN_KERNEL)
			has_kernel[page.kept[i].correlation] = true;
	for (size_t i = 0; i < page.kept_n; i++) {
		bool is_launch = !strcmp(name[page.kept[i].name], "hipLaunchKernel");
		launches += is_launch;
		with_kernel += is_launch && has_kernel[page.kept[i].correlation];
	}
	TEST_ASSERT_TRUE(launches > 200);
	TEST_ASSERT_EQUAL(launches, with_kernel);
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
	static const struct { uint64_t time; double by; } steps[] = { { 20, 100 }, { 40, 50 }, { 50, -100 }, { 90, -50 }, { 95, 20 } };
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

static void test_an_event_without_times_is_not_drawn(void)
{
	struct made_log log;
	begin(&log);
	made_api(&log, MADE_HIP, 1, 1, 10, 20);
	made_api(&log, MADE_HIP, 1, 2, 10, 20)->start = 0;
	made_api(&log, MADE_HIP, 1, 3, 30, 20);
	finish(&log, 100);
	TEST_ASSERT_EQUAL(3, page.all);
	TEST_ASSERT_EQUAL(2, page.odd);
	TEST_ASSERT_EQUAL(1, page.kept_n);
	TEST_ASSERT_EQUAL(100, page.extent);
}

static size_t base64_decode(const char *text, unsigned char *out)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = 0, bits = 0;
	size_t n = 0;
	for (; *text && *text != '<' && *text != '='; text++) {
		word = word << 6 | (uint32_t)(strchr(digit, *text) - digit);
		bits += 6;
		if (bits >= 8)
			out[n++] = (unsigned char)(word >> (bits -= 8));
	}
	return n;
}

static uint64_t *column(const char *html, const char *name, size_t n)
{
	char tag[96];
	snprintf(tag, sizeof tag, "id=\"column-%s\">", name);
	const char *text = strstr(html, tag);
	TEST_ASSERT_NOT_NULL(text);
	text += strlen(tag);
	unsigned char *bytes = malloc(strcspn(text, "<") + 4), *at = bytes;
	size_t size = base64_decode(text, bytes);
	uint64_t *value = calloc(n + 1, sizeof *value);
	for (size_t i = 0; i < n; i++) {
		unsigned shift = 0;
		do
			value[i] |= (uint64_t)(*at & 127) << shift;
		while (shift += 7, *at++ & 128);
	}
	TEST_ASSERT_EQUAL(size, (size_t)(at - bytes));
	free(bytes);
	return value;
}

static void test_the_columns_are_the_events(void)
{
	char *html = write_sample(2000, HTML_EVENTS_MOST);
	TEST_ASSERT_EQUAL(0, page_read(&page, &conversion, HTML_EVENTS_MOST, &err));
	uint64_t *start = column(html, "start", page.kept_n), *duration = column(html, "duration", page.kept_n);
	uint64_t *name = column(html, "name", page.kept_n), *correlation = column(html, "correlation", page.kept_n);
	size_t at = 0;
	for (size_t i = 0; i < page.lane_keys.n; i++) {
		for (uint32_t row = 0; row < page.shown[i]->rows; row++) {
			uint64_t time = 0, id = 0;
			for (uint32_t k = 0; k < page.shown[i]->row[row]; k++, at++) {
				const struct kept *kept = &page.kept[page.sequence[at]];
				id += correlation[at] >> 1 ^ (correlation[at] & 1 ? UINT64_MAX : 0);
				TEST_ASSERT_EQUAL_UINT64(kept->start, time += start[at]);
				TEST_ASSERT_EQUAL_UINT64(kept->duration, duration[at]);
				TEST_ASSERT_EQUAL_UINT64(kept->name, name[at]);
				TEST_ASSERT_EQUAL_UINT64(kept->correlation, id);
			}
		}
	}
	TEST_ASSERT_EQUAL(page.kept_n, at);
	free(start);
	free(duration);
	free(name);
	free(correlation);
	free(html);
}

static void test_a_page_has_one_script_and_its_hash(void)
{
	char *html = write_sample(200, HTML_EVENTS_MOST);
	char *script = strstr(html, "<script>");
	TEST_ASSERT_NOT_NULL(script);
	TEST_ASSERT_EQUAL(1, count_in(html, "<script>"));
	TEST_ASSERT_EQUAL(16, count_in(html, "<script "));
	TEST_ASSERT_EQUAL(17, count_in(html, "</script>"));
	TEST_ASSERT_NULL(strstr(html, "http-equiv=\"refresh"));
	script += strlen("<script>");
	size_t n = (size_t)(strstr(script, "</script>") - script);
	unsigned char wanted[32], is[64];
	html_sha256(script, n, wanted);
	TEST_ASSERT_EQUAL(32, base64_decode(strstr(html, "script-src 'sha256-") + strlen("script-src 'sha256-"), is));
	TEST_ASSERT_EQUAL_MEMORY(wanted, is, 32);
	TEST_ASSERT_NULL(memchr(script, '\r', n));
	free(html);
}

static void test_a_page_is_the_same_each_time_and_never_written_over(void)
{
	char path[96];
	size_t size;
	char *one = write_sample(500, 600);
	path_in(path, "out_results.html");
	TEST_ASSERT_EQUAL(-1, html_write(&conversion, &err));
	char *kept = contents(path, &size);
	TEST_ASSERT_EQUAL_STRING(one, kept);
	unlink(path);
	TEST_ASSERT_EQUAL(0, html_write_most(&conversion, 600, &err));
	char *two = contents(path, &size);
	TEST_ASSERT_EQUAL_STRING(one, two);
	free(one);
	free(two);
	free(kept);
}

static void test_an_empty_recording_has_a_page_too(void)
{
	char *html = write_sample(0, HTML_EVENTS_MOST);
	TEST_ASSERT_NOT_NULL(strstr(html, "\"drawn\":0,"));
	TEST_ASSERT_NOT_NULL(strstr(html, "\"tables\":[]"));
	free(html);
}

/* test_html BASE STEPS [MOST]: a log of so many steps, BASE.rlog, and its page, for a browser. */
static int write_page(char **argv, int argc)
{
	char path[4096];
	snprintf(path, sizeof path, "%s.rlog", argv[1]);
	settings.formats = FORMAT_HTML;
	conversion = (struct conversion){ .trace = &trace, .stats = &stats, .settings = &settings, .base = argv[1] };
	sample_log(path, strtoull(argv[2], NULL, 10));
	if (trace_open(&trace, path, &err) < 0 || stats_read(&stats, &trace, &err) < 0 ||
	    html_write_most(&conversion, argc > 3 ? strtoull(argv[3], NULL, 10) : HTML_EVENTS_MOST, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	stats_free(&stats);
	trace_close(&trace);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return write_page(argv, argc);
	UNITY_BEGIN();
	RUN_TEST(test_a_string_is_json_and_cannot_end_a_script);
	RUN_TEST(test_base64_is_that_of_rfc_4648);
	RUN_TEST(test_sha256_is_that_of_fips_180);
	RUN_TEST(test_nested_calls_are_below_each_other);
	RUN_TEST(test_every_event_has_a_place_of_its_own);
	RUN_TEST(test_of_too_many_the_longest_and_some_of_every_lane_are_drawn);
	RUN_TEST(test_what_is_drawn_of_many_is_even_over_time);
	RUN_TEST(test_a_sampled_launch_keeps_its_kernel);
	RUN_TEST(test_memory_is_what_was_allocated_less_what_was_freed);
	RUN_TEST(test_many_live_allocations_are_all_found_again);
	RUN_TEST(test_a_long_chart_stays_small_and_keeps_its_peak_and_end);
	RUN_TEST(test_counters_of_one_dispatch_are_added_up);
	RUN_TEST(test_an_event_without_times_is_not_drawn);
	RUN_TEST(test_the_columns_are_the_events);
	RUN_TEST(test_a_page_has_one_script_and_its_hash);
	RUN_TEST(test_a_page_is_the_same_each_time_and_never_written_over);
	RUN_TEST(test_an_empty_recording_has_a_page_too);
	return UNITY_END();
}
