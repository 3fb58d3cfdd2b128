/* SPDX-License-Identifier: MIT */
#include "rocp/view.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/root.h"
#include "rocp/environment.h"
#include "rocp/registered.h"
#include "rocp/session.h"
#include "rocp/staged.h"

#define TABLES_MAX 64

static const struct { const char *name; unsigned api; } apis[] = {
	{ "hsa", API_HSA }, { "hip", API_HIP }, { "hip_compiler", API_HIP_COMPILER }, { "roctx", API_ROCTX },
	{ "rccl", API_RCCL }, { "rocdecode", API_ROCDECODE }, { "rocjpeg", API_ROCJPEG }, { "rocattach", API_ROCATTACH },
	{ "other", API_OTHER },
};
#define APIS (sizeof apis / sizeof *apis)

static unsigned api_of(const char *name)
{
	for (size_t i = 0; i < APIS; i++)
		if (!strcmp(apis[i].name, name))
			return apis[i].api;
	return API_OTHER;
}

void rocm_api_names(unsigned set, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < APIS; i++)
		if ((set & apis[i].api) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", apis[i].name);
}

static bool exports(struct rocm_view *view, struct image *image, const char *name)
{
	struct elf_symbol symbol;
	return image && image_open(view->images, image, NULL) == 0 &&
	       elf_symbol_find(&image->elf, name, &symbol, NULL) == 1;
}

/* The first image of that name, "librocprofiler-sdk.so" for one; how many there are in *n. */
static struct image *find(struct rocm_view *view, const char *name, unsigned *n)
{
	struct image *first = NULL;
	*n = 0;
	for (size_t i = 0; i < view->images->n; i++) {
		struct image *image = &view->images->v[i];
		if (image->path[0] != '/' || !elf_name_matches(name, image->path, NULL) ||
		    image_open(view->images, image, NULL) < 0)
			continue;
		if (!(*n)++)
			first = image;
	}
	return first;
}

static unsigned tables_of(struct rocm_view *view, struct image *reg)
{
	struct registered_table tables[TABLES_MAX];
	unsigned set = 0;
	size_t n = registered_tables(view->images, reg, tables, TABLES_MAX);
	for (size_t i = 0; i < n; i++)
		set |= api_of(tables[i].name);
	return set;
}

/* Of several registers, as of a wheel beside the system's, the one that the attach library
 * registered with; else one that anybody has registered with. */
static void choose_register(struct rocm_view *view)
{
	view->reg = find(view, "librocprofiler-register.so", &view->regs);
	for (size_t i = 0; view->reg && i < view->images->n; i++) {
		struct image *image = &view->images->v[i];
		if (image->path[0] != '/' || !image->opened ||
		    !elf_name_matches("librocprofiler-register.so", image->path, NULL))
			continue;
		unsigned set = tables_of(view, image);
		if (set && (!view->registered || (set & API_ROCATTACH))) {
			view->reg = image;
			view->registered = set;
		}
	}
	view->registered_known = view->registered != 0;
	if (!view->reg)
		return;
	const char *version = strstr(view->reg->path, ".so.");
	snprintf(view->register_version, sizeof view->register_version, "%s", version ? version + 4 : "");
	view->register_can_attach = exports(view, view->reg, "rocprofiler_register_attach") &&
				    exports(view, view->reg, "rocprofiler_register_detach");
	view->register_can_late = exports(view, view->reg, "rocprofiler_register_invoke_nonpropagated_registrations");
}

static pid_t find_listener(const struct target *target)
{
	pid_t *tids = NULL, found = 0;
	size_t n = 0, size;
	if (proc_threads(target->pid, &tids, &n, NULL) < 0)
		return 0;
	for (size_t i = 0; i < n && !found; i++) {
		char *name = proc_read(&size, NULL, "/proc/%d/task/%d/comm", (int)target->pid, (int)tids[i]);
		if (name && !strcmp(name, LISTENER_NAME "\n"))
			found = tids[i];
		free(name);
	}
	free(tids);
	return found;
}

