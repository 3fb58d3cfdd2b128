/* SPDX-License-Identifier: MIT */
/* What is refused, with what words; what the caller's environment brings. */
#include "request_case.h"
#include "rocp/options.h"

void setUp(void)
{
}

void tearDown(void)
{
	request_free(&request);
}

static void test_a_process_must_be_named(void)
{
	refuses("--kernel-trace", "no process is named");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "--name"));
	refuses("-p 0", "takes a process id, not");
	refuses("-p -1", "takes a process id, not");
	refuses("-p 99999999999", "takes a process id, not");
	refuses("-p python", "takes a process id, not");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "--name"));
	refuses("-p", "needs a value");
	refuses("--name ( ", "no regular expression");
	refuses("--name _", "no regular expression");
}

static void test_a_program_is_not_started(void)
{
	refuses("-p 42 -- ./app -x", "a program is not started here");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "rocprofv3"));
	refuses("-s -- ./app", "a program is not started here");
}

static void test_stray_words(void)
{
	refuses("4711", "'4711' belongs to no option");
	TEST_ASSERT_EQUAL_STRING("did you mean -p 4711?", err.remedy);
	refuses("-p 42 -d a b", "'b' belongs to no option");
	refuses("-p 42 -", "'-' belongs to no option");
}

static void test_unknown_options_get_a_proposal(void)
{
	refuses("-p 42 --kernel-tracing", "no option --kernel-tracing");
	TEST_ASSERT_EQUAL_STRING("did you mean --kernel-trace?", err.remedy);
	refuses("-p 42 --att-target", "no option --att-target");
	TEST_ASSERT_EQUAL_STRING("did you mean --att-target-cu?", err.remedy);
	refuses("-p 42 --qwertyuiop", "no option --qwertyuiop");
	TEST_ASSERT_EQUAL_STRING("", err.remedy);
	refuses("-p 42 -q", "no option -q");
	/* No abbreviations, as upstream. */
	refuses("-p 42 --hip-tra", "no option --hip-tra");
	refuses("-p 42 --=x", "no option --");
}

static void test_bad_bool_words(void)
{
	refuses("-p 42 --hip-trace maybe", "--hip-trace takes yes or no, not 'maybe'");
	refuses("-p 42 --hip-trace=", "takes yes or no");
	refuses("-p 42 -sS", "-s takes yes or no, not 'S'");
	refuses("-p 42 --attach-children 2", "takes yes or no");
	refuses("-p 42 --keep=yes", "takes no value");
	refuses("-p 42 -v=", "-v takes no value");
	refuses("-p 42 -h=v", "-h takes no value");
	refuses("-v=M -p 42", "-v takes no value");
}

static void test_bad_words_and_numbers(void)
{
	static const char *const lines[] = {
		"-f xml", "-f csv xml", "-f csv,json", "--log-level loud", "--summary-units minutes", "-u SEC",
		"--perfetto-backend remote", "--perfetto-buffer-fill-policy drop", "--benchmark-mode fast", "-A first",
		"--pc-sampling-unit hours", "--pc-sampling-method magic", "--att-resource-mode some", "--replay-mode twice",
		"--spm-sample-interval-unit ms", "--collection-period-unit day", "--perfetto-buffer-size 0",
		"--perfetto-buffer-size 4194304", "--perfetto-buffer-size 0x10", "--perfetto-shmem-size-hint x",
		"--minimum-output-data -1", "--minimum-output-data 99999999999999999999", "--minimum-output-data 9223372036854775807",
		"--att-target-cu one", "--att-simd-select 0x", "--att-activity 0x8", "--timeout-msec 0", "--thread 0",
		"--attach-duration-msec 0", "--attach-duration-msec 0s", "--attach-duration-msec 1h", "--attach-duration-msec -5",
		"--attach-duration-msec 99999999999999999999", "--attach-duration-msec ms", "--attach-duration-msec=", "--ompt-trace all,task",
		"--ompt-trace nothing", "--ompt-trace yes no", "--kernel-iteration-range", "-f", "-d", "-i", "-E", "--summary-groups",
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char line[128];
		snprintf(line, sizeof line, "-p 42 %s", lines[i]);
		TEST_ASSERT_EQUAL_MESSAGE(-1, read_line(line), line);
		TEST_ASSERT_EQUAL_MESSAGE(ERR_USAGE, err.code, line);
		TEST_ASSERT_TRUE_MESSAGE(err.text[0], line);
	}
	refuses("-p 42 --ompt-trace parallel,task", "'parallel,task'");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "blanks"));
	refuses("-p 42 -f xml", "'xml' is no output format");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "csv json pftrace otf2 rocpd html"));
}

