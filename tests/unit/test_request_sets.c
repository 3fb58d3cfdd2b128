/* SPDX-License-Identifier: MIT */
/* rocprof-compute's sets and blocks, and the GPU by the kernel driver's list. */
#include <fcntl.h>
#include <sys/stat.h>

#include "request_case.h"
#include "rocp/kfd.h"
#include "rocp/sets.h"

#define EVEN "GRBM_GUI_ACTIVE "
#define MOPS(x) "SQ_INSTS_VALU_MFMA_MOPS_" x " "
#define UTIL EVEN "SQ_ACTIVE_INST_FLAT SQ_ACTIVE_INST_MISC SQ_ACTIVE_INST_SCA SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_VMEM SQ_WAVES"
#define FLOPS EVEN MOPS("BF16") MOPS("F16") MOPS("F32") MOPS("F64") MOPS("F8") MOPS("I8") "SQ_WAVES"
#define MEM EVEN "SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE SQ_WAVES TCC_BUSY_sum TCP_GATE_EN1_sum TCP_GATE_EN2_sum"
#define LAUNCH EVEN "SPI_CSN_WAVE SQ_WAVES"

static const struct { const char *arch, *set, *counters; } sets[] = {
	{ "gfx908", "compute_thruput_util", EVEN "SQ_ACTIVE_INST_SCA SQ_ACTIVE_INST_VALU SQ_WAVES" },
	{ "gfx908", "compute_thruput_flops", EVEN "SQ_WAVES" },
	{ "gfx908", "mem_thruput", MEM }, { "gfx908", "launch_stats", LAUNCH },
	{ "gfx90a", "compute_thruput_util", EVEN "SQ_ACTIVE_INST_FLAT SQ_ACTIVE_INST_MISC SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_VMEM "
	  "SQ_THREAD_CYCLES_VALU SQ_WAVES" },
	{ "gfx90a", "compute_thruput_flops", EVEN MOPS("BF16") MOPS("F16") MOPS("F32") MOPS("F64") MOPS("I8") "SQ_WAVES" },
	{ "gfx90a", "mem_thruput", MEM }, { "gfx90a", "launch_stats", LAUNCH },
	{ "gfx940", "compute_thruput_util", UTIL }, { "gfx940", "compute_thruput_flops", FLOPS },
	{ "gfx940", "mem_thruput", MEM }, { "gfx940", "launch_stats", LAUNCH },
	{ "gfx941", "compute_thruput_util", UTIL }, { "gfx941", "compute_thruput_flops", FLOPS },
	{ "gfx941", "mem_thruput", MEM }, { "gfx941", "launch_stats", LAUNCH },
	{ "gfx942", "compute_thruput_util", UTIL }, { "gfx942", "compute_thruput_flops", FLOPS },
	{ "gfx942", "mem_thruput", MEM }, { "gfx942", "launch_stats", LAUNCH },
	{ "gfx950", "compute_thruput_util", UTIL }, { "gfx950", "compute_thruput_flops", FLOPS },
	{ "gfx950", "mem_thruput", MEM },
	{ "gfx950", "launch_stats", EVEN "SPI_CS0_WAVE SPI_CS1_WAVE SPI_CS2_WAVE SPI_CS3_WAVE SQ_WAVES" },
};

static const char *const archs[] = { "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950" };
/* How many counters each block has on these GPUs. */
static const struct { const char *block; unsigned n[6]; } blocks[] = {
	{ "0", { 2, 2, 2, 2, 2, 2 } }, { "1", { 2, 2, 2, 2, 2, 2 } }, { "2", { 32, 55, 57, 57, 57, 58 } },
	{ "3", { 55, 56, 54, 54, 54, 62 } }, { "4", { 2, 2, 2, 2, 2, 2 } }, { "5", { 19, 19, 19, 19, 19, 25 } },
	{ "6", { 22, 22, 22, 22, 22, 41 } }, { "7", { 11, 11, 11, 11, 11, 14 } }, { "10", { 14, 38, 38, 38, 38, 40 } },
	{ "11", { 16, 42, 43, 43, 43, 45 } }, { "12", { 11, 11, 11, 11, 11, 19 } }, { "13", { 9, 9, 9, 9, 9, 9 } },
	{ "14", { 16, 16, 16, 16, 16, 16 } }, { "15", { 24, 28, 28, 28, 28, 31 } }, { "16", { 41, 41, 37, 37, 37, 58 } },
	{ "17", { 33, 35, 33, 33, 34, 61 } }, { "18", { 16, 16, 16, 16, 16, 22 } }, { "21", { 2, 2, 2, 2, 2, 2 } },
};

void setUp(void)
{
}

void tearDown(void)
{
	request_free(&request);
}

