/* SPDX-License-Identifier: MIT */
/* The lines about where the records go, and what an attachment by --late gets. */
#include <stdio.h>
#include <string.h>

#include "rocp/preflight_look.h"

/* The part of a path that holds no keys (%pid%, {hostname}, $env{X}) for the tool to fill in. */
static void plain_part(const char *path, char *folder, size_t size)
{
	size_t length = strcspn(path, "%{$");
	if (path[length])
		while (length && path[length - 1] != '/')
			length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	snprintf(folder, size, "%.*s", (int)length, length ? path : "");
	if (!folder[0])
		snprintf(folder, size, ".");
}

void look_output(struct look *look)
{
	struct check *check = check_add(look, "output");
	char folder[PATH_MAX];
	struct err err = { 0 };
	const char *path = env_get(&look->request->env, "ROCPROF_OUTPUT_PATH");
	if (!path)
		path = variable(look, "ROCPROF_OUTPUT_PATH");
	plain_part(path ? path : "", folder, sizeof folder);
	if (writable_check(look->target, folder, &err) < 0)
		check_refuse(look, check, FOR_BOTH, err.remedy, "%s", err.text);
	else
		check_ok(check, "the process can write to %s%s", strcmp(folder, ".") ? folder : "its current folder",
			 look->request->html ? "; html is made by roclatch, not by the process" : "");
}

static void refuse_late(struct look *look, struct check *check)
{
	struct rocm_view *view = look->view;
	if (!view->reg)
		return;         /* has been said */
	if (!view->register_can_late)
		check_refuse(look, check, FOR_LATE, "use ROCm 6.2 or newer in the process", "librocprofiler-register %s does "
			     "not export rocprofiler_register_invoke_nonpropagated_registrations", view->register_version);
	if (!view->registered && !view->hsa && !view->hip)
		check_refuse(look, check, FOR_LATE, "wait until the process has made its first call of HIP or HSA",
			     "no runtime has registered yet, so that there is nothing to record");
}

void look_late(struct look *look)
{
	struct check *check = check_add(look, "late");
	const unsigned tables = look->view->registered & ~(unsigned)API_ROCATTACH;
	char names[128];
	refuse_late(look, check);
	rocm_api_names(tables, names, sizeof names);
	if (!(look->refused & FOR_LATE))
		check_ok(check, "possible%s: records calls of %s; kernels only on queues that are made afterwards",
			 look->request->late ? "" : " with roclatch's own tool", names[0] ? names : "what has registered");
	else if (!check->text[0])
		check_note(check, "not possible: %s", look->preflight->why_not_late);
}
