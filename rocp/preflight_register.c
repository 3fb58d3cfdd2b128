/* SPDX-License-Identifier: MIT */
/* The lines about the register, the attach library and the runtimes. */
#include <stdio.h>
#include <string.h>

#include "rocp/preflight_look.h"

void look_register(struct look *look)
{
	struct check *check = check_add(look, "register");
	struct rocm_view *view = look->view;
	if (!view->reg) {
		check_refuse(look, check, FOR_BOTH, "give the process that uses the GPU; it may be a child of this one",
			     "librocprofiler-register is not loaded: no ROCm runtime runs in this process, or one older "
			     "than ROCm 6.2");
		return;
	}
	char id[2 * ELF_BUILD_ID_MAX + 1] = "";
	if (image_open(look->images, view->reg, NULL) == 0)
		elf_build_id_text(&view->reg->elf, id, sizeof id);
	const char *version = view->register_version[0] ? view->register_version : "of unknown version";
	check_ok(check, "librocprofiler-register %s, %s%s%s%s", version, view->reg->path, id[0] ? ", build id " : "", id,
		 view->reg->deleted ? ", whose file was deleted or replaced since" : "");
	if (view->reg->deleted)
		check->verdict = VERDICT_NOTE;
	if (view->regs > 1 && !view->registered_known)
		check_refuse(look, check, FOR_BOTH, "start the process with one copy of it",
			     "%u copies of librocprofiler-register are loaded, and it cannot be seen which of them the "
			     "runtimes use", view->regs);
	else if (view->regs > 1)
		check_note(check, "%u copies of librocprofiler-register are loaded; the runtimes use %s (%s)", view->regs,
			   view->reg->path, version);
	if (!view->register_can_attach) {
		check_refuse(look, check, FOR_ATTACH, "use ROCm 7.1 or newer in the process",
			     "librocprofiler-register %s (%s) cannot attach: it is older than ROCm 7.1", version,
			     view->reg->path);
		look->not_started_for_it = check;
	}
}

#define MISSING "librocprofiler-sdk-attach.so is not loaded"
#define START_FOR_IT "start the process with ROCP_TOOL_ATTACH=1 in its environment"
#define WAIT_FOR_HSA "wait until the process has made its first call of HIP or HSA"

/* Why the register has not loaded it. */
static void explain_missing(struct look *look, struct check *check)
{
	struct rocm_view *view = look->view;
	const char *wanted = variable(look, "ROCP_TOOL_ATTACH"), *how, *tool = startup_tool(look, &how);
	if (is_disabled(look))
		check_refuse(look, check, FOR_ATTACH, START_FOR_IT " and without ROCPROFILER_REGISTER_ENABLED",
			     MISSING ": ROCPROFILER_REGISTER_ENABLED turns the register off");
	else if (!view->environment_known)
		check_refuse(look, check, FOR_ATTACH, START_FOR_IT, MISSING);
	else if (!wanted || is_false(wanted))
		check_refuse(look, check, FOR_ATTACH, START_FOR_IT, MISSING
			     ": the process was started without ROCP_TOOL_ATTACH=1");
	else if (tool)
		check_refuse(look, check, FOR_ATTACH, "start the process without that tool", MISSING
			     ", as a tool was there from the start (%s: %s)", how, tool);
	else if (!view->hsa)
		check_refuse(look, check, FOR_ATTACH, WAIT_FOR_HSA, MISSING
			     ", as HSA is not loaded: nothing can be attached before hsa_init");
	else if (view->registered_known && !(view->registered & API_HSA))
		check_refuse(look, check, FOR_ATTACH, WAIT_FOR_HSA, MISSING
			     ", as HSA is not initialised: nothing can be attached before hsa_init");
	else
		check_refuse(look, check, FOR_ATTACH, WAIT_FOR_HSA "; or install rocprofiler-sdk where the process finds it "
			     "(LD_LIBRARY_PATH), and start it again", MISSING ", though ROCP_TOOL_ATTACH is set: HSA is not "
			     "initialised yet, or the register did not find it");
	if (!look->not_started_for_it)
		look->not_started_for_it = check;
}

void look_attach_library(struct look *look)
{
	struct check *check = check_add(look, "attach-library");
	struct rocm_view *view = look->view;
	if (view->attach_library)
		check_ok(check, "%s", view->attach_library->path);
	else if (!view->reg)
		check_unknown(look, check, "without the register there is none");
	else if (view->registered_known && (view->registered & API_ROCATTACH))
		check_note(check, "not found by its name, but its table is registered");
	else
		explain_missing(look, check);
}

/* Called without that table, the register crashes the process: nothing but proof will do. */
void look_rocattach(struct look *look)
{
	static const char remedy[] = "start the process with ROCP_TOOL_ATTACH=1; wait until it has initialised HSA";
	struct check *check = check_add(look, "rocattach");
	struct rocm_view *view = look->view;
	if (!view->reg)
		check_unknown(look, check, "without the register there is no table");
	else if (view->registered_known && (view->registered & API_ROCATTACH))
		check_ok(check, "the \"rocattach\" table is registered");
	else if (view->registered_known)
		check_refuse(look, check, FOR_ATTACH, remedy, "the \"rocattach\" table is not registered: the register would "
			     "crash the process");
	else if (view->listener)
		check_ok(check, "the \"rocattach\" table is registered, as its listener thread runs");
	else
		check_refuse(look, check, FOR_ATTACH, remedy, "that the \"rocattach\" table is registered cannot be "
			     "established, and the register crashes the process if it is not");
	if (check->verdict == VERDICT_NO && !look->not_started_for_it)
		look->not_started_for_it = check;
}

void look_runtime(struct look *look)
{
	struct check *check = check_add(look, "runtime");
	struct rocm_view *view = look->view;
	char names[128];
	const unsigned tables = view->registered & ~(unsigned)API_ROCATTACH;
	rocm_api_names(tables, names, sizeof names);
	if (view->registered_known && (view->registered & API_HSA))
		check_ok(check, "HSA is initialised (registered: %s); %s", names, view->attach_library ?
			 "names of kernels loaded before are passed on by the attach library" :
			 "names of kernels loaded before will not be known");
	else if (view->registered_known && tables)
		check_note(check, "HSA is not initialised yet (registered: %s): only a process after hsa_init can be "
			   "attached; kernels loaded after the attachment have their names", names);
	else if (!view->hsa && !view->hip)
		check_note(check, "neither HSA nor HIP is loaded");
	else
		check_note(check, "%s loaded; whether initialised is not to be seen. Only a process after hsa_init can be "
			   "attached", view->hsa && view->hip ? "HSA and HIP are" : view->hsa ? "HSA is" : "HIP is");
}
