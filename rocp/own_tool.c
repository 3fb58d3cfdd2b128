/* SPDX-License-Identifier: MIT */
#include "rocp/own_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/root.h"

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int own_folder(char *folder, size_t size, struct err *err)
{
	ssize_t n = readlink("/proc/self/exe", folder, size - 1);
	char *slash = NULL;
	if (n > 0) {
		folder[n] = '\0';
		slash = strrchr(folder, '/');
	}
	if (!slash)
		return err_set(err, ERR_NOT_POSSIBLE, errno, "the folder of this program");
	*slash = '\0';
	return 0;
}

static bool built_in(char *path)
{
	path[0] = '\0';
	return own_tool_is_built_in();
}

int own_tool_file(const char *folder, const char *named, char *path, size_t size, struct err *err)
{
	static const char *const below[] = { "/" OWN_TOOL_NAME, "/lib/" OWN_TOOL_NAME };
	char own[PATH_MAX];
	if (named && *named) {
		if (named[0] == '/' && snprintf(path, size, "%s", named) < (int)size && is_file(path))
			return 0;
		err_set(err, ERR_NOT_POSSIBLE, 0, OWN_TOOL_VARIABLE "=%.200s is no absolute path of a file", named);
		return err_remedy(err, "correct or unset the variable");
	}
	if (!folder && own_folder(own, sizeof own, err) < 0)
		return built_in(path) ? 1 : -1;
	if (folder)
		snprintf(own, sizeof own, "%.*s", PATH_MAX - 1, folder);
	for (size_t i = 0; i < 2; i++)
		if (snprintf(path, size, "%s%s", own, below[i]) < (int)size && is_file(path))
			return 0;
	char *slash = strrchr(own, '/');
	if (slash && snprintf(path, size, "%.*s/lib/" OWN_TOOL_NAME, (int)(slash - own), own) < (int)size && is_file(path))
		return 0;
	if (built_in(path))
		return 1;
	err_set(err, ERR_NOT_POSSIBLE, 0, "roclatch's own tool, " OWN_TOOL_NAME ", is neither in %.200s nor in its lib or ../lib", own);
	return err_remedy(err, "put it beside roclatch, or name it with " OWN_TOOL_VARIABLE "=PATH");
}

static bool is_same_text(int a, int b)
{
	char one[16384], other[16384];
	for (;;) {
		ssize_t n = read(a, one, sizeof one), m = read(b, other, sizeof other);
		if (n < 0 || n != m || memcmp(one, other, (size_t)n))
			return false;
		if (n == 0)
			return true;
	}
}

int own_tool_visible(const struct target *target, const char *path, struct err *err)
{
	struct stat ours, theirs;
	int there = root_open(target, path, NULL, 0, NULL), here = open(path, O_RDONLY | O_CLOEXEC);
	bool same = there >= 0 && here >= 0 && fstat(here, &ours) == 0 && fstat(there, &theirs) == 0 &&
		    ((ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino) ||
		     (ours.st_size == theirs.st_size && is_same_text(here, there)));
	bool other = there >= 0;
	if (there >= 0)
		close(there);
	if (here >= 0)
		close(here);
	if (same)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d %s %s", (int)target->pid,
		other ? "sees another file at the path of roclatch's own tool," : "does not see roclatch's own tool,", path);
	return err_remedy(err, "copy it to where the process sees it, into its container (docker cp), and name that path with -t");
}

static int find_status(struct own_log *log, struct attachment *attachment, struct err *err)
{
	struct image *tool = attachment->view.tool;
	struct elf_symbol symbol;
	if (!tool || image_open(&attachment->images, tool, NULL) < 0 ||
	    elf_symbol_find(&tool->elf, TOOL_STATUS, &symbol, NULL) != 1)
		return 0;
	log->status = symbol.addr;
	if (memory_read(&attachment->target.memory, log->status, &log->last, sizeof log->last, err) < 0)
		return err_wrap(err, "read the tool's status");
	if (log->last.magic == TOOL_STATUS_MAGIC && log->last.version == 1 && log->last.size >= sizeof log->last)
		return 1;
	log->status = 0;
	return err_set(err, ERR_NOT_POSSIBLE, 0, "%s is of another version than this roclatch", tool->path);
}

/* Is that the folder with the log in it, and not one above a folder that is gone? */
static bool is_whole(const struct target *target, const char *log, const char *folder, const char *name)
{
	char real[PATH_MAX], wanted[PATH_MAX + NAME_MAX + 2];
	int fd = root_open(target, log, real, sizeof real, NULL);
	if (fd < 0)
		return false;
	close(fd);
	return snprintf(wanted, sizeof wanted, "%s/%s", strcmp(folder, "/") ? folder : "", name) < (int)sizeof wanted &&
	       !strcmp(real, wanted);
}