static void test_sets_of_every_gpu(void)
{
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		char line[128];
		snprintf(line, sizeof line, "-p 42 --set %s", sets[i].set);
		TEST_ASSERT_EQUAL(0, read_line(line));
		TEST_ASSERT_EQUAL_MESSAGE(0, request_counters(&request, sets[i].arch, &err), err.text);
		const char *counters = env_get(&request.env, "ROCPROF_COUNTERS");
		TEST_ASSERT_NOT_NULL(counters);
		TEST_ASSERT_EQUAL_STRING_LEN("pmc: ", counters, 5);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(sets[i].counters, counters + 5, sets[i].arch);
		env_unset(&request.env, "ROCPROF_COUNTERS");
		arrives_as("ROCPROF_COUNTER_COLLECTION=1\nROCPROF_KERNEL_TRACE=1\nROCPROF_AGENT_INDEX=absolute\n"
			   "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC=1", line);
	}
}

static void test_what_the_user_says_stands(void)
{
	TEST_ASSERT_EQUAL(0, read_line("-p 42 --set launch_stats --agent-index relative --attach-sync-output=no"));
	TEST_ASSERT_EQUAL(0, request_counters(&request, "gfx942", &err));
	TEST_ASSERT_EQUAL_STRING("relative", env_get(&request.env, "ROCPROF_AGENT_INDEX"));
	TEST_ASSERT_EQUAL_STRING("0", env_get(&request.env, "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC"));
	TEST_ASSERT_EQUAL(0, read_line("-p 42"));
	TEST_ASSERT_EQUAL(0, request_counters(&request, "gfx942", &err));
	arrives_as("", "neither set nor block");
}

static void test_blocks_of_every_gpu(void)
{
	void *arena = NULL;
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
		for (size_t j = 0; j < 6; j++) {
			struct words words = { .n = 0 };
			TEST_ASSERT_EQUAL(0, sets_counters(&arena, "block", blocks[i].block, archs[j], &words, &err));
			TEST_ASSERT_EQUAL_MESSAGE(blocks[i].n[j], words.n, blocks[i].block);
		}
	arena_free(&arena);
}

static int count_blocks(const char *ids, const char *arch)
{
	char line[128];
	snprintf(line, sizeof line, "-p 42 --block %s", ids);
	TEST_ASSERT_EQUAL(0, read_line(line));
	return request_counters(&request, arch, &err);
}

static void test_more_than_one_pass_is_refused_by_name(void)
{
	TEST_ASSERT_EQUAL(0, count_blocks("0 1 4", "gfx942"));
	TEST_ASSERT_EQUAL_STRING("pmc: GRBM_GUI_ACTIVE SQ_WAVES", env_get(&request.env, "ROCPROF_COUNTERS"));
	TEST_ASSERT_EQUAL(-1, count_blocks("15", "gfx942"));
	says("15", "not compatible with attach mode");
	says("15", " TA: TA_");
	says("15", "; TD: TD_LOAD_WAVEFRONT_sum ");
	TEST_ASSERT_NULL(strstr(err.text, " SQ:"));
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "TA 2, TD 2"));
	TEST_ASSERT_NULL(env_get(&request.env, "ROCPROF_COUNTERS"));
	for (size_t i = 0; i < 6; i++)
		TEST_ASSERT_EQUAL(-1, count_blocks("2 3 5 6 7 10 11 12 14 15 16 17 18", archs[i]));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "CPF:"));
	TEST_ASSERT_EQUAL(-1, count_blocks("21", "gfx942"));
	says("21", "PC sampling");
}

static void test_limits_of_a_pass(void)
{
	static const struct { const char *prefix; unsigned most; } limits[] = {
		{ "SQ_A", 8 }, { "SQC_A", 8 }, { "TA_A", 2 }, { "TD_A", 2 }, { "TCP_A", 4 }, { "TCC_A", 4 }, { "CPC_A", 2 },
		{ "CPF_A", 2 }, { "SPI_A", 6 }, { "GRBM_A", 2 }, { "GDS_A", 4 },
	};
	void *arena = NULL;
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct words words = { .n = 0 };
		for (unsigned n = 0; n < limits[i].most; n++)
			words_add(&arena, &words, arena_print(&arena, &err, "%s%u", limits[i].prefix, n), &err);
		TEST_ASSERT_EQUAL_MESSAGE(0, sets_one_pass(&words, &err), limits[i].prefix);
		words_add(&arena, &words, arena_print(&arena, &err, "%s_LAST", limits[i].prefix), &err);
		TEST_ASSERT_EQUAL_MESSAGE(-1, sets_one_pass(&words, &err), limits[i].prefix);
		TEST_ASSERT_NOT_NULL(strstr(err.text, "_LAST"));
	}
	/* A level counter needs two places, and there is one accumulator in a pass. */
	struct words level = { .n = 0 };
	words_add(&arena, &level, "SQ_LEVEL_WAVES", &err);
	TEST_ASSERT_EQUAL(0, sets_one_pass(&level, &err));
	words_add(&arena, &level, "SQ_INST_LEVEL_LDS", &err);
	TEST_ASSERT_EQUAL(-1, sets_one_pass(&level, &err));
	struct words both = { .n = 0 };
	for (unsigned n = 0; n < 4; n++) {
		words_add(&arena, &both, arena_print(&arena, &err, "SQ_A%u", n), &err);
		words_add(&arena, &both, arena_print(&arena, &err, "SQC_A%u", n), &err);
	}
	TEST_ASSERT_EQUAL(0, sets_one_pass(&both, &err));
	words_add(&arena, &both, "SQC_LAST", &err);
	TEST_ASSERT_EQUAL(-1, sets_one_pass(&both, &err));
	arena_free(&arena);
}

