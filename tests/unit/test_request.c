/* SPDX-License-Identifier: MIT */
/* Every option, in every form, and exactly what it changes in the target. */
#include <fcntl.h>
#include <sys/stat.h>

#include "request_case.h"
#include "request_rows.h"
#include "rocp/options.h"

/* Options that change the request itself, or are refused: they have tests of their own. */
static const char *const others[] = {
	"name", "all", "keep", "attach-tool-library", "own-tool", "keep-log", "late", "sdk", "timeout-msec", "thread", "trust-seccomp", "announce",
	"attach-library", "fallback-tool-library", "help", "version", "json", "verbose", "dry-run", "input", "extra-counters",
	"set", "block", "arch", "pid-file", "env", "cgroup", "slurm-job", "wait", "wait-timeout", "at", "follow", "stage", "collect", "list-avail", "collection-period", "att-library-path",
};

void setUp(void)
{
}

void tearDown(void)
{
	request_free(&request);
}

/* A line is split at blanks and a variable at ends of lines: \1 stands for those inside. */
static const char *with_lines(const char *changes)
{
	static char text[2048];
	snprintf(text, sizeof text, "%s", changes);
	return text;
}

static void check_groups(const char *changes)
{
	const char *groups = strchr(changes, '\x01') ? env_get(&request.env, "ROCPROF_COUNTER_GROUPS") : NULL;
	if (groups) {
		TEST_ASSERT_EQUAL_STRING("pmc: A\npmc: B C", groups);
		env_set(&request.env, "ROCPROF_COUNTER_GROUPS", "pmc: A\x01pmc: B C", &err);
	}
}

static void form(const char *with, const char *changes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void form(const char *with, const char *changes, const char *fmt, ...)
{
	char line[1024], text[1600];
	int used = snprintf(line, sizeof line, "-p 42 %s", with);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line + used, sizeof line - (size_t)used, fmt, ap);
	va_end(ap);
	int rc = read_line(line);
	snprintf(text, sizeof text, "%s: %s", line, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, text);
	check_groups(changes);
	arrives_as(with_lines(changes), line);
}

static void test_bools_bare_and_with_every_word(void)
{
	static const char *const yes[] = { "y", "yes", "t", "true", "on", "1", "TRUE", "On" };
	static const char *const no[] = { "n", "no", "f", "false", "off", "0", "False", "NO" };
	for (size_t i = 0; i < sizeof bools / sizeof bools[0]; i++) {
		const char *with = bools[i].with;
		form(with, bools[i].yes, "--%s", bools[i].name);
		form(with, bools[i].yes, "--%s --verbose", bools[i].name);
		if (bools[i].letter)
			form(with, bools[i].yes, "-%c", bools[i].letter);
		if (bools[i].second)
			form(with, bools[i].yes, "--%s", bools[i].second);
		for (size_t j = 0; j < 8; j++) {
			form(with, bools[i].yes, "--%s %s", bools[i].name, yes[j]);
			form(with, bools[i].yes, "--%s=%s", bools[i].name, yes[j]);
			form(with, bools[i].no, "--%s %s", bools[i].name, no[j]);
			form(with, bools[i].no, "--%s=%s", bools[i].name, no[j]);
		}
		if (bools[i].letter) {
			form(with, bools[i].no, "-%c no", bools[i].letter);
			form(with, bools[i].no, "-%cfalse", bools[i].letter);
			form(with, bools[i].no, "-%c=0", bools[i].letter);
		}
	}
}

static void test_values_in_every_form(void)
{
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const char *with = values[i].with, *value = values[i].value;
		form(with, values[i].changes, "--%s %s", values[i].name, value);
		form(with, values[i].changes, "--%s %s --verbose", values[i].name, value);
		if (values[i].letter)
			form(with, values[i].changes, "-%c %s", values[i].letter, value);
		if (values[i].second)
			form(with, values[i].changes, "--%s %s", values[i].second, value);
		if (strchr(value, ' '))
			continue;
		form(with, values[i].changes, "--%s=%s", values[i].name, value);
		if (values[i].second)
			form(with, values[i].changes, "--%s=%s", values[i].second, value);
		if (values[i].letter) {
			form(with, values[i].changes, "-%c%s", values[i].letter, value);
			form(with, values[i].changes, "-%c=%s", values[i].letter, value);
		}
	}
}

static bool has_case(const char *name)
{
	for (size_t i = 0; i < sizeof bools / sizeof bools[0]; i++)
		if (!strcmp(bools[i].name, name))
			return true;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (!strcmp(values[i].name, name))
			return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(others[i], name))
			return true;
	return false;
}

