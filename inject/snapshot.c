/* SPDX-License-Identifier: MIT */
#include "inject/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Since Linux 6.2 the size of the folder is the number of descriptors. */
static int count_fds(const struct target *target, size_t *count, struct err *err)
{
	char path[64];
	struct stat folder_stat;
	snprintf(path, sizeof path, "/proc/%d/task/%d/fd", (int)target->pid, (int)target->live_tid);
	if (stat(path, &folder_stat) == 0 && folder_stat.st_size > 0) {
		*count = (size_t)folder_stat.st_size;
		return 0;
	}
	DIR *folder = opendir(path);
	if (!folder)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	*count = 0;
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
		*count += entry->d_name[0] != '.';
	closedir(folder);
	return 0;
}

int snapshot_take(struct snapshot *snapshot, const struct target *target, struct err *err)
{
	struct proc_status status;
	*snapshot = (struct snapshot){0};
	if (target_maps(target, &snapshot->maps, err) < 0 ||
	    proc_threads(target->pid, &snapshot->threads, &snapshot->thread_count, err) < 0 ||
	    count_fds(target, &snapshot->fd_count, err) < 0 ||
	    proc_status(target->pid, target->live_tid, &status, err) < 0) {
		snapshot_free(snapshot);
		if (!target_alive(target))
			return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)target->pid);
		return -1;
	}
	snapshot->tracer = status.tracer;
	return 0;
}

void snapshot_free(struct snapshot *snapshot)
{
	maps_free(&snapshot->maps);
	free(snapshot->threads);
	snapshot->threads = NULL;
	snapshot->thread_count = 0;
}

static bool is_code_of_file(const struct mapping *m)
{
	return m->x && m->inode != 0;
}

static bool has_code_of(const struct mapping *v, size_t n, const struct mapping *file)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].inode == file->inode && is_code_of_file(&v[i]) && v[i].dev_major == file->dev_major &&
		    v[i].dev_minor == file->dev_minor)
			return true;
	return false;
}

void snapshot_new_libraries(const struct snapshot *before, const struct snapshot *after,
			    void (*each)(void *ctx, const char *path), void *ctx)
{
	const struct maps *now = &after->maps;
	for (size_t i = 0; i < now->n; i++) {
		const struct mapping *m = &now->v[i];
		if (!is_code_of_file(m))
			continue;
		const struct mapping *then = maps_at(&before->maps, m->start);  /* mostly it is where it was */
		if (then && has_code_of(then, 1, m))
			continue;
		if (!has_code_of(before->maps.v, before->maps.n, m) && !has_code_of(now->v, i, m))
			each(ctx, m->path);
	}
}

/* Memory of no file; "[vdso]" and its like are the kernel's. */
static bool is_anonymous(const struct mapping *m)
{
	return m->inode == 0 && strncmp(m->path, "[v", 2) != 0;
}

void snapshot_new_anonymous(const struct snapshot *before, const struct snapshot *after,
			    void (*each)(void *ctx, const struct mapping *mapping), void *ctx)
{
	const struct maps *then = &before->maps;
	size_t old = 0;
	for (size_t i = 0; i < after->maps.n; i++) {
		struct mapping rest = after->maps.v[i];
		if (!is_anonymous(&rest))
			continue;
		while (old < then->n && then->v[old].end <= rest.start)
			old++;
		/* what was anonymous before is cut out; mappings merge and split freely */
		for (size_t j = old; j < then->n && then->v[j].start < rest.end; j++) {
			if (!is_anonymous(&then->v[j]))
				continue;
			struct mapping piece = rest;
			piece.end = then->v[j].start;
			if (piece.start < piece.end)
				each(ctx, &piece);
			rest.start = then->v[j].end;
			if (rest.start >= rest.end)
				break;
		}
		if (rest.start < rest.end)
			each(ctx, &rest);
	}
}
