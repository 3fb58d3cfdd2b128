/* SPDX-License-Identifier: MIT */
/*
 * A recording as rocprofv3's database.  It is written in one transaction into a
 * file that nobody reads yet: no journal, no syncs, and on any failure it goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/formats/file.h"
#include "rocp/formats/rocpd_parts.h"

int rocpd_not_written(struct rocpd *rocpd, struct err *err)
{
	int sys = sqlite3_errcode(rocpd->db) == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(rocpd->db);
	return err_set(err, ERR_FAILED, sys, "%s could not be written and was removed: %s", rocpd->path, sqlite3_errmsg(rocpd->db));
}

int rocpd_run(struct rocpd *rocpd, struct err *err, const char *sql, ...)
{
	va_list ap;
	va_start(ap, sql);
	char *text = sqlite3_vmprintf(sql, ap);
	va_end(ap);
	if (!text)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	int rc = sqlite3_exec(rocpd->db, text, NULL, NULL, NULL);
	sqlite3_free(text);
	return rc == SQLITE_OK ? 0 : rocpd_not_written(rocpd, err);
}

/* A UUID of version 7: when recording began, then random bits of the log's id. */
void rocpd_name(struct rocpd *rocpd, uint64_t realtime, const uint64_t id[2])
{
	unsigned long long ms = realtime / 1000000;
	snprintf(rocpd->guid, sizeof rocpd->guid, "%08llx-%04llx-7%03llx-%04llx-%012llx", ms >> 16 & 0xffffffff, ms & 0xffff,
		 (unsigned long long)id[0] & 0xfff, 0x8000 | ((unsigned long long)id[0] >> 12 & 0x3fff),
		 (unsigned long long)id[1] & 0xffffffffffff);
	snprintf(rocpd->suffix, sizeof rocpd->suffix, "_%s", rocpd->guid);
	for (char *at = rocpd->suffix; *at; at++)
		if (*at == '-')
			*at = '_';
}

/* SQLite puts the text of a symbolic link in its place.  Those of /proc lead to where their text does not: to
 * folders of other mount namespaces.  For others that open databases all stays as it is.
 * Its locks would be in the way of our own on the same file, where a network file system makes one kind of both. */
static int open_path_as_it_is(const char *path, sqlite3 **db)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	bool can = vfs && vfs->iVersion >= 3;
	if (can)
		vfs->xSetSystemCall(vfs, "lstat", (sqlite3_syscall_ptr)stat);
	int rc = sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, "unix-none");
	if (can)
		vfs->xSetSystemCall(vfs, "lstat", NULL);
	return rc;
}

