/* SPDX-License-Identifier: MIT */
/* The lines about the tool: which one, can it be loaded, does it fit what was before. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/own_tool.h"
#include "rocp/preflight_look.h"

#define TOOL_NAME "librocprofiler-sdk-tool.so"
#define TOOL_FOLDER "rocprofiler-sdk"
#define FILES_NEEDED 4          /* at a time: the tool's bytes, the file that the loader reads, and what the tool makes */

static bool is_file(const struct look *look, const char *path)
{
	char real[PATH_MAX];
	int fd = root_open(look->target, path, real, sizeof real, NULL);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The newest of the versioned names in a folder of the target, behind the folder's path. */
static bool newest_in(const struct look *look, char *path, size_t size)
{
	char best[NAME_MAX + 1] = "";
	int folder = root_folder(look->target, path, NULL);
	DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
	if (!list)
		return false;
	for (struct dirent *entry; (entry = readdir(list)) != NULL;)
		if (!strncmp(entry->d_name, TOOL_NAME ".", sizeof TOOL_NAME) && strverscmp(entry->d_name, best) > 0)
			snprintf(best, sizeof best, "%s", entry->d_name);
	closedir(list);
	size_t used = strlen(path);
	return best[0] && snprintf(path + used, size - used, "/%s", best) < (int)(size - used) && is_file(look, path);
}

/* "1" of ".../librocprofiler-sdk-attach.so.1.3.2" */
static unsigned major_of(const char *path)
{
	const char *version = strstr(path, ".so.");
	unsigned major = version ? (unsigned)strtoul(version + 4, NULL, 10) : 0;
	return major ? major : 1;
}

/* As AMD's newest attacher chooses it: from the folder of the libraries that are loaded. */
static bool find_default(struct look *look, char *path, size_t size)
{
	struct rocm_view *view = look->view;
	struct image *from = view->attach_library ? view->attach_library : view->sdk ? view->sdk : view->reg;
	if (!from)
		return false;
	const char *library = root_strip(look->target, from->path), *slash = strrchr(library, '/');
	int folder = snprintf(path, size, "%.*s/" TOOL_FOLDER, slash ? (int)(slash - library) : 0, library);
	if (folder < 0 || (size_t)folder + sizeof TOOL_NAME + 16 > size)
		return false;
	snprintf(path + folder, size - (size_t)folder, "/" TOOL_NAME);
	if (is_file(look, path))
		return true;
	snprintf(path + folder, size - (size_t)folder, "/" TOOL_NAME ".%u", major_of(library));
	if (is_file(look, path))
		return true;
	path[folder] = '\0';
	return newest_in(look, path, size);
}

/* It is the SDK that loads tools; before it is loaded itself, the register stands for it. */
static struct image *loads_from(const struct look *look)
{
	return look->view->sdk ? look->view->sdk : look->view->reg;
}

static int tool_check(const struct look *look, const char *name, struct loadable *found, struct err *err)
{
	return loadable_check_from(look->images, loads_from(look), name, found, err);
}

static bool is_same_file(const struct look *look, const char *one, const char *other)
{
	struct loadable a, b;
	return tool_check(look, one, &a, NULL) == 0 && tool_check(look, other, &b, NULL) == 0 &&
	       !strcmp(a.path, b.path);
}

/* roclatch's own: a file, or what is built in where there is none or the target does not see it; NULL with err. */
static const char *find_own(struct look *look, struct err *err)
{
	int found = own_tool_file(NULL, look->request->own_tool_file, look->own, sizeof look->own, err);
	if (found == 0 && own_tool_visible(look->target, look->own, err) == 0)
		return look->own;
	if (found == 1) {
		strcpy(look->own, OWN_TOOL_NAME);
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d does not see roclatch's own tool, which is built into this program",
			(int)look->target->pid);
		err_remedy(err, "do not forbid to bring it there (--stage none)");
	}
	look->own_hidden = true;
	if (found >= 0 && look->request->stage != STAGE_NONE)
		return look->own;
	look->own[0] = '\0';
	return NULL;
}

