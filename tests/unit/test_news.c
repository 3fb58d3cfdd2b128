/* SPDX-License-Identifier: MIT */
#include "inject/news.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "child.h"
#include "inject/cursor.h"
#include "inject/target.h"

static struct err err;
static struct maps before, after;
static char told[1024];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	before = after = (struct maps){0};
	told[0] = '\0';
}

void tearDown(void)
{
	maps_free(&before);
	maps_free(&after);
}

static void given(const char *then, const char *now)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, maps_parse(&before, then, strlen(then), &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, maps_parse(&after, now, strlen(now), &err), err.text);
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
	news_libraries(&before, &after, tell_path, NULL);
	TEST_ASSERT_EQUAL_STRING("/new /other ", told);
}

static void test_new_anonymous_memory_is_told_without_what_was_there(void)
{
	given("1000-3000 rw-p 0 0:0 0 [heap]\n5000-6000 rw-p 0 0:0 0 \n7000-8000 rw-p 0 8:1 5 /file\n",
	      "1000-4000 rw-p 0 0:0 0 [heap]\n4800-6800 rw-p 0 0:0 0 \n7000-8000 rw-p 0 0:0 0 \n"
	      "9000-a000 r--p 0 8:1 5 /file\na000-b000 r-xp 0 0:0 0 [vdso]\nb000-c000 rw-p 0 0:0 0 [anon:x]\n");
	news_memory(&before, &after, tell_range, NULL);
	TEST_ASSERT_EQUAL_STRING("3000-4000[heap] 4800-5000 6000-6800 7000-8000 b000-c000[anon:x] ", told);
}

static void test_mappings_that_merge_or_split_are_not_new(void)
{
	given("1000-2000 rw-p 0 0:0 0 \n2000-3000 ---p 0 0:0 0 \n3000-6000 rw-p 0 0:0 0 \n",
	      "1000-3000 rw-p 0 0:0 0 \n3000-4000 r--p 0 0:0 0 \n4000-5000 rw-p 0 0:0 0 \n5000-6000 ---p 0 0:0 0 \n");
	news_memory(&before, &after, tell_range, NULL);
	TEST_ASSERT_EQUAL_STRING("", told);
}

#define A "1000-2000 r-xp 0 8:1 5 /a\n"
#define B "3000-4000 rw-p 0 0:0 0 \n"
#define C "5000-6000 r--p 0 8:1 7 /c\n"
#define D "7000-8000 rw-p 0 0:0 0 [stack]\n"

/* What is left of a text that was `then` before. */
static void is_left(const char *then, const char *now, const char *left)
{
	char text[512];
	snprintf(text, sizeof text, "%s", now);
	size_t size = maps_cut(text, strlen(text), &(struct cursor){ then, then + strlen(then) });
	TEST_ASSERT_EQUAL_STRING(left, text);
	TEST_ASSERT_EQUAL(strlen(left), size);
}

static void test_lines_that_are_as_they_were_are_cut_off_both_ends(void)
{
	is_left(A B C D, A B C D, "");
	is_left(A B D, A B C D, C);
	is_left("", A, A);
	is_left(A, "", "");
	is_left(A B C D, A D, "");              /* nothing is new */
	is_left(B C, A B C, A);
	is_left(A B, A B C, C);
	is_left(A B C, A B "5000-6000 rw-p 0 8:1 7 /c\n", "5000-6000 rw-p 0 8:1 7 /c\n");
	/* a line that is the end of another one is new */
	is_left(A "15000-16000 r--p 0 8:1 7 /c\n", A C, C);
	is_left(A C, A "15000-16000 r--p 0 8:1 7 /c\n", "15000-16000 r--p 0 8:1 7 /c\n");
}

static int order[2];

static void *wait_forever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* On SIGUSR1 the child gets a thread and memory, and says so. */
static void grow(int signo)
{
	pthread_t thread;
	pthread_create(&thread, NULL, wait_forever, NULL);
	mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (write(order[1], "d", 1) != 1)
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
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps(&target, &before, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps_since(&target, &before, &after, &err), err.text);
	TEST_ASSERT_EQUAL(0, after.n);
	maps_free(&after);
	kill(child, SIGUSR1);
	TEST_ASSERT_EQUAL(1, read(order[0], &done, 1));
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps_since(&target, &before, &after, &err), err.text);
	TEST_ASSERT_TRUE(after.n > 0 && after.n < before.n);
	news_libraries(&before, &after, tell_path, NULL);
	TEST_ASSERT_EQUAL_STRING("", told);
	news_memory(&before, &after, tell_range, NULL);
	TEST_ASSERT_TRUE(told[0] != '\0');
	child_end(child);
	maps_free(&after);
	TEST_ASSERT_EQUAL(-1, target_maps_since(&target, &before, &after, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	target_close(&target);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_new_library_is_told_once);
	RUN_TEST(test_new_anonymous_memory_is_told_without_what_was_there);
	RUN_TEST(test_mappings_that_merge_or_split_are_not_new);
	RUN_TEST(test_lines_that_are_as_they_were_are_cut_off_both_ends);
	RUN_TEST(test_a_living_process_that_grows);
	return UNITY_END();
}