static void test_every_option_has_a_case(void)
{
	for (size_t i = 0; i < OPT_COUNT; i++)
		TEST_ASSERT_TRUE_MESSAGE(has_case(request_options[i].name), request_options[i].name);
}

static void test_every_name_of_upstream_is_known(void)
{
	char text[sizeof upstream], *words[256];
	int n = split(text, sizeof text, upstream, " ", words);
	TEST_ASSERT_GREATER_THAN(100, n);
	for (int i = 0; i < n; i++) {
		bool letter = false;
		for (size_t id = 0; id < OPT_COUNT; id++)
			letter = letter || (words[i][1] != '-' && request_options[id].letter == words[i][1]);
		TEST_ASSERT_TRUE_MESSAGE(letter || options_by_name(STYLE_ROCPROFV3, words[i] + 2, strlen(words[i] + 2)) != OPT_COUNT, words[i]);
	}
}

static void test_options_that_change_the_request(void)
{
	arrives("-p 42 --keep --late --sdk /sdk.so --trust-seccomp --announce --json --verbose --dry-run", "");
	TEST_ASSERT_TRUE(request.keep && request.late && request.trust_seccomp && request.announce && request.json &&
			 request.verbose && request.dry_run);
	TEST_ASSERT_EQUAL_STRING("/sdk.so", request.sdk);
	TEST_ASSERT_EQUAL(0, request.warnings.n);
	arrives("-p 42 --thread 77 --timeout-msec 9 -t /a/libtool.so --fallback-tool-library /f.so", "");
	TEST_ASSERT_EQUAL(77, request.thread);
	TEST_ASSERT_EQUAL(9, request.timeout_ms);
	TEST_ASSERT_EQUAL_STRING("/a/libtool.so", request.tool);
	TEST_ASSERT_EQUAL_STRING("/f.so", request.fallback_tool);
	arrives("-p 42 --timeout-msec 2m", "");
	TEST_ASSERT_EQUAL(120000, request.timeout_ms);
	arrives("-p 42 --set launch_stats --arch gfx942", "");
	TEST_ASSERT_EQUAL_STRING("launch_stats", request.set);
	TEST_ASSERT_EQUAL_STRING("gfx942", request.arch);
	arrives("-p 42 --block 2 3", "");
	TEST_ASSERT_EQUAL(2, request.blocks.n);
	arrives("-p 42 --echo --log-level info", "ROCPROF_LOG_LEVEL=info\nROCPROFILER_LOG_LEVEL=info");
	TEST_ASSERT_TRUE(request.echo && request.verbose);
	arrives("-p 42 -f html csv", "ROCPROF_OUTPUT_FORMAT=csv");
	TEST_ASSERT_TRUE(request.html && request.csv_or_json);
	arrives("-p 42", "");
	TEST_ASSERT_FALSE(request.html || request.csv_or_json || request.keep || request.has_duration);
	TEST_ASSERT_EQUAL(120000, request.timeout_ms);
}

static void test_options_without_effect_warn(void)
{
	static const char *const lines[] = {
		"--preload x.so", "--profile-mpi-ranks 1", "--suppress-marker-preload", "--collection-period-unit sec",
		"--attach-library /x.so", "--sdk-soversion 1", "--sdk-version 1.2.3", "--readlink", "--realpath", "--kokkos-trace",
		"--log-level error", "--kernel-replay-beta-enabled", "--spm-beta-enabled", "--pc-sampling-beta-enabled",
		"--replay-mode application", "--stats", "--sdk /x.so", "--arch gfx942", "--pmc", "--spm",
		"--hipfile-trace -f csv", "--rocshmem-trace -f otf2", "--att-target-cu 1", "--att-no-detail", "--att-gpu-index 0",
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char line[128];
		snprintf(line, sizeof line, "-p 42 %s", lines[i]);
		TEST_ASSERT_EQUAL_MESSAGE(0, read_line(line), line);
		TEST_ASSERT_EQUAL_MESSAGE(1, request.warnings.n, line);
	}
	static const char *const silent[] = { "--stats -f csv", "--suppress-marker-preload=no", "--hipfile-trace -f rocpd", "-s", "-f csv -r" };
	for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
		char line[128];
		snprintf(line, sizeof line, "-p 42 %s", silent[i]);
		TEST_ASSERT_EQUAL_MESSAGE(0, read_line(line), line);
		TEST_ASSERT_EQUAL_MESSAGE(0, request.warnings.n, line);
	}
}

