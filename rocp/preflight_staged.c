/* SPDX-License-Identifier: MIT */
/* Of a tool: must it be brought to the process, can it be, and is it what was brought before? */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/loadable_rights.h"
#include "rocp/own_tool.h"
#include "rocp/preflight_look.h"

#ifndef ST_NOEXEC
#define ST_NOEXEC 8
#endif

/* Does the process see a file there that its loader may map? */
static bool is_usable(const struct look *look, const char *path)
{
	char real[PATH_MAX], where[PATH_MAX];
	struct rights rights;
	struct statvfs vfs;
	int fd = root_open(look->target, path, real, sizeof real, NULL);
	if (fd < 0)
		return false;
	bool usable = (fstatvfs(fd, &vfs) < 0 || !(vfs.f_flag & ST_NOEXEC)) && rights_read(&rights, look->target, NULL) == 0;
	close(fd);
	if (!usable)
		return false;
	usable = rights_open(&rights, look->target, real, R_OK, where, sizeof where) == 0;
	rights_free(&rights);
	return usable;
}

bool must_stage(const struct look *look, const char *entry)
{
	if (look->request->stage == STAGE_NONE)
		return false;
	if (look->own[0] && !strcmp(entry, look->own))
		return look->own_hidden || !is_usable(look, entry);
	if (entry[0] != '/' || is_usable(look, entry))
		return false;
	int fd = stage_source(entry, NULL);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int stage_look(struct look *look, const char *entry, struct image *from, struct err *err)
{
	struct preflight *preflight = look->preflight;
	struct stage_place *place = &preflight->place;
	if (!preflight->staged &&
	    stage_choose(look->target, variable(look, "TMPDIR"), look->request->stage, place, err) < 0)
		return err_wrap(err, "the process does not see %.160s", entry);
	int fd = stage_source(entry, err);
	struct given given = { entry, place->how == STAGE_FILE ? place->folder : STAGED_STRING, fd };
	if (fd < 0 || loadable_check_given(look->images, from, &given, err) == 0)
		return fd;
	close(fd);
	return -1;
}

void stage_tell(const struct look *look, struct check *check)
{
	const struct preflight *preflight = look->preflight;
	if (!check->text[0])
		check_ok(check, "%.200s can be loaded", preflight->tool);
	size_t used = strlen(check->text);
	if (preflight->place.how == STAGE_MEMFD)
		snprintf(check->text + used, sizeof check->text - used,
			 "; the process does not see it: brought there in memory (--stage memfd)");
	else
		snprintf(check->text + used, sizeof check->text - used,
			 "; the process does not see it: brought there as a file below %.100s until the detach (--stage file)",
			 preflight->place.folder);
}

/* One of a list that was attached before, and a file of ours. */
static bool is_same_tool(const struct look *look, const char *now, const char *before)
{
	struct image *image = strcmp(now, before) ? rocm_view_tool(look->view, before) : NULL;
	int fd = image ? stage_source(now, NULL) : -1;
	bool same = fd >= 0 ? staged_is(look->images, image, fd) : !strcmp(now, before);
	if (fd >= 0)
		close(fd);
	return same;
}

bool is_staged_list(const struct look *look, const char *list, const char *before)
{
	char now[PATH_MAX], one[PATH_MAX], other[PATH_MAX];
	const char *a = now, *b = before;
	if (request_tool_string(list, now, sizeof now, NULL) < 0)
		return false;
	while (*a && *b) {
		snprintf(one, sizeof one, "%.*s", (int)strcspn(a, ":"), a);
		snprintf(other, sizeof other, "%.*s", (int)strcspn(b, ":"), b);
		if (!is_same_tool(look, one, other))
			return false;
		a += strcspn(a, ":");
		b += strcspn(b, ":");
		if ((*a == ':') != (*b == ':'))
			return false;
		a += *a == ':';
		b += *b == ':';
	}
	return !*a && !*b;
}

bool is_brought(const char *entry)
{
	return !strncmp(entry, STAGED_STRING, sizeof STAGED_STRING - 1) || strstr(entry, STAGED_FOLDER);
}

/* As the user names it, or by the name that it had before it was brought. */
void show_before(struct look *look)
{
	const char *at = look->before, *given = look->request->tool;
	char entry[PATH_MAX], *shown = look->preflight->shown;
	size_t used = 0, size = sizeof look->preflight->shown;
	if (given && given[0] && is_staged_list(look, given, look->before))
		at = given;
	for (size_t length; *at && used < size; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		snprintf(entry, sizeof entry, "%.*s", (int)length, at);
		const struct image *image = is_brought(entry) ? rocm_view_tool(look->view, entry) : NULL;
		const char *name = image ? strrchr(image->path, '/') + 1 : entry;
		/* several have their number before them */
		if (image && strchr(look->before, ':'))
			name += strspn(name, "0123456789") + 1;
		used += (size_t)snprintf(shown + used, size - used, "%s%s", used ? ":" : "", name);
	}
}