static void test_what_cannot_work_with_an_attachment(void)
{
	refuses("-p 42 --collection-period 1:2:3", "--collection-period is not compatible with attach mode");
	refuses("-p 42 -P 1:2:3 4:5:6", "--collection-period is not compatible with attach mode");
	refuses("-p 42 --pmc A --pmc B", "several counter passes");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "one --pmc"));
	refuses("-p 42 --keep --attach-duration-msec 5", "exclude each other");
	refuses("-p 42 --set a --block 1", "exclude each other");
	refuses("-p 42 --set a --pmc B", "exclude each other");
	refuses("-p 42 --block 2 --pmc B", "exclude each other");
}

static void test_what_does_not_go_together(void)
{
	refuses("-p 42 --mpi-world-rank-variable R", "go together");
	refuses("-p 42 --mpi-world-size-variable S", "go together");
	refuses("-p 42 --benchmark-mode execution-profile --group-by-queue", "needs --group-by-queue=no");
	refuses("-p 42 --pc-sampling-unit time", "beta");
	refuses("-p 42 --pc-sampling-beta-enabled --pc-sampling-unit time", "PC sampling needs");
	refuses("-p 42 --pc-sampling-beta-enabled --pc-sampling-unit time --pc-sampling-method host_trap --pc-sampling-interval 0", "from 1");
	refuses("-p 42 --spm A", "beta");
	refuses("-p 42 --spm-beta-enabled --spm A --pmc B", "cannot be combined");
	refuses("-p 42 --spm-beta-enabled --spm A --pc-sampling-beta-enabled", "cannot be combined");
	refuses("-p 42 --spm-beta-enabled --spm-sample-interval 5", "needs counters");
	refuses("-p 42 --replay-mode kernel --pmc A", "beta");
	refuses("-p 42 --replay-mode kernel --kernel-replay-beta-enabled", "needs counters");
	refuses("-p 42 --replay-mode kernel --kernel-replay-beta-enabled --pmc A --pmc", "names no counter");
	refuses("-p 42 --replay-mode kernel --kernel-replay-beta-enabled --pmc A --att", "cannot be combined");
	refuses("-p 42 --replay-mode kernel --kernel-replay-beta-enabled --pmc A --pc-sampling-beta-enabled", "cannot be combined");
	refuses("-p 42 --att-no-intercept --rocm-root /none --att-perfcounters A --pmc B", "exclude each other");
	refuses("-p 42 --att-no-intercept --rocm-root /none --att-activity 3 --pmc B", "exclude each other");
	refuses("-p 42 --att-no-intercept --rocm-root /none --att-activity 3 --att-perfcounters B", "excludes");
	refuses("-p 42 --att --rocm-root /none", "was not found");
	refuses("-p 42 --selected-regions --att-consecutive-kernels 2", "exclude each other");
	TEST_ASSERT_EQUAL(0, read_line("-p 42 --selected-regions --att-no-intercept --rocm-root /none"));
	TEST_ASSERT_TRUE(warned("--selected-regions"));
}

