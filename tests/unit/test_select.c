/* SPDX-License-Identifier: MIT */
/* Families in a made folder that looks like /proc, and real ones. */
#include "select_case.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define ROCM_MAP "7f00-8000 r-xp 00000000 08:01 7 /opt/rocm/lib/librocprofiler-register.so.0.6.0\n"

static void make_process(int pid, int parent, char state, const char *name)
{
	put_process(pid, parent, state, name);
	put("1000-2000 r-xp 00000000 08:01 5 /usr/bin/program\n", "%d/maps", pid);
}

void setUp(void)
{
	select_begin();
}

static void expect(int rc)
{
	TEST_ASSERT_EQUAL_MESSAGE(rc, select_processes(&selection, &request, proc, &err), err.text);
}

/* "100! 102/100": required, or the child of a root */
static void expect_selected(const char *wanted)
{
	char text[1024] = "";
	expect(0);
	for (size_t i = 0; i < selection.n; i++) {
		const struct selected *one = &selection.v[i];
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%d", used ? " " : "", (int)one->pid);
		used += strlen(text + used);
		if (one->root != one->pid)
			snprintf(text + used, sizeof text - used, "/%d", (int)one->root);
		if (one->required)
			strcat(text, "!");
	}
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

static void want(const pid_t *pids, size_t n)
{
	request.pid = (pid_t *)pids;
	request.pids = n;
}

/* 100 - 101 - 103, 100 - 102 (by its second thread), 104 - 105 (a zombie) and 106 */
static void make_family(bool with_children_files)
{
	make_process(100, 1, 'S', "root");
	make_process(101, 100, 'S', "left");
	make_process(102, 100, 'S', "right");
	make_process(103, 101, 'R', "grandchild");
	make_process(104, 1, 'S', "other");
	make_process(105, 104, 'Z', "ended");
	make_process(106, 104, 'S', "last");
	if (!with_children_files)
		return;
	static const struct { int pid; const char *text; } family[] = {
		{ 100, "101 " }, { 101, "103 " }, { 102, "" }, { 103, "" }, { 104, "106 105 " }, { 106, "" } };
	for (size_t i = 0; i < sizeof family / sizeof *family; i++)
		put(family[i].text, "%d/task/%d/children", family[i].pid, family[i].pid);
	make_folder("100/task/%d", 110);
	put("102 ", "100/task/110/children");
}

static void test_given_ids_come_in_their_order_each_once(void)
{
	make_family(true);
	want((pid_t[]){ 104, 100, 104 }, 3);
	expect_selected("104! 100!");
}

static void test_an_id_that_nobody_has_is_for_the_opener_to_explain(void)
{
	want((pid_t[]){ 4711 }, 1);
	request.children = true;
	expect_selected("4711!");
}

static void test_a_thread_means_its_process(void)
{
	make_family(true);
	make_folder("%d", 110);
	put("Name:\troot\nState:\tS (x)\nTgid:\t100\nPid:\t110\nPPid:\t1\n", "110/status");
	want((pid_t[]){ 110, 100 }, 2);
	expect_selected("100!");
}

static void test_descendants_follow_breadth_first_and_are_not_required(void)
{
	make_family(true);
	want((pid_t[]){ 100, 104 }, 2);
	request.children = true;
	expect_selected("100! 104! 101/100 102/100 106/104 103/100");
}

static void test_a_kernel_without_children_files_gives_the_same_family(void)
{
	make_family(false);
	want((pid_t[]){ 100, 104 }, 2);
	request.children = true;
	expect_selected("100! 104! 101/100 102/100 106/104 103/100");
}

static void test_a_child_that_is_given_too_is_required(void)
{
	make_family(true);
	want((pid_t[]){ 100, 101 }, 2);
	request.children = true;
	expect_selected("100! 101! 102/100 103/101");
}

static void test_a_circle_of_parents_ends(void)
{
	make_process(100, 101, 'S', "a");
	make_process(101, 100, 'S', "b");
	want((pid_t[]){ 100 }, 1);
	request.children = true;
	expect_selected("100! 101/100");
}

static void test_a_name_is_found_in_comm_and_in_the_program(void)
{
	make_family(true);
	put("/opt/python/bin/python3.11", "103/cmdline");
	request.name = "^(left|python3\\.[0-9]+)$";
	expect_selected("101! 103!");
	selection_free(&selection);
	request.name = "opt";   /* a folder is no part of the name */
	expect(-1);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS("matches 'opt'", err.text);
}

static void test_zombies_and_threads_of_the_kernel_have_no_name(void)
{
	make_family(true);
	put("", "102/cmdline");
	request.name = "ended|right|last";
	expect_selected("106!");
}

static void test_a_wrong_expression_is_wrong_usage(void)
{
	request.name = "(";
	expect(-1);
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	EXPECT_HAS("--name '('", err.text);
}

static void test_all_is_who_has_the_register(void)
{
	make_family(true);
	put(ROCM_MAP, "102/maps");
	put("1000-2000 r--p 0 0:0 0 \n" ROCM_MAP, "106/maps");
	put("1000-2000 r-xp 0 0:0 5 /lib/librocprofiler-registered.so\n", "101/maps");
	request.all = true;
	request.children = true;
	expect_selected("102 106");
}

static void test_all_of_nothing_is_told(void)
{
	make_family(true);
	request.all = true;
	expect(-1);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS("librocprofiler-register", err.text);
}

static void test_nothing_asked_for_is_wrong_usage(void)
{
	expect(-1);
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
}

static void link_program(int pid, const char *program)
{
	make_link(program, "%d/exe", pid);
}

static void test_roclatch_and_the_roclatch_above_it_are_left_out(void)
{
	int us = (int)getpid();
	make_process(9000001, 1, 'S', "roclatch");      /* starts a shell, which starts us */
	make_process(9000002, 9000001, 'S', "roclatch-shell");
	make_process(us, 9000002, 'S', "roclatch");
	make_process(9000003, 1, 'S', "roclatch");      /* somebody else's */
	link_program(9000001, "/usr/bin/roclatch");
	link_program(9000002, "/bin/sh");
	link_program(us, "/usr/bin/roclatch");
	link_program(9000003, "/usr/bin/roclatch");
	request.name = "roclatch";
	expect_selected("9000002! 9000003!");
	selection_free(&selection);
	request.name = NULL;
	request.children = true;
	want((pid_t[]){ 9000002 }, 1);
	expect_selected("9000002!");
}

static void test_too_many_are_refused(void)
{
	/* one more, as our own id may be among them */
	for (int i = 0; i <= SELECT_MAX + 1; i++) {
		char text[96], path[64];
		snprintf(path, sizeof path, "%s/%d", proc, 1000 + i);
		mkdir(path, 0755);
		snprintf(text, sizeof text, "State:\tS\nTgid:\t%d\nPid:\t%d\nPPid:\t1\n", 1000 + i, 1000 + i);
		put(text, "%d/status", 1000 + i);
		put(ROCM_MAP, "%d/maps", 1000 + i);
	}
	request.all = true;
	expect(-1);
	EXPECT_HAS("more than 4096", err.text);
}

/* ---- real processes ---- */

static pid_t *family_ids;

/* A child that says its id, and has one itself if it is the first. */
static void have_child(int place)
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (place == 0)
			have_child(2);
		for (;;)
			pause();
	}
	family_ids[place] = pid;
}

