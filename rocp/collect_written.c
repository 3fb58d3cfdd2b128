/* SPDX-License-Identifier: MIT */
/* Which files are a tool's output, and what they are called on our side. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/beneath.h"
#include "inject/root.h"
#include "rocp/collect.h"
#include "rocp/formats/file.h"

#define ENTRIES_MAX 1000000u    /* of a folder that is looked through */
#define HOST_SIZE 256

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) < 0 || stat(other, &b) < 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Not followed and not mounted: the path is the target's. */
static bool same_folder(const struct target *target, const char *output)
{
	char path[PATH_MAX];
	struct stat theirs, ours;
	int fd = root_nearest(target, output, path, sizeof path, NULL);
	bool same = fd >= 0 && fstat(fd, &theirs) == 0 &&
		    fstatat(AT_FDCWD, path, &ours, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
		    theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
	if (fd >= 0)
		close(fd);
	return same;
}

bool collect_is_needed(const struct target *target, const char *output)
{
	char root[64], mounts[64];
	snprintf(root, sizeof root, "/proc/%d/root", (int)target->live_tid);
	snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", (int)target->live_tid);
	if (!same_file("/", root))
		return true;
	return !same_file("/proc/self/ns/mnt", mounts) && !same_folder(target, output);
}

/* ---- the files ------------------------------------------------------------------------------- */

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The folder of the output, to be listed.  -1: *error as beneath's. */
static int open_folder(const struct written *written, int *error)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%.*s/", (int)(last_name(written->output) - written->output), written->output);
	int there = beneath(written->root, path, NULL, 0, error);
	int fd = there < 0 ? -1 : beneath_folder(there, error);
	if (there >= 0)
		close(there);
	return fd;
}

static bool ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	return n >= m && !strcmp(name + n - m, ending);
}

/* NAME_results.db, NAME.rlog, NAME itself; not those of a longer name, nor what is being written. */
static bool is_output(const struct written *written, const char *name)
{
	const char *wanted = last_name(written->output);
	size_t n = strlen(wanted);
	return n && !strncmp(name, wanted, n) && (!name[n] || name[n] == '_' || name[n] == '.') && !ends_with(name, FILE_PARTIAL) &&
	       !ends_with(name, COLLECT_PART);
}

static uint64_t hash(const char *name)
{
	uint64_t sum = UINT64_C(14695981039346656037);  /* FNV-1a */
	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return sum;
}

