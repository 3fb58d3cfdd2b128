/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>

#include "html_case.h"

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

static void test_very_many_threads_share_a_lane(void)
{
	struct made_log log;
	begin(&log);
	for (uint64_t i = 0; i < 3000; i++)
		made_api(&log, MADE_HIP, 1, i + 1, i * 10, i * 10 + 25)->thread = 5000 + i;
	finish(&log, 40000);
	TEST_ASSERT_EQUAL(3000, page.kept_n);
	TEST_ASSERT_EQUAL(HTML_LANES_MOST + 1, page.lane_keys.n);
	const struct lane *last = page.shown[HTML_LANES_MOST];
	char group[256], label[256];
	page_lane_label(&page, last, group, label);
	TEST_ASSERT_EQUAL_STRING("All others", group);
	TEST_ASSERT_EQUAL_STRING("calls", label);
	TEST_ASSERT_EQUAL(2000, last->all);
	TEST_ASSERT_EQUAL(3, last->rows);
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

static size_t count_in(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
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

static unsigned long long mapped(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_EQUAL(1, fscanf(file, "%llu", &pages));
	fclose(file);
	return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static void test_without_memory_for_its_text_there_is_an_error_and_no_page(void)
{
#ifdef __SANITIZE_ADDRESS__
	TEST_IGNORE_MESSAGE("AddressSanitizer ends the program where there is no memory");
#endif
	struct rlimit before;
	char path[96];
	size_t size;
	int rc = -1;
	bool told = false;
	char *wanted = write_sample(20, HTML_EVENTS_MOST);
	path_in(path, "out_results.html");
	unlink(path);
	TEST_ASSERT_EQUAL(0, getrlimit(RLIMIT_AS, &before));
	unsigned long long now = mapped();
	for (unsigned more = 0; rc < 0 && more < 64u << 20; more += 16u << 10) {
		struct rlimit limit = { now + more, before.rlim_max };
		memset(&err, 0, sizeof err);
		setrlimit(RLIMIT_AS, &limit);
		rc = html_write(&conversion, &err);
		setrlimit(RLIMIT_AS, &before);
		told = told || strstr(err.text, "the text of the page: ");
		TEST_ASSERT_EQUAL(rc, access(path, F_OK));
		TEST_ASSERT_TRUE(rc == 0 || err.text[0]);
	}
	TEST_ASSERT_TRUE(told);
	char *is = contents(path, &size);
	TEST_ASSERT_EQUAL_STRING(wanted, is);
	free(wanted);
	free(is);
}

/* test_html BASE STEPS [MOST]: a log of so many steps, BASE.rlog, and its page, for a browser.  STEPS "-": the log is there. */
static int write_page(char **argv, int argc)
{
	char path[4096];
	snprintf(path, sizeof path, "%s.rlog", argv[1]);
	settings.formats = FORMAT_HTML;
	conversion = (struct conversion){ .trace = &trace, .stats = &stats, .settings = &settings, .base = argv[1] };
	if (strcmp(argv[2], "-"))
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
	RUN_TEST(test_nested_calls_are_below_each_other);
	RUN_TEST(test_every_event_has_a_place_of_its_own);
	RUN_TEST(test_very_many_threads_share_a_lane);
	RUN_TEST(test_of_too_many_the_longest_and_some_of_every_lane_are_drawn);
	RUN_TEST(test_what_is_drawn_of_many_is_even_over_time);
	RUN_TEST(test_a_sampled_launch_keeps_its_kernel);
	RUN_TEST(test_an_event_without_times_is_not_drawn);
	RUN_TEST(test_the_columns_are_the_events);
	RUN_TEST(test_a_page_has_one_script_and_its_hash);
	RUN_TEST(test_a_page_is_the_same_each_time_and_never_written_over);
	RUN_TEST(test_an_empty_recording_has_a_page_too);
	RUN_TEST(test_without_memory_for_its_text_there_is_an_error_and_no_page);
	return UNITY_END();
}