/* Which string goes to the register; NULL with the line refused. */
static const char *choose(struct look *look, struct check *check, char *path, size_t size)
{
	const struct request *request = look->request;
	const char *fallback = request->fallback_tool, *own = NULL;
	struct err err = { 0 };
	if (request->own_tool || (request->late && !request->tool && !look->before))
		own = find_own(look, &err);
	if (look->before)
		return look->before;
	if (request->own_tool && !own)
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	if (request->own_tool)
		return own;
	if (request->tool && request->tool[0])
		return request->tool;
	if (request->late && fallback)
		return fallback;
	if (request->late && own)
		return own;
	if (find_default(look, path, size)) {
		/* the register compares strings: AMD's attacher would have given this one */
		return fallback && is_same_file(look, path, fallback) ? fallback : path;
	}
	if (fallback) {
		check_note(check, "%s, as the process's own installation has none", fallback);
		return fallback;
	}
	own = find_own(look, &err);
	if (own)
		check_note(check, "roclatch's own, %s, as the process's own installation has none", own);
	else
		check_refuse(look, check, look->asked, "name one with -t, by a path that the process sees",
			     "no tool library: " TOOL_FOLDER "/" TOOL_NAME " is not beside the ROCm libraries of the process, and %.160s",
			     err.text);
	return own;
}

/* Of an image, of what lies behind an fd, or of a path as the process sees it. */
static void judge_exports(struct look *look, struct check *check, const char *path, struct image *image, int fd)
{
	static const char *const late[] = { TOOL_STATE, TOOL_START, TOOL_STOP };
#define HAS(symbol) (image ? image_exports(look, image, symbol) : \
		     fd >= 0 ? fd_exports(fd, symbol) : file_exports(look, path, symbol))
	if (!HAS("rocprofiler_configure"))
		check_refuse(look, check, look->asked, "give a tool library of ROCprofiler-SDK",
			     "%s is no tool: it does not export rocprofiler_configure", path);
	/* the register would answer 6, and keep this path for the life of the process */
	if (!look->request->late && !HAS("rocprofiler_configure_attach"))
		check_refuse(look, check, look->asked, "give a tool that can be attached, or start the process with this one",
			     "%s cannot be attached: it does not export rocprofiler_configure_attach", path);
	for (size_t i = 0; look->request->late && i < 3; i++)
		if (!HAS(late[i]))
			check_refuse(look, check, look->asked, "give roclatch's own tool library, or one that offers the same: -t TOOL",
				     "%s cannot be started late: it does not export %s (AMD's tool does not)", path, late[i]);
	look->preflight->own |= HAS(TOOL_STATUS);
#undef HAS
}

static void judge_staged(struct look *look, struct check *check, const char *entry, unsigned at)
{
	struct err err = { 0 };
	int fd = stage_look(look, entry, loads_from(look), &err);
	if (fd < 0)
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	else if (at >= STAGED_MAX)
		check_refuse(look, check, look->asked, "give fewer tools", "more than %d tools cannot be brought to a process",
			     STAGED_MAX);
	else
		look->preflight->staged |= 1u << at;
	if (fd >= 0) {
		judge_exports(look, check, entry, NULL, fd);
		close(fd);
	}
}

static void judge_entry(struct look *look, struct check *check, const char *entry, unsigned at)
{
	struct loadable found = { .path = "" };
	struct err err = { 0 };
	if (must_stage(look, entry))
		judge_staged(look, check, entry, at);
	else if (tool_check(look, entry, &found, &err) < 0)
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	else
		judge_exports(look, check, found.path, NULL, -1);
}

