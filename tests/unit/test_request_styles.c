/* SPDX-License-Identifier: MIT */
/* Whom, how long, with which tool; rocprof-attach's own words; attaching again. */
#include "request_case.h"
#include "bin/shown.h"
#include "rocp/options.h"

void setUp(void)
{
}

void tearDown(void)
{
	request_free(&request);
}

static int attach_line(const char *line, const char *environment)
{
	return read_as(STYLE_ROCPROF_ATTACH, line, environment, false);
}

static void test_several_processes(void)
{
	TEST_ASSERT_EQUAL(0, read_line("-p 7 --pid 8 --attach=9 -p8 --attach-pid 7 -p 007"));
	TEST_ASSERT_EQUAL(3, request.pids);
	TEST_ASSERT_EQUAL(7, request.pid[0]);
	TEST_ASSERT_EQUAL(8, request.pid[1]);
	TEST_ASSERT_EQUAL(9, request.pid[2]);
	arrives_as("-ROCPROF_ATTACH_PID", "several");
	TEST_ASSERT_EQUAL(0, read_with("--name ^python", "ROCPROF_ATTACH_PID=7"));
	TEST_ASSERT_EQUAL_STRING("^python", request.name);
	TEST_ASSERT_EQUAL(0, request.pids);
	arrives_as("-ROCPROF_ATTACH_PID", "--name");
	TEST_ASSERT_EQUAL(0, read_line("--all"));
	TEST_ASSERT_TRUE(request.all);
	arrives_as("-ROCPROF_ATTACH_PID", "--all");
	TEST_ASSERT_EQUAL(0, read_line("-p 42 --name x"));
	arrives_as("-ROCPROF_ATTACH_PID", "both");
}

static void test_what_arrives_in_one_target(void)
{
	struct env env, expected = { .n = 0 };
	TEST_ASSERT_EQUAL(0, read_with("-p 7 -p 8 --kernel-trace", "ROCPROF_ATTACH_TOOL_LIBRARY=/old.so"));
	for (size_t i = 0; i < request.env.n; i++)
		env_set(&expected, request.env.v[i].name, request.env.v[i].value, &err);
	TEST_ASSERT_EQUAL(0, request_env_for(&request, 8, "/tool.so", &env, &err));
	env_set(&expected, "ROCPROF_ATTACH_PID", "8", &err);
	env_set(&expected, "ROCPROF_ATTACH_TOOL_LIBRARY", "/tool.so", &err);
	same_env(&expected, &env, "with a tool");
	env_free(&env);
	TEST_ASSERT_EQUAL(0, request_env_for(&request, 7, NULL, &env, &err));
	env_set(&expected, "ROCPROF_ATTACH_PID", "7", &err);
	env_set(&expected, "ROCPROF_ATTACH_TOOL_LIBRARY", "/old.so", &err);
	same_env(&expected, &env, "without");
	env_free(&env);
	env_free(&expected);
	TEST_ASSERT_NULL(env_get(&request.env, "ROCPROF_ATTACH_PID"));
}

static void test_the_environment_gives_defaults(void)
{
	arrives_with("-p 42", "ROCPROF_ATTACH_DURATION=700\nROCPROF_ATTACH_TOOL_LIBRARY=/t.so\nROCPROF_ATTACH_LIBRARY=/l.so",
		     "ROCPROF_ATTACH_DURATION=700\nROCPROF_ATTACH_TOOL_LIBRARY=/t.so\nROCPROF_ATTACH_LIBRARY=/l.so");
	TEST_ASSERT_TRUE(request.has_duration);
	TEST_ASSERT_EQUAL(700, request.duration_ms);
	TEST_ASSERT_EQUAL_STRING("/t.so", request.tool);
	TEST_ASSERT_EQUAL_STRING("/l.so", request.attach_library);
	arrives_with("-p 42 --attach-duration-msec 5s -t /u.so", "ROCPROF_ATTACH_DURATION=700\nROCPROF_ATTACH_TOOL_LIBRARY=/t.so",
		     "ROCPROF_ATTACH_DURATION=5000\nROCPROF_ATTACH_TOOL_LIBRARY=/t.so");
	TEST_ASSERT_EQUAL(5000, request.duration_ms);
	TEST_ASSERT_EQUAL_STRING("/u.so", request.tool);
	arrives_with("-p 42", "ROCPROF_ATTACH_DURATION=", "ROCPROF_ATTACH_DURATION=");
	TEST_ASSERT_FALSE(request.has_duration);
	TEST_ASSERT_EQUAL(0, read_with("-p 42 --keep", "ROCPROF_ATTACH_DURATION=700"));
	TEST_ASSERT_FALSE(request.has_duration);
	/* The pid is a default of rocprof-attach alone. */
	refuses_with("-s", "ROCPROF_ATTACH_PID=42", "no process is named");
}

