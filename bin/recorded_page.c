/* SPDX-License-Identifier: MIT */
/* A page with AMD's tool: of the rocpd database that it writes when it is detached. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bin/recording.h"
#include "inject/root.h"

#define ENDING "_results.db"

void recorded_expect(struct recording *recording, const struct request *request)
{
	struct attachment *attachment = &recording->attachment;
	if (own_tool_output(&attachment->target, &attachment->view, &request->env, recording->output, sizeof recording->output, NULL) < 0)
		recording->output[0] = '\0';
	recording->began = (int64_t)time(NULL);
}

/* NAME_results.db, or with a number that the tool put behind the name; not that of a longer name: 12 is no 123. */
static bool is_of(const char *file, const char *name)
{
	size_t n = strlen(name);
	if (strncmp(file, name, n))
		return false;
	file += n;
	if (file[0] == '_' && isdigit((unsigned char)file[1]))
		file += 1 + strspn(file + 1, "0123456789");
	return !strcmp(file, ENDING);
}

/* The newest of them. */
static bool newest(int folder, const char *name, int64_t since, char *found, size_t size)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again >= 0 ? fdopendir(again) : NULL;
	struct timespec best = { 0 };
	found[0] = '\0';
	for (struct dirent *entry; list && (entry = readdir(list));) {
		struct stat st;
		if (!is_of(entry->d_name, name) || fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < since)
			continue;
		if (st.st_mtim.tv_sec > best.tv_sec || (st.st_mtim.tv_sec == best.tv_sec && st.st_mtim.tv_nsec >= best.tv_nsec)) {
			best = st.st_mtim;
			snprintf(found, size, "%s", entry->d_name);
		}
	}
	if (list)
		closedir(list);
	return found[0] != '\0';
}

static int find(struct recording *recording, struct own_log *database, struct err *err)
{
	char folder[PATH_MAX], real[PATH_MAX], name[NAME_MAX + 1];
	snprintf(folder, sizeof folder, "%s", recording->output);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return err_set(err, ERR_FAILED, 0, "where the tool writes is not known");
	const char *called = recording->output + (slash - folder) + 1;
	slash[slash == folder] = '\0';
	if (owner_read(&database->owner, &recording->attachment.target, err) < 0)
		return -1;
	database->folder = root_nearest(&recording->attachment.target, folder, real, sizeof real, err);
	if (database->folder < 0)
		return -1;
	if (newest(database->folder, called, recording->began, name, sizeof name) &&
	    snprintf(database->path, sizeof database->path, "%s/%s", strcmp(folder, "/") ? folder : "", name) < (int)sizeof database->path)
		return 0;
	return err_set(err, ERR_FAILED, 0, "the tool has written no database %.200s" ENDING, recording->output);
}

/* As roclatch convert says it of the same database. */
static void find_fault(const struct converted *converted, struct err *err)
{
	if (converted->damage[0])
		err_set(err, ERR_RESIDUE, 0, "the database is damaged, and the page is of what was there before that: %s", converted->damage);
	else if (converted->missing)
		err_set(err, ERR_RESIDUE, 0, "the database is incomplete: %s", missing_text(converted));
}

void recorded_page(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	struct own_log database = { .folder = -1 };
	struct err err = { 0 };
	struct stat st;
	if (!recording->output[0] || !outcome->detached)
		return;
	outcome->was_converted = find(recording, &database, &err) == 0 && recorded_convert(&database, outcome, request, &st, &err) == 0;
	if (database.folder >= 0)
		close(database.folder);
	if (outcome->was_converted && !outcome->err.code)
		find_fault(&outcome->converted, &outcome->err);
	if (outcome->was_converted || outcome->err.code)
		return;
	outcome->err = err;
	outcome->err.code = ERR_RESIDUE;
	err_wrap(&outcome->err, "detached, but there is no page");
	err_remedy(&outcome->err, "roclatch convert DATABASE -f html makes one of a database that comes later");
}
