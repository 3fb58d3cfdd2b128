/* SPDX-License-Identifier: MIT */
/* Which writers are called, in what order; they are not the real ones here. */
#include "conversion_case.h"

static char called[64];
static const char *failing;
static char progress_told[256];

static int write_as(const char *name, struct err *to)
{
	strcat(strcat(called, name), " ");
	return failing && !strcmp(failing, name) ? err_set(to, ERR_FAILED, 0, "%s failed", name) : 0;
}

int csv_write(const struct conversion *one, struct err *to) { (void)one; return write_as("csv", to); }
int json_write(const struct conversion *one, struct err *to) { (void)one; return write_as("json", to); }
int pftrace_write(const struct conversion *one, struct err *to) { (void)one; return write_as("pftrace", to); }
int rocpd_write(const struct conversion *one, struct err *to) { (void)one; return write_as("rocpd", to); }
int html_write(const struct conversion *one, struct err *to) { (void)one; return write_as("html", to); }

static void progress(void *ctx, const char *what, double part)
{
	size_t end = strlen(progress_told);
	(void)ctx;
	snprintf(progress_told + end, sizeof progress_told - end, "%s %g;", what, part);
}

void setUp(void)
{
	case_begin();
	called[0] = progress_told[0] = '\0';
	failing = NULL;
	made_log_everything(log_path);
}

void tearDown(void)
{
	case_end();
}

static void open_with(const char *formats)
{
	set("ROCPROF_OUTPUT_FORMAT", formats);
	case_open();
	conversion.progress = progress;
}

static void test_all_in_one_order(void)
{
	open_with("html,rocpd,pftrace,json,csv");
	TEST_ASSERT_EQUAL(0, formats_write(&conversion, &err));
	TEST_ASSERT_EQUAL_STRING("csv json pftrace rocpd html ", called);
	TEST_ASSERT_EQUAL_STRING("csv 0;csv 1;json 0;json 1;pftrace 0;pftrace 1;rocpd 0;rocpd 1;html 0;html 1;", progress_told);
}

static void test_only_those_that_were_asked_for(void)
{
	open_with("html,csv");
	conversion.progress = NULL;
	TEST_ASSERT_EQUAL(0, formats_write(&conversion, &err));
	TEST_ASSERT_EQUAL_STRING("csv html ", called);
	TEST_ASSERT_EQUAL(0, files_of(".json"));
}

static void test_the_first_error_ends_it(void)
{
	open_with("html,rocpd,json,csv");
	failing = "json";
	TEST_ASSERT_EQUAL(-1, formats_write(&conversion, &err));
	TEST_ASSERT_EQUAL_STRING("csv json ", called);
	TEST_ASSERT_EQUAL_STRING("json failed", err.text);
}

static void test_the_settings_file_comes_last(void)
{
	set("ROCPROF_OUTPUT_CONFIG_FILE", "1");
	open_with("csv");
	TEST_ASSERT_EQUAL(0, formats_write(&conversion, &err));
	TEST_ASSERT_TRUE(is_there("out_config.json"));
	TEST_ASSERT_EQUAL(1, files_told);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_all_in_one_order);
	RUN_TEST(test_only_those_that_were_asked_for);
	RUN_TEST(test_the_first_error_ends_it);
	RUN_TEST(test_the_settings_file_comes_last);
	return UNITY_END();
}
