/* SPDX-License-Identifier: MIT */
/* From a build id and an address to a name. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/watch/debug_file.h"
#include "rocp/formats/symbolize.h"
#include "rocp/trace/names.h"

#define BUILDS_MAX 4096
#define TABLES_MAX ((size_t)2 << 30)

/* The fd is closed.  A file that is whole needs no other beside it. */
static int add_file(struct symbolizer *s, struct symbol_build *build, int fd, const char *path, struct err *err)
{
	struct elf_file file;
	size_t before = build->functions.n;
	if (elf_file_open_debug(&file, fd, NULL) == 0)
		functions_add_file(&build->functions, &file, NULL);
	close(fd);
	if (build->functions.n == before)
		return 0;
	build->file = texts_keep(&s->texts, path, strlen(path), err);
	return build->file ? 0 : -1;
}

static int scan_folders(struct symbolizer *s, struct err *err)
{
	for (const char *const *folder = s->folders; !s->is_scanned && folder && *folder; folder++)
		if (debug_folder_scan(&s->scanned, *folder, err) < 0)
			return -1;
	s->is_scanned = true;
	return 0;
}

static int look_in_folders(struct symbolizer *s, struct symbol_build *build, struct err *err)
{
	char path[PATH_MAX];
	int rc = 0, fd;
	for (const char *const *folder = s->folders; !rc && !build->functions.whole && folder && *folder; folder++)
		if ((fd = debug_file_open(*folder, build->id, path, sizeof path)) >= 0)
			rc = add_file(s, build, fd, path, err);
	if (!rc && !build->functions.whole)
		rc = scan_folders(s, err);
	for (size_t i = 0; !rc && !build->functions.whole && i < s->scanned.n; i++)
		if (!strcmp(s->scanned.v[i].id, build->id) && (fd = debug_file_open_plain(s->scanned.v[i].path)) >= 0)
			rc = add_file(s, build, fd, s->scanned.v[i].path, err);
	if (!rc && !build->functions.whole && (fd = debug_file_open(DEBUG_FOLDER, build->id, path, sizeof path)) >= 0)
		rc = add_file(s, build, fd, path, err);
	return rc;
}

/* NULL without an error: there are more of them than is sensible. */
static struct symbol_build *build_of(struct symbolizer *s, const char *id, struct err *err)
{
	uint64_t key = text_hash(id, strlen(id));
	size_t at = index_get(&s->by_id, key);
	if (at != INDEX_NONE)
		return strcmp(s->build[at].id, id) ? NULL : &s->build[at];
	const char *kept = s->builds < BUILDS_MAX ? texts_keep(&s->texts, id, strlen(id), err) : NULL;
	struct symbol_build *build = kept ? array_add(&s->build, &s->builds, sizeof *build, err) : NULL;
	if (!build || index_put(&s->by_id, key, s->builds - 1, err) < 0)
		return NULL;
	build->id = kept;
	if (s->tables <= TABLES_MAX && look_in_folders(s, build, err) < 0)
		return NULL;
	s->tables += build->functions.room * sizeof *build->functions.v + build->functions.names_room;
	return build;
}

struct task { struct texts *texts; const char *name, *shown; struct err *err; };

static void *demangle(void *ctx)
{
	struct task *task = ctx;
	task->shown = demangled_name(task->texts, task->name, task->err);
	return NULL;
}

/* Long names need a stack of their own; a thread that cannot be had leaves them as they are. */
static const char *show(struct symbolizer *s, const char *name, struct err *err)
{
	struct task task = { &s->texts, name, NULL, err };
	pthread_attr_t attr;
	pthread_t thread;
	if (strlen(name) <= DEMANGLE_PLAIN) {
		demangle(&task);
		return task.shown;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DEMANGLE_STACK);
	if (pthread_create(&thread, &attr, demangle, &task) == 0)
		pthread_join(thread, NULL);
	else
		task.shown = name;
	pthread_attr_destroy(&attr);
	return task.shown;
}

/* The same name is asked for again and again. */
static const char *shown_name(struct symbolizer *s, const char *name, struct err *err)
{
	size_t at = index_get(&s->shown_by_name, (uintptr_t)name);
	if (at != INDEX_NONE)
		return s->shown[at];
	const char *shown = show(s, name, err);
	const char **place = shown ? array_add(&s->shown, &s->shown_n, sizeof *place, err) : NULL;
	if (!place || index_put(&s->shown_by_name, (uintptr_t)name, s->shown_n - 1, err) < 0)
		return NULL;
	*place = shown;
	return shown;
}

int symbolize_name(struct symbolizer *s, const char *id, uint64_t vaddr, const char **name, struct err *err)
{
	struct err why = { .code = ERR_NONE };
	uint64_t offset;
	struct symbol_build *build = build_of(s, id, &why);
	const char *mangled = build ? functions_at(&build->functions, vaddr, &offset) : NULL;
	*name = mangled ? shown_name(s, mangled, &why) : NULL;
	if (why.code != ERR_NONE) {
		*err = why;
		return -1;
	}
	s->named += mangled != NULL;
	s->unnamed += mangled == NULL;
	if (build)
		mangled ? build->named++ : build->unnamed++;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	for (size_t i = 0; i < s->builds; i++)
		functions_free(&s->build[i].functions);
	free(s->build);
	free(s->shown);
	index_free(&s->by_id);
	index_free(&s->shown_by_name);
	texts_free(&s->texts);
	debug_folder_free(&s->scanned);
	*s = (struct symbolizer){ .folders = s->folders };
}
