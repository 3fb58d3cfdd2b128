/* SPDX-License-Identifier: MIT */
/* Where a tool can be brought for a target: worked out from outside, before anything is touched. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/loadable.h"
#include "rocp/loadable_rights.h"
#include "rocp/search.h"
#include "rocp/staged.h"

#ifndef ST_NOEXEC
#define ST_NOEXEC 8
#endif

/* Is /proc there a proc of a pid namespace that knows the target?  Its loader opens /proc/self. */
static bool has_proc(const struct target *target)
{
	char path[96];
	struct statfs fs;
	const struct proc_status *status = &target->status;
	snprintf(path, sizeof path, "/proc/%d/root/proc", (int)target->live_tid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool found = false, proc = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
	for (unsigned i = 0; proc && !found && i < status->nspid_count; i++) {
		struct proc_stat stat;
		size_t size;
		char *text = proc_read(&size, NULL, "/proc/self/fd/%d/%d/stat", fd, (int)status->nspid[i]);
		found = text && stat_parse(&stat, text, size, NULL) == 0 && stat.start_time == target->start_time;
		free(text);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

size_t stage_files_left(const struct target *target)
{
	char path[48];
	size_t size, open_now = 0;
	char *limits = proc_read(&size, NULL, "/proc/%d/limits", (int)target->live_tid);
	const char *line = limits ? strstr(limits, "Max open files") : NULL;
	size_t limit = line && strncmp(line + 26, "unlimited", 9) ? strtoul(line + 26, NULL, 10) : SIZE_MAX;
	free(limits);
	snprintf(path, sizeof path, "/proc/%d/fd", (int)target->live_tid);
	DIR *list = opendir(path);
	for (struct dirent *entry; list && (entry = readdir(list)) != NULL;)
		open_now += entry->d_name[0] != '.' && strtoul(entry->d_name, NULL, 10) < limit;
	if (list)
		closedir(list);
	return open_now < limit ? limit - open_now : 0;
}

/* Whoever may write to a folder, or owns it, can put another in the place of what lies in it. */
static bool is_closed_to_others(const struct rights *rights, const struct stat *st)
{
	uid_t root = rights->same_user_ns || !rights->uids.n ? 0 : rights->uids.v[0].first;
	return (st->st_uid == 0 || st->st_uid == root || st->st_uid == rights->uid) &&
	       (!(st->st_mode & (S_IWGRP | S_IWOTH)) || (st->st_mode & S_ISVTX));
}

static bool is_safe(const struct target *target, const char *real)
{
	char root[64], part[PATH_MAX];
	struct rights rights;
	struct stat st;
	snprintf(root, sizeof root, "/proc/%d/root", (int)target->live_tid);
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool safe = rights_read(&rights, target, NULL) == 0 && fstat(fd, &st) == 0 && is_closed_to_others(&rights, &st);
	snprintf(part, sizeof part, "%s", real);
	for (char *slash = part; safe && slash && part[1];) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		safe = fstatat(fd, part + 1, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_closed_to_others(&rights, &st);
		if (slash)
			*slash = '/';
	}
	rights_free(&rights);
	close(fd);
	return safe;
}

bool stage_folder(const struct target *target, const char *temporary, unsigned i, char *folder, size_t size)
{
	static const char *const usual[] = { "/tmp", "/dev/shm", "/var/tmp" };
	folder[0] = '\0';
	if (i == 0 && temporary && temporary[0] == '/')
		snprintf(folder, size, "%s", temporary);
	else if (i >= 1 && i <= 3)
		snprintf(folder, size, "%s", usual[i - 1]);
	else if (i == 4 && search_current(target, folder, size) < 0)
		folder[0] = '\0';
	else if (i == 4 && !folder[0])
		strcpy(folder, "/");
	for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';)
		folder[--n] = '\0';
	return i <= 4;
}

int stage_folder_fits(const struct target *target, const char *folder, struct err *err)
{
	char real[PATH_MAX];
	struct statvfs vfs;
	struct stat st;
	int fd = root_nearest(target, folder, real, sizeof real, err);
	if (fd < 0)
		return -1;
	bool whole = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && !strcmp(real, folder);
	bool mounted = fstatvfs(fd, &vfs) == 0;
	close(fd);
	if (!whole)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s is not there, or is a link", folder);
	if (mounted && (vfs.f_flag & ST_NOEXEC))
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s is mounted noexec", folder);
	if (!is_safe(target, real))
		return err_set(err, ERR_NOT_POSSIBLE, 0, "others could change what lies in %s", folder);
	return writable_check(target, folder, err);
}

static int choose_folder(const struct target *target, const char *temporary, struct stage_place *place, struct err *err)
{
	char reasons[320] = "";
	for (unsigned i = 0; stage_folder(target, temporary, i, place->folder, sizeof place->folder); i++) {
		struct err why = { 0 };
		size_t used = strlen(reasons);
		if (!place->folder[0])
			continue;
		if (stage_folder_fits(target, place->folder, &why) == 0) {
			place->how = STAGE_FILE;
			return 0;
		}
		snprintf(reasons + used, sizeof reasons - used, "%s%.100s", used ? "; " : "", why.text);
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "no folder for the tool that process %d can use: %s", (int)target->pid, reasons);
	return err_remedy(err, "copy the tool to where the process sees it, into its container (docker cp), and name that path "
			  "with -t");
}

int stage_choose(const struct target *target, const char *temporary, enum stage_how wanted, struct stage_place *place,
		 struct err *err)
{
	*place = (struct stage_place){ .how = STAGE_NONE };
	bool memory = wanted != STAGE_FILE && has_proc(target);
	if (memory) {
		place->how = STAGE_MEMFD;
		return 0;
	}
	if (wanted != STAGE_MEMFD)
		return choose_folder(target, temporary, place, err);
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no /proc of its own pid namespace, by which its loader could open a "
		"file in memory", (int)target->pid);
	return err_remedy(err, "use --stage file");
}