static void test_unknown_names_list_the_known(void)
{
	TEST_ASSERT_EQUAL(0, read_line("-p 42 --set nothing"));
	TEST_ASSERT_EQUAL(-1, request_counters(&request, "gfx942", &err));
	says("set", "there is no set 'nothing' for gfx942");
	TEST_ASSERT_EQUAL_STRING("known are compute_thruput_flops compute_thruput_util launch_stats mem_thruput", err.remedy);
	TEST_ASSERT_EQUAL(-1, request_counters(&request, "gfx1100", &err));
	says("arch", "gfx1100");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "gfx908 gfx90a gfx940 gfx941 gfx942 gfx950"));
	TEST_ASSERT_EQUAL(-1, request_counters(&request, "gfx94", &err));
	TEST_ASSERT_EQUAL(-1, count_blocks("99", "gfx942"));
	TEST_ASSERT_EQUAL_STRING("known are 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 18 21", err.remedy);
}

static unsigned gpus;
static char gpu_names[64];

/* A topology with nodes of these versions; "" is a node without properties. */
static int look(const char *const *versions, char arch[16])
{
	char folder[] = "/tmp/kfd-XXXXXX", path[128], command[64];
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/nodes", folder);
	mkdir(path, 0700);
	for (int i = 0; versions[i]; i++) {
		snprintf(path, sizeof path, "%s/nodes/%d", folder, i);
		mkdir(path, 0700);
		snprintf(path, sizeof path, "%s/nodes/%d/properties", folder, i);
		FILE *file = versions[i][0] ? fopen(path, "w") : NULL;
		if (file) {
			fprintf(file, "cpu_cores_count 8\nsimd_count 304\ngfx_target_version %s\nvendor_id 4098\n", versions[i]);
			fclose(file);
		}
	}
	memset(&err, 0, sizeof err);
	gpus = kfd_gpus(folder, gpu_names, sizeof gpu_names);
	int rc = kfd_arch(folder, arch, &err);
	snprintf(command, sizeof command, "rm -r %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
	return rc;
}

#define LOOK(...) look((const char *const[]){ __VA_ARGS__, NULL }, arch)

static void test_the_gpu_by_the_drivers_list(void)
{
	static const char *const names[][2] = { { "90402", "gfx942" }, { "90500", "gfx950" }, { "90010", "gfx90a" }, { "90008", "gfx908" },
		{ "90400", "gfx940" }, { "110501", "gfx1151" }, { "120001", "gfx1201" }, { "100300", "gfx1030" } };
	char arch[16];
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		TEST_ASSERT_EQUAL(0, LOOK("0", names[i][0], names[i][0]));
		TEST_ASSERT_EQUAL_STRING(names[i][1], arch);
	}
	TEST_ASSERT_EQUAL(0, LOOK("0", "", "90402"));
	TEST_ASSERT_EQUAL_STRING("gfx942", gpu_names);
	TEST_ASSERT_EQUAL(1, gpus);
	TEST_ASSERT_EQUAL(-1, LOOK("0", "90402", "90010", "90402"));
	TEST_ASSERT_EQUAL(3, gpus);
	TEST_ASSERT_EQUAL(strlen("gfx942, gfx90a"), strlen(gpu_names));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "different GPUs"));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "gfx942") && strstr(err.text, "gfx90a") ? err.text : NULL);
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "--arch"));
	TEST_ASSERT_EQUAL(-1, LOOK("0", "0"));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "no GPU"));
	TEST_ASSERT_EQUAL(-1, LOOK("0", "many"));
	TEST_ASSERT_EQUAL(-1, kfd_arch("/nowhere", arch, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "--arch"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_sets_of_every_gpu);
	RUN_TEST(test_what_the_user_says_stands);
	RUN_TEST(test_blocks_of_every_gpu);
	RUN_TEST(test_more_than_one_pass_is_refused_by_name);
	RUN_TEST(test_limits_of_a_pass);
	RUN_TEST(test_unknown_names_list_the_known);
	RUN_TEST(test_the_gpu_by_the_drivers_list);
	return UNITY_END();
}