/* Every entry of a list, or the one. */
static void judge_list(struct look *look, struct check *check, const char *list)
{
	char entry[PATH_MAX];
	unsigned n = 0;
	size_t left = stage_files_left(look->target);
	if (left < FILES_NEEDED)
		check_refuse(look, check, look->asked, "raise its limit, as prlimit --nofile does, or let it close some",
			     "the process may open no more than %zu files: loading the tool would fail, and the SDK aborts then", left);
	for (const char *at = list; *at; at += strspn(at, ":")) {
		size_t length = strcspn(at, ":");
		if (length >= sizeof entry)
			length = sizeof entry - 1;
		snprintf(entry, sizeof entry, "%.*s", (int)length, at);
		at += strcspn(at, ":");
		if (entry[0])
			judge_entry(look, check, entry, n++);
	}
}

void look_tool(struct look *look)
{
	struct check *check = check_add(look, "tool");
	struct rocm_view *view = look->view;
	char path[PATH_MAX];
	if (!view->reg) {
		check_unknown(look, check, "without the register nothing loads one");
		return;
	}
	const char *tool = choose(look, check, path, sizeof path);
	if (!tool)
		return;
	struct err err = { 0 };
	if (look->request->late && strchr(tool, ':') && !look->before)
		check_refuse(look, check, look->asked, "give one tool", "%s: one tool at a time can be attached late", tool);
	if (!look->before)
		snprintf(look->preflight->shown, sizeof look->preflight->shown, "%s", tool);
	if (look->before)
		snprintf(look->preflight->tool, sizeof look->preflight->tool, "%s", tool);
	else if (request_tool_string(tool, look->preflight->tool, sizeof look->preflight->tool, &err) < 0)
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	else
		tool = look->preflight->tool;
	/* loaded for good: its file does not matter any more */
	if (look->before && view->tool)
		judge_exports(look, check, view->tool->path, view->tool, -1);
	else
		judge_list(look, check, tool);
	if (check->verdict != VERDICT_NO && look->preflight->staged)
		stage_tell(look, check);
	else if (!check->text[0])
		check_ok(check, "%s%s", look->preflight->shown, look->before ? ", loaded" : " can be loaded");
}

/* Another attacher may have given the list as it was typed. */
static bool is_same_list(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX];
	return request_tool_string(one, a, sizeof a, NULL) == 0 && request_tool_string(other, b, sizeof b, NULL) == 0 &&
	       !strcmp(a, b);
}

void look_same_tool(struct look *look)
{
	struct check *check = check_add(look, "same-tool");
	const char *before = look->before, *now = look->request->own_tool ? look->own : look->request->tool;
	if (!look->preflight->reattach) {
		check_ok(check, "no tool was attached before");
		return;
	}
	if (!before) {
		check_note(check, "a tool was attached before by a path that is not to be seen; if this is another one, the "
			   "register refuses it and nothing else happens");
		return;
	}
	if (!now || (look->request->own_tool && look->preflight->own) || is_same_list(now, before))
		check_ok(check, "the one that was attached before");
	else if (is_staged_list(look, now, before))
		check_ok(check, "the one that was attached before, brought to the process then");
	else if (!strchr(now, ':') && !strchr(before, ':') && is_same_file(look, now, before))
		check_ok(check, "the one that was attached before, by the path that it had then");
	else
		check_refuse(look, check, look->asked, "give the same tool again, or start a new process for another one",
			     "%s was attached before, and the process keeps it: %s cannot be attached", look->preflight->shown,
			     now[0] ? now : "roclatch's own tool");
}

/* An old tool aborts the process when its services are other ones than at first. */
void look_same_services(struct look *look)
{
	struct check *check = check_add(look, "same-services");
	struct err err = { 0 };
	if (!look->preflight->reattach)
		check_ok(check, "no tool was attached before");
	else if (!look->view->environment_known)
		check_refuse(look, check, look->asked, "start a new process",
			     "what was recorded before is not to be seen, and a tool may abort the process if it changes");
	else if (request_same_services(&look->view->environment, &look->request->env, &err) < 0 ||
		 (look->preflight->own && request_same_for_own(&look->view->environment, &look->request->env, &err) < 0))
		check_refuse(look, check, look->asked, err.remedy, "%s", err.text);
	else
		check_ok(check, "those of the attachment before");
}
