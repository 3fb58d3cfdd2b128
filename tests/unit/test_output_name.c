/* SPDX-License-Identifier: MIT */
#include "rocp/output_name.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

static const char *const words[] = { "/opt/app/bin/train", "./data/set one", "--epochs", " 3 " };

static const char *variable(void *ctx, const char *name)
{
	static const struct { const char *name, *value; } all[] = {
		{ "SLURM_JOB_ID", "77" }, { "USER_TAG", "blue" }, { "EMPTY", "" }, { "RANK_OF_MINE", "5" },
	};
	const char *rank = ctx;
	if (rank && !strcmp(name, "ROCPROF_MPI_RANK_VAR"))
		return rank;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return all[i].value;
	return NULL;
}

static struct output_facts facts = {
	.hostname = "node7", .pid = 4711, .ppid = 12, .pgid = 4700, .psid = 4600, .argument = words, .arguments = 4,
	.folder = "/home/me", .launched = 1700000000, .variable = variable,
};

void setUp(void)
{
	setenv("TZ", "UTC0", 1);
	facts.ctx = NULL;
}

void tearDown(void)
{
}

static void becomes(const char *text, const char *wanted)
{
	char out[512];
	struct err err = { 0 };
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, output_name_expand(text, &facts, out, sizeof out, &err), err.text);
	TEST_ASSERT_EQUAL_STRING(wanted, out);
}

static void the_default_is_host_and_pid(void)
{
	becomes(OUTPUT_NAME_DEFAULT, "node7/4711");
	becomes("out", "out");
	becomes("", "");
}

static void every_key_has_its_value(void)
{
	becomes("%hostname%-%pid%-%ppid%-%pgid%-%psid%-%psize%", "node7-4711-12-4700-4600-1");
	becomes("{hostname}-{pid}-{ppid}", "node7-4711-12");
	becomes("%h_%p_%j_%r_%s", "node7_4711_77_0_1");
	becomes("%job% %rank% %size% %nid% %cwd%", "77 0 1 4711 /home/me");
	becomes("%launch_date%", "2023-11-14");
	becomes("%launch_time%", "2023-11-14_22.13");
}

static void the_command_line_becomes_part_of_a_name(void)
{
	becomes("%tag%", "train");
	becomes("%argv%", "opt_app_bin_train_data_set one_--epochs_3");
	becomes("%args%", "data_set one_--epochs_3");
	becomes("%argt%", "traindata_set one_--epochs_3");
	becomes("%arg0%.%arg1%.{arg3}", "opt_app_bin_train.data_set one.3");
	becomes("%arg9%", "%arg9%");
}

static void variables_are_those_of_the_process(void)
{
	becomes("a%env{USER_TAG}%b", "ablueb");
	becomes("$env{USER_TAG}-%q{USER_TAG}", "blue-blue");
	becomes("x%env{NOT_THERE}%y%env{EMPTY}%", "xy");
}

static void the_rank_is_that_of_the_variable_which_the_user_named(void)
{
	facts.ctx = (void *)(uintptr_t)"RANK_OF_MINE";
	becomes("%rank%/%nid%", "5/5");
}

static void what_is_no_key_stays(void)
{
	becomes("100%", "100%");
	becomes("%nothing%", "%nothing%");
	becomes("{nothing}{", "{nothing}{");
	becomes("%env{OPEN", "%env{OPEN");
	becomes("$HOME", "$HOME");
	becomes("%%", "%%");
}

static void a_value_is_not_expanded_again(void)
{
	static const char *const odd[] = { "%pid%" };
	struct output_facts strange = { .hostname = "{pid}", .argument = odd, .arguments = 1 };
	char out[64];
	TEST_ASSERT_EQUAL_INT(0, output_name_expand("%hostname%%arg0%", &strange, out, sizeof out, NULL));
	TEST_ASSERT_EQUAL_STRING("{pid}%pid%", out);
}

static void too_long_is_refused_and_not_cut(void)
{
	char out[11];
	struct err err = { 0 };
	TEST_ASSERT_EQUAL_INT(0, output_name_expand("%hostname%/%pid%", &facts, out, sizeof out, &err));
	TEST_ASSERT_EQUAL_INT(-1, output_name_expand("%hostname%/%pid%x", &facts, out, sizeof out, &err));
	TEST_ASSERT_EQUAL_INT(ERR_USAGE, err.code);
	TEST_ASSERT_NOT_EQUAL(0, err.remedy[0]);
	TEST_ASSERT_EQUAL_INT(-1, output_name_expand("", &facts, out, 0, &err));
}

static void keys_are_seen(void)
{
	TEST_ASSERT_TRUE(output_name_has_keys("/out/%pid%"));
	TEST_ASSERT_TRUE(output_name_has_keys("{hostname}"));
	TEST_ASSERT_TRUE(output_name_has_keys("$env{X}"));
	TEST_ASSERT_FALSE(output_name_has_keys("/out/100%/{x}"));
}

static void test_names_that_several_processes_would_share_are_known(void)
{
	static const struct { const char *folder, *name; int shared; } rows[] = {
		{ NULL, "out", 1 }, { "/data", "out", 1 }, { NULL, "%hostname%/out", 1 }, { "%cwd%", "out_%launch_date%", 1 },
		{ NULL, "out_%pid%", 0 }, { NULL, "out.%p", 0 }, { NULL, "{pid}/out", 0 }, { NULL, "%rank%", 0 }, { NULL, "%nid%", 0 },
		{ "/data/%pid%", "out", 0 }, { "/data/%env{SLURM_PROCID}%", "out", 0 }, { NULL, "out%q{X}", 0 }, { NULL, "", 1 },
		{ NULL, "out_%job%", 1 }, { NULL, "%size%", 1 }, { "%env{SLURM_JOB_ID}%", "%job%_%r", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].shared, output_name_is_shared(rows[i].folder, rows[i].name), rows[i].name);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(the_default_is_host_and_pid);
	RUN_TEST(every_key_has_its_value);
	RUN_TEST(the_command_line_becomes_part_of_a_name);
	RUN_TEST(variables_are_those_of_the_process);
	RUN_TEST(the_rank_is_that_of_the_variable_which_the_user_named);
	RUN_TEST(what_is_no_key_stays);
	RUN_TEST(a_value_is_not_expanded_again);
	RUN_TEST(too_long_is_refused_and_not_cut);
	RUN_TEST(keys_are_seen);
	RUN_TEST(test_names_that_several_processes_would_share_are_known);
	return UNITY_END();
}
