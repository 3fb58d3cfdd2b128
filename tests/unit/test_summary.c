/* SPDX-License-Identifier: MIT */
#include "conversion_case.h"

#define LINES_MOST 64

static char *text, *line[LINES_MOST];
static size_t lines;

void setUp(void)
{
	case_begin();
}

void tearDown(void)
{
	free(text);
	text = NULL;
	case_end();
}

static void split(void)
{
	lines = 0;
	for (char *at = text; *at; at += strlen(at) + 1) {
		TEST_ASSERT_TRUE(lines < LINES_MOST);
		line[lines++] = at;
		*strchr(at, '\n') = '\0';
	}
}

/* To a file of its own, whose lines are not indented. */
static void summarize(void)
{
	struct file file;
	case_open();
	TEST_ASSERT_EQUAL(0, file_create(&file, base, "_summary.txt", &err));
	TEST_ASSERT_EQUAL_MESSAGE(0, summary_write(&conversion, &file, &err), err.text);
	TEST_ASSERT_EQUAL(0, file_finish(&file, &err));
	text = content_of("out_summary.txt");
	split();
}

static size_t line_of(const char *part)
{
	for (size_t i = 0; i < lines; i++)
		if (strstr(line[i], part))
			return i;
	TEST_FAIL_MESSAGE(part);
	return 0;
}

static size_t titles(void)
{
	size_t n = 0;
	for (size_t i = 0; i < lines; i++)
		n += !strncmp(line[i], "ROCPROFV3 ", 10);
	return n;
}

/* The cell of a row without the space around it. */
static const char *cell(size_t row, size_t column)
{
	static char out[256];
	const char *at = line[row];
	for (size_t i = 0; i <= column; i++) {
		at = strstr(at, "| ");
		TEST_ASSERT_NOT_NULL(at);
		at += 2;
	}
	const char *end = strstr(at, " |");
	at += strspn(at, " ");
	while (end > at && end[-1] == ' ')
		end--;
	snprintf(out, sizeof out, "%.*s", (int)(end > at ? end - at : 0), at);
	return out;
}

static void row_is(size_t row, const char *const wanted[9])
{
	for (size_t i = 0; i < 9; i++)
		TEST_ASSERT_EQUAL_STRING(wanted[i], cell(row, i));
}

static void test_nothing_is_said_to_those_who_did_not_ask(void)
{
	made_log_everything(log_path);
	summarize();
	TEST_ASSERT_EQUAL(0, lines);
}

static void test_one_table_of_all(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	set("ROCPROF_STATS_SUMMARY", "1");
	made_log_everything(log_path);
	summarize();
	TEST_ASSERT_EQUAL(1, titles());
	TEST_ASSERT_EQUAL_STRING("", line[0]);
	TEST_ASSERT_EQUAL_STRING("ROCPROFV3 SUMMARY:", line[1]);
	TEST_ASSERT_EQUAL_STRING("", line[2]);
	row_is(3, (const char *const[]){ "NAME", "DOMAIN", "CALLS", "DURATION (nsec)", "AVERAGE (nsec)", "PERCENT (INC)",
					 "MIN (nsec)", "MAX (nsec)", "STDDEV" });
	TEST_ASSERT_EQUAL_STRING("phase", cell(5, 0));          /* took most, of 140302 */
	row_is(line_of("| matrixTranspose"), (const char *const[]){ "matrixTranspose(float*, float*, int)", "KERNEL_DISPATCH", "2",
		"6000", "3.000e+03", "4.276489", "2000", "4000", "1.414e+03" });
	TEST_ASSERT_EQUAL_STRING("", line[lines - 1]);
	for (size_t i = 4; i + 1 < lines; i++)
		TEST_ASSERT_EQUAL_MESSAGE(strlen(line[3]), strlen(line[i]) - (strstr(line[i], "\xc3\xa9") ? 1 : 0), line[i]);
}

static void test_a_name_of_two_domains_is_one_row(void)
{
	set("ROCPROF_STATS_SUMMARY", "1");
	set("ROCPROF_KERNEL_RENAME", "1");
	made_log_everything(log_path);
	summarize();
	size_t row = line_of("| step 1 ");
	TEST_ASSERT_EQUAL_STRING("MARKER_API", cell(row, 1));
	TEST_ASSERT_EQUAL_STRING("2", cell(row, 2));
	TEST_ASSERT_EQUAL_STRING("35500", cell(row, 3));        /* a marker of 29500 and a kernel of 6000 */
	TEST_ASSERT_EQUAL_STRING("6000", cell(row, 6));
	TEST_ASSERT_EQUAL_STRING("29500", cell(row, 7));
	for (size_t i = row + 1; i < lines; i++)
		TEST_ASSERT_NULL(strstr(line[i], "step 1"));
}

