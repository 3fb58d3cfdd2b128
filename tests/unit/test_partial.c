/* SPDX-License-Identifier: MIT */
/* The name that a file has until it is whole: what a killed run leaves is in nobody's way, and nobody's file is taken. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocp/formats/file.h"
#include "unity.h"

#define WRITERS 8
#define ROUNDS 12
#define LENGTH 300000u          /* more than a buffer */

static char folder[64], whole[96], part[128], other[96];
static struct file file;
static struct err err;

void setUp(void)
{
	err = (struct err){ 0 };
	strcpy(folder, "/tmp/roclatch-partial-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(whole, sizeof whole, "%s/out.txt", folder);
	snprintf(part, sizeof part, "%s" FILE_PARTIAL, whole);
	snprintf(other, sizeof other, "%s/other", folder);
}

void tearDown(void)
{
	unlink(whole);
	unlink(other);
	if (unlink(part) < 0)
		rmdir(part);
	TEST_ASSERT_EQUAL_MESSAGE(0, rmdir(folder), "something is left in the folder");
}

static void put(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");
	TEST_ASSERT_NOT_NULL(to);
	fputs(text, to);
	fclose(to);
}

static void holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *from = fopen(path, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(from, path);
	if (!fgets(got, sizeof got, from))
		got[0] = '\0';
	fclose(from);
	TEST_ASSERT_EQUAL_STRING(text, got);
}

static bool is_there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static void is_made(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, file_create(&file, whole, "", &err), err.text);
	file_text(&file, "new");
	TEST_ASSERT_EQUAL_MESSAGE(0, file_finish(&file, &err), err.text);
	holds(whole, "new");
	TEST_ASSERT_FALSE(is_there(part));
}

static void is_refused(void)
{
	TEST_ASSERT_EQUAL(-1, file_create(&file, whole, "", &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "out.txt" FILE_PARTIAL), err.text);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.remedy, "remove"), err.remedy);
	TEST_ASSERT_FALSE(is_there(whole));
}

static void test_what_a_killed_one_left_is_replaced(void)
{
	put(part, "half of somethin");
	is_made();
}

