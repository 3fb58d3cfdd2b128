/* SPDX-License-Identifier: MIT */
/* The line about the SDK that the register would load, and what libraries export. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/linked.h"
#include "rocp/preflight_look.h"

#define SDK_VARIABLE "ROCPROFILER_REGISTER_LIBRARY"
#define SDK_NAME "librocprofiler-sdk.so"

bool image_exports(const struct look *look, struct image *image, const char *symbol)
{
	struct elf_symbol found;
	return image_open(look->images, image, NULL) == 0 && elf_symbol_find(&image->elf, symbol, &found, NULL) == 1;
}

bool fd_exports(int fd, const char *symbol)
{
	struct elf_file file;
	struct elf_symbol found;
	return elf_file_open(&file, fd, NULL) == 0 && elf_symbol_find(&file.image, symbol, &found, NULL) == 1;
}

bool file_exports(const struct look *look, const char *path, const char *symbol)
{
	int fd = root_open(look->target, path, NULL, 0, NULL);
	if (fd < 0)
		return false;
	bool answer = fd_exports(fd, symbol);
	close(fd);
	return answer;
}

/* The 0.7 line looks for sonames too; before it, only the plain name. */
static unsigned names_tried(const struct rocm_view *view)
{
	unsigned major = 0, minor = 0;
	/* NOLINTNEXTLINE(cert-err34-c): a number that does not fit is no version that there is */
	return sscanf(view->register_version, "%u.%u", &major, &minor) == 2 && (major || minor >= 7) ? 3 : 1;
}

static int check_from_register(const struct look *look, const char *name, struct loadable *found, struct err *err)
{
	return loadable_check_from(look->images, look->view->reg, name, found, err);
}

/* As the register looks for it: by the loader, for which the register's own DT_RUNPATH counts and
 * not the program's, then in the folder that the register was loaded from, links not followed.
 * A library that cannot be loaded makes it try the next; when none can, it aborts the process. */
static int find_by_name(const struct look *look, struct loadable *found, struct err *err)
{
	static const char *const names[] = { SDK_NAME, SDK_NAME ".1", SDK_NAME ".0" };
	struct err beside = { 0 };
	char reg[PATH_MAX], name[PATH_MAX];
	char *slash = linked_name(look->images, look->view->reg, reg, sizeof reg) ? strrchr(reg, '/') : NULL;
	if (slash)
		*slash = '\0';
	for (unsigned i = 0; i < names_tried(look->view); i++) {
		if (check_from_register(look, names[i], found, i ? &beside : err) == 0)
			return 0;
		if (slash && snprintf(name, sizeof name, "%s/%s", reg, names[i]) < (int)sizeof name &&
		    check_from_register(look, name, found, &beside) == 0)
			return 0;
	}
	return -1;
}

static const char *named(const struct look *look, const char **by)
{
	const char *value = NULL;
	*by = SDK_VARIABLE;
	if (look->request->late && look->request->sdk) {
		*by = "--sdk";
		return look->request->sdk;
	}
	value = env_get(&look->request->env, SDK_VARIABLE);
	if (!value)
		value = variable(look, SDK_VARIABLE);
	return value && value[0] ? value : NULL;
}

/* The attach library of a newer release has come, and given the register a table of its own. */
static bool has_attach_table(const struct rocm_view *view)
{
	return view->registered_known ? view->registered & API_ROCATTACH : view->attach_library != NULL;
}

/* The register passes on all tables, and an SDK from before that one refuses it. */
static void judge_late(struct look *look, struct check *check, const char *path)
{
	if (has_attach_table(look->view) && !look->late_before)
		check_refuse(look, check, FOR_LATE, look->view->sdk ? "start the process without ROCP_TOOL_ATTACH" :
			     "start the process without ROCP_TOOL_ATTACH, or name an SDK of 1.1 (ROCm 7.1) or newer with --sdk",
			     "%s is older than 1.1 (ROCm 7.1) and would refuse the \"rocattach\" table that ROCP_TOOL_ATTACH=1 has "
			     "brought into the process", path);
}

static void judge_sdk(struct look *look, struct check *check, const char *path, bool can_attach, bool can_take)
{
	snprintf(look->preflight->sdk, sizeof look->preflight->sdk, "%s", path);
	if (!can_take)
		check_refuse(look, check, FOR_BOTH, "install rocprofiler-sdk where the process finds it",
			     "%s is no ROCprofiler-SDK: it does not export rocprofiler_set_api_table", path);
	else if (!can_attach)
		check_refuse(look, check, FOR_ATTACH, "use ROCm 7.1 or newer in the process",
			     "%s has no attach support: it is older than 1.1 (ROCm 7.1)", path);
	if (!can_take || can_attach)
		return;
	judge_late(look, check, path);
	if (!look->not_started_for_it)
		look->not_started_for_it = check;
}

void look_sdk(struct look *look)
{
	struct check *check = check_add(look, "sdk");
	struct rocm_view *view = look->view;
	struct loadable found = { .path = "" };
	struct err err = { 0 };
	const char *by, *name = named(look, &by);
	if (view->sdk) {
		const char *path = root_strip(look->target, view->sdk->path);
		check_ok(check, "%s, loaded", path);
		judge_sdk(look, check, path, view->sdk_can_attach,
			  view->sdk_can_attach || image_exports(look, view->sdk, "rocprofiler_set_api_table"));
		return;
	}
	if (!view->reg) {
		check_unknown(look, check, "without the register nothing loads it");
		return;
	}
	if ((name ? check_from_register(look, name, &found, &err) : find_by_name(look, &found, &err)) < 0) {
		if (name)
			err_wrap(&err, "%s", by);
		check_refuse(look, check, FOR_BOTH, err.remedy, "%s", err.text);
		return;
	}
	check_ok(check, "%s can be loaded", found.path);
	judge_sdk(look, check, found.path, file_exports(look, found.path, "rocprofiler_attach"),
		  file_exports(look, found.path, "rocprofiler_set_api_table"));
}
