/* SPDX-License-Identifier: MIT */
#include "inject/watch/debug_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"
#include "inject/watch/debug_file.h"

#define DEPTH_MAX 16

static int keep(struct debug_folder *folder, const char *path, const char *id, struct err *err)
{
	if (folder->n == folder->room) {
		size_t room = folder->room ? 2 * folder->room : 64;
		struct debug_entry *v = realloc(folder->v, room * sizeof *v);
		if (!v)
			return err_set(err, ERR_FAILED, ENOMEM, "list the debug files");
		folder->v = v;
		folder->room = room;
	}
	struct debug_entry entry = { strdup(path), strdup(id) };
	if (!entry.path || !entry.id) {
		free(entry.path);
		free(entry.id);
		return err_set(err, ERR_FAILED, ENOMEM, "list the debug files");
	}
	folder->v[folder->n++] = entry;
	return 0;
}

static int look_at_file(struct debug_folder *folder, const char *path, struct err *err)
{
	struct elf_file file;
	char id[2 * ELF_BUILD_ID_MAX + 1];
	int fd = debug_file_open_plain(path), rc = 0;
	if (fd < 0)
		return 0;
	if (elf_file_open_debug(&file, fd, NULL) == 0 && file.image.build_id_size) {
		elf_build_id_text(&file.image, id, sizeof id);
		rc = keep(folder, path, id, err);
	}
	close(fd);
	return rc;
}

/* .build-id is looked up by name, and mostly links to what stands beside it. */
static bool is_passed_over(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, ".build-id");
}

static int scan(struct debug_folder *folder, const char *path, unsigned depth, struct err *err)
{
	char below[PATH_MAX];
	int rc = 0;
	DIR *dir = opendir(path);
	for (struct dirent *entry; dir && !rc && !folder->cut && (entry = readdir(dir));) {
		struct stat file;
		if (is_passed_over(entry->d_name) ||
		    snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= (int)sizeof below)
			continue;
		if (folder->looked == DEBUG_FOLDER_MOST) {
			folder->cut = true;
			break;
		}
		folder->looked++;
		if (lstat(below, &file))
			continue;
		if (S_ISREG(file.st_mode))
			rc = look_at_file(folder, below, err);
		else if (S_ISDIR(file.st_mode) && depth < DEPTH_MAX)
			rc = scan(folder, below, depth + 1, err);
	}
	if (dir)
		closedir(dir);
	return rc;
}

int debug_folder_scan(struct debug_folder *folder, const char *path, struct err *err)
{
	return scan(folder, path, 0, err);
}

void debug_folder_free(struct debug_folder *folder)
{
	for (size_t i = 0; i < folder->n; i++) {
		free(folder->v[i].path);
		free(folder->v[i].id);
	}
	free(folder->v);
	*folder = (struct debug_folder){ 0 };
}
