/* SPDX-License-Identifier: MIT */
/* A family that grows, in a made folder that looks like /proc, and a real one. */
#include "rocp/births.h"

#include "child.h"
#include "made_proc.h"

static struct births births;

void setUp(void)
{
	proc_make();
	births = (struct births){ .proc = proc };
}

void tearDown(void)
{
	births_free(&births);
	proc_remove();
}

/* Only pid, parent, faults and start time count; the last id that was given is put as the kernel does. */
static void be_born(int pid, int parent, char state, unsigned start, unsigned faults, int last)
{
	char text[256], path[64];
	snprintf(path, sizeof path, "%s/%d", proc, pid);
	mkdir(path, 0755);
	snprintf(text, sizeof text, "%d (x y) %c %d 1 1 0 -1 4194304 %u 0 0 0 1 1 0 0 20 0 1 0 %u 1000 10 18446744073709551615 1 1 0 0 0 0 "
		 "0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", pid, state, parent, faults, start);
	put(text, "%d/stat", pid);
	snprintf(text, sizeof text, "0.10 0.20 0.30 1/100 %d\n", last);
	put(text, "loadavg");
}

static void look_finds(size_t n)
{
	struct err err = { 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, births_look(&births, &err), err.text);
	TEST_ASSERT_EQUAL(n, births.n);
}

static void begin_with(int pid)
{
	be_born(1, 0, 'S', 1, 0, pid);
	be_born(pid, 1, 'S', 100, 5, pid);
	TEST_ASSERT_EQUAL(0, births_add(&births, pid, pid, NULL));
	look_finds(1);
}

static void test_a_child_and_its_child_come_into_the_family(void)
{
	begin_with(100);
	be_born(101, 102, 'S', 120, 0, 102);    /* its number is lower than that of its parent: ids have begun anew */
	be_born(102, 100, 'S', 110, 0, 102);
	look_finds(3);
	TEST_ASSERT_EQUAL(102, births.v[1].pid);
	TEST_ASSERT_EQUAL(101, births.v[2].pid);
	TEST_ASSERT_EQUAL(100, births.v[2].root);
	look_finds(3);
}

static void test_children_that_were_there_before_and_those_of_others_are_not_new(void)
{
	be_born(99, 100, 'S', 100, 0, 99);
	begin_with(100);
	be_born(101, 1, 'S', 110, 0, 101);
	look_finds(1);
	be_born(103, 99, 'S', 110, 0, 103);     /* whose parent was not meant */
	be_born(104, 100, 'Z', 110, 0, 104);
	look_finds(1);
}

static void test_nothing_is_listed_while_nobody_is_born(void)
{
	begin_with(100);
	be_born(101, 100, 'S', 110, 0, 100);    /* the number of the last one has not changed */
	look_finds(1);
	be_born(101, 100, 'S', 110, 0, 101);
	look_finds(2);
}

static void test_who_has_the_number_of_one_that_is_gone_is_another(void)
{
	begin_with(100);
	be_born(100, 1, 'S', 500, 0, 101);
	be_born(101, 100, 'S', 510, 0, 101);
	look_finds(1);
	TEST_ASSERT_FALSE(births_lives(&births, 0));
}

static void test_page_faults_tell_that_something_was_done(void)
{
	begin_with(100);
	TEST_ASSERT_TRUE(births_lives(&births, 0));
	TEST_ASSERT_EQUAL(5, births.v[0].faults);
	be_born(100, 1, 'S', 100, 9, 100);
	TEST_ASSERT_TRUE(births_lives(&births, 0));
	TEST_ASSERT_EQUAL(9, births.v[0].faults);
	be_born(100, 1, 'Z', 100, 9, 100);
	TEST_ASSERT_FALSE(births_lives(&births, 0));
}

static void test_a_real_child_is_found(void)
{
	births.proc = "/proc";
	TEST_ASSERT_EQUAL(0, births_add(&births, getpid(), getpid(), NULL));
	look_finds(1);
	pid_t pid = child_start(NULL);
	struct err err = { 0 };
	int rc = births_look(&births, &err);
	size_t n = births.n;
	pid_t found = n == 2 ? births.v[1].pid : 0;
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(2, n);
	TEST_ASSERT_EQUAL(pid, found);
	TEST_ASSERT_FALSE(births_lives(&births, 1));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_child_and_its_child_come_into_the_family);
	RUN_TEST(test_children_that_were_there_before_and_those_of_others_are_not_new);
	RUN_TEST(test_nothing_is_listed_while_nobody_is_born);
	RUN_TEST(test_who_has_the_number_of_one_that_is_gone_is_another);
	RUN_TEST(test_page_faults_tell_that_something_was_done);
	RUN_TEST(test_a_real_child_is_found);
	return UNITY_END();
}
