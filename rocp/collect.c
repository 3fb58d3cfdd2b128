/* SPDX-License-Identifier: MIT */
/* One file of a target into our folder: beneath it, sparse as it was, continued where an earlier run ended. */
#include "rocp/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/beneath.h"
#include "rocp/folder.h"

#define CHUNK ((size_t)256 << 10)
#define LOOK_BYTES ((uint64_t)16 << 20) /* written between two looks at the room that is left */
#define RESERVE ((uint64_t)64 << 20)    /* of our file system is left free, or a twentieth of a small one */
#define NUMBERS 1000
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* One file on its way. */
struct fetch {
	struct collection *collection;
	int from, folder, to;   /* folder: ours, where the name leads to */
	const struct stat *st;  /* as it was when it was opened */
	const char *shown;      /* below our folder */
	bool held;              /* the part is ours alone */
	char name[NAME_MAX + 1], part[NAME_MAX + 1];
	uint64_t at, unlooked;
};

/* ---- our side --------------------------------------------------------------------------------- */

int collect_into(const char *folder, struct err *err)
{
	if (!folder[0])
		return err_set(err, ERR_USAGE, 0, "--collect: '%.100s' is no folder", folder);
	int fd = folder_make(folder, 0777);
	if (fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS) == 0)
		return fd;
	err_set(err, ERR_FAILED, errno, "nothing can be fetched into %s", folder);
	if (fd >= 0)
		close(fd);
	return err_remedy(err, "name another folder with --collect");
}

/* Where others may write, somebody else's folder is no place for what root fetches. */
static bool is_ours(int fd, int above)
{
	struct stat st, top;
	return fstat(fd, &st) == 0 && fstat(above, &top) == 0 && (st.st_uid == geteuid() || st.st_uid == top.st_uid);
}

/* The folder of a name, made where it is not there; links are not followed. */
static int enter_folder(struct fetch *fetch, const char *name, struct err *err)
{
	int fd = fcntl(fetch->collection->into, F_DUPFD_CLOEXEC, 0);
	for (size_t length; fd >= 0 && name[length = strcspn(name, "/")]; name += length + 1) {
		char one[NAME_MAX + 1];
		snprintf(one, sizeof one, "%.*s", (int)length, name);
		bool made = mkdirat(fd, one, 0777) == 0;
		int next = openat(fd, one, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), sys = errno;
		bool trusted = next >= 0 && (made || is_ours(next, fd));
		close(fd);
		fd = next;
		if (next < 0)
			return err_set(err, ERR_RESIDUE, sys, "the folder of %s", fetch->shown);
		if (!trusted) {
			close(next);
			return err_set(err, ERR_RESIDUE, 0, "the folder of %s belongs to somebody else", fetch->shown);
		}
	}
	fetch->folder = fd;
	if (snprintf(fetch->name, sizeof fetch->name, "%s", name) >= (int)sizeof fetch->name)
		return err_set(err, ERR_RESIDUE, ENAMETOOLONG, "%s", fetch->shown);
	return fd < 0 ? err_set(err, ERR_RESIDUE, errno, "our folder") : 0;
}

/* NAME, NAME_1, ...: the number stands before the ending.  False if that is too long. */
static bool numbered(const struct fetch *fetch, unsigned number, char *name)
{
	const char *dot = strrchr(fetch->name, '.');
	int n = dot && dot > fetch->name ? (int)(dot - fetch->name) : (int)strlen(fetch->name);
	int length = number ? snprintf(name, NAME_MAX + 1, "%.*s_%u%s", n, fetch->name, number, fetch->name + n) :
			      snprintf(name, NAME_MAX + 1, "%s", fetch->name);
	return length <= NAME_MAX;
}

/* Fetched by an earlier run. */
static bool is_there(const struct fetch *fetch, const struct stat *here)
{
	const struct stat *st = fetch->st;
	return S_ISREG(here->st_mode) && here->st_size == st->st_size && here->st_mtim.tv_sec == st->st_mtim.tv_sec &&
	       (here->st_mtim.tv_nsec == st->st_mtim.tv_nsec || !here->st_mtim.tv_nsec);
}

