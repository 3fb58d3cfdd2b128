/* SPDX-License-Identifier: MIT */
/* Input files: what they say, and what they must not do. */
#include <time.h>

#include "request_case.h"
#include "rocp/input.h"

static char path[64];

void setUp(void)
{
	path[0] = '\0';
}

void tearDown(void)
{
	if (path[0])
		unlink(path);
	request_free(&request);
}

/* "-p 42 -i FILE more" with a file of this name's ending. */
static int read_file(const char *ending, const char *text, size_t size, const char *more)
{
	char line[512];
	if (path[0])
		unlink(path);
	snprintf(path, sizeof path, "/tmp/input-%d%s", (int)getpid(), ending);
	FILE *file = fopen(path, "w");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_EQUAL(size, fwrite(text, 1, size, file));
	fclose(file);
	snprintf(line, sizeof line, "-p 42 -i %s %s", path, more);
	return read_line(line);
}

static void file_brings(const char *ending, const char *text, const char *more, const char *changes)
{
	static char message[2048], wanted[2 * PATH_MAX];
	int rc = read_file(ending, text, strlen(text), more);
	snprintf(message, sizeof message, "%s %s: %s", text, more, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, message);
	/* "HERE" is the current folder. */
	const char *at = strstr(changes, "HERE");
	TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
	if (!strcmp(here, "/"))
		here[0] = '\0';
	if (at)
		snprintf(wanted, sizeof wanted, "%.*s%.2000s%s", (int)(at - changes), changes, here, at + 4);
	arrives_as(at ? wanted : changes, message);
}

static void file_fails(const char *ending, const char *text, const char *more, const char *part)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, read_file(ending, text, strlen(text), more), text);
	says(text, part);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, path), err.text);
}

#define COUNTED "ROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTERS=pmc:~SQ_WAVES~GRBM_COUNT\n"

static void test_json(void)
{
	file_brings(".json", "{\"jobs\": [{\"pmc\": [\"SQ_WAVES\", \"GRBM_COUNT\"]}]}", "", COUNTED "ROCPROF_OUTPUT_PATH=HERE/pass_1");
	file_brings(".json", "{\"jobs\": [{\"pmc\": [\"SQ_WAVES\", \"GRBM_COUNT\"], \"output_directory\": \"/o\"}]}", "",
		    COUNTED "ROCPROF_OUTPUT_PATH=/o/pass_1");
	file_brings(".json", "{\"jobs\": [{\"kernel_trace\": true, \"hip_trace\": false, \"output_format\": [\"csv\", \"json\"],\n"
		    "\"kernel_iteration_range\": \"[1-2]\", \"perfetto_buffer_size\": 64, \"output_file\": \"a\\u00e4\\\"b\", "
		    "\"stats\": null}]}\n", "", "ROCPROF_KERNEL_TRACE=1\nROCPROF_OUTPUT_FORMAT=csv,json\n"
		    "ROCPROF_KERNEL_FILTER_RANGE=[1-2]\nROCPROF_PERFETTO_BUFFER_SIZE_KB=64\nROCPROF_OUTPUT_FILE_NAME=a\xc3\xa4\"b");
	file_brings(".json", "{\"metadata\": {\"x\": [1, {}]}, \"jobs\": [{\"sys_trace\": \"no\"}]}", "", "");
	file_brings(".json", "{\"jobs\": [{\"pmc_groups\": [[\"A\", \"B\"]], \"pmc_group_interval\": 3}]}", "",
		    "ROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTER_GROUPS=pmc:~A~B\nROCPROF_COUNTER_GROUPS_INTERVAL=3");
	const char *two = "{\"jobs\": [{\"pmc_groups\": [[\"A\"], [\"B\"]]}]}";
	TEST_ASSERT_EQUAL(0, read_file(".json", two, strlen(two), ""));
	TEST_ASSERT_EQUAL_STRING("pmc: A\npmc: B", env_get(&request.env, "ROCPROF_COUNTER_GROUPS"));
}

