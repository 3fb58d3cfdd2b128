/* SPDX-License-Identifier: MIT */
#include "inject/snapshot.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "child.h"

static struct err err;
static struct snapshot before, after;
static char told[1024];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	before = after = (struct snapshot){0};
	told[0] = '\0';
}

void tearDown(void)
{
	snapshot_free(&before);
	snapshot_free(&after);
}

static void given(const char *then, const char *now)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, maps_parse(&before.maps, then, strlen(then), &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, maps_parse(&after.maps, now, strlen(now), &err), err.text);
}

static void tell_path(void *ctx, const char *path)
{
	(void)ctx;
	snprintf(told + strlen(told), sizeof told - strlen(told), "%s ", path);
}

static void tell_range(void *ctx, const struct mapping *m)
{
	(void)ctx;
	snprintf(told + strlen(told), sizeof told - strlen(told), "%llx-%llx%s ", (unsigned long long)m->start,
		 (unsigned long long)m->end, m->path);
}

static void test_a_new_library_is_told_once(void)
{
	given("1000-2000 r-xp 0 8:1 5 /old\n",
	      "1000-2000 r-xp 0 8:1 5 /old\n2000-3000 r--p 0 8:1 6 /new\n3000-4000 r-xp 1000 8:1 6 /new\n"
	      "4000-5000 r-xp 2000 8:1 6 /new\n5000-6000 r--p 0 8:1 7 /data\n6000-7000 r-xp 0 8:2 5 /other\n"
	      "7000-8000 r-xp 0 0:0 0 \n");
	snapshot_new_libraries(&before, &after, tell_path, NULL);
	TEST_ASSERT_EQUAL_STRING("/new /other ", told);
}

static void test_new_anonymous_memory_is_told_without_what_was_there(void)
{
	given("1000-3000 rw-p 0 0:0 0 [heap]\n5000-6000 rw-p 0 0:0 0 \n7000-8000 rw-p 0 8:1 5 /file\n",
	      "1000-4000 rw-p 0 0:0 0 [heap]\n4800-6800 rw-p 0 0:0 0 \n7000-8000 rw-p 0 0:0 0 \n"
	      "9000-a000 r--p 0 8:1 5 /file\na000-b000 r-xp 0 0:0 0 [vdso]\nb000-c000 rw-p 0 0:0 0 [anon:x]\n");
	snapshot_new_anonymous(&before, &after, tell_range, NULL);
	TEST_ASSERT_EQUAL_STRING("3000-4000[heap] 4800-5000 6000-6800 7000-8000 b000-c000[anon:x] ", told);
}

static void test_mappings_that_merge_or_split_are_not_new(void)
{
	given("1000-2000 rw-p 0 0:0 0 \n2000-3000 ---p 0 0:0 0 \n3000-6000 rw-p 0 0:0 0 \n",
	      "1000-3000 rw-p 0 0:0 0 \n3000-4000 r--p 0 0:0 0 \n4000-5000 rw-p 0 0:0 0 \n5000-6000 ---p 0 0:0 0 \n");
	snapshot_new_anonymous(&before, &after, tell_range, NULL);
	TEST_ASSERT_EQUAL_STRING("", told);
}

static int order[2];

static void *wait_forever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* On SIGUSR1 the child gets a thread, memory and a descriptor, and says so. */
static void grow(int signo)
{
	pthread_t thread;
	pthread_create(&thread, NULL, wait_forever, NULL);
	mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (dup(0) < 0 || write(order[1], "d", 1) != 1)
		_exit(signo);
}

static void prepare_to_grow(void)
{
	signal(SIGUSR1, grow);
}

static void test_a_living_process_that_grows(void)
{
	struct target target;
	char done;
	TEST_ASSERT_EQUAL(0, pipe(order));
	pid_t child = child_start(prepare_to_grow);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, child, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, snapshot_take(&before, &target, &err), err.text);
	kill(child, SIGUSR1);
	TEST_ASSERT_EQUAL(1, read(order[0], &done, 1));
	TEST_ASSERT_EQUAL_MESSAGE(0, snapshot_take(&after, &target, &err), err.text);
	TEST_ASSERT_EQUAL(1, before.thread_count);
	TEST_ASSERT_EQUAL(2, after.thread_count);
	TEST_ASSERT_EQUAL(before.fd_count + 1, after.fd_count);
	TEST_ASSERT_EQUAL(0, after.tracer);
	snapshot_new_libraries(&before, &after, tell_path, NULL);
	TEST_ASSERT_EQUAL_STRING("", told);
	snapshot_new_anonymous(&before, &after, tell_range, NULL);
	TEST_ASSERT_TRUE(told[0] != '\0');
	child_end(child);
	snapshot_free(&after);
	TEST_ASSERT_EQUAL(-1, snapshot_take(&after, &target, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	target_close(&target);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_new_library_is_told_once);
	RUN_TEST(test_new_anonymous_memory_is_told_without_what_was_there);
	RUN_TEST(test_mappings_that_merge_or_split_are_not_new);
	RUN_TEST(test_a_living_process_that_grows);
	return UNITY_END();
}