static void have_children(void)
{
	have_child(0);
	have_child(1);
	while (!((volatile pid_t *)family_ids)[2])
		usleep(1000);
}

static void test_a_real_family(void)
{
	family_ids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t root = child_start(have_children);
	want(&root, 1);
	request.children = true;
	int rc = select_processes(&selection, &request, SELECT_PROC, &err);
	for (int i = 0; i < 3; i++)
		if (family_ids[i] > 1)
			kill(family_ids[i], SIGKILL);
	child_end(root);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(4, selection.n);
	TEST_ASSERT_EQUAL(root, selection.v[0].pid);
	TEST_ASSERT_EQUAL(family_ids[0], selection.v[1].pid);
	TEST_ASSERT_EQUAL(family_ids[1], selection.v[2].pid);
	TEST_ASSERT_EQUAL(family_ids[2], selection.v[3].pid);
	TEST_ASSERT_EQUAL(root, selection.v[3].root);
	TEST_ASSERT_FALSE(selection.v[3].required);
	munmap(family_ids, 4096);
}

static void take_a_name(void)
{
	prctl(PR_SET_NAME, "select-me-9q");
}

static void test_a_real_name(void)
{
	pid_t pid = child_start(take_a_name);
	request.name = "^select-me-9q$";
	int rc = select_processes(&selection, &request, SELECT_PROC, &err);
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(1, selection.n);
	TEST_ASSERT_EQUAL(pid, selection.v[0].pid);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_given_ids_come_in_their_order_each_once);
	RUN_TEST(test_an_id_that_nobody_has_is_for_the_opener_to_explain);
	RUN_TEST(test_a_thread_means_its_process);
	RUN_TEST(test_descendants_follow_breadth_first_and_are_not_required);
	RUN_TEST(test_a_kernel_without_children_files_gives_the_same_family);
	RUN_TEST(test_a_child_that_is_given_too_is_required);
	RUN_TEST(test_a_circle_of_parents_ends);
	RUN_TEST(test_a_name_is_found_in_comm_and_in_the_program);
	RUN_TEST(test_zombies_and_threads_of_the_kernel_have_no_name);
	RUN_TEST(test_a_wrong_expression_is_wrong_usage);
	RUN_TEST(test_all_is_who_has_the_register);
	RUN_TEST(test_all_of_nothing_is_told);
	RUN_TEST(test_nothing_asked_for_is_wrong_usage);
	RUN_TEST(test_roclatch_and_the_roclatch_above_it_are_left_out);
	RUN_TEST(test_too_many_are_refused);
	RUN_TEST(test_a_real_family);
	RUN_TEST(test_a_real_name);
	return UNITY_END();
}