static void test_yaml(void)
{
	file_brings(".yaml", "jobs:\n  - pmc:\n      - SQ_WAVES\n      - GRBM_COUNT\n", "", COUNTED "ROCPROF_OUTPUT_PATH=HERE/pass_1");
	file_brings(".yml", "jobs:\n  - pmc: [SQ_WAVES, GRBM_COUNT]\n", "", COUNTED "ROCPROF_OUTPUT_PATH=HERE/pass_1");
	file_brings(".yml", "---\n# counters\njobs:   # one\n- pmc: [ \"SQ_WAVES\" ,\n         'GRBM_COUNT' ] # both\n", "-d /o/",
		    COUNTED "ROCPROF_OUTPUT_PATH=/o/pass_1");
	file_brings(".yaml", "jobs:\n  -\n    pmc:\n    - SQ_WAVES\n    - GRBM_COUNT   # second\n    kernel_trace: true\n\n"
		    "    output_file: \"a # b\"\n    kernel_include_regex: 'it''s'\n    output_format: csv\n    stats:\n", "",
		    COUNTED "ROCPROF_OUTPUT_PATH=HERE/pass_1\nROCPROF_KERNEL_TRACE=1\nROCPROF_OUTPUT_FILE_NAME=a~#~b\n"
		    "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=it's\nROCPROF_OUTPUT_FORMAT=csv");
	file_brings(".yaml", "jobs:\n  - {kernel_trace: yes, hip_graph_trace: on, output_file: a:b}\n", "",
		    "ROCPROF_KERNEL_TRACE=1\nROCPROF_HIP_GRAPH_TRACE=1\nROCPROF_OUTPUT_FILE_NAME=a:b");
	file_brings(".yaml", "jobs:\r\n  - kernel_trace: True\r\n    marker_trace: 1\r\n", "", "ROCPROF_KERNEL_TRACE=1\nROCPROF_MARKER_API_TRACE=1");
	file_fails(".yaml", "jobs:\n- - kernel_trace: true\n", "", "a job is a mapping");
}

static void test_text(void)
{
	file_brings(".txt", "# why\n\n  pmc: SQ_WAVES\tGRBM_COUNT   # two\nrange: 1\n# pmc: X\n", "",
		    COUNTED "ROCPROF_OUTPUT_PATH=HERE/pmc_1");
	TEST_ASSERT_TRUE(warned("out of date"));
	file_brings(".text", "pmc:SQ_WAVES GRBM_COUNT", "-d o", COUNTED "ROCPROF_OUTPUT_PATH=o/pmc_1");
}

static void test_the_folder_is_added_for_counters_alone(void)
{
	file_brings(".json", "{\"jobs\": [{\"kernel_trace\": true}]}", "-d /o", "ROCPROF_KERNEL_TRACE=1\nROCPROF_OUTPUT_PATH=/o");
	arrives("-p 42 -d /o --pmc A", "ROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTERS=pmc:~A\nROCPROF_OUTPUT_PATH=/o");
}

static void test_file_and_command_line_must_agree(void)
{
	file_brings(".json", "{\"jobs\": [{\"kernel_trace\": true, \"output_format\": [\"csv\"], \"pid\": 42}]}", "--kernel-trace -f CSV",
		    "ROCPROF_KERNEL_TRACE=1\nROCPROF_OUTPUT_FORMAT=csv");
	file_fails(".json", "{\"jobs\": [{\"kernel_trace\": true}]}", "--kernel-trace=no", "line 1: --kernel-trace was given on the command line");
	file_fails(".json", "{\"jobs\":\n[{\"output_format\": [\"csv\"]}]}", "-f csv json", "line 2: --output-format was given");
	file_fails(".json", "{\"jobs\": [{\"pid\": 43}]}", "", "--pid was given");
	file_fails(".json", "{\"jobs\": [{\"pmc\": [\"A\"]}]}", "--pmc A", "several counter passes");
	const char *groups = "{\"jobs\": [{\"pmc_groups\": [[\"A\"]]}]}";
	TEST_ASSERT_EQUAL(-1, read_file(".json", groups, strlen(groups), "--pmc A"));
	says(groups, "exclude each other");
	/* Upstream's defaults collide with other values there; here nothing was said on the command line. */
	file_brings(".json", "{\"jobs\": [{\"attach_children\": false}]}", "", "ROCPROF_ATTACH_CHILDREN=0");
}