static void test_aggregates_leave_alone_what_was_said(void)
{
	arrives("-p 42 --hip-trace --hip-compiler-trace=no", HIP_RUNTIME_IS);
	arrives("-p 42 --hip-compiler-trace=no --hip-trace", HIP_RUNTIME_IS);
	arrives("-p 42 -s --hip-trace=no --kfd-trace=no", HSA_IS REST_IS
		"-ROCPROF_KFD_PAGE_MIGRATION_TRACE\n-ROCPROF_KFD_PAGE_MAPPING_TRACE\n-ROCPROF_KFD_QUEUE_TRACE\n-ROCPROF_KFD_DROPPED_EVENTS_TRACE");
	arrives("-p 42 --hip-runtime-trace --hip-graph-trace=no", "ROCPROF_HIP_RUNTIME_API_TRACE=1\nROCPROF_HIP_EVENT_TRACE=1");
	arrives("-p 42 -s --ompt-trace task", HIP_IS HSA_IS REST_IS "ROCPROF_OMPT_TRACE_OPERATIONS=task");
	arrives("-p 42 -r -s=no", HIP_RUNTIME_IS REST_IS);
}

static void test_the_last_of_two_stands(void)
{
	arrives("-p 42 -f csv -f json", "ROCPROF_OUTPUT_FORMAT=json");
	arrives("-p 42 --kernel-trace --kernel-trace=no", "");
	arrives("-p 42 -d a -d b", "ROCPROF_OUTPUT_PATH=b");
}

static void test_a_value_may_look_like_a_number_below_zero(void)
{
	arrives("-p 42 --kernel-include-regex -5", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=-5");
	arrives("-p 42 --kernel-include-regex=-x", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=-x");
	arrives("-p 42 --kernel-include-regex -x~y", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=-x~y");
	arrives("-p 42 --kernel-include-regex=", "");
	arrives("-p 42 --", "");
}

static void test_extra_counters_are_the_text_of_a_file(void)
{
	char path[] = "/tmp/extra-XXXXXX", line[64];
	int fd = mkstemp(path);
	TEST_ASSERT_EQUAL(9, write(fd, "A:\n  b: c", 9));
	snprintf(line, sizeof line, "-p 42 -E %s", path);
	TEST_ASSERT_EQUAL(0, read_line(line));
	TEST_ASSERT_EQUAL_STRING("A:\n  b: c", env_get(&request.env, "ROCPROF_EXTRA_COUNTERS_CONTENTS"));
	TEST_ASSERT_EQUAL(6, request.env.n);
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 0));
	TEST_ASSERT_EQUAL(0, read_line(line));
	TEST_ASSERT_TRUE(warned("empty"));
	TEST_ASSERT_EQUAL(3, pwrite(fd, "a\0b", 3, 0));
	refuses(line, "no text");
	TEST_ASSERT_EQUAL(0, ftruncate(fd, (1 << 20) + 1));
	refuses(line, "at most");
	close(fd);
	unlink(path);
	refuses(line, "No such file");
	refuses("-p 42 -E /", "not a file");
}

static void test_the_decoder_is_found_in_a_folder_below(void)
{
	char folder[] = "/tmp/att-XXXXXX", path[64], line[256], expected[256];
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(line, sizeof line, "-p 42 --att --att-library-path /none %s", folder);
	refuses(line, "librocprof-trace-decoder.so");
	snprintf(path, sizeof path, "%s/deep", folder);
	TEST_ASSERT_EQUAL(0, mkdir(path, 0700));
	snprintf(path, sizeof path, "%s/deep/librocprof-trace-decoder.so.1", folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	snprintf(expected, sizeof expected, "ROCPROF_ADVANCED_THREAD_TRACE=1\nROCPROF_ATT_LIBRARY_PATH=%s/deep", folder);
	arrives(line, expected);
	snprintf(line, sizeof line, "ROCPROF_ATT_LIBRARY_PATH=/none:%s", folder);
	arrives_with("-p 42 --att", line, expected);
	snprintf(line, sizeof line, "LD_LIBRARY_PATH=/none:%s", folder);
	arrives_with("-p 42 --att", line, expected);
	unlink(path);
	snprintf(path, sizeof path, "%s/deep", folder);
	rmdir(path);
	rmdir(folder);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_bools_bare_and_with_every_word);
	RUN_TEST(test_values_in_every_form);
	RUN_TEST(test_every_option_has_a_case);
	RUN_TEST(test_every_name_of_upstream_is_known);
	RUN_TEST(test_options_that_change_the_request);
	RUN_TEST(test_options_without_effect_warn);
	RUN_TEST(test_aggregates_leave_alone_what_was_said);
	RUN_TEST(test_the_last_of_two_stands);
	RUN_TEST(test_a_value_may_look_like_a_number_below_zero);
	RUN_TEST(test_extra_counters_are_the_text_of_a_file);
	RUN_TEST(test_the_decoder_is_found_in_a_folder_below);
	return UNITY_END();
}
