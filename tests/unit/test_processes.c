/* SPDX-License-Identifier: MIT */
/* Processes and who uses a GPU, in a made folder that looks like /proc, and real ones. */
#include "rocp/processes.h"

#include <time.h>

#include "child.h"
#include "made_proc.h"

#define PLAIN "1000-2000 r-xp 00000000 08:01 5 /usr/bin/program\n"
#define HIP "7f00-8000 r-xp 00000000 08:01 7 /opt/rocm/lib/libamdhip64.so.6.4.60402\n"
#define HSA "8f00-9000 r-xp 00000000 08:01 8 /opt/rocm/lib/libhsa-runtime64.so.1.15.60402\n"
#define REGISTER "9f00-a000 r-xp 00000000 08:01 9 /opt/rocm/lib/librocprofiler-register.so.0.6.0\n"

static struct processes processes;
static struct err err;
static char kfd[64], passwd[64];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	proc_make();
	TEST_ASSERT_EQUAL(0, chmod(proc, 0755));
	snprintf(kfd, sizeof kfd, "%s/kfd", proc);
	snprintf(passwd, sizeof passwd, "%s/passwd", proc);
	put("root:x:0:0::/:/bin/sh\nbad line\nada:x:1000:1000::/:/bin/sh\nlater:x:1000:1:::\n:x:7:7:::\n", "passwd");
	processes = (struct processes){ .proc = proc, .kfd = kfd, .passwd = passwd };
}

void tearDown(void)
{
	processes_free(&processes);
	proc_remove();
}

struct made {
	int pid, parent;
	const char *name, *maps;
	char state;             /* default S */
	unsigned long flags, faults, ticks, start;
};

static void put_stat(const struct made *m)
{
	char text[512];
	int n = snprintf(text, sizeof text, "%d (%s) %c %d 1 1 0 -1 %lu %lu 0 0 0 %lu 0 0 0 20 0 3 0 %lu 4096 1 1\n", m->pid,
			 m->name ? m->name : "program", m->state ? m->state : 'S', m->parent, m->flags, m->faults, m->ticks,
			 m->start);
	put_bytes(text, (size_t)n, "%d/stat", m->pid);
}

static void make(struct made m)
{
	char text[256];
	make_folder("%d", m.pid);
	put_stat(&m);
	snprintf(text, sizeof text, "Name:\tx\nState:\tS (x)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t1000\t1000\t0\t0\n"
		 "NSpid:\t%d\n", m.pid, m.pid, m.parent, m.pid);
	put(text, "%d/status", m.pid);
	put(m.maps ? m.maps : PLAIN, "%d/maps", m.pid);
	put("0::/\n", "%d/cgroup", m.pid);
}

/* "100 hip+hsa, register 0.6.0|.101 hip": a dot for each level */
static void expect_rows(const char *wanted)
{
	char text[2048] = "";
	TEST_ASSERT_EQUAL_MESSAGE(0, processes_look(&processes, &err), err.text);
	for (size_t i = 0; i < processes.rows; i++) {
		const struct process *process = processes.row[i];
		char uses[64];
		size_t used = strlen(text);
		runtimes_text(&process->runtimes, uses, sizeof uses);
		snprintf(text + used, sizeof text - used, "%s%.*s%d %s", used ? "|" : "", (int)process->depth, "..........",
			 (int)process->stat.pid, uses);
	}
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

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

/* ---- families ---- */

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