static void test_one_job(void)
{
	file_fails(".json", "{\"jobs\": [{\"pmc\": [\"A\"]},\n{\"pmc\": [\"B\"]}]}", "", "line 2: several jobs");
	file_fails(".yaml", "jobs:\n  - pmc: [A]\n  - pmc: [B]\n", "", "line 3: several jobs");
	file_fails(".txt", "pmc: A\npmc: B\n", "", "line 2: several jobs");
	file_fails(".txt", "# nothing\n", "", "no job");
	file_fails(".txt", "pmc: # none\n", "", "names no counter");
	file_fails(".json", "{\"jobs\": []}", "", "no job");
	file_fails(".json", "{\"job\": []}", "", "no list 'jobs'");
	file_fails(".json", "{\"jobs\": {}}", "", "no list 'jobs'");
	file_fails(".json", "{\"jobs\": [3]}", "", "a job is a mapping");
	file_fails(".json", "[]", "", "no list 'jobs'");
}

static void test_refusals_name_the_line(void)
{
	file_fails(".json", "{\"jobs\": [{\n\"kernel_trase\": true}]}", "", "line 2: there is no option 'kernel_trase'");
	TEST_ASSERT_EQUAL_STRING("did you mean kernel_trace?", err.remedy);
	file_fails(".yaml", "jobs:\n  - pmc: [A]\n    output_format: xml\n", "", "line 3: output_format: 'xml' is no output format");
	file_fails(".yaml", "jobs:\n  - kernel-trace: true\n", "", "no option 'kernel-trace'");
	file_fails(".yaml", "jobs:\n  - input: x.json\n", "", "no option 'input'");
	TEST_ASSERT_EQUAL(-1, read_file(".yaml", "jobs:\n  - collection_period: ['1:2:3']\n", 38, ""));
	says("collection_period", "not compatible with attach mode");
	file_fails(".json", "{\"jobs\": [{\"kernel_trace\": [true]}]}", "", "takes one value");
	file_fails(".json", "{\"jobs\": [{\"pmc\": [[\"A\"]]}]}", "", "list of words");
	file_fails(".json", "{\"jobs\": [{\"output_format\": []}]}", "", "needs a value");
	file_fails(".json", "{\"jobs\": [{\"pmc_groups\": [\"A\"]}]}", "", "list of counters");
	file_fails(".json", "{\"jobs\": [{\"pmc_group_interval\": \"x\"}]}", "", "takes a number");
	refuses("-p 42 -i /nowhere/at.json", "cannot be read");
	refuses("-p 42 -i /tmp", "what kind of file");
	refuses("-p 42 -i file.xml", "what kind of file");
	TEST_ASSERT_EQUAL(-1, read_file(".json", "{}\0{}", 5, ""));
	says("a NUL", "no text");
}

