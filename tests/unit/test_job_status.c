/* SPDX-License-Identifier: MIT */
#include "rocp/job/status.h"

#include <fcntl.h>
#include <sys/timex.h>
#include <time.h>

#include "made_proc.h"

static struct job_status status, back;
static struct err err;

void setUp(void)
{
	proc_make();
	memset(&err, 0, sizeof err);
	memset(&status, 0, sizeof status);
	memset(&back, 0xff, sizeof back);
}

void tearDown(void)
{
	proc_remove();
}

static int parse(const char *text)
{
	return job_status_parse(&back, text, strlen(text), &err);
}

static size_t read_whole(const char *name, char *text, size_t size)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", proc, name);
	FILE *file = fopen(path, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t n = fread(text, 1, size, file);
	fclose(file);
	return n;
}

static void fill(void)
{
	status = (struct job_status){ .host = "n1.cluster", .name = "py\"th\non", .boot_id = "0-1", .job = "42.0", .pid = 4711,
		.pid_inside = 7, .rank = 3, .ranks = 8, .status = 5, .attached = true, .why = "it \x01 \x1b[31m said \xc3\xa4",
		.remedy = "try", .clock = { .realtime_ns = 1763232000123456789, .boottime_ns = 99, .monotonic_ns = -5, .synchronised = true,
		.max_error_us = 1234, .folder_offset_ns = -77 }, .asked_at_ns = 1, .attached_at_ns = 2, .detached_at_ns = 3,
		.records = 1ull << 40, .bytes = 5, .lost = 6, .files = { "a/b.db", "gone.db" }, .n_files = 2 };
	make_folder("a");
	put("12345", "a/b.db");
}

static void test_what_is_written_is_read_again(void)
{
	char text[8192];
	fill();
	TEST_ASSERT_EQUAL_MESSAGE(0, job_status_write(&status, proc, &err), err.text);
	size_t n = read_whole("n1.cluster-4711.roclatch.json", text, sizeof text);
	TEST_ASSERT_EQUAL_MESSAGE(0, job_status_parse(&back, text, n, &err), err.text);
	status.file_size[0] = 5;
	status.file_size[1] = -1;
	TEST_ASSERT_EQUAL_STRING(status.name, back.name);
	TEST_ASSERT_EQUAL_STRING(status.why, back.why);
	TEST_ASSERT_EQUAL_STRING("a/b.db", back.files[0]);
	TEST_ASSERT_EQUAL_MEMORY(&status, &back, sizeof status);
	/* No control character is in the text itself but the ends of lines. */
	for (size_t i = 0; i < n; i++)
		TEST_ASSERT_TRUE(text[i] == '\n' || (unsigned char)text[i] >= 0x20);
}

static void test_one_before_is_replaced_and_nothing_else_stays(void)
{
	char text[8192], path[128];
	fill();
	put("rubbish", "n1.cluster-4711.roclatch.json");
	put("of one that was killed", "n1.cluster-4711.roclatch.json.partial");
	TEST_ASSERT_EQUAL_MESSAGE(0, job_status_write(&status, proc, &err), err.text);
	size_t n = read_whole("n1.cluster-4711.roclatch.json", text, sizeof text);
	TEST_ASSERT_EQUAL(0, job_status_parse(&back, text, n, &err));
	snprintf(path, sizeof path, "%s/n1.cluster-4711.roclatch.json.partial", proc);
	TEST_ASSERT_EQUAL(-1, access(path, F_OK));
}

static void test_a_host_cannot_choose_another_folder(void)
{
	char text[8192];
	fill();
	strcpy(status.host, "../../etc\n/x");
	TEST_ASSERT_EQUAL_MESSAGE(0, job_status_write(&status, proc, &err), err.text);
	TEST_ASSERT_GREATER_THAN(0, read_whole("_._.._etc__x-4711.roclatch.json", text, sizeof text));
}

static void test_a_folder_that_is_not_there_is_told(void)
{
	fill();
	TEST_ASSERT_EQUAL(-1, job_status_write(&status, "/nowhere/at/all", &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "/nowhere/at/all"));
}

#define LEAST "\"format\":1,\"host\":\"h\",\"pid\":1,\"status\":0"

static void test_little_is_enough_and_the_rest_is_not_known(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, parse("{" LEAST ",\"new\":[{\"a\":1}],\"rank\":null}"), err.text);
	TEST_ASSERT_EQUAL(-1, back.rank);
	TEST_ASSERT_EQUAL(-1, back.ranks);
	TEST_ASSERT_EQUAL(-1, back.clock.max_error_us);
	TEST_ASSERT_FALSE(back.attached);
	TEST_ASSERT_EQUAL(0, back.n_files);
}