int rocpd_begin(struct rocpd *rocpd, const char *base, struct err *err)
{
	char partial[sizeof rocpd->path + sizeof FILE_PARTIAL];
	if (snprintf(rocpd->path, sizeof rocpd->path, "%s_results.db", base) >= (int)sizeof rocpd->path)
		return err_set(err, ERR_USAGE, 0, "the path %.200s... is too long", base);
	int fd = partial_create(rocpd->path, err);
	if (fd < 0)
		return -1;
	rocpd->made = true;
	rocpd->fd = fd;
	snprintf(partial, sizeof partial, "%s" FILE_PARTIAL, rocpd->path);
	if (open_path_as_it_is(partial, &rocpd->db) != SQLITE_OK)
		return rocpd->db ? rocpd_not_written(rocpd, err) : err_set(err, ERR_FAILED, 0, "out of memory");
	if (rocpd_run(rocpd, err, "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
		      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-32768; PRAGMA foreign_keys=OFF; BEGIN") < 0)
		return -1;
	return rocpd_make_tables(rocpd, err) < 0 ? -1 : rocpd_make_views(rocpd, err);
}

static const char *const inserts[ROW_KINDS][2] = {
	[ROW_EVENT] = { "event", "category_id, stack_id, parent_stack_id, correlation_id) VALUES (?, ?, ?, ?)" },
	[ROW_EVENT_TEXT] = { "event", "category_id, stack_id, parent_stack_id, correlation_id, extdata) VALUES (?, ?, ?, ?, ?)" },
	[ROW_REGION] = { "region", "nid, pid, tid, start, \"end\", name_id, event_id) VALUES (?, ?, ?, ?, ?, ?, ?)" },
	[ROW_SAMPLE] = { "sample", "track_id, timestamp, event_id) VALUES (?, ?, ?)" },
	[ROW_DISPATCH] = { "kernel_dispatch", "nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", "
		"private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, "
		"grid_size_y, grid_size_z, region_name_id, event_id) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" },
	[ROW_COPY] = { "memory_copy", "nid, pid, tid, start, \"end\", name_id, dst_agent_id, dst_address, src_agent_id, src_address, "
		"size, stream_id, event_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" },
	[ROW_ALLOCATION] = { "memory_allocate", "nid, pid, tid, agent_id, start, \"end\", address, size, queue_id, stream_id, "
		"event_id, type, level, extdata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" },
	[ROW_PMC] = { "pmc_event", "event_id, pmc_id, value) VALUES (?, ?, ?)" },
	[ROW_TRACK] = { "track", "nid, pid, tid, name_id) VALUES (?, ?, ?, ?)" },
	[ROW_STRING] = { "string", "id, string) VALUES (?, ?)" },
};

static int prepare(struct rocpd *rocpd, struct err *err)
{
	for (size_t i = 0; i < ROW_KINDS; i++) {
		char *sql = sqlite3_mprintf("INSERT INTO \"rocpd_%s%s\" (%s", inserts[i][0], rocpd->suffix, inserts[i][1]);
		int rc = sql ? sqlite3_prepare_v3(rocpd->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &rocpd->row[i], NULL) : SQLITE_NOMEM;
		sqlite3_free(sql);
		if (rc != SQLITE_OK)
			return rocpd_not_written(rocpd, err);
	}
	return 0;
}

int rocpd_end(struct rocpd *rocpd, int rc, uint64_t *bytes, struct err *err)
{
	struct stat st;
	if (rc == 0)
		rc = rocpd_run(rocpd, err, "COMMIT");
	if (rocpd->db && sqlite3_close(rocpd->db) != SQLITE_OK && rc == 0)
		rc = rocpd_not_written(rocpd, err);
	if (rc < 0 && rocpd->made)
		partial_remove(rocpd->path, rocpd->fd);
	else if (rc == 0)
		rc = partial_publish(rocpd->path, rocpd->fd, err);
	*bytes = rc == 0 && stat(rocpd->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	return rc;
}

static void free_rows(struct rocpd *rocpd)
{
	for (size_t i = 0; i < ROW_KINDS; i++)
		sqlite3_finalize(rocpd->row[i]);
	struct idmap *map[] = { &rocpd->agents, &rocpd->threads, &rocpd->queues, &rocpd->streams, &rocpd->code_objects,
				&rocpd->kernels, &rocpd->counters, &rocpd->tracks, &rocpd->nodes };
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		idmap_free(map[i]);
	for (size_t i = 0; i < rocpd->dispatches.room; i++)
		if (rocpd->dispatches.slot[i].key != UINT64_MAX)
			free((void *)(uintptr_t)rocpd->dispatches.slot[i].value);
	idmap_free(&rocpd->dispatches);
	textmap_free(&rocpd->strings);
}

int rocpd_write(const struct conversion *conversion, struct err *err)
{
	struct rocpd *rocpd = calloc(1, sizeof *rocpd);
	uint64_t bytes;
	if (!rocpd)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	rocpd->conversion = conversion;
	rocpd->trace = conversion->trace;
	rocpd_name(rocpd, rocpd->trace->start_realtime, rocpd->trace->id);
	int rc = rocpd_begin(rocpd, conversion->base, err) < 0 || prepare(rocpd, err) < 0 ||
		 rocpd_write_infos(rocpd, err) < 0 || rocpd_write_events(rocpd, err) < 0 ? -1 : 0;
	free_rows(rocpd);
	rc = rocpd_end(rocpd, rc, &bytes, err);
	if (rc == 0 && conversion->wrote)
		conversion->wrote(conversion->ctx, rocpd->path, bytes);
	free(rocpd);
	return rc;
}
