/* SPDX-License-Identifier: MIT */
/* Which processes use a GPU, and by what. */
#include "made_processes.h"

static void test_those_are_listed_that_use_a_gpu(void)
{
	make((struct made){ .pid = 100, .maps = PLAIN HIP HSA REGISTER });
	make((struct made){ .pid = 101 });
	make((struct made){ .pid = 102, .maps = HSA });
	make((struct made){ .pid = 103, .maps = HIP PLAIN });
	make((struct made){ .pid = 104, .maps = REGISTER });    /* as of markers alone */
	expect_rows("100 hip+hsa, register 0.6.0|102 hsa|103 hip");
	TEST_ASSERT_NULL(processes.row[0]->attachable);
	TEST_ASSERT_EQUAL(3, processes.row[0]->stat.threads);
}

static void test_all_are_listed_but_threads_of_the_kernel(void)
{
	make((struct made){ .pid = 2, .flags = 0x200000, .maps = "" });
	make((struct made){ .pid = 100, .maps = HIP });
	make((struct made){ .pid = 101 });
	make((struct made){ .pid = 102, .state = 'Z', .maps = "" });
	processes.all = true;
	expect_rows("100 hip|101 -|102 -");
}

static void test_names_that_only_look_alike_do_not_count(void)
{
	make((struct made){ .pid = 100, .maps = "1-2 r--p 0 0:0 5 /x/libamdhip64.so.d/other\n1-2 r--p 0 0:0 5 /x/mylibamdhip64.so\n"
		"1-2 r--p 0 0:0 5 /x/libamdhip64-tools.so\n1-2 rw-p 0 0:0 0 [heap]\n1-2 rw-p 0 0:0 0\n\n/\n" });
	expect_rows("");
}

static void test_a_version_is_digits_and_points(void)
{
	make((struct made){ .pid = 100, .maps = HIP "1-2 r-xp 0 0:0 5 /x/librocprofiler-register.so.0.7\033[31m.so\n" });
	make((struct made){ .pid = 101, .maps = HIP "1-2 r-xp 0 0:0 5 /x/librocprofiler-register.so (deleted)\n" });
	make((struct made){ .pid = 102, .maps = HIP "1-2 r-xp 0 0:0 5 /x/librocprofiler-register.so.0.5.0 (deleted)\n" });
	expect_rows("100 hip, register 0.7|101 hip, register|102 hip, register 0.5.0");
}

static void test_long_and_many_mappings_are_read_to_the_end(void)
{
	const size_t line = 100000, lines = 20000;
	char *text = malloc(line + lines * sizeof PLAIN + sizeof HSA + 2);
	memset(text, '/', line);
	text[line] = '\n';
	char *at = text + line + 1;
	for (size_t i = 0; i < lines; i++, at += sizeof PLAIN - 1)
		memcpy(at, PLAIN, sizeof PLAIN);
	memcpy(at, HSA, sizeof HSA);
	make((struct made){ .pid = 100, .maps = text });
	free(text);
	expect_rows("100 hsa");
}

static void test_a_main_thread_that_has_ended_shows_nothing_but_others_do(void)
{
	make((struct made){ .pid = 100, .state = 'Z', .maps = "" });
	make_folder("100/task");
	make_folder("100/task/100");
	put("", "100/task/100/maps");
	make_folder("100/task/105");
	put(HIP, "100/task/105/maps");
	expect_rows("100 hip");
}

/* ---- the device ---- */

static void make_initial(void)
{
	make_folder("self");
	make_folder("self/ns");
	make_link("pid:[4026531836]", "self/ns/pid");
	make_folder("kfd");
}

static void test_the_driver_tells_who_has_the_device_open(void)
{
	make_initial();
	make_folder("kfd/proc");
	make_folder("kfd/proc/101");
	make_folder("kfd/proc/999");
	make((struct made){ .pid = 100 });
	make((struct made){ .pid = 101 });
	expect_rows("101 /dev/kfd");
}

static void test_descriptors_tell_where_the_driver_does_not(void)
{
	make_folder("kfd");
	make((struct made){ .pid = 100 });
	make((struct made){ .pid = 101 });
	make((struct made){ .pid = 102 });
	make_folder("100/fd");
	make_link("/dev/null", "100/fd/0");
	make_link("/dev/kfd", "100/fd/7");
	make_folder("101/fd");
	make_link("/dev/kfd2", "101/fd/0");
	make_link("/dev/kf", "101/fd/1");
	expect_rows("100 /dev/kfd");
}

static void test_ids_of_the_driver_are_not_taken_for_those_of_another_namespace(void)
{
	make_initial();
	make_folder("kfd/proc");
	make_folder("kfd/proc/101");
	make((struct made){ .pid = 101 });
	char path[64];
	snprintf(path, sizeof path, "%s/self/ns/pid", proc);
	unlink(path);
	make_link("pid:[4026532000]", "self/ns/pid");
	expect_rows("");
}

static int look_unread(pid_t all, struct err *why)
{
	processes.all = all;
	if (processes_look(&processes, why) < 0)
		return -1;
	int answer = (int)(processes.rows * 100 + processes.unread * 10);
	for (size_t i = 0; i < processes.rows; i++)
		answer += processes.row[i]->unread;
	return answer;
}

static void test_what_may_not_be_read_is_listed_if_something_else_tells(void)
{
	make_initial();
	make_folder("kfd/proc");
	make_folder("kfd/proc/101");
	for (int pid = 100; pid < 103; pid++) {
		char path[64];
		make((struct made){ .pid = pid, .maps = HIP });
		snprintf(path, sizeof path, "%s/%d/maps", proc, pid);
		TEST_ASSERT_EQUAL(0, chmod(path, pid < 102 ? 0 : 0644));
	}
	struct seen seen = seen_as(become_somebody, look_unread, false);
	TEST_ASSERT_EQUAL(221, seen.result);    /* two rows, two of all unread, one of the rows */
	seen = seen_as(become_somebody, look_unread, true);
	TEST_ASSERT_EQUAL(322, seen.result);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_those_are_listed_that_use_a_gpu);
	RUN_TEST(test_all_are_listed_but_threads_of_the_kernel);
	RUN_TEST(test_names_that_only_look_alike_do_not_count);
	RUN_TEST(test_a_version_is_digits_and_points);
	RUN_TEST(test_long_and_many_mappings_are_read_to_the_end);
	RUN_TEST(test_a_main_thread_that_has_ended_shows_nothing_but_others_do);
	RUN_TEST(test_the_driver_tells_who_has_the_device_open);
	RUN_TEST(test_descriptors_tell_where_the_driver_does_not);
	RUN_TEST(test_ids_of_the_driver_are_not_taken_for_those_of_another_namespace);
	RUN_TEST(test_what_may_not_be_read_is_listed_if_something_else_tells);
	return UNITY_END();
}