/* The folder of the log, once there is one. */
static void open_folder(struct own_log *log, const struct target *target)
{
	char folder[sizeof log->path], real[PATH_MAX];
	log->last.log[sizeof log->last.log - 1] = '\0';
	log->last.why[sizeof log->last.why - 1] = '\0';
	if (!log->last.log[0] || !strcmp(log->path, log->last.log))
		return;
	memcpy(log->path, log->last.log, sizeof log->path);
	if (log->folder >= 0)
		close(log->folder);
	log->folder = -1;
	memcpy(folder, log->path, sizeof folder);
	char *slash = strrchr(folder, '/');
	if (folder[0] != '/' || !slash)
		return;
	slash[slash == folder] = '\0';
	int fd = root_nearest(target, folder, real, sizeof real, NULL);
	if (fd >= 0 && is_whole(target, log->path, real, own_log_name(log)))
		log->folder = fd;
	else if (fd >= 0)
		close(fd);
}

int own_log_open(struct own_log *log, struct attachment *attachment, struct err *err)
{
	*log = (struct own_log){ .folder = -1 };
	const struct target *target = &attachment->target;
	int found = find_status(log, attachment, err);
	if (found != 1)
		return found;
	if (owner_read(&log->owner, target, err) < 0) {
		log->status = 0;
		return -1;
	}
	log->pid = (uint32_t)target_self(target);
	open_folder(log, target);
	log->idle = log->last.state != TOOL_RECORDING && log->folder < 0;
	return 1;
}

int own_log_read(struct own_log *log, struct attachment *attachment)
{
	struct tool_status status;
	if (!log->status || !target_alive(&attachment->target) ||
	    memory_read(&attachment->target.memory, log->status, &status, sizeof status, NULL) < 0 ||
	    status.magic != TOOL_STATUS_MAGIC)
		return -1;
	log->last = status;
	open_folder(log, &attachment->target);
	return 0;
}

int own_log_records(const struct own_log *log, struct err *err)
{
	if (log->last.state == TOOL_RECORDING)
		return 0;
	err_set(err, ERR_CALLED_CODE, log->last.sys, "roclatch's own tool does not record%s%s (state %d)",
		log->last.why[0] ? ": " : "", log->last.why, (int)log->last.state);
	if (!strncmp(log->last.why, "the log ", 8))
		return err_remedy(err, "choose another folder with -d, one that the process can write to");
	/* what the system refused has a remedy of its own */
	return log->last.sys ? -1 : err_remedy(err, "ask for less, and see what else profiles the process: roclatch check -p PID");
}

void own_log_close(struct own_log *log)
{
	if (log->status && log->folder >= 0)
		close(log->folder);
	*log = (struct own_log){ .folder = -1 };
}

const char *own_log_name(const struct own_log *log)
{
	const char *slash = strrchr(log->path, '/');
	return slash ? slash + 1 : log->path;
}

int own_log_folder(const struct own_log *log, char *path, size_t size, struct err *err)
{
	struct stat here, there;
	const char *slash = strrchr(log->path, '/');
	if (!slash)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "the tool made no log");
	if (log->folder < 0 || fstat(log->folder, &there) < 0)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "the folder of %s cannot be reached", log->path);
	snprintf(path, size, "%.*s", slash > log->path ? (int)(slash - log->path) : 1, log->path);
	if (geteuid() == 0 || stat(path, &here) < 0 || here.st_dev != there.st_dev || here.st_ino != there.st_ino)
		snprintf(path, size, "/proc/self/fd/%d", log->folder);
	return 0;
}

int own_log_file(const struct own_log *log, struct stat *st, struct err *err)
{
	int fd = openat(log->folder, own_log_name(log), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_FAILED, errno, "the log %s", log->path);
	if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		err_set(err, ERR_FAILED, 0, "the log %s is no ordinary file", log->path);
	else if (geteuid() == 0 && log->owner.uid != 0 && st->st_uid != log->owner.uid)
		err_set(err, ERR_FAILED, 0, "the log %s belongs to user %u, but user %u is who the process writes as", log->path,
			(unsigned)st->st_uid, (unsigned)log->owner.uid);
	else
		return fd;
	close(fd);
	return -1;
}

bool own_log_remove(const struct own_log *log, const struct stat *st)
{
	struct owner_before before;
	struct stat now;
	if (st->st_uid != log->owner.uid || owner_become(&log->owner, &before, NULL) < 0)
		return false;
	bool removed = fstatat(log->folder, own_log_name(log), &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
		       now.st_ino == st->st_ino && unlinkat(log->folder, own_log_name(log), 0) == 0;
	owner_return(&before);
	return removed;
}
