/* SPDX-License-Identifier: MIT */
/* What of a recording a page draws, and what it says of the rest. */

#include "html_case.h"

#define STEPS 20000u
#define MOST 4000u

static void read_page(struct made_log *log, uint64_t end, uint64_t most)
{
	if (end)
		made_end(log, end, "");
	made_log_close(log);
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, most, &err), err.text);
}

/* Of each tenth of the time about a tenth of the kernels, or calls, that are drawn. */
static void expect_even(enum lane_kind kind, uint64_t length)
{
	uint64_t part[10] = { 0 }, all = 0;
	for (size_t i = 0; i < page.kept_n; i++)
		if (page.lane[page.kept[i].lane].key.kind == kind) {
			part[page.kept[i].start * 10 / length]++;
			all++;
		}
	TEST_ASSERT_TRUE(all > MOST / 4);
	/* The first may have as much more as the last has less. */
	for (int i = 0; i < 10; i++)
		TEST_ASSERT_TRUE_MESSAGE(part[i] > all / 20 && part[i] < all * (i ? 3 : 4) / 20, "a tenth has too few or too many");
}

/* So many kernels have one correlation, as those of a graph have that of its launch; `graphs` run in turns. */
static void expect_even_with(uint64_t kernels, uint64_t graphs)
{
	struct made_log log;
	begin(&log);
	for (uint64_t i = 0; i < STEPS; i++) {
		made_api(&log, MADE_HIP, 1, i + 1, i * 1000, i * 1000 + 100);
		made_dispatch(&log, 7, 1, i + 1, i / kernels + i % graphs + 1, i * 1000 + 200, i * 1000 + 300);
	}
	read_page(&log, STEPS * 1000, MOST);
	TEST_ASSERT_TRUE_MESSAGE(page.kept_n <= MOST && page.kept_n > MOST * 3 / 4, "about as many as there may be");
	expect_even(LANE_KERNELS, STEPS * 1000);
	expect_even(LANE_CALLS, STEPS * 1000);
}

static void test_each_kernel_has_its_own_correlation(void) { expect_even_with(1, 1); }
static void test_ten_kernels_have_one_correlation(void) { expect_even_with(10, 1); }
static void test_half_of_the_kernels_have_one_correlation(void) { expect_even_with(STEPS / 2, 1); }
static void test_all_kernels_have_one_correlation(void) { expect_even_with(STEPS, 1); }
static void test_graphs_that_run_in_turns(void) { expect_even_with(STEPS, 3); }

static void test_what_finds_no_row_is_not_drawn_but_counted(void)
{
	struct made_log log;
	begin(&log);
	for (uint64_t i = 0; i < 300; i++)
		made_api(&log, MADE_HIP, 1, i + 1, 10 + i, 1000 + i);
	made_api(&log, MADE_HIP, 1, 1000, 2000, 2010)->thread = 5000;
	read_page(&log, 3000, HTML_EVENTS_MOST);
	TEST_ASSERT_EQUAL(44, page.crowded);
	TEST_ASSERT_EQUAL(257, page.kept_n);
	TEST_ASSERT_EQUAL(HTML_ROWS_MOST, page.shown[0]->rows);
	for (uint32_t row = 0; row < HTML_ROWS_MOST; row++)
		TEST_ASSERT_EQUAL(1, page.shown[0]->row[row]);
	TEST_ASSERT_EQUAL(1000, page.kept[page.sequence[256]].correlation);
}

static void made_ends(uint64_t end)
{
	struct made_log log;
	begin(&log);
	made_api(&log, MADE_HIP, 1, 1, 10, 20);
	made_api(&log, MADE_HIP, 1, 2, 30, 1000000000000000000u);
	made_api(&log, MADE_HIP, 1, 3, 40, 50);
	read_page(&log, end, HTML_EVENTS_MOST);
	TEST_ASSERT_EQUAL(1, page.odd);
	TEST_ASSERT_EQUAL(2, page.kept_n);
}

static void test_an_event_that_ends_years_later_is_not_drawn(void)
{
	made_ends(100);
	TEST_ASSERT_EQUAL(100, page.extent);
}