static void test_what_cannot_be_is_refused_with_a_sentence(void)
{
	static const char *const wrong[][2] = {
		{ "", "a value is missing" }, { "[]", "no status of roclatch" }, { "{}", "no 'format'" }, { "{\"format\":1}", "'host'" },
		{ "{\"format\":2,\"host\":\"h\",\"pid\":1,\"status\":0}", "format is not 1" }, { "{" LEAST "} x", "more behind the end" },
		{ "{" LEAST ",\"rank\":1.5}", "'rank'" }, { "{" LEAST ",\"rank\":-2}", "'rank'" }, { "{" LEAST ",\"rank\":9e9}", "'rank'" },
		{ "{" LEAST ",\"records\":99999999999999999999}", "'records'" }, { "{" LEAST ",\"rank\":8,\"ranks\":8}", "rank 8 is not one of 8" },
		{ "{" LEAST ",\"attached\":1}", "'attached'" }, { "{" LEAST ",\"why\":[]}", "'why'" }, { "{" LEAST ",\"pid\":2}", "twice" },
		{ "{" LEAST ",\"clock\":{\"realtime_ns\":\"soon\"}}", "'realtime_ns'" }, { "{" LEAST ",\"files\":1}", "no list" },
		{ "{" LEAST ",\"files\":[{\"name\":\"/etc/shadow\",\"size\":1}]}", "below the folder" },
		{ "{" LEAST ",\"files\":[{\"name\":\"a/../../b\",\"size\":1}]}", "below the folder" },
		{ "{" LEAST ",\"files\":[{\"name\":\"..\",\"size\":1}]}", "below the folder" },
		{ "{" LEAST ",\"files\":[{\"name\":\"\",\"size\":1}]}", "below the folder" },
		{ "{" LEAST ",\"files\":[{\"name\":\"a\"}]}", "no size" }, { "{" LEAST ",\"files\":[{\"name\":\"a\",\"size\":-2}]}", "no size" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		err = (struct err){ 0 };
		TEST_ASSERT_EQUAL_MESSAGE(-1, parse(wrong[i][0]), wrong[i][0]);
		TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, wrong[i][1]), err.text);
	}
	TEST_ASSERT_EQUAL(-1, job_status_parse(&back, "{}\0", 3, &err));
	TEST_ASSERT_EQUAL_MESSAGE(0, parse("{" LEAST ",\"files\":[{\"name\":\"..a/b..\",\"size\":1}]}"), err.text);
}

static void test_no_more_files_than_there_is_room_for(void)
{
	char text[8192] = "{" LEAST ",\"files\":[";
	for (int i = 0; i <= JOB_FILES_MAX; i++)
		strcat(text, "{\"name\":\"a\",\"size\":1},");
	strcpy(text + strlen(text) - 1, "]}");
	TEST_ASSERT_EQUAL(-1, parse(text));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "more than 64 files"));
}

static void test_long_text_is_cut_between_characters(void)
{
	char text[2048] = "{" LEAST ",\"why\":\"a";
	for (int i = 0; i < 400; i++)
		strcat(text, "\xc3\xa4");
	strcat(text, "\"}");
	TEST_ASSERT_EQUAL_MESSAGE(0, parse(text), err.text);
	TEST_ASSERT_EQUAL(511, strlen(back.why));
	TEST_ASSERT_EQUAL_HEX8(0xa4, back.why[510]);
}

#define RANK_OF(variables) rank_of(variables, sizeof variables, NULL, NULL)
static void rank_of(const char *variables, size_t size, const char *rank, const char *ranks)
{
	char path[128];
	snprintf(path, sizeof path, "%s/42", proc);
	if (access(path, F_OK) < 0)
		make_folder("42");
	put_bytes(variables, size, "42/environ");
	job_rank_read(&status, proc, 42, rank, ranks);
}

#define EXPECT(the_rank, of, the_job) do { TEST_ASSERT_EQUAL(the_rank, status.rank); TEST_ASSERT_EQUAL(of, status.ranks); \
	TEST_ASSERT_EQUAL_STRING(the_job, status.job); } while (0)

