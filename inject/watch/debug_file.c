/* SPDX-License-Identifier: MIT */
#include "inject/watch/debug_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"

bool debug_file_path(const char *folder, const char *id, const char *ending, char *path, size_t size)
{
	if (strlen(id) < 4)
		return false;
	int n = snprintf(path, size, "%s/.build-id/%.2s/%s%s", folder, id, id + 2, ending);
	return n > 0 && (size_t)n < size;
}

int debug_file_open_plain(const char *path)
{
	struct stat file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &file) < 0 || !S_ISREG(file.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool debug_file_has_id(int fd, const char *id)
{
	struct elf_file file;
	char own[2 * ELF_BUILD_ID_MAX + 1];
	if (elf_file_open_debug(&file, fd, NULL) || !file.image.build_id_size)
		return false;
	elf_build_id_text(&file.image, own, sizeof own);
	return strcmp(own, id) == 0;
}

int debug_file_open(const char *folder, const char *id, char *path, size_t size)
{
	static const char *const endings[] = { ".debug", "" };
	for (int i = 0; i < 2; i++) {
		if (!debug_file_path(folder, id, endings[i], path, size))
			return -1;
		int fd = debug_file_open_plain(path);
		if (fd >= 0 && debug_file_has_id(fd, id))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}
