/* SPDX-License-Identifier: MIT */
/* The lines about who listens in the process, and who was there before. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rocp/preflight_look.h"

#define TEXT_MAX (16u << 20)    /* of a library that is searched for a word */

bool is_false(const char *value)
{
	static const char *const words[] = { "off", "false", "no", "n", "f" };
	if (isdigit((unsigned char)value[0]))
		return strtoul(value, NULL, 10) == 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(value, words[i]))
			return true;
	return false;
}

bool is_disabled(const struct look *look)
{
	const char *enabled = variable(look, "ROCPROFILER_REGISTER_ENABLED");
	return enabled && is_false(enabled);
}

const char *startup_tool(const struct look *look, const char **how)
{
	static const char *const variables[] = {
		"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY", "ROCPROFILER_REGISTER_FORCE_LOAD" };
	const struct rocm_view *view = look->view;
	bool ours = look->preflight->reattach || view->late;
	*how = "exports rocprofiler_configure";
	if (view->startup_tool)
		return view->startup_tool->path;
	if (view->tool && view->sdk && !ours)
		return view->tool->path;
	for (size_t i = 0; i < 3; i++) {
		const char *value = variable(look, variables[i]);
		/* the register sets the first one itself when it attaches */
		if (!value || !value[0] || (i == 0 && ours) || (i == 2 && is_false(value)))
			continue;
		*how = variables[i];
		return value;
	}
	return NULL;
}

/* Does the library, as it lies in memory, hold this text? */
static bool holds(const struct look *look, struct image *image, const char *text)
{
	struct images *images = look->images;
	bool found = false;
	if (image_open(images, image, NULL) < 0)
		return false;
	for (size_t i = 0; i < images->maps.n && !found; i++) {
		const struct mapping *m = &images->maps.v[i];
		uint64_t from = m->start > image->elf.low ? m->start : image->elf.low;
		uint64_t to = m->end < image->elf.high ? m->end : image->elf.high;
		if (!m->r || m->w || from >= to || to - from > TEXT_MAX)
			continue;
		char *bytes = malloc(to - from);
		found = bytes && memory_read(&images->target->memory, from, bytes, to - from, NULL) == 0 &&
			memmem(bytes, to - from, text, strlen(text));
		free(bytes);
	}
	return found;
}

/* Made by fork: then the parent has the same library at the same place. */
static bool is_forked(const struct look *look)
{
	const struct image *library = look->view->attach_library;
	struct maps maps;
	size_t size;
	bool found = false;
	char *text = proc_read(&size, NULL, "/proc/%d/maps", (int)look->target->status.ppid);
	if (text && maps_take(&maps, text, size, NULL) == 0) {
		const struct mapping *m = maps_at(&maps, library->start);
		found = m && m->start == library->start && m->inode == library->inode && m->inode;
		maps_free(&maps);
	}
	return found;
}

/* The thread does not survive a fork, nor does the GPU: HSA in such a child answers with errors,
 * and the SDK aborts on those. */
void look_listener(struct look *look)
{
	struct check *check = check_add(look, "listener");
	struct rocm_view *view = look->view;
	if (view->listener)
		check_ok(check, "thread %d (" LISTENER_NAME "), by which the call is made", (int)view->listener);
	else if (!view->attach_library)
		check_note(check, "none, as the attach library is not there");
	else if (holds(look, view->attach_library, LISTENER_NAME) || is_forked(look))
		check_refuse(look, check, FOR_ATTACH, "attach its parent, or a process that was started by exec",
			     "the attach library is loaded but its listener thread (" LISTENER_NAME ") is not there: this is a "
			     "child by fork of a process that uses ROCm, and cannot use the GPU itself");
	else
		check_note(check, "none: this SDK is older than the listener thread (1.3); the call is made by another thread");
}

void look_startup_tool(struct look *look)
{
	struct check *check = check_add(look, "startup-tool");
	const char *how, *tool = startup_tool(look, &how);
	if (is_disabled(look) && !look->view->registered)
		check_refuse(look, check, FOR_BOTH, "start the process without ROCPROFILER_REGISTER_ENABLED",
			     "ROCPROFILER_REGISTER_ENABLED=%s turns the register off: no runtime registers",
			     variable(look, "ROCPROFILER_REGISTER_ENABLED"));
	else if (!tool)
		check_ok(check, "none");
	else if (!look->view->sdk)
		check_note(check, "%s: %s, but no SDK was loaded for it", how, tool);
	else    /* the tables are with its SDK already, and the register sends none twice */
		check_refuse(look, check, FOR_LATE, "start the process without that tool",
			     "a tool was there from the start (%s: %s), which has the runtimes' tables%s", how, tool,
			     look->view->attach_library ? "; another can be attached beside it" : "");
}

static void tell_attached(struct look *look, struct check *check, const char *tool)
{
	struct rocm_view *view = look->view;
	if (view->owned) {
		check_refuse(look, check, FOR_BOTH, "wait for that one, or end it with Ctrl-C or SIGTERM",
			     "another roclatch %s", view->attached ? "has it attached" : "is at work on it");
	} else if (view->attached) {
		look->preflight->orphaned = true;
		check_note(check, "%s is attached%s and records, by a roclatch that is gone: it is detached first", tool,
			   view->late ? " late" : "");
		snprintf(check->remedy, sizeof check->remedy, "roclatch detach -p %d ends it", (int)look->target->pid);
	} else if (view->was_attached || look->late_before) {
		check_note(check, "%s was attached%s before, and stays for the life of the process", tool,
			   look->late_before ? " late" : "");
	} else {
		check_ok(check, "no tool is attached");
	}
}

void look_attached(struct look *look)
{
	struct check *check = check_add(look, "attached");
	struct rocm_view *view = look->view;
	const char *tool = look->before ? look->preflight->shown : view->tool ? view->tool->path : "a tool";
	tell_attached(look, check, tool);
	/* sent a second time, the tables that it has wrapped make the SDK abort the process */
	if (look->late_before)
		check_refuse(look, check, FOR_ATTACH, "attach with --late again",
			     "%s was attached late, and stays: attached by the register now, the SDK would abort the process",
			     tool);
	if (view->was_attached)
		check_refuse(look, check, FOR_LATE, "attach without --late",
			     "%s was attached by the register, and stays: it cannot be attached late", tool);
}