/* Each would abort, stop or hang the target; by an option or by the caller's environment. */
static void test_values_that_end_the_target(void)
{
	static const char *const bad[] = {
		"ROCPROF_OUTPUT_FORMAT=xml", "ROCPROF_OUTPUT_FORMAT=csv,xml", "ROCPROF_OUTPUT_FORMAT=html", "ROCPROF_STATS_SUMMARY_UNITS=minutes",
		"ROCPROF_STATS_SUMMARY_UNITS=", "ROCPROF_PERFETTO_BACKEND=remote", "ROCPROF_PERFETTO_BUFFER_FILL_POLICY=x",
		"ROCPROF_BENCHMARK_MODE=fast", "ROCPROF_OMPT_TRACE_OPERATIONS=all,nothing", "ROCPROF_OMPT_TRACE_OPERATIONS=",
		"ROCPROF_PC_SAMPLING_METHOD=magic", "ROCPROF_PC_SAMPLING_UNIT=hours", "ROCPROF_PC_SAMPLING_INTERVAL=many",
		"ROCPROF_KERNEL_FILTER_RANGE=[1-", "ROCPROF_KERNEL_FILTER_RANGE=a", "ROCPROF_KERNEL_FILTER_RANGE=1-2-3",
		"ROCPROF_KERNEL_FILTER_RANGE=-5", "ROCPROF_KERNEL_FILTER_RANGE=5-1", "ROCPROF_KERNEL_FILTER_RANGE=1-4294967295",
		"ROCPROF_KERNEL_FILTER_RANGE=99999999999999999999", "ROCPROF_KERNEL_FILTER_RANGE=0-1000000", "ROCPROF_KERNEL_FILTER_RANGE=1;2",
		"ROCPROF_KERNEL_TRACE=", "ROCPROFILER_LIBRARY_XYZ=", "ROCPROF_KERNEL_TRACE=11111111111111", "ROCP_TOOL_ATTACH=",
		"ROCPROFILER_REGISTER_ENABLED=", "ROCPROF_SIGNAL_HANDLERS=", "ROCPROF_PERFETTO_BUFFER_SIZE_KB=big",
		"ROCPROF_ATT_PARAM_TARGET_CU=x1", "ROCPROF_MINIMUM_OUTPUT_BYTES=99999999999999999999",
		"ROCPROF_SPM_SAMPLE_INTERVAL=", "ROCPROF_COLLECTION_PERIOD=1:2:3", "ROCPROF_AGENT_INDEX=x",
		"ROCPROF_ATTACH_DURATION=soon", "ROCPROF_ATTACH_TOOL_LIBRARY=/a:b/c.so",
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(bad[i], "="), bad[i]);
		refuses_with("-p 42", bad[i], name);
		TEST_ASSERT_TRUE_MESSAGE(err.remedy[0], bad[i]);
	}
	static const char *const options[] = { "[1-", "a", "1-2-3", "5-1", "0-1000000", "1;2" };
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		char line[64];
		snprintf(line, sizeof line, "-p 42 --kernel-iteration-range %s", options[i]);
		refuses(line, "ROCPROF_KERNEL_FILTER_RANGE");
	}
}