static void test_rocprof_attach_has_its_own_words(void)
{
	TEST_ASSERT_EQUAL(0, attach_line("-p 42 -d 500 -t /t.so", "ROCPROF_KERNEL_TRACE=1"));
	TEST_ASSERT_EQUAL(500, request.duration_ms);
	TEST_ASSERT_TRUE(request.has_duration && request.children);
	TEST_ASSERT_EQUAL_STRING("/t.so", request.tool);
	/* It sends the caller's variables and adds none. */
	TEST_ASSERT_EQUAL(1, request.env.n);
	TEST_ASSERT_EQUAL_STRING("1", env_get(&request.env, "ROCPROF_KERNEL_TRACE"));
	TEST_ASSERT_EQUAL(0, attach_line("--attach 42 --attach-dur=2s --attach-ch no --attach-t /x.so", NULL));
	TEST_ASSERT_EQUAL(2000, request.duration_ms);
	TEST_ASSERT_FALSE(request.children);
	TEST_ASSERT_EQUAL_STRING("/x.so", request.tool);
	TEST_ASSERT_EQUAL(0, request.env.n);
	TEST_ASSERT_EQUAL(-1, attach_line("-p 42 --attach-", NULL));
	says("ambiguous", "no option --attach-");
	TEST_ASSERT_EQUAL(-1, attach_line("-p 42 --kernel-trace", NULL));
	says("not there", "no option --kernel-trace");
	TEST_ASSERT_EQUAL(-1, attach_line("-p 42 -f csv", NULL));
	says("not there", "no option -f");
	TEST_ASSERT_EQUAL(0, attach_line("-p 42 --attach-library /l.so --json --late", NULL));
	TEST_ASSERT_EQUAL_STRING("/l.so", request.attach_library);
	TEST_ASSERT_TRUE(warned("--attach-library"));
	TEST_ASSERT_TRUE(request.json && request.late);
	TEST_ASSERT_EQUAL(-1, attach_line("-p 42", "ROCPROF_OUTPUT_FORMAT=xml"));
	TEST_ASSERT_EQUAL(0, attach_line("-p 42", "ROCPROF_OUTPUT_FORMAT=csv\nROCP_TOOL_LIBRARIES=/x.so"));
	TEST_ASSERT_TRUE(request.csv_or_json && warned("ROCP_TOOL_LIBRARIES"));
}

static void test_rocprof_attach_takes_defaults_from_variables(void)
{
	TEST_ASSERT_EQUAL(0, attach_line("", "ROCPROF_ATTACH_PID=42\nROCPROF_ATTACH_CHILDREN=0\nROCPROF_ATTACH_DURATION=100\n"
					 "ROCPROF_ATTACH_TOOL_LIBRARY=/t.so\nROCPROF_ATTACH_LIBRARY=/l.so"));
	TEST_ASSERT_EQUAL(1, request.pids);
	TEST_ASSERT_EQUAL(42, request.pid[0]);
	TEST_ASSERT_FALSE(request.children);
	TEST_ASSERT_EQUAL(100, request.duration_ms);
	TEST_ASSERT_EQUAL_STRING("/t.so", request.tool);
	TEST_ASSERT_EQUAL_STRING("/l.so", request.attach_library);
	TEST_ASSERT_EQUAL(0, attach_line("-p 7 --attach-children=yes", "ROCPROF_ATTACH_PID=42\nROCPROF_ATTACH_CHILDREN=0"));
	TEST_ASSERT_EQUAL(1, request.pids);
	TEST_ASSERT_EQUAL(7, request.pid[0]);
	TEST_ASSERT_TRUE(request.children);
	static const char *const no[] = { "0", "false", "no", "off" }, *const yes[] = { "1", "FALSE", "maybe", "" };
	for (int i = 0; i < 4; i++) {
		char environment[64];
		snprintf(environment, sizeof environment, "ROCPROF_ATTACH_CHILDREN=%s", no[i]);
		TEST_ASSERT_EQUAL(0, attach_line("-p 1", environment));
		TEST_ASSERT_FALSE(request.children);
		snprintf(environment, sizeof environment, "ROCPROF_ATTACH_CHILDREN=%s", yes[i]);
		TEST_ASSERT_EQUAL(0, attach_line("-p 1", environment));
		TEST_ASSERT_TRUE(request.children);
	}
	TEST_ASSERT_EQUAL(-1, attach_line("", NULL));
	says("no pid", "no process is named");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "ROCPROF_ATTACH_PID"));
	TEST_ASSERT_EQUAL(-1, attach_line("", "ROCPROF_ATTACH_PID=x"));
	says("bad pid", "ROCPROF_ATTACH_PID takes a process id");
}

