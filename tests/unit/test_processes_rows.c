/* SPDX-License-Identifier: MIT */
/* Processes as rows: families, what is told of each, and what vanishes or is hidden. */
#include <time.h>

#include "made_processes.h"

static void test_children_follow_their_parent(void)
{
	make((struct made){ .pid = 100, .parent = 1, .maps = HIP });
	make((struct made){ .pid = 101, .parent = 1, .maps = HIP });
	make((struct made){ .pid = 102, .parent = 100, .maps = HIP });
	make((struct made){ .pid = 103, .parent = 102, .maps = HIP });
	make((struct made){ .pid = 104, .parent = 100, .maps = HIP });
	make((struct made){ .pid = 50, .parent = 101, .maps = HIP });   /* ids begin anew */
	expect_rows("100 hip|.102 hip|..103 hip|.104 hip|101 hip|.50 hip");
}

static void test_one_that_is_not_shown_does_not_break_a_family(void)
{
	make((struct made){ .pid = 100, .maps = HIP });
	make((struct made){ .pid = 101, .parent = 100 });       /* a shell */
	make((struct made){ .pid = 102, .parent = 101, .maps = HIP });
	make((struct made){ .pid = 103, .parent = 999, .maps = HIP });
	expect_rows("100 hip|.102 hip|103 hip");
}

static void test_circles_end_and_lose_nobody(void)
{
	make((struct made){ .pid = 100, .parent = 101, .maps = HIP });
	make((struct made){ .pid = 101, .parent = 100, .maps = HIP });
	make((struct made){ .pid = 102, .parent = 102, .maps = HIP });
	make((struct made){ .pid = 103, .parent = 104 });
	make((struct made){ .pid = 104, .parent = 103 });
	make((struct made){ .pid = 105, .parent = 103, .maps = HIP });
	make((struct made){ .pid = 106, .parent = 101, .maps = HIP });
	TEST_ASSERT_EQUAL_MESSAGE(0, processes_look(&processes, &err), err.text);
	TEST_ASSERT_EQUAL(5, processes.rows);
}

#define MANY 5000

/* One line of descent, which nothing may follow by recursion, and every tenth uses a GPU. */
static void test_five_thousand_are_complete(void)
{
	for (int i = 0; i < MANY; i++)
		make((struct made){ .pid = 1000 + i, .parent = i ? 999 + i : 1, .maps = i % 10 ? PLAIN : HIP HSA });
	processes.all = true;
	TEST_ASSERT_EQUAL_MESSAGE(0, processes_look(&processes, &err), err.text);
	TEST_ASSERT_EQUAL(MANY, processes.rows);
	for (int i = 0; i < MANY; i++) {
		TEST_ASSERT_EQUAL(1000 + i, processes.row[i]->stat.pid);
		TEST_ASSERT_EQUAL(i, processes.row[i]->depth);
		TEST_ASSERT_EQUAL(i % 10 ? 0 : RUNTIME_HIP | RUNTIME_HSA, processes.row[i]->runtimes.set);
	}
	processes.all = false;
	TEST_ASSERT_EQUAL_MESSAGE(0, processes_look(&processes, &err), err.text);
	TEST_ASSERT_EQUAL(MANY / 10, processes.rows);
	for (int i = 0; i < MANY / 10; i++) {
		TEST_ASSERT_EQUAL(1000 + 10 * i, processes.row[i]->stat.pid);
		TEST_ASSERT_EQUAL(i, processes.row[i]->depth);
	}
}

/* ---- what is told of each ---- */

static void test_users_and_ids_inside(void)
{
	static const char users[] = "ada:x:1000:1000::/:/bin/sh\n\0nameless:x:4242:7:::\n";
	put_bytes(users, sizeof users - 1, "passwd");
	make((struct made){ .pid = 100, .maps = HIP });
	make((struct made){ .pid = 101, .maps = HIP });
	put("State:\tS\nTgid:\t101\nPid:\t101\nUid:\t0\t4242\t0\t0\nNSpid:\t101\t40\t7\n", "101/status");
	expect_rows("100 hip|101 hip");
	TEST_ASSERT_EQUAL_STRING("ada", processes.row[0]->user);
	TEST_ASSERT_EQUAL(100, processes.row[0]->inside);
	TEST_ASSERT_NULL(processes.row[1]->user);
	TEST_ASSERT_EQUAL(4242, processes.row[1]->uid);
	TEST_ASSERT_EQUAL(7, processes.row[1]->inside);
}

static void test_a_name_may_be_any_bytes(void)
{
	make((struct made){ .pid = 100, .maps = HIP, .name = "\tx) R \033[2J(\n" });
	expect_rows("100 hip");
	TEST_ASSERT_EQUAL_STRING("\tx) R \033[2J(\n", processes.row[0]->stat.name);
}

static unsigned long ticks_since_boot(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (unsigned long)t.tv_sec * 100 + (unsigned long)t.tv_nsec / 10000000;
}