/* A whole process that is killed, with its buffer written. */
static void test_one_that_is_killed_is_followed_by_the_next(void)
{
	int ready[2];
	char byte;
	TEST_ASSERT_EQUAL(0, pipe(ready));
	pid_t pid = fork();
	if (pid == 0) {
		if (file_create(&file, whole, "", &err) < 0)
			_exit(1);
		for (size_t i = 0; i < LENGTH; i++)
			file_put(&file, "x", 1);
		byte = 1;
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	TEST_ASSERT_EQUAL(1, read(ready[0], &byte, 1));
	is_refused();
	kill(pid, SIGKILL);
	TEST_ASSERT_EQUAL(pid, waitpid(pid, NULL, 0));
	TEST_ASSERT_TRUE(is_there(part));
	is_made();
	close(ready[0]);
	close(ready[1]);
}

static void test_what_another_holds_is_left_alone(void)
{
	put(part, "half");
	int fd = open(part, O_WRONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL(0, flock(fd, LOCK_EX | LOCK_NB));
	is_refused();
	holds(part, "half");
	close(fd);
	is_made();
}

static void test_one_of_ours_is_left_alone_while_it_is_written(void)
{
	struct file second;
	TEST_ASSERT_EQUAL(0, file_create(&file, whole, "", &err));
	file_text(&file, "first");
	TEST_ASSERT_EQUAL(-1, file_create(&second, whole, "", &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	TEST_ASSERT_EQUAL(0, file_finish(&file, &err));
	holds(whole, "first");
	TEST_ASSERT_EQUAL(-1, file_create(&second, whole, "", &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.remedy, "choose another name"), err.remedy);
	holds(whole, "first");
}

static void test_a_link_leads_nowhere(void)
{
	put(other, "precious");
	TEST_ASSERT_EQUAL(0, symlink("other", part));
	is_refused();
	holds(other, "precious");
	TEST_ASSERT_TRUE(is_there(part));
	unlink(part);
	TEST_ASSERT_EQUAL(0, symlink("nowhere", part));
	is_refused();
}

static void test_a_file_with_another_name_keeps_its_text(void)
{
	put(other, "precious");
	TEST_ASSERT_EQUAL(0, link(other, part));
	is_made();
	holds(other, "precious");
}

static void test_what_is_no_file_is_left_alone(void)
{
	TEST_ASSERT_EQUAL(0, mkfifo(part, 0666));
	is_refused();
	TEST_ASSERT_TRUE(is_there(part));
	unlink(part);
	TEST_ASSERT_EQUAL(0, mkdir(part, 0777));
	is_refused();
	TEST_ASSERT_TRUE(is_there(part));
}

static void test_the_file_of_another_user_is_left_alone(void)
{
	if (geteuid() != 0)
		TEST_IGNORE_MESSAGE("only root can make one");
	put(part, "half");
	TEST_ASSERT_EQUAL(0, chown(part, 12345, 12345));
	is_refused();
	holds(part, "half");
}

/* Where locks hold on one node alone, another may have taken it for stale: its file is not given our name. */
static void test_what_was_put_in_its_place_is_not_published(void)
{
	TEST_ASSERT_EQUAL(0, file_create(&file, whole, "", &err));
	file_text(&file, "ours");
	TEST_ASSERT_EQUAL(0, unlink(part));
	put(part, "half of theirs");
	TEST_ASSERT_EQUAL(-1, file_finish(&file, &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	TEST_ASSERT_FALSE(is_there(whole));
	holds(part, "half of theirs");
	TEST_ASSERT_EQUAL(0, file_create(&file, whole, "", &err));
	TEST_ASSERT_EQUAL(0, unlink(part));
	put(part, "half of theirs");
	file_abandon(&file);
	holds(part, "half of theirs");
}

static int write_one(char letter)
{
	struct file to;
	if (file_create(&to, whole, "", NULL) < 0)
		return 2;
	char some[LENGTH / 100];
	memset(some, letter, sizeof some);
	for (size_t i = 0; i < 100; i++)
		file_put(&to, some, sizeof some);
	return file_finish(&to, NULL) < 0 ? 3 : 0;
}

/* All of one letter, and all of it. */
static void check_winner(int winner)
{
	char *text = malloc(LENGTH + 1);
	FILE *from = fopen(whole, "r");
	TEST_ASSERT_NOT_NULL(from);
	size_t n = fread(text, 1, LENGTH + 1, from);
	fclose(from);
	bool same = n == LENGTH;
	for (size_t i = 0; i < n; i++)
		same = same && text[i] == 'a' + winner;
	free(text);
	TEST_ASSERT_TRUE_MESSAGE(same, "what is there is not what the one that succeeded has written");
}

static void test_of_many_at_a_time_one_succeeds(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		pid_t pid[WRITERS];
		int go[2], winner = -1, status, lost = 0;
		char byte;
		TEST_ASSERT_EQUAL(0, pipe(go));
		put(part, "half of somethin");
		for (int i = 0; i < WRITERS; i++) {
			pid[i] = fork();
			if (pid[i] == 0) {
				close(go[1]);
				_exit(read(go[0], &byte, 1) == 0 ? write_one((char)('a' + i)) : 4);
			}
		}
		close(go[0]);
		close(go[1]);           /* all begin */
		for (int i = 0; i < WRITERS; i++) {
			TEST_ASSERT_EQUAL(pid[i], waitpid(pid[i], &status, 0));
			TEST_ASSERT_TRUE(WIFEXITED(status));
			TEST_ASSERT_NOT_EQUAL(4, WEXITSTATUS(status));
			TEST_ASSERT_FALSE_MESSAGE(WEXITSTATUS(status) == 0 && winner >= 0, "two have succeeded");
			winner = WEXITSTATUS(status) == 0 ? i : winner;
			lost += WEXITSTATUS(status) == 3;
		}
		TEST_ASSERT_TRUE_MESSAGE(winner >= 0, "none has succeeded");
		TEST_ASSERT_EQUAL_MESSAGE(0, lost, "one has written all of it in vain");
		check_winner(winner);
		TEST_ASSERT_FALSE(is_there(part));
		unlink(whole);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_a_killed_one_left_is_replaced);
	RUN_TEST(test_one_that_is_killed_is_followed_by_the_next);
	RUN_TEST(test_what_another_holds_is_left_alone);
	RUN_TEST(test_one_of_ours_is_left_alone_while_it_is_written);
	RUN_TEST(test_a_link_leads_nowhere);
	RUN_TEST(test_a_file_with_another_name_keeps_its_text);
	RUN_TEST(test_what_is_no_file_is_left_alone);
	RUN_TEST(test_the_file_of_another_user_is_left_alone);
	RUN_TEST(test_what_was_put_in_its_place_is_not_published);
	RUN_TEST(test_of_many_at_a_time_one_succeeds);
	return UNITY_END();
}