/* A file in memory has another name for the kernel than for the loader. */
static bool is_staged_as(struct rocm_view *view, struct image *image, const char *path)
{
	char name[PATH_MAX];
	return !strncmp(image->path, STAGED_MEMORY, sizeof STAGED_MEMORY - 1) &&
	       images_link_name(view->images, image, name, sizeof name) && !strcmp(name, path);
}

struct image *rocm_view_tool(struct rocm_view *view, const char *path)
{
	for (size_t i = 0; path[0] && i < view->images->n; i++) {
		struct image *image = &view->images->v[i];
		if (image->path[0] == '/' &&
		    (!strcmp(root_strip(view->images->target, image->path), path) ||
		     elf_name_matches(path, image->path, NULL) || is_staged_as(view, image, path)))
			return image;
	}
	return NULL;
}

/* The image that is the file which the attach before named, of several the first. */
static struct image *image_of_path(struct rocm_view *view, const char *list)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%.*s", list ? (int)strcspn(list, ":") : 0, list ? list : "");
	return rocm_view_tool(view, path);
}

/* A tool that was there from the start: what it exports is found by the register. */
static void find_startup_tool(struct rocm_view *view)
{
	for (size_t i = 0; i < view->images->n && !view->startup_tool; i++) {
		struct image *image = &view->images->v[i];
		if (image == view->sdk || image == view->tool || image == view->reg || image->path[0] != '/')
			continue;
		if (exports(view, image, "rocprofiler_configure"))
			view->startup_tool = image;
	}
}

static void see_attachment(struct rocm_view *view)
{
	unsigned n;
	const char *marker = env_get(&view->environment, ATTACHED_MARKER);
	view->tool_path = env_get(&view->environment, "ROCPROF_ATTACH_TOOL_LIBRARY");
	view->tool = image_of_path(view, view->tool_path);
	if (!view->tool)
		view->tool = find(view, "librocprofiler-sdk-tool.so", &n);
	view->was_attached = view->sdk && env_get(&view->environment, "ROCPROFILER_REGISTER_TOOL_ATTACHED") != NULL;
	view->late = marker && !strcmp(marker, "late");
	view->attached = marker && (view->late ? view->sdk != NULL : view->was_attached);
	view->owned = session_is_held(view->images->target);
}

static void look_around(struct rocm_view *view, struct images *images)
{
	unsigned n;
	view->environment_known = environment_read(images, &view->environment, NULL) == 0;
	view->attach_library = find(view, "librocprofiler-sdk-attach.so", &n);
	view->sdk = find(view, "librocprofiler-sdk.so", &n);
	view->sdk_can_attach = exports(view, view->sdk, "rocprofiler_attach") && exports(view, view->sdk, "rocprofiler_detach");
	view->hsa = find(view, "libhsa-runtime64.so", &n);
	view->hip = find(view, "libamdhip64.so", &n);
	see_attachment(view);
	find_startup_tool(view);
	view->listener = find_listener(images->target);
	/* it names itself a moment after it was started */
	for (int i = 0; i < 5 && view->attach_library && !view->listener; i++) {
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
		view->listener = find_listener(images->target);
	}
}

static int open_view(struct rocm_view *view, struct images *images, bool glance, struct err *err)
{
	*view = (struct rocm_view){ .images = images };
	choose_register(view);
	if (view->reg || !glance)
		look_around(view, images);
	if (target_alive(images->target))
		return 0;
	rocm_view_close(view);
	return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)images->target->pid);
}

int rocm_view_open(struct rocm_view *view, struct images *images, struct err *err)
{
	return open_view(view, images, false, err);
}

int rocm_view_glance(struct rocm_view *view, struct images *images, struct err *err)
{
	return open_view(view, images, true, err);
}

void rocm_view_close(struct rocm_view *view)
{
	env_free(&view->environment);
	*view = (struct rocm_view){ 0 };
}