static int64_t changed_ns(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

static void remember(struct written *written, const char *name, const struct stat *st)
{
	if (written->n_seen == COLLECT_SEEN)
		return;
	written->seen[written->n_seen].name = hash(name);
	written->seen[written->n_seen].inode = st->st_ino;
	written->seen[written->n_seen].size = st->st_size;
	written->seen[written->n_seen++].changed_ns = changed_ns(st);
}

static bool was_there(const struct written *written, const char *name, const struct stat *st)
{
	uint64_t sum = hash(name);
	for (size_t i = 0; i < written->n_seen; i++)
		if (written->seen[i].name == sum && written->seen[i].inode == st->st_ino && written->seen[i].size == st->st_size &&
		    written->seen[i].changed_ns == changed_ns(st))
			return true;
	return false;
}

static void look_before(struct written *written)
{
	int error, fd = open_folder(written, &error);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	struct stat st;
	for (unsigned i = 0; list && i < ENTRIES_MAX && (entry = readdir(list)); i++)
		if (is_output(written, entry->d_name) && fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			remember(written, entry->d_name, &st);
	if (list)
		closedir(list);
}

int written_hold(struct written *written, const struct target *target, const char *output, unsigned names, bool look,
		 struct err *err)
{
	char mounts[64];
	*written = (struct written){ .root = -1, .mounts = -1, .pid = target->pid, .names = names };
	snprintf(written->output, sizeof written->output, "%s", output);
	if (owner_read(&written->owner, target, err) < 0 || (written->root = root_of(target, err)) < 0)
		return -1;
	snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", (int)target->live_tid);
	written->mounts = open(mounts, O_RDONLY | O_CLOEXEC);
	if (look)
		look_before(written);
	return 0;
}

void written_close(struct written *written)
{
	if (written->root >= 0)
		close(written->root);
	if (written->mounts >= 0)
		close(written->mounts);
	written->root = written->mounts = -1;
}

/* ---- what they are called here ---------------------------------------------------------------- */

/* Text of the target in a name of ours: control characters as \xNN, and no name that means a folder. */
static void add_name(char *path, size_t size, const char *name, size_t length)
{
	size_t used = strlen(path);
	bool dots = length <= 2 && !memcmp(name, "..", length);
	for (size_t i = 0; i < length && used + 5 < size; i++) {
		unsigned char c = (unsigned char)name[i];
		if (c < 0x20 || c == 0x7f || dots)
			used += (size_t)snprintf(path + used, size - used, "\\x%02x", c);
		else
			path[used++] = (char)c;
		path[used] = '\0';
	}
}

/* The output's own names. */
static void own_names(const struct written *written, const char *file, char *own, size_t size)
{
	const char *from = last_name(written->output);
	for (unsigned i = 1; i < written->names && from > written->output + 1; i++)
		while (--from > written->output && from[-1] != '/')
			;
	own[0] = '\0';
	for (const char *at = from; at < last_name(written->output); at += strcspn(at, "/") + 1) {
		size_t length = strcspn(at, "/");
		if (!length || (length == 1 && at[0] == '.'))
			continue;
		add_name(own, size - 1, at, length);
		strcat(own, "/");
	}
	add_name(own, size, file, strlen(file));
}

/* Below HOST-PID, unless they tell both: there may be others of these names. */
static void name_here(const struct written *written, const char *own, char *path, size_t size)
{
	char host[HOST_SIZE] = "", pid[16];
	gethostname(host, sizeof host - 1);
	snprintf(pid, sizeof pid, "%d", (int)written->pid);
	snprintf(path, size, "%s", "");
	if (!host[0] || !strstr(own, host) || !strstr(own, pid)) {
		add_name(path, size - 20, host, strcspn(host, "/"));
		snprintf(path + strlen(path), size - strlen(path), "-%s/", pid);
	}
	snprintf(path + strlen(path), size - strlen(path), "%s", own);
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* As its owner: an fd of an ordinary file of the target's user, and what it is; -1 with err. */
static int open_output(const struct written *written, int folder, const char *name, struct stat *st, struct err *err)
{
	int error = 0, there = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (there < 0)
		return err_set(err, ERR_RESIDUE, errno, "%s", name);
	int fd = beneath_file(there, &error);
	close(there);
	if (fd < 0 && !error)
		return err_set(err, ERR_RESIDUE, 0, "%s is no ordinary file", name);
	if (fd < 0 || fstat(fd, st) < 0) {
		err_set(err, ERR_RESIDUE, fd < 0 ? error : errno, "%s", name);
	} else if (geteuid() == 0 && written->owner.uid != 0 && st->st_uid != written->owner.uid) {
		err_set(err, ERR_RESIDUE, 0, "%s belongs to user %u, but user %u is who the process writes as", name, (unsigned)st->st_uid,
			(unsigned)written->owner.uid);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Root opens as the owner, and writes as itself. */
static int collect_one(struct collection *collection, const struct written *written, int folder, const char *name,
		       struct err *err)
{
	char own[PATH_MAX], here[PATH_MAX];
	struct owner_before before;
	struct stat st;
	if (owner_become(&written->owner, &before, err) < 0)
		return -1;
	int fd = open_output(written, folder, name, &st, err);
	owner_return(&before);
	if (fd < 0)
		return -1;
	own_names(written, name, own, sizeof own);
	name_here(written, own, here, sizeof here);
	int rc = collect_is_here(collection, &st, own) ? 0 : collect_file(collection, fd, &st, here, err);
	close(fd);
	return rc;
}

static bool is_new(const struct written *written, int folder, const char *name)
{
	struct stat st;
	return is_output(written, name) && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !was_there(written, name, &st);
}

int collect_written(struct collection *collection, const struct written *written, struct err *err)
{
	struct owner_before before;
	int error = ENOMEM;
	if (owner_become(&written->owner, &before, err) < 0)
		return -1;
	int folder = open_folder(written, &error);
	owner_return(&before);
	DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
	if (!list)
		return err_set(err, ERR_RESIDUE, error ? error : ENOTDIR, "the folder of %s, as process %d sees it",
			       written->output, (int)written->pid);
	struct dirent *entry;
	for (unsigned i = 0; i < ENTRIES_MAX && !collection->stopped && (entry = readdir(list)); i++) {
		struct err why = { 0 };
		if (!is_new(written, folder, entry->d_name) || collect_one(collection, written, folder, entry->d_name, &why) == 0)
			continue;
		if (!collection->refused++ || collection->stopped)
			*err = why;
	}
	closedir(list);
	return collection->refused ? -1 : 0;
}