static void test_rocprofv3_reads_as_roclatch_does(void)
{
	TEST_ASSERT_EQUAL(0, read_as(STYLE_ROCPROFV3, "-p 42 -d out --kernel-trace", NULL, false));
	arrives_as("ROCPROF_OUTPUT_PATH=out\nROCPROF_KERNEL_TRACE=1", "rocprofv3");
	TEST_ASSERT_EQUAL(STYLE_ROCPROFV3, request.style);
}

static void test_help_version_and_list_need_no_process(void)
{
	TEST_ASSERT_EQUAL(0, read_as(STYLE_ROCPROFV3, "", NULL, false));
	TEST_ASSERT_TRUE(request.help);
	refuses("", "no process is named");
	TEST_ASSERT_EQUAL(0, read_line("-h"));
	TEST_ASSERT_TRUE(request.help);
	TEST_ASSERT_EQUAL(0, read_line("--version"));
	TEST_ASSERT_TRUE(request.version);
	TEST_ASSERT_EQUAL(0, read_line("-hv"));
	TEST_ASSERT_TRUE(request.help && request.version);
	TEST_ASSERT_EQUAL(0, read_line("-L"));
	TEST_ASSERT_TRUE(request.list_avail);
	TEST_ASSERT_EQUAL(0, read_line("-p 42 --list-avail"));
	TEST_ASSERT_TRUE(request.list_avail);
	refuses("--list-avail=no", "no process is named");
	TEST_ASSERT_EQUAL(0, attach_line("-h", NULL));
	TEST_ASSERT_TRUE(request.help);
}

static void tool_is(const char *list, const char *expected)
{
	char out[256];
	TEST_ASSERT_EQUAL_MESSAGE(0, request_tool_string(list, out, sizeof out, &err), list);
	TEST_ASSERT_EQUAL_STRING(expected, out);
}

static void tool_is_not(const char *list)
{
	char out[64];
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(-1, request_tool_string(list, out, sizeof out, &err), list);
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
}

static void test_tool_lists(void)
{
	tool_is("/a/libtool.so", "/a/libtool.so");
	tool_is("librocprofiler-sdk-tool.so.1", "librocprofiler-sdk-tool.so.1");
	tool_is("/a/libt.so:/b/libu.so.1", "/a/libt.so:/b/libu.so.1:");
	/* What comes out goes in again unchanged: a re-attach must bring an equal string. */
	tool_is("/a/libt.so:/b/libu.so.1:", "/a/libt.so:/b/libu.so.1:");
	tool_is("/a/libt.so:", "/a/libt.so");
	tool_is("::/a/libt.so::libu.so", "/a/libt.so:libu.so:");
	tool_is("/a.so:/a.so", "/a.so");
	tool_is_not("");
	tool_is_not("::");
	tool_is_not("/a:b/libt.so");
	tool_is_not("/a/libt.so:/b");
	tool_is_not("/a/libt.so:./b.so");
	tool_is_not("/a/a-name-that-is-longer-than-the-sixty-four-bytes-that-there-are-for-it.so");
	tool_is_not("/a.so:/a/a-name-that-is-longer-than-the-sixty-four-bytes-that-there-are.so");
	refuses("-p 42 -t /a:b/libt.so", "--attach-tool-library");
}

static void again(const char *first, const char *second, const char *variable)
{
	struct env before = { .n = 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line(first), first);
	struct env taken = request.env;
	request.env = before;
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line(second), second);
	int rc = request_same_services(&taken, &request.env, &err);
	if (variable) {
		TEST_ASSERT_EQUAL_MESSAGE(-1, rc, second);
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, variable), err.text);
		TEST_ASSERT_TRUE(err.remedy[0]);
	} else {
		TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	}
	env_free(&taken);
}