static void test_malformed_files(void)
{
	static const struct { const char *ending, *text, *part; } cases[] = {
		{ ".json", "", "line 1" }, { ".json", "{\"jobs\": [", "line 1" }, { ".json", "{\"jobs\"", "no ':'" },
		{ ".json", "{\n\"jobs\": [\n,]}", "line 3" }, { ".json", "{\"jobs\": [],}", "key is missing" },
		{ ".json", "{\"jobs\": [{}] } x", "more behind" }, { ".json", "{jobs: []}", "key is missing" },
		{ ".json", "{\"jobs\": [a]}", "not understood" }, { ".json", "{\"a\": \"b\n\"}", "does not end" },
		{ ".json", "{\"a\": \"\\x\"}", "backslash" }, { ".json", "{\"a\": \"\\ud800\"}", "backslash" },
		{ ".json", "{\"a\": \"\\u12", "backslash" }, { ".json", "{\"a\":1,\n\"a\":2}", "line 2: 'a' is there twice" },
		{ ".yaml", "", "says nothing" }, { ".yaml", "# only\n", "says nothing" }, { ".yaml", "jobs\n", "'key: value'" },
		{ ".yaml", "jobs:\n\t- pmc: [A]\n", "line 2: a tab" }, { ".yaml", "jobs:\n  - pmc: &a [A]\n", "line 2: '&'" },
		{ ".yaml", "jobs:\n  - output_file: |\n      a\n", "line 2: '|'" }, { ".yaml", "jobs:\n  - pmc: [A\n", "missing" },
		{ ".yaml", "jobs:\n  - pmc: 'A\n", "does not end" }, { ".yaml", "jobs:\n  - pmc: [A] B\n", "behind the value" },
		{ ".yaml", "jobs:\n  - pmc: [A]\n      stats: true\n", "line 3" }, { ".yaml", "jobs:\n  - pmc: [A]\n stats: true\n", "line 3" },
		{ ".yaml", "jobs:\n  - output_file: a\n      b\n", "line 3" }, { ".yaml", "jobs: []\njobs: []\n", "line 2: 'jobs' is there twice" },
		{ ".yaml", "- a\nb: c\n", "line 2" }, { ".yaml", "  a: b\nc: d\n", "line 2" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		file_fails(cases[i].ending, cases[i].text, "", cases[i].part);
}

/* A megabyte of one thing must end soon and with an error. */
static void test_hostile_files_end_soon(void)
{
	static const char *const parts[] = { "[", "{", "{\"a\":", "\"a\",", "[1,", "- ", "-\n", "a:\n", " a:\n  b:\n", "'", "\"", "\\", "#\n",
		"\n", " ", "? ", "[[[[],", "\"a\" : \"b\" ,", "k: v\n", "pmc: a\n", "pmc:", "pmc: a b c d e f g h ", "---\n", "&", "\r" };
	static const char *const endings[] = { ".json", ".yaml", ".txt" };
	static char text[INPUT_MOST + 2];
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		size_t length = strlen(parts[i]);
		for (size_t at = 0; at < INPUT_MOST; at++)
			text[at] = parts[i][at % length];
		for (size_t j = 0; j < 3; j++) {
			struct timespec begin, end;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
			int rc = read_file(endings[j], text, INPUT_MOST, "");
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
			/* One long line of counters is a job like any other. */
			if (rc == 0)
				TEST_ASSERT_EQUAL_STRING(".txt", endings[j]);
			else
				TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
			TEST_ASSERT_LESS_THAN_MESSAGE(10, end.tv_sec - begin.tv_sec, parts[i]);
		}
	}
	TEST_ASSERT_EQUAL(-1, read_file(".json", text, INPUT_MOST + 1, ""));
	says("too large", "at most");
}

static void test_depth_is_bounded(void)
{
	char text[256] = "{\"jobs\": [{\"pmc\": ";
	for (int i = 0; i < 40; i++)
		strcat(text, "[");
	file_fails(".json", text, "", "too deep");
	strcpy(text, "jobs:\n");
	for (int i = 0; i < 40; i++)
		strcat(text, "- ");
	strcat(text, "a\n");
	file_fails(".yaml", text, "", "too deep");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_json);
	RUN_TEST(test_yaml);
	RUN_TEST(test_text);
	RUN_TEST(test_the_folder_is_added_for_counters_alone);
	RUN_TEST(test_file_and_command_line_must_agree);
	RUN_TEST(test_one_job);
	RUN_TEST(test_refusals_name_the_line);
	RUN_TEST(test_malformed_files);
	RUN_TEST(test_hostile_files_end_soon);
	RUN_TEST(test_depth_is_bounded);
	return UNITY_END();
}
