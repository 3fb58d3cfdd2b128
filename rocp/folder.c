/* SPDX-License-Identifier: MIT */
#include "rocp/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One that is there may not be to be made for other reasons than that it is there. */
static int make_one(const char *path, mode_t mode)
{
	int failure = mkdir(path, mode) < 0 ? errno : 0;
	return failure && access(path, F_OK) < 0 ? failure : 0;
}

int folders_above(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	int failure = 0;
	if (strlen(path) >= sizeof part)
		return ENAMETOOLONG;
	memcpy(part, path, strlen(path) + 1);
	for (char *slash = part; !failure && *slash && (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
		*slash = '\0';
		failure = make_one(part, mode);
	}
	return failure;
}

int folder_make(const char *path, mode_t mode)
{
	int failure = folders_above(path, mode);
	if (!failure)
		failure = make_one(path, mode);
	if (!failure)
		return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	errno = failure;
	return -1;
}