static void test_attaching_again_with_the_same_services(void)
{
	again("-p 42 -s", "-p 42 -s", NULL);
	again("-p 42 -s -d a -f csv -o x --attach-duration-msec 5", "-p 42 -s -d b -f json --attach-sync-output -S -u sec -T", NULL);
	again("-p 42 --kernel-trace --kfd-trace", "-p 42 --kernel-trace", NULL);
	again("-p 42 --pmc A B", "-p 42 --pmc A B --log-level error", NULL);
	again("-p 42 --selected-regions", "-p 42", NULL);
	struct env a = { .n = 0 }, b = { .n = 0 };
	env_set(&a, "ROCPROF_KERNEL_TRACE", "true", &err);
	env_set(&b, "ROCPROF_KERNEL_TRACE", "1", &err);
	env_set(&a, "ROCPROF_MARKER_API_TRACE", "0", &err);
	env_set(&a, "ROCPROF_RCCL_API_TRACE", "off", &err);
	TEST_ASSERT_EQUAL(0, request_same_services(&a, &b, &err));
	env_free(&a);
	env_free(&b);
}

static void test_attaching_again_with_other_services(void)
{
	static const struct { const char *option, *variable; } cases[] = {
		{ "--hip-runtime-trace", "ROCPROF_HIP_" }, { "--hip-compiler-trace", "ROCPROF_HIP_COMPILER_API_TRACE" },
		{ "--hsa-core-trace", "ROCPROF_HSA_CORE_API_TRACE" }, { "--hsa-amd-trace", "ROCPROF_HSA_AMD_EXT_API_TRACE" },
		{ "--hsa-image-trace", "ROCPROF_HSA_IMAGE_EXT_API_TRACE" }, { "--hsa-finalizer-trace", "ROCPROF_HSA_FINALIZER_EXT_API_TRACE" },
		{ "--marker-trace", "ROCPROF_MARKER_API_TRACE" }, { "--kernel-trace", "ROCPROF_KERNEL_TRACE" },
		{ "--hip-graph-trace", "ROCPROF_HIP_GRAPH_TRACE" }, { "--hip-event-trace", "ROCPROF_HIP_EVENT_TRACE" },
		{ "--memory-copy-trace", "ROCPROF_MEMORY_COPY_TRACE" }, { "--memory-allocation-trace", "ROCPROF_MEMORY_ALLOCATION_TRACE" },
		{ "--scratch-memory-trace", "ROCPROF_SCRATCH_MEMORY_TRACE" }, { "--rccl-trace", "ROCPROF_RCCL_API_TRACE" },
		{ "--rocdecode-trace", "ROCPROF_ROCDECODE_API_TRACE" }, { "--rocjpeg-trace", "ROCPROF_ROCJPEG_API_TRACE" },
		{ "--rocshmem-trace", "ROCPROF_ROCSHMEM_API_TRACE" }, { "--hipfile-trace", "ROCPROF_HIPFILE_API_TRACE" },
		{ "--ompt-trace", "ROCPROF_OMPT_TRACE" }, { "--pmc A", "ROCPROF_COUNTER" }, { "--output-config", "ROCPROF_OUTPUT_CONFIG_FILE" },
		{ "--kernel-include-regex a", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX" }, { "--kernel-exclude-regex a", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX" },
		{ "--kernel-iteration-range 1", "ROCPROF_KERNEL_FILTER_RANGE" }, { "--benchmark-mode sdk-buffer-overhead", "ROCPROF_BENCHMARK_MODE" },
		{ "--spm-beta-enabled --spm A", "ROCPROF_SPM_" }, { "--att-no-intercept --rocm-root /none", "ROCPROF_ADVANCED_THREAD_TRACE" },
		{ "--pc-sampling-beta-enabled --pc-sampling-unit time --pc-sampling-method host_trap --pc-sampling-interval 1", "ROCPROF_PC_SAMPLING" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char line[256];
		snprintf(line, sizeof line, "-p 42 %s", cases[i].option);
		again(line, "-p 42", cases[i].variable);
		again("-p 42", line, cases[i].variable);
		again(line, line, NULL);
	}
	again("-p 42 --pmc A", "-p 42 --pmc B", "ROCPROF_COUNTERS was pmc: A, now it is pmc: B");
	again("-p 42 --ompt-trace task", "-p 42 --ompt-trace", "ROCPROF_OMPT_TRACE_OPERATIONS was task, now it is not set");
	again("-p 42 --att-no-intercept --rocm-root /none --att-target-cu 1", "-p 42 --att-no-intercept --rocm-root /none --att-target-cu 2",
	      "ROCPROF_ATT_PARAM_TARGET_CU was 1, now it is 2");
}

/* What roclatch's own tool reads once, when it is loaded. */
static void own_again(const char *was, const char *is, const char *filter, const char *variable)
{
	struct env a = { .n = 0 }, b = { .n = 0 };
	const char *name = strstr(variable, "RENAME") ? "ROCPROF_KERNEL_RENAME" : "ROCPROF_DEMANGLE_KERNELS";
	if (was)
		env_set(&a, name, was, &err);
	if (is)
		env_set(&b, name, is, &err);
	if (filter)
		env_set(&b, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", filter, &err);
	TEST_ASSERT_EQUAL(0, request_same_services(&a, &a, &err));
	bool same = variable[0] == '=';
	TEST_ASSERT_EQUAL(same ? 0 : -1, request_same_for_own(&a, &b, &err));
	if (!same)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, variable), err.text);
	env_free(&a);
	env_free(&b);
}