static void test_each_launcher_tells_the_rank(void)
{
	RANK_OF("HOME=/\0OMPI_COMM_WORLD_RANK=5\0OMPI_COMM_WORLD_SIZE=8\0PMIX_RANK=1\0SLURM_PROCID=0\0SLURM_NTASKS=2");
	EXPECT(5, 8, "");
	RANK_OF("SLURM_JOB_ID=42\0SLURM_STEP_ID=1\0PMIX_RANK=3\0SLURM_STEP_NUM_TASKS=4\0SLURM_NTASKS=2");
	EXPECT(3, 4, "42.1");
	RANK_OF("PMI_RANK=0\0PMI_SIZE=1");
	EXPECT(0, 1, "");
	RANK_OF("MV2_COMM_WORLD_RANK=2\0MV2_COMM_WORLD_SIZE=3");
	EXPECT(2, 3, "");
	RANK_OF("SLURM_PROCID=1\0SLURM_NTASKS=2\0SLURM_JOB_ID=7\0RANK=9\0WORLD_SIZE=16");
	EXPECT(9, 16, "7");
	RANK_OF("SLURM_PROCID=1\0SLURM_NTASKS=2\0XRANK=9");
	EXPECT(1, 2, "");
	RANK_OF("HOME=/");
	EXPECT(-1, -1, "");
}

static void test_what_a_launcher_cannot_have_meant_is_not_believed(void)
{
	RANK_OF("PMI_RANK=x\0PMI_SIZE=1");
	EXPECT(-1, -1, "");
	RANK_OF("PMI_RANK=-1\0PMI_SIZE=1\0SLURM_JOB_ID=../..\0SLURM_STEP_ID=3");
	EXPECT(-1, -1, "");
	RANK_OF("PMI_RANK=4\0PMI_SIZE=4");
	EXPECT(4, -1, "");
	RANK_OF("PMI_RANK=99999999999999999999");
	EXPECT(-1, -1, "");
}

static void test_names_that_are_given_alone_count(void)
{
	static const char variables[] = "PMI_RANK=4\0PMI_SIZE=8\0MY_RANK=1\0MY_SIZE=2";
	rank_of(variables, sizeof variables, "MY_RANK", "MY_SIZE");
	EXPECT(1, 2, "");
	rank_of(variables, sizeof variables, "NO_RANK", NULL);
	EXPECT(-1, -1, "");
}

static void test_a_process_that_has_gone_has_no_rank(void)
{
	job_rank_read(&status, proc, 4242, NULL, NULL);
	EXPECT(-1, -1, "");
}

static void test_clocks_are_of_one_moment(void)
{
	struct timespec boot, real;
	struct job_clock clock;
	struct timex timex = { .modes = 0 };
	bool can = adjtimex(&timex) >= 0;
	int folder = open(proc, O_RDONLY | O_DIRECTORY);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	job_clock_read(&clock, folder);
	int64_t difference = ((int64_t)real.tv_sec - boot.tv_sec) * 1000000000 + real.tv_nsec - boot.tv_nsec;
	TEST_ASSERT_INT64_WITHIN(1000000000, difference, clock.realtime_ns - clock.boottime_ns);
	TEST_ASSERT_TRUE(clock.boottime_ns >= (int64_t)boot.tv_sec * 1000000000 + boot.tv_nsec);
	TEST_ASSERT_EQUAL(can, clock.max_error_us >= 0);
	/* A folder of this host has its clock, and nothing of the question stays there. */
	TEST_ASSERT_EQUAL_INT64(0, clock.folder_offset_ns);
	close(folder);
	TEST_ASSERT_EQUAL(0, rmdir(proc));
	TEST_ASSERT_EQUAL(0, mkdir(proc, 0700));
	job_clock_read(&clock, -1);
	TEST_ASSERT_EQUAL_INT64(0, clock.folder_offset_ns);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_is_written_is_read_again);
	RUN_TEST(test_one_before_is_replaced_and_nothing_else_stays);
	RUN_TEST(test_a_host_cannot_choose_another_folder);
	RUN_TEST(test_a_folder_that_is_not_there_is_told);
	RUN_TEST(test_little_is_enough_and_the_rest_is_not_known);
	RUN_TEST(test_what_cannot_be_is_refused_with_a_sentence);
	RUN_TEST(test_no_more_files_than_there_is_room_for);
	RUN_TEST(test_long_text_is_cut_between_characters);
	RUN_TEST(test_each_launcher_tells_the_rank);
	RUN_TEST(test_what_a_launcher_cannot_have_meant_is_not_believed);
	RUN_TEST(test_names_that_are_given_alone_count);
	RUN_TEST(test_a_process_that_has_gone_has_no_rank);
	RUN_TEST(test_clocks_are_of_one_moment);
	return UNITY_END();
}
