/* SPDX-License-Identifier: MIT */
/*
 * What SQLite is to see of the world: one open file, to be read.  No names are
 * followed (those of another mount namespace lead elsewhere here), no journal is
 * found beside it, and there is no way to write.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/trace/rocpd_source.h"

struct open_file { sqlite3_file file; int fd; };

static int nothing(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

static int no_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 offset)
{
	(void)file, (void)data, (void)n, (void)offset;
	return SQLITE_READONLY;
}

static int no_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	(void)file, (void)size;
	return SQLITE_READONLY;
}

static int any_lock(sqlite3_file *file, int level)
{
	(void)file, (void)level;
	return SQLITE_OK;
}

static int not_reserved(sqlite3_file *file, int *out)
{
	(void)file;
	*out = 0;
	return SQLITE_OK;
}

static int no_control(sqlite3_file *file, int what, void *argument)
{
	(void)file, (void)what, (void)argument;
	return SQLITE_NOTFOUND;
}

static int is_immutable(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_IMMUTABLE;
}

/* What is behind the end is zeros, as SQLite wants it. */
static int read_file(sqlite3_file *file, void *data, int n, sqlite3_int64 offset)
{
	size_t done = 0, all = (size_t)n;
	while (done < all) {
		ssize_t part = pread(((struct open_file *)file)->fd, (char *)data + done, all - done, offset + (off_t)done);
		if (part < 0 && errno != EINTR)
			return SQLITE_IOERR_READ;
		if (!part) {
			memset((char *)data + done, 0, all - done);
			return SQLITE_IOERR_SHORT_READ;
		}
		done += part > 0 ? (size_t)part : 0;
	}
	return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct stat st;
	if (fstat(((struct open_file *)file)->fd, &st) < 0)
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

static int open_number(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 1, .xClose = nothing, .xRead = read_file, .xWrite = no_write, .xTruncate = no_truncate, .xSync = any_lock,
		.xFileSize = file_size, .xLock = any_lock, .xUnlock = any_lock, .xCheckReservedLock = not_reserved,
		.xFileControl = no_control, .xSectorSize = nothing, .xDeviceCharacteristics = is_immutable,
	};
	(void)vfs;
	file->pMethods = NULL;
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	((struct open_file *)file)->fd = (int)strtol(name, NULL, 10);
	file->pMethods = &methods;
	if (out)
		*out = SQLITE_OPEN_READONLY;
	return SQLITE_OK;
}

static int same_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
	(void)vfs;
	return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int not_there(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs, (void)name, (void)flags;
	*out = 0;
	return SQLITE_OK;
}

static int no_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

const char *rocpd_files(void)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *usual = vfs.zName ? NULL : sqlite3_vfs_find(NULL);
	if (usual) {
		vfs = *usual;   /* the clock and the like */
		vfs.pNext = NULL;
		vfs.zName = "open-files";
		vfs.szOsFile = sizeof(struct open_file);
		vfs.xOpen = open_number;
		vfs.xFullPathname = same_name;
		vfs.xAccess = not_there;
		vfs.xDelete = no_delete;
		sqlite3_vfs_register(&vfs, 0);
	}
	return vfs.zName;
}