static void test_a_table_for_each_domain(void)
{
	set("ROCPROF_STATS_SUMMARY_PER_DOMAIN", "1");
	struct made_log log;
	made_log_begin(&log, log_path);
	made_kinds(&log);
	made_api(&log, MADE_HIP, 215, 1, 0, 300);
	made_api(&log, MADE_HIP, 259, 2, 400, 500);
	made_api(&log, MADE_HSA, 0, 3, 600, 700);
	made_log_close(&log);
	summarize();
	TEST_ASSERT_EQUAL(2, titles());
	TEST_ASSERT_TRUE(line_of("ROCPROFV3 HSA_API SUMMARY:") < line_of("ROCPROFV3 HIP_API SUMMARY:"));
	TEST_ASSERT_EQUAL_STRING("75.000000", cell(line_of("hipMalloc"), 5));
	TEST_ASSERT_EQUAL_STRING("100.000000", cell(line_of("hsa_init"), 5));
}

static void test_groups_of_domains(void)
{
	set("ROCPROF_STATS_SUMMARY_GROUPS", "KERNEL_DISPATCH|MEMORY_COPY##@@##(?:HIP|HSA)_API##@@##KERNEL##@@##\\w+_JPEG");
	made_log_everything(log_path);
	summarize();
	TEST_ASSERT_EQUAL(2, titles());         /* the others fit no whole name */
	TEST_ASSERT_EQUAL_STRING("ROCPROFV3 KERNEL_DISPATCH + MEMORY_COPY SUMMARY:", line[1]);
	line_of("ROCPROFV3 HSA_API + HIP_API SUMMARY:");
}

static void test_units(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	set("ROCPROF_STATS_SUMMARY", "1");
	set("ROCPROF_STATS_SUMMARY_UNITS", "usec");
	made_log_everything(log_path);
	summarize();
	TEST_ASSERT_EQUAL_STRING("DURATION (usec)", cell(3, 3));
	row_is(line_of("| matrixTranspose"), (const char *const[]){ "matrixTranspose(float*, float*, int)", "KERNEL_DISPATCH", "2",
		"6", "3.000e+00", "4.276489", "2", "4", "1.414e+00" });
	TEST_ASSERT_EQUAL_STRING("0.001", cell(line_of("kernel 42"), 3));
	TEST_ASSERT_EQUAL_STRING("59.8", cell(line_of("| phase"), 3));
}

static void test_a_name_cannot_steer_the_terminal(void)
{
	struct made_log log;
	set("ROCPROF_STATS_SUMMARY", "1");
	made_log_begin(&log, log_path);
	made_name(&log, MADE_MARKER, -1, "MARKER_CORE_RANGE_API");
	made_numbered_text(&log, 1, "\x1b[2Jgone\x7f\xc2\x9b\xff.");
	made_marker(&log, 1, 1);
	made_api(&log, MADE_MARKER, 0, 1, 0, 10);
	made_log_close(&log);
	summarize();
	TEST_ASSERT_EQUAL_STRING("?[2Jgone???.", cell(5, 0));
}

static void test_on_a_terminal_it_is_indented(void)
{
	struct file file;
	char path[192];
	set("ROCPROF_STATS_SUMMARY", "1");
	made_log_everything(log_path);
	case_open();
	snprintf(path, sizeof path, "%s/terminal", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	TEST_ASSERT_EQUAL(0, file_borrow(&file, fd, "stderr", &err));
	TEST_ASSERT_EQUAL(0, summary_write(&conversion, &file, &err));
	TEST_ASSERT_EQUAL(0, file_finish(&file, &err));
	close(fd);
	text = content_of("terminal");
	split();
	TEST_ASSERT_EQUAL_STRING("    ROCPROFV3 SUMMARY:", line[1]);
	for (size_t i = 3; i + 1 < lines; i++)
		TEST_ASSERT_EQUAL(0, strncmp(line[i], "    |", 5));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nothing_is_said_to_those_who_did_not_ask);
	RUN_TEST(test_one_table_of_all);
	RUN_TEST(test_a_name_of_two_domains_is_one_row);
	RUN_TEST(test_a_table_for_each_domain);
	RUN_TEST(test_groups_of_domains);
	RUN_TEST(test_units);
	RUN_TEST(test_a_name_cannot_steer_the_terminal);
	RUN_TEST(test_on_a_terminal_it_is_indented);
	return UNITY_END();
}