/* std::regex throws in the target on the first of these and takes the second. */
static void test_regular_expressions(void)
{
	static const char *const bad[] = { "(", ")", "a)", "[a", "*a", "a|*", "(?a)", "a{", "a{x}", "a{3,1}", "\\", "[z-a]", "\\1", "(a\\1)", "[[:none:]]",
		"\\x4", "(?=a)*", "[\\B]", "^*", "(a{1000}){1000}" };
	static const char *const good[] = { "gemm.*", "(a|b)+?c{2,3}$", "[^]a-z_-]", "void~foo<.*>\\(.*\\)", "(a)\\1", "[[:alpha:]]+", "a|", "(?:x)*",
		"(?!y)z", "\\d\\w\\b", "}", "a{2}", "(a{100}){90}", "\\x41\\u0041", "" };
	char line[128];
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(line, sizeof line, "-p 42 --kernel-include-regex=%s", bad[i]);
		refuses(line, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX");
		refuses(line, "(--kernel-include-regex) ");
		snprintf(line, sizeof line, "-p 42 --summary-groups a %s", bad[i]);
		refuses(line, "ROCPROF_STATS_SUMMARY_GROUPS");
		snprintf(line, sizeof line, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX=%s", bad[i]);
		refuses_with("-p 42", line, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX");
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		snprintf(line, sizeof line, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX=%s", good[i]);
		arrives_with("-p 42", line, line);
	}
}

static void test_good_values_of_the_environment_pass(void)
{
	static const char *const good[] = {
		"ROCPROF_STATS_SUMMARY_UNITS=sec", "ROCPROF_OMPT_TRACE_OPERATIONS=task,sync", "ROCPROF_KERNEL_TRACE=yes",
		"ROCPROF_KERNEL_TRACE=anything", "ROCPROF_KERNEL_TRACE=0", "ROCPROF_KERNEL_FILTER_RANGE=[1-3], [7],9-12",
		"ROCPROF_KERNEL_FILTER_RANGE=", "ROCPROF_OUTPUT_FILE_NAME=", "ROCPRIM_EMPTY=", "ROCPROF_LOG_LEVEL=info",
		"ROCPROF_SEED=12345678901234567890", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=", "ROCPROF_PERFETTO_BUFFER_SIZE_KB=1024",
		"ROCPROF_ATT_PARAM_TARGET_CU=0x1",
	};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		arrives_with("-p 42", good[i], good[i]);
}

static void test_the_callers_variables_come_along(void)
{
	arrives_with("-p 42", "ROCPROF_KERNEL_TRACE=1\nHOME=/root\nROCPROFILER_METRICS_PATH=/m\nROCTX_LOG_LEVEL=info\n"
		     "ROCPROFILER_REGISTER_LIBRARY=/x.so\nLD_PRELOAD=/y.so", "ROCPROF_KERNEL_TRACE=1\nROCPROFILER_METRICS_PATH=/m");
	TEST_ASSERT_EQUAL(0, request.warnings.n);
	arrives_with("-p 42", "ROCP_TOOL_LIBRARIES=/x.so", "");
	TEST_ASSERT_TRUE(warned("ROCP_TOOL_LIBRARIES"));
	arrives_with("-p 42 -f json", "ROCPROF_OUTPUT_FORMAT=csv", "ROCPROF_OUTPUT_FORMAT=csv,json");
	arrives_with("-p 42", "ROCPROF_OUTPUT_FORMAT=csv", "ROCPROF_OUTPUT_FORMAT=csv,rocpd");
	TEST_ASSERT_TRUE(request.csv_or_json);
	arrives_with("-p 42 -f html", "ROCPROF_OUTPUT_FORMAT=csv", "ROCPROF_OUTPUT_FORMAT=csv");
	arrives_with("-p 42", "ROCPROF_OUTPUT_PATH=/out", "ROCPROF_OUTPUT_PATH=/out");
	arrives_with("-p 42 -d /new", "ROCPROF_OUTPUT_PATH=/out", "ROCPROF_OUTPUT_PATH=/new");
	arrives_with("-p 42", "ROCPROF_OUTPUT_FILE_NAME=n", "ROCPROF_OUTPUT_FILE_NAME=n");
	arrives_with("-p 42 -o m", "ROCPROF_OUTPUT_FILE_NAME=n", "ROCPROF_OUTPUT_FILE_NAME=m");
	arrives_with("-p 42", "ROCPROF_ATTACH_PID=7\nROCPROF_ATTACH_CHILDREN=0", "");
	arrives_with("-p 42", "ROCPROFILER_LIBRARY_CTOR=0", "");
	arrives_with("-p 42", "ROCPROF_HIP_API_TRACE=1", "ROCPROF_HIP_API_TRACE=1");
	arrives_with("-p 42 -S", "ROCPROF_STATS_SUMMARY_OUTPUT=x", "ROCPROF_STATS_SUMMARY=1\nROCPROF_STATS_SUMMARY_OUTPUT=stderr");
	arrives_with("-p 42 --pc-sampling-unit time --pc-sampling-method host_trap --pc-sampling-interval 1",
		     "ROCPROFILER_PC_SAMPLING_BETA_ENABLED=ON", "ROCPROFILER_PC_SAMPLING_BETA_ENABLED=ON\nROCPROF_PC_SAMPLING_UNIT=time\n"
		     "ROCPROF_PC_SAMPLING_METHOD=host_trap\nROCPROF_PC_SAMPLING_INTERVAL=1");
	arrives_with("-p 42 --spm A", "ROCPROFILER_SPM_BETA_ENABLED=1", "ROCPROFILER_SPM_BETA_ENABLED=1\n"
		     "ROCPROF_SPM_COUNTER_COLLECTION=1\nROCPROF_SPM_COUNTERS=spm:~A");
}

static void test_no_does_not_take_back_and_that_is_said(void)
{
	arrives_with("-p 42 --kernel-trace=no", "ROCPROF_KERNEL_TRACE=1", "ROCPROF_KERNEL_TRACE=1");
	TEST_ASSERT_TRUE(warned("--kernel-trace=no does not take back ROCPROF_KERNEL_TRACE=1"));
	arrives_with("-p 42 --kernel-trace=no", "ROCPROF_KERNEL_TRACE=0", "ROCPROF_KERNEL_TRACE=0");
	TEST_ASSERT_EQUAL(0, request.warnings.n);
	arrives_with("-p 42 --process-sync=no", "ROCPROF_PROCESS_SYNC=1", "ROCPROF_PROCESS_SYNC=0");
	TEST_ASSERT_EQUAL(0, request.warnings.n);
}

static void test_mpi_variables_are_found_in_pairs(void)
{
	static const char *const pairs[][2] = {
		{ "PBS_NODENUM", "PBS_O_TASKNUM" }, { "SLURM_PROCID", "SLURM_NTASKS" }, { "PMI_RANK", "PMI_SIZE" },
		{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" }, { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "MPI_RANKID", "MPI_NRANKS" }, { "MPI_LOCALRANKID", "MPI_LOCALNRANKS" }, { "MPI_RANK", "MPI_SIZE" },
	};
	char environment[512], changes[256];
	for (size_t i = 0; i < 8; i++) {
		snprintf(environment, sizeof environment, "MPI_SIZE=4\n%s=0\n%s=4\nMPI_RANK=0", pairs[i][1], pairs[i][0]);
		snprintf(changes, sizeof changes, "ROCPROF_MPI_RANK_VAR=%s\nROCPROF_MPI_SIZE_VAR=%s", pairs[i][0], pairs[i][1]);
		arrives_with("-p 42", environment, changes);
		snprintf(environment, sizeof environment, "%s=0", pairs[i][0]);
		arrives_with("-p 42", environment, "");
		snprintf(environment, sizeof environment, "%s=0\n%s=4", pairs[i][0], pairs[i][1]);
		arrives_with("-p 42 --mpi-world-rank-variable R --mpi-world-size-variable S", environment,
			     "ROCPROF_MPI_RANK_VAR=R\nROCPROF_MPI_SIZE_VAR=S");
	}
}

static void test_a_secure_caller_has_no_environment(void)
{
	TEST_ASSERT_EQUAL(0, read_as(STYLE_ROCLATCH, "-p 42", "ROCPROF_KERNEL_TRACE=1\nROCPROF_OUTPUT_FORMAT=xml\nROCPROF_ATTACH_DURATION=x\n"
				     "ROCPROF_ATTACH_TOOL_LIBRARY=/evil.so\nROCP_TOOL_LIBRARIES=/x\nPMI_RANK=1\nPMI_SIZE=2\n"
				     "ROCPROF_ATTACH_LIBRARY=/l.so\nROCPROF_OUTPUT_PATH=/evil", true));
	arrives_as("", "secure");
	TEST_ASSERT_NULL(request.tool);
	TEST_ASSERT_NULL(request.attach_library);
	TEST_ASSERT_FALSE(request.has_duration);
	TEST_ASSERT_EQUAL(0, request.warnings.n);
	TEST_ASSERT_EQUAL(-1, read_as(STYLE_ROCPROF_ATTACH, "", "ROCPROF_ATTACH_PID=42", true));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_process_must_be_named);
	RUN_TEST(test_a_program_is_not_started);
	RUN_TEST(test_stray_words);
	RUN_TEST(test_unknown_options_get_a_proposal);
	RUN_TEST(test_bad_bool_words);
	RUN_TEST(test_bad_words_and_numbers);
	RUN_TEST(test_what_cannot_work_with_an_attachment);
	RUN_TEST(test_what_does_not_go_together);
	RUN_TEST(test_values_that_end_the_target);
	RUN_TEST(test_regular_expressions);
	RUN_TEST(test_good_values_of_the_environment_pass);
	RUN_TEST(test_the_callers_variables_come_along);
	RUN_TEST(test_no_does_not_take_back_and_that_is_said);
	RUN_TEST(test_mpi_variables_are_found_in_pairs);
	RUN_TEST(test_a_secure_caller_has_no_environment);
	return UNITY_END();
}