static void test_attaching_the_own_tool_again(void)
{
	own_again("1", NULL, NULL, "ROCPROF_KERNEL_RENAME was 1, now it is not set");
	own_again(NULL, "true", NULL, "ROCPROF_KERNEL_RENAME was not set");
	own_again("1", "true", NULL, "=RENAME");
	own_again("0", NULL, NULL, "=RENAME");
	own_again("0", NULL, NULL, "=DEMANGLE");
	own_again("0", NULL, "a", "ROCPROF_DEMANGLE_KERNELS was 0");
	own_again("0", "0", "a", "=DEMANGLE");
}

static void test_help_has_every_option(void)
{
	static const enum request_style styles[] = { STYLE_ROCLATCH, STYLE_ROCPROFV3, STYLE_ROCPROF_ATTACH };
	for (int i = 0; i < 3; i++) {
		bool seen[OPT_COUNT] = { false };
		struct showing showing = { .style = styles[i] };
		struct shown shown;
		while (shown_next(&showing, &shown)) {
			enum option_id id = options_by_name(styles[i], shown.name, strlen(shown.name));
			TEST_ASSERT_NOT_EQUAL_MESSAGE(OPT_COUNT, id, shown.name);
			TEST_ASSERT_FALSE_MESSAGE(seen[id], shown.name);
			seen[id] = true;
			TEST_ASSERT_EQUAL_PTR(request_options[id].help, shown.help);
			TEST_ASSERT_EQUAL_PTR(request_options[id].value, shown.value);
			if (id == OPT_DURATION)
				TEST_ASSERT_EQUAL(i == 2 ? 'd' : 0, shown.letter);
			else
				TEST_ASSERT_EQUAL(request_options[id].letter, shown.letter);
		}
		for (enum option_id id = 0; id < OPT_COUNT; id++)
			TEST_ASSERT_EQUAL_MESSAGE(options_in_style(styles[i], id), seen[id], request_options[id].name);
	}
}

static void test_options_stand_below_their_titles(void)
{
	struct showing showing = { .style = STYLE_ROCLATCH };
	struct shown shown;
	unsigned titles = 0, place = 0;
	for (; shown_next(&showing, &shown); place++) {
		TEST_ASSERT_EQUAL(place == 0, shown.title && !strcmp(shown.title, "target"));
		titles += shown.title != NULL;
	}
	TEST_ASSERT_EQUAL(AREA_COUNT, titles);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_several_processes);
	RUN_TEST(test_what_arrives_in_one_target);
	RUN_TEST(test_the_environment_gives_defaults);
	RUN_TEST(test_rocprof_attach_has_its_own_words);
	RUN_TEST(test_rocprof_attach_takes_defaults_from_variables);
	RUN_TEST(test_rocprofv3_reads_as_roclatch_does);
	RUN_TEST(test_help_version_and_list_need_no_process);
	RUN_TEST(test_tool_lists);
	RUN_TEST(test_attaching_again_with_the_same_services);
	RUN_TEST(test_attaching_again_with_other_services);
	RUN_TEST(test_attaching_the_own_tool_again);
	RUN_TEST(test_help_has_every_option);
	RUN_TEST(test_options_stand_below_their_titles);
	return UNITY_END();
}
