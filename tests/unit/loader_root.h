/* SPDX-License-Identifier: MIT */
/*
 * A small system in a temporary folder, with the loader and the C library of one
 * of the fixtures' roots, and a program in it that calls dlopen for us: so that
 * what is worked out from outside can be compared with what the loader does.
 * Needs root (chroot) and the fixtures.
 */
#ifndef ROCLATCH_TESTS_LOADER_ROOT_H
#define ROCLATCH_TESTS_LOADER_ROOT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "live_target.h"

static char system_root[] = "/tmp/roclatch-loader-XXXXXX";
static int to_program = -1;
static FILE *from_program;
static char said[4096];         /* what the loader answered last */

/* A path of build/CPU/fixtures, found beside the test itself. */
static inline const char *fixture(const char *name)
{
	static char path[PATH_MAX + 256];
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	TEST_ASSERT_TRUE(length > 0);
	self[length] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = '\0';
	snprintf(path, sizeof path, "%s/fixtures/%.200s", self, name);
	return path;
}

static inline const char *inside(const char *name)
{
	static char path[4][2 * PATH_MAX];
	static unsigned next;
	char *mine = path[next++ % 4];
	snprintf(mine, 2 * PATH_MAX, "%s/%s", system_root, name);
	return mine;
}

static inline void make_folders(const char *name)
{
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s", inside(name));
	for (char *slash = strchr(path + sizeof system_root, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void copy_file(const char *from, const char *name)
{
	static char buf[1 << 16];
	make_folders(name);
	unlink(inside(name));
	int in = open(from, O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE_MESSAGE(in >= 0, from);
	int out = open(inside(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	TEST_ASSERT_TRUE_MESSAGE(out >= 0, name);
	for (ssize_t n; (n = read(in, buf, sizeof buf)) > 0;)
		TEST_ASSERT_EQUAL(n, write(out, buf, (size_t)n));
	close(in);
	close(out);
}

/* Put a library of the fixtures there. */
static inline void put(const char *library, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "loadable/%s", library);
	copy_file(fixture(path), name);
}

static inline void put_text(const char *name, const void *text, size_t size)
{
	make_folders(name);
	int fd = open(inside(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	TEST_ASSERT_TRUE(fd >= 0);
	TEST_ASSERT_EQUAL(size, write(fd, text, size));
	close(fd);
}

static inline void put_link(const char *says, const char *name)
{
	make_folders(name);
	unlink(inside(name));
	TEST_ASSERT_EQUAL(0, symlink(says, inside(name)));
}

/* What is mounted here goes with us, however we end. */
static inline void own_mounts(void)
{
	static bool done;
	if (!done && (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0))
		TEST_IGNORE_MESSAGE("this test needs root");
	done = true;
}

/* The loader and the C library of a root of the fixtures, and its programs. */
static inline void make_system(const char *suite)
{
	static const char *const programs[] = { "dlopens", "dlopens-rpath", "dlopens-runpath" };
	char folder[64], lib[PATH_MAX + 256], name[NAME_MAX + 8];
	own_mounts();
	memcpy(system_root + sizeof system_root - 7, "XXXXXX", 6);
	TEST_ASSERT_NOT_NULL(mkdtemp(system_root));
	TEST_ASSERT_EQUAL(0, chmod(system_root, 0755));
	snprintf(folder, sizeof folder, "root-%s/lib", suite);
	snprintf(lib, sizeof lib, "%s", fixture(folder));
	DIR *there = opendir(lib);
	if (!there)
		TEST_IGNORE_MESSAGE("the fixtures are not built");
	for (struct dirent *entry; (entry = readdir(there)) != NULL;) {
		char from[2 * PATH_MAX];
		snprintf(name, sizeof name, "lib/%s", entry->d_name);
		snprintf(from, sizeof from, "%s/%s", lib, entry->d_name);
		if (entry->d_name[0] != '.')
			copy_file(from, name);
	}
	closedir(there);
	/* loaders learn from it where a program lies */
	mkdir(inside("proc"), 0555);
	if (mount("proc", inside("proc"), "proc", MS_RDONLY, NULL) < 0)
		TEST_IGNORE_MESSAGE("/proc cannot be mounted here");
	for (size_t i = 0; i < 3; i++) {
		snprintf(folder, sizeof folder, "root-%s/%s", suite, programs[i]);
		copy_file(fixture(folder), programs[i]);
	}
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static inline void remove_system(void)
{
	if (!strstr(system_root, "XXXXXX") && (umount2(inside("proc"), MNT_DETACH) == 0 || errno == EINVAL || errno == ENOENT))
		nftw(system_root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	memcpy(system_root + sizeof system_root - 7, "XXXXXX", 6);
}

struct start {
	const char *program, *argument;
	const char *environment;        /* one variable */
	const char *folder;             /* the current one; "/" */
	const char *root;               /* NULL: the one that was made */
	void (*become)(void);
};

static inline void run_program(const struct start *start, int program, int in, int out)
{
	const char *root = start->root ? start->root : system_root;
	char *argv[] = { (char *)(uintptr_t)"dlopens", (char *)(uintptr_t)start->argument, NULL };
	char *envp[] = { (char *)(uintptr_t)start->environment, NULL };
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the loader's path is relative in the roots of the fixtures: exec from /, then go */
	if (dup2(in, 0) < 0 || dup2(open("/dev/null", O_WRONLY), 2) < 0 || dup2(out, 1) < 0 || chdir(root) < 0 || chroot(".") < 0)
		_exit(1);
	if (start->become)
		start->become();
	if (start->folder && chdir(start->folder) < 0)
		_exit(2);
	fexecve(program, argv, envp);
	_exit(3);
}

/* Start it there and open it as the target. */
static inline void start(struct start wanted)
{
	int in[2], out[2];
	TEST_ASSERT_EQUAL(0, pipe2(in, O_CLOEXEC));
	TEST_ASSERT_EQUAL(0, pipe2(out, O_CLOEXEC));
	const char *path = wanted.root ? wanted.program : inside(wanted.program ? wanted.program : "dlopens");
	int program = open(path, O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE_MESSAGE(program >= 0, path);
	pid_t pid = fork();
	if (pid == 0)
		run_program(&wanted, program, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	close(program);
	to_program = in[1];
	from_program = fdopen(out[0], "r");
	TEST_ASSERT_TRUE(from_program && fgets(said, sizeof said, from_program));
	TEST_ASSERT_EQUAL_STRING("ready\n", said);
	open_target(pid);
}

static inline void stop(void)
{
	close_target();
	close(to_program);
	fclose(from_program);
	from_program = NULL;
}

/* Does the loader itself load it? */
static inline bool loads(const char *name)
{
	char line[PATH_MAX + 2];
	int length = snprintf(line, sizeof line, "%s\n", name);
	TEST_ASSERT_EQUAL(length, write(to_program, line, (size_t)length));
	TEST_ASSERT_NOT_NULL_MESSAGE(fgets(said, sizeof said, from_program), name);
	said[strcspn(said, "\n")] = '\0';
	return !strncmp(said, "ok ", 3);
}

#endif