static void test_cpu_is_since_the_start_then_since_the_look_before(void)
{
	struct made m = { .pid = 100, .maps = HIP, .start = ticks_since_boot() - 1000, .ticks = 500 };
	make(m);
	expect_rows("100 hip");
	TEST_ASSERT_FALSE(processes.row[0]->since_look);
	/* half of ten seconds, or less if this took long */
	TEST_ASSERT_TRUE(processes.row[0]->cpu_percent > 0 && processes.row[0]->cpu_percent <= 50.1);
	expect_rows("100 hip");
	TEST_ASSERT_TRUE(processes.row[0]->since_look);
	TEST_ASSERT_TRUE(processes.row[0]->cpu_percent == 0);
	m.ticks = 550;
	put_stat(&m);
	expect_rows("100 hip");
	TEST_ASSERT_TRUE(processes.row[0]->since_look && processes.row[0]->cpu_percent > 0);
	/* the id is another process's now, which has its own start */
	m.start += 5;
	put_stat(&m);
	expect_rows("100 hip");
	TEST_ASSERT_FALSE(processes.row[0]->since_look);
}

static void test_mappings_are_read_again_only_after_page_faults(void)
{
	struct made m = { .pid = 100, .faults = 7 };
	make(m);
	expect_rows("");
	put(HIP, "100/maps");
	expect_rows("");
	m.faults = 8;
	put_stat(&m);
	expect_rows("100 hip");
	m.start = 1;
	put_stat(&m);
	put(PLAIN, "100/maps");
	expect_rows("");
}

/* ---- what vanishes and what is hidden ---- */

static void remove_file(const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "%s/%s", proc, name);
	TEST_ASSERT_EQUAL(0, unlink(path));
}

static void test_what_vanishes_is_left_out(void)
{
	for (int pid = 100; pid < 106; pid++)
		make((struct made){ .pid = pid, .maps = HIP });
	remove_file("100/stat");
	remove_file("101/maps");
	remove_file("102/status");
	put("", "103/stat");
	put("104 (gone", "104/stat");
	expect_rows("105 hip");
	TEST_ASSERT_EQUAL(0, processes.unread);
}

static void put_mounts(const char *options)
{
	char text[256];
	snprintf(text, sizeof text, "/dev/sda1 / ext4 rw 0 0\nproc %s proc rw,%s 0 0\n", proc, options);
	put(text, "self/mounts");
}

static void test_hidepid_is_noticed(void)
{
	make_folder("self");
	put_mounts("nosuid,hidepid=invisible");
	expect_rows("");
	TEST_ASSERT_TRUE(processes.hidden);
	put_mounts("nosuid");
	expect_rows("");
	TEST_ASSERT_FALSE(processes.hidden);
	/* mounted so, but not hidden from us */
	put_mounts("hidepid=2");
	make((struct made){ .pid = 1 });
	expect_rows("");
	TEST_ASSERT_FALSE(processes.hidden);
}

static void test_no_proc_is_an_error(void)
{
	processes.proc = "/nowhere";
	TEST_ASSERT_EQUAL(-1, processes_look(&processes, &err));
	EXPECT_HAS("/nowhere", err.text);
}

/* ---- real processes ---- */

static const struct process *find(pid_t pid)
{
	for (size_t i = 0; i < processes.rows; i++)
		if (processes.row[i]->stat.pid == pid)
			return processes.row[i];
	return NULL;
}

static void take_a_name(void)
{
	prctl(PR_SET_NAME, "a\033[31m\n)");
}

static void test_a_real_process(void)
{
	pid_t pid = child_start(take_a_name);
	processes = (struct processes){ .proc = "/proc", .kfd = KFD_SYSTEM, .passwd = passwd, .all = true, .ask = true };
	int rc = processes_look(&processes, &err);
	const struct process *child = rc == 0 ? find(pid) : NULL, *us = rc == 0 ? find(getpid()) : NULL;
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_TRUE(child && us);
	TEST_ASSERT_EQUAL_STRING("a\033[31m\n)", child->stat.name);
	TEST_ASSERT_EQUAL(us->depth + 1, child->depth);
	TEST_ASSERT_EQUAL(getpid(), child->stat.ppid);
	TEST_ASSERT_EQUAL(geteuid(), child->uid);
	TEST_ASSERT_EQUAL(1, child->stat.threads);
	TEST_ASSERT_EQUAL(0, child->runtimes.set);
	TEST_ASSERT_NULL(child->attachable);
	TEST_ASSERT_FALSE(child->unread);
	TEST_ASSERT_EQUAL(pid, child->inside);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_children_follow_their_parent);
	RUN_TEST(test_one_that_is_not_shown_does_not_break_a_family);
	RUN_TEST(test_circles_end_and_lose_nobody);
	RUN_TEST(test_five_thousand_are_complete);
	RUN_TEST(test_users_and_ids_inside);
	RUN_TEST(test_a_name_may_be_any_bytes);
	RUN_TEST(test_cpu_is_since_the_start_then_since_the_look_before);
	RUN_TEST(test_mappings_are_read_again_only_after_page_faults);
	RUN_TEST(test_what_vanishes_is_left_out);
	RUN_TEST(test_hidepid_is_noticed);
	RUN_TEST(test_no_proc_is_an_error);
	RUN_TEST(test_a_real_process);
	return UNITY_END();
}