static void test_nor_is_it_in_a_log_that_was_not_closed(void)
{
	made_ends(0);
	TEST_ASSERT_FALSE(trace.closed);
	TEST_ASSERT_EQUAL(50, page.extent);
	TEST_ASSERT_EQUAL_UINT64(MADE_START + 50, trace.end);
}

static void test_nor_is_it_in_a_database_of_such_a_log(void)
{
	char path[96];
	made_ends(100);
	settings.formats = FORMAT_ROCPD;
	TEST_ASSERT_EQUAL_MESSAGE(0, rocpd_write(&conversion, &err), err.text);
	page_free(&page);
	stats_free(&stats);
	trace_close(&trace);
	is_open = false;
	path_in(path, "out_results.db");
	TEST_ASSERT_EQUAL(0, rename(path, log_path));
	open_trace();
	TEST_ASSERT_EQUAL_MESSAGE(0, page_read(&page, &conversion, HTML_EVENTS_MOST, &err), err.text);
	TEST_ASSERT_TRUE(trace.is_rocpd);
	TEST_ASSERT_EQUAL(1, page.odd);
	TEST_ASSERT_EQUAL(100, page.extent);
}

static void test_kernels_that_are_drawn_without_sizes_are_counted(void)
{
	struct made_log log;
	begin(&log);
	log.block = 64u << 10;
	for (uint32_t i = 0; i < HTML_SHAPES_MOST + 50; i++)
		made_dispatch(&log, 7, 1, i + 1, i + 1, i * 10, i * 10 + 5)->info.grid[0] = i + 1;
	/* One like that was there before. */
	made_dispatch(&log, 7, 1, 200000, 200000, 2000000, 2000001)->info.grid[0] = 1;
	read_page(&log, 3000000, HTML_EVENTS_MOST);
	TEST_ASSERT_EQUAL(HTML_SHAPES_MOST + 51, page.kept_n);
	TEST_ASSERT_EQUAL(50, page.sizeless);
	TEST_ASSERT_EQUAL(HTML_SHAPES_MOST + 1, page.shapes.n);
}

static void test_what_is_missing_is_told(void)
{
	char path[96];
	size_t size;
	sample_log(log_path, 10);
	open_trace();
	trace.missing = 37;
	TEST_ASSERT_EQUAL_MESSAGE(0, html_write_most(&conversion, HTML_EVENTS_MOST, &err), err.text);
	path_in(path, "out_results.html");
	char *html = contents(path, &size);
	TEST_ASSERT_NOT_NULL(strstr(html, "\n\"missing\":37,"));
	TEST_ASSERT_NOT_NULL(strstr(html, "\n\"crowded\":0,"));
	free(html);
}

/* Templates are: long, and alike at both ends. */
static void test_names_that_differ_in_the_middle_alone_are_found_at_once(void)
{
	enum { N = 30000, LENGTH = 200 };
	struct html_set set = { .size = 0 };
	char *text = malloc((size_t)N * LENGTH);
	for (uint32_t i = 0, number; i < N; i++) {
		char *name = text + (size_t)i * LENGTH;
		memset(name, 'x', LENGTH - 1);
		name[LENGTH - 1] = '\0';
		name[100 + snprintf(name + 100, 20, "%u", i)] = 'x';
		TEST_ASSERT_EQUAL(0, html_set_add(&set, &(const char *){ name }, &number, &err));
		TEST_ASSERT_EQUAL(i, number);
	}
	html_set_free(&set);
	free(text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_each_kernel_has_its_own_correlation);
	RUN_TEST(test_ten_kernels_have_one_correlation);
	RUN_TEST(test_half_of_the_kernels_have_one_correlation);
	RUN_TEST(test_all_kernels_have_one_correlation);
	RUN_TEST(test_graphs_that_run_in_turns);
	RUN_TEST(test_what_finds_no_row_is_not_drawn_but_counted);
	RUN_TEST(test_an_event_that_ends_years_later_is_not_drawn);
	RUN_TEST(test_nor_is_it_in_a_log_that_was_not_closed);
	RUN_TEST(test_nor_is_it_in_a_database_of_such_a_log);
	RUN_TEST(test_kernels_that_are_drawn_without_sizes_are_counted);
	RUN_TEST(test_what_is_missing_is_told);
	RUN_TEST(test_names_that_differ_in_the_middle_alone_are_found_at_once);
	return UNITY_END();
}
