/* SPDX-License-Identifier: MIT */
#include "rocp/tool/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rocp/log.h"
#include "rocp/tool_abi.h"

#define FD_LEAST 64             /* a program that counts on the next number gets it */
#define SUFFIXES 10000

/* As far as it is written out: %pid% and the like are for those who name outputs. */
static size_t plain_folder(const char *path)
{
	size_t length = strcspn(path, "%{");
	if (!path[length])
		return length;
	while (length && path[length - 1] != '/')
		length--;
	return length;
}

static int choose(char *path, size_t size)
{
	const char *given = getenv(TOOL_LOG_VARIABLE), *folder = getenv("ROCPROF_OUTPUT_PATH");
	char here[1024];
	int n, length;
	if (given && *given) {
		n = snprintf(path, size, "%s", given);
	} else {
		length = folder ? (int)plain_folder(folder) : 0;
		if (!length) {
			if (!getcwd(here, sizeof here))
				return -errno;
			folder = here;
			length = (int)strlen(here);
		}
		n = snprintf(path, size, "%.*s/roclatch-%d" LOG_ENDING, length, folder, (int)getpid());
	}
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);      /* what matters is whether the file can be opened */
		*slash = '/';
	}
}

/* NAME.rlog, NAME_1.rlog, NAME_2.rlog ... */
static int with_suffix(char *path, size_t size, const char *stem, unsigned number)
{
	int n = number ? snprintf(path, size, "%s_%u" LOG_ENDING, stem, number) : snprintf(path, size, "%s" LOG_ENDING, stem);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static dev_t made_dev;          /* the file of the last place_open */
static ino_t made_ino;

static int raised(int fd)
{
	int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_LEAST);
	if (high < 0 && fd <= 2)
		high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
	if (high < 0)
		return fd > 2 ? fd : -EMFILE;
	close(fd);
	return high;
}

int place_open(char *path, size_t size)
{
	char stem[1024];
	int wrong = choose(path, size);
	if (wrong)
		return wrong;
	make_folders(path);
	size_t length = strlen(path), ending = strlen(LOG_ENDING);
	if (length > ending && !strcmp(path + length - ending, LOG_ENDING))
		length -= ending;
	if (length >= sizeof stem)
		return -ENAMETOOLONG;
	memcpy(stem, path, length);
	stem[length] = '\0';
	for (unsigned number = 0; number < SUFFIXES; number++) {
		if ((wrong = with_suffix(path, size, stem, number)))
			return wrong;
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0) {
			struct stat made = { 0 };
			fstat(fd, &made);
			made_dev = made.st_dev;
			made_ino = made.st_ino;
			return raised(fd);
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

bool place_remove(const char *path)
{
	struct stat now;
	return lstat(path, &now) == 0 && now.st_dev == made_dev && now.st_ino == made_ino && unlink(path) == 0;
}
