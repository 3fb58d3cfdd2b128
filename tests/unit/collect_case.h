/* SPDX-License-Identifier: MIT */
/* A child of another user in a root of its own, the folder that its tool writes to, and ours.  Needs root. */
#ifndef ROCLATCH_TESTS_COLLECT_CASE_H
#define ROCLATCH_TESTS_COLLECT_CASE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>

#include "child.h"
#include "inject/root.h"
#include "rocp/collect.h"

#define SECRET "what nobody outside is to read"

static char work[] = "/tmp/roclatch-collect-XXXXXX";
static struct target target;
static struct written written;
static struct collection collection;
static struct err err;

static inline void enter_root(void)
{
	if (chroot("root") < 0 || chdir("/") < 0)
		_exit(1);
	become_somebody();
}

/* A mount namespace that ends with it, in which /out is a file system of its own. */
static inline void enter_own_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "root/out", "tmpfs", 0, "mode=777") < 0)
		_exit(1);
	enter_root();
}

static inline void make_file(const char *path, const char *text, uid_t uid)
{
	FILE *file = fopen(path, "w");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	fputs(text, file);
	fclose(file);
	TEST_ASSERT_EQUAL_INT(0, chown(path, uid, uid));
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

/* As a tool would: the output is NAME in /out. */
static inline void hold_as(void (*prepare)(void), const char *output, unsigned names, bool look)
{
	target.pid = target.live_tid = child_start(prepare);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, written_hold(&written, &target, output, names, look, &err), err.text);
}

static inline void hold(void)
{
	hold_as(enter_root, "/out/run", 1, true);
}

void setUp(void)
{
	err = (struct err){ 0 };
	written.root = written.mounts = -1;
	target.pid = 0;
	strcpy(work + strlen(work) - 6, "XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(work));
	TEST_ASSERT_EQUAL_INT(0, chmod(work, 0755));
	TEST_ASSERT_EQUAL_INT(0, chdir(work));
	mkdir("root", 0755);
	mkdir("root/out", 0755);
	TEST_ASSERT_EQUAL_INT(0, chown("root/out", SOMEBODY, SOMEBODY));
	mkdir("outside", 0755);
	make_file("outside/run_secret", SECRET, 0);
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 200000 }, { .tv_sec = time(NULL) - 100000 } };
	TEST_ASSERT_EQUAL_INT(0, utimensat(AT_FDCWD, "outside/run_secret", times, 0));
	collection = (struct collection){ .into = collect_into("ours/deep", &err) };
	TEST_ASSERT_TRUE_MESSAGE(collection.into >= 0, err.text);
}

void tearDown(void)
{
	if (target.pid)
		child_end(target.pid);
	written_close(&written);
	if (collection.into >= 0)
		close(collection.into);
	if (chdir("/") == 0)
		nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int collect(void)
{
	collection = (struct collection){ .into = collection.into, .progress = collection.progress, .ctx = collection.ctx };
	err = (struct err){ 0 };
	return collect_written(&collection, &written, &err);
}

/* Where a file of the output is on our side. */
static inline const char *ours(const char *name)
{
	static char path[2][PATH_MAX];
	static unsigned next;
	char host[256] = "";
	gethostname(host, sizeof host - 1);
	snprintf(path[++next % 2], sizeof path[0], "ours/deep/%s-%d/%s", host, (int)target.pid, name);
	return path[next % 2];
}

static inline void ours_is(const char *name, const char *text)
{
	char got[256] = "";
	FILE *file = fopen(ours(name), "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, ours(name));
	size_t n = fread(got, 1, sizeof got - 1, file);
	fclose(file);
	TEST_ASSERT_EQUAL_size_t(strlen(text), n);
	TEST_ASSERT_EQUAL_STRING(text, got);
}

static int files_of_ours;
static bool secret_found;

static inline int look_at_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	char text[256] = "";
	(void)where;
	TEST_ASSERT_TRUE_MESSAGE(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode), path);
	files_of_ours += kind == FTW_F;
	int fd = kind == FTW_F && st->st_size < 4096 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		secret_found |= read(fd, text, sizeof text - 1) > 0 && strstr(text, SECRET);
		close(fd);
	}
	return 0;
}

/* Files in our folder, whatever we say of them; none of them has the secret in it. */
static inline int ours_count(void)
{
	files_of_ours = 0;
	secret_found = false;
	TEST_ASSERT_EQUAL_INT(0, nftw("ours", look_at_one, 16, FTW_PHYS));
	TEST_ASSERT_FALSE_MESSAGE(secret_found, "something from outside the root was fetched");
	return files_of_ours;
}

/* The file outside was neither read nor written. */
static inline void secret_is_untouched(void)
{
	struct stat st;
	char text[64] = "";
	TEST_ASSERT_EQUAL_INT(0, stat("outside/run_secret", &st));
	TEST_ASSERT_TRUE_MESSAGE(st.st_atim.tv_sec < time(NULL) - 150000, "it was read");
	TEST_ASSERT_TRUE_MESSAGE(st.st_mtim.tv_sec < time(NULL) - 50000, "it was written");
	TEST_ASSERT_EQUAL_INT(strlen(SECRET), st.st_size);
	int fd = open("outside/run_secret", O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL_INT(strlen(SECRET), read(fd, text, sizeof text));
	close(fd);
	TEST_ASSERT_EQUAL_STRING(SECRET, text);
}

/* Nothing is seen of what is mounted here, and it goes with us. */
static inline void keep_mounts_to_ourselves(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		fputs("these tests need root\n", stderr);
		exit(1);
	}
}

#endif