static bool is_fetched(const struct fetch *fetch, char name[NAME_MAX + 1])
{
	struct stat here;
	for (unsigned i = 0; i < NUMBERS && numbered(fetch, i, name); i++) {
		if (fstatat(fetch->folder, name, &here, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
		if (is_there(fetch, &here))
			return true;
	}
	return false;
}

/* The part of this very file, by its inode, size and time: what an earlier run has of it is continued. */
static int open_part(struct fetch *fetch, struct err *err)
{
	const struct stat *st = fetch->st;
	struct stat part;
	char id[96];
	snprintf(id, sizeof id, "%llx-%llx-%llx.%lx" COLLECT_PART, (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
		 (unsigned long long)st->st_mtim.tv_sec, (unsigned long)st->st_mtim.tv_nsec);
	if (snprintf(fetch->part, sizeof fetch->part, "%s.%s", fetch->name, id) >= (int)sizeof fetch->part)
		snprintf(fetch->part, sizeof fetch->part, "%s", id);
	mode_t mode = st->st_mode & 0666;
	fetch->to = openat(fetch->folder, fetch->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
			   mode | 0200);
	if (fetch->to < 0)
		return err_set(err, ERR_RESIDUE, errno, "%s" COLLECT_PART, fetch->shown);
	if (fstat(fetch->to, &part) < 0 || !S_ISREG(part.st_mode) || part.st_nlink != 1 || !is_ours(fetch->to, fetch->folder))
		return err_set(err, ERR_RESIDUE, 0, "%s" COLLECT_PART " is there and is not ours", fetch->shown);
	if (flock(fetch->to, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, ERR_RESIDUE, 0, "another roclatch fetches %s", fetch->shown);
	fetch->held = true;
	if (part.st_size > st->st_size && ftruncate(fetch->to, 0) < 0)
		return err_set(err, ERR_RESIDUE, errno, "%s" COLLECT_PART, fetch->shown);
	fetch->at = part.st_size > st->st_size ? 0 : (uint64_t)part.st_size;
	return 0;
}

/* ---- the bytes -------------------------------------------------------------------------------- */

/* 0, or -1 with err: so many bytes more would leave too little. */
static int check_room(const struct fetch *fetch, uint64_t wanted, struct err *err)
{
	struct statvfs fs;
	if (fstatvfs(fetch->to, &fs) < 0 || !fs.f_blocks)
		return 0;
	uint64_t block = fs.f_frsize ? fs.f_frsize : fs.f_bsize, reserve = fs.f_blocks / 20 * block;
	uint64_t room = fs.f_bavail * block;
	reserve = reserve < RESERVE ? reserve : RESERVE;
	if (room >= reserve && wanted <= room - reserve)
		return 0;
	err_set(err, ERR_RESIDUE, 0, "there is no room for %s: %llu MiB more are wanted and %llu MiB are free", fetch->shown,
		(unsigned long long)(wanted >> 20), (unsigned long long)(room >> 20));
	return err_remedy(err, "make room, or name another folder with --collect");
}

static bool is_zero(const char *data, size_t n)
{
	return !n || (!data[0] && !memcmp(data, data + 1, n - 1));
}

static int write_all(int fd, const char *data, size_t n, uint64_t at)
{
	while (n) {
		ssize_t done = pwrite(fd, data, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		data += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}

static int stop_if_asked(struct fetch *fetch, struct err *err)
{
	struct collection *collection = fetch->collection;
	collection->stopped = collection->progress &&
			      collection->progress(collection->ctx, fetch->shown, fetch->at, (uint64_t)fetch->st->st_size);
	return collection->stopped ? err_set(err, ERR_RESIDUE, 0, "the fetch of %s was stopped", fetch->shown) : 0;
}

/* From where we are up to `end`; 1: it ends before that. */
static int copy_data(struct fetch *fetch, uint64_t end, struct err *err)
{
	static char data[CHUNK];
	while (fetch->at < end) {
		size_t want = end - fetch->at < CHUNK ? (size_t)(end - fetch->at) : CHUNK;
		ssize_t n = pread(fetch->from, data, want, (off_t)fetch->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_RESIDUE, errno, "read %s", fetch->shown);
		if (n == 0)
			return 1;
		if (fetch->unlooked >= LOOK_BYTES) {
			fetch->unlooked = 0;
			if (check_room(fetch, LOOK_BYTES, err) < 0)
				return -1;
		}
		bool zero = is_zero(data, (size_t)n);
		int sys = zero ? 0 : write_all(fetch->to, data, (size_t)n, fetch->at);
		if (sys)
			return err_set(err, ERR_RESIDUE, sys, "write %s" COLLECT_PART, fetch->shown);
		fetch->unlooked += zero ? 0 : (uint64_t)n;
		fetch->at += (uint64_t)n;
		if (stop_if_asked(fetch, err) < 0)
			return -1;
	}
	return 0;
}

/* Holes are passed over: a sparse file stays one, and costs no time.  No more is read than it had when it was opened;
 * 1: it has less by now. */
static int copy(struct fetch *fetch, struct err *err)
{
	uint64_t size = (uint64_t)fetch->st->st_size;
	int rc = 0;
	while (rc == 0 && fetch->at < size) {
		off_t data = lseek(fetch->from, (off_t)fetch->at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		if (data > (off_t)fetch->at)
			fetch->at = (uint64_t)data < size ? (uint64_t)data : size;
		off_t hole = lseek(fetch->from, (off_t)fetch->at, SEEK_HOLE);
		uint64_t end = hole > (off_t)fetch->at && (uint64_t)hole < size ? (uint64_t)hole : size;
		rc = copy_data(fetch, end, err);
	}
	/* its length tells a later run how far this one came */
	if (ftruncate(fetch->to, (off_t)(rc < 0 ? fetch->at : size)) < 0 && rc == 0)
		return err_set(err, ERR_RESIDUE, errno, "write %s" COLLECT_PART, fetch->shown);
	return rc;
}

/* ---- from the part to the whole --------------------------------------------------------------- */

static void note(struct collection *collection, const char *file, const char *text)
{
	size_t used = strlen(collection->notes), room = sizeof collection->notes - used;
	if (room > 2)
		snprintf(collection->notes + used, room, "%s%.200s %s", used ? "\n" : "", file, text);
}

/* What has become shorter meanwhile is not what was to be fetched; what has only changed is told. */
static int check_source(struct fetch *fetch, bool cut, struct err *err)
{
	struct stat now;
	if (cut || fstat(fetch->from, &now) < 0 || now.st_size < fetch->st->st_size) {
		unlinkat(fetch->folder, fetch->part, 0);
		return err_set(err, ERR_RESIDUE, 0, "%s was cut off in the target while it was fetched", fetch->shown);
	}
	if (now.st_size != fetch->st->st_size || now.st_mtim.tv_sec != fetch->st->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != fetch->st->st_mtim.tv_nsec)
		note(fetch->collection, fetch->shown, "was written to in the target while it was fetched");
	return 0;
}

/* No name is taken from another file: where the kernel or the file system cannot promise that, it is looked at before. */
static int give_name(const struct fetch *fetch, const char *name)
{
	struct stat there;
	if (syscall(SYS_renameat2, fetch->folder, fetch->part, fetch->folder, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return errno;
	if (fstatat(fetch->folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0)
		return EEXIST;
	return renameat(fetch->folder, fetch->part, fetch->folder, name) < 0 ? errno : 0;
}

static int finish(struct fetch *fetch, char name[NAME_MAX + 1], struct err *err)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, fetch->st->st_mtim };
	struct stat made;
	int sys = EEXIST;
	if (fdatasync(fetch->to) < 0 || futimens(fetch->to, times) < 0 || fstat(fetch->to, &made) < 0)
		return err_set(err, ERR_RESIDUE, errno, "write %s" COLLECT_PART, fetch->shown);
	if (made.st_size != fetch->st->st_size)
		return err_set(err, ERR_RESIDUE, 0, "%s" COLLECT_PART " was changed by somebody else", fetch->shown);
	for (unsigned i = 0; i < NUMBERS && sys == EEXIST && numbered(fetch, i, name); i++)
		sys = give_name(fetch, name);
	return sys ? err_set(err, ERR_RESIDUE, sys, "name %s", fetch->shown) : 0;
}

static void list(struct collection *collection, const char *shown, const char *name)
{
	size_t used = strlen(collection->names), room = sizeof collection->names - used;
	const char *slash = strrchr(shown, '/');
	int n = slash ? (int)(slash + 1 - shown) : 0;
	if (used + (size_t)n + strlen(name) + 2 <= sizeof collection->names)
		snprintf(collection->names + used, room, "%s%.*s%s", used ? "\n" : "", n, shown, name);
}

/* The part, from where it is to its end; the name that the file has got. */
static int fetch_part(struct fetch *fetch, char name[NAME_MAX + 1], struct err *err)
{
	if (open_part(fetch, err) < 0)
		return -1;
	uint64_t had = fetch->at, whole = (uint64_t)fetch->st->st_blocks * 512;
	int rc = check_room(fetch, whole > had ? whole - had : 0, err);
	if (rc == 0)
		rc = copy(fetch, err);
	if (rc < 0 || check_source(fetch, rc > 0, err) < 0 || finish(fetch, name, err) < 0)
		return -1;
	fetch->collection->resumed += had;
	return 0;
}

static void count(struct collection *collection, const struct stat *st, const char *shown, const char *name)
{
	collection->files++;
	collection->bytes += (uint64_t)st->st_size;
	list(collection, shown, name);
}

bool collect_is_here(struct collection *collection, const struct stat *st, const char *name)
{
	const char *slash = strrchr(name, '/');
	struct stat here;
	int error, fd = beneath(collection->into, name, NULL, 0, &error);
	bool same = fd >= 0 && fstat(fd, &here) == 0 && here.st_dev == st->st_dev && here.st_ino == st->st_ino;
	if (fd >= 0)
		close(fd);
	if (same) {
		count(collection, st, name, slash ? slash + 1 : name);
		collection->same++;
	}
	return same;
}

int collect_file(struct collection *collection, int fd, const struct stat *st, const char *name, struct err *err)
{
	struct fetch fetch = { .collection = collection, .from = fd, .folder = -1, .to = -1, .st = st, .shown = name };
	char got[NAME_MAX + 1];
	int rc = enter_folder(&fetch, name, err);
	if (rc == 0 && is_fetched(&fetch, got)) {
		collection->before++;
		collection->resumed += (uint64_t)st->st_size;
	} else if (rc == 0) {
		rc = fetch_part(&fetch, got, err);
	}
	if (rc == 0)
		count(collection, st, name, got);
	if (rc < 0 && fetch.held && !fetch.at)
		unlinkat(fetch.folder, fetch.part, 0);
	if (fetch.to >= 0)
		close(fetch.to);
	if (fetch.folder >= 0)
		close(fetch.folder);
	return rc;
}
