/* SPDX-License-Identifier: MIT */
#include "rocp/attachable.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "rocp/advice.h"
#include "rocp/arena.h"

const char *attachable_how_name(enum attachable_how how)
{
	static const char *const names[] = { "no", "now", "late" };
	return names[how];
}

/* What was sent before was taken before, and nobody has named it now: a tool that leaves some of it out does so again. */
static int ask_for_the_same(struct request *request, const struct env *before, struct err *err)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct env_var *var = &before->v[i];
		if (!env_is_forwarded(var->name) || env_get(&request->env, var->name))
			continue;
		char *name = arena_text(&request->owned, var->name, strlen(var->name), err);
		if (words_add(&request->owned, &request->implied, name, err) < 0 ||
		    env_set(&request->env, var->name, var->value, err) < 0)
			return -1;
	}
	return 0;
}

int attachable_look(struct preflight *preflight, struct rocm_view *view, struct request *request, struct err *err)
{
	bool again = view->tool_path || view->was_attached;
	if (again && ask_for_the_same(request, &view->environment, err) < 0)
		return -1;
	return preflight_look(preflight, view, request, err);
}

void attachable_sentence(const struct preflight *preflight, bool late, const struct err *why, char *text, size_t size)
{
	const char *ends = preflight->orphaned ? "; this ends the recording that is still running" : "";
	if (late && preflight->can_late)
		snprintf(text, size, "can be attached late now%s", ends);
	else if (!late && preflight->can_attach)
		snprintf(text, size, "can be attached now%s", ends);
	else if (!late && preflight->can_late)
		snprintf(text, size, "can be attached late only (--late): %s", why->text);
	else
		snprintf(text, size, "cannot be attached%s: %s", late ? " late" : "", why->text);
}

#define NO_REGISTER "no rocprofiler-register loaded"
#define NO_HSA "HSA is not initialised yet"

/* The first row whose line it is and whose part stands in its text. */
static const struct { const char *line, *part, *words; } reasons[] = {
	{ "process", "stopped", "it is stopped" },
	{ "process", "zombie", "it has ended" },
	{ "process", "exiting", "it is ending" },
	{ "process", "", "cannot be looked at" },
	{ "permission", "", "not permitted" },
	{ "cpu", "", "another CPU, or 32 bits" },
	{ "libc", "", "static: cannot load the SDK" },
	{ "tracer", "", "it is traced" },
	{ "seccomp", "strict", "seccomp, strict mode" },
	{ "seccomp", "", "seccomp filters cannot be read" },
	{ "register", "copies", "several copies of the register" },
	{ "register", "older than ROCm 7.1", "register older than ROCm 7.1" },
	{ "register", "", NO_REGISTER },
	{ "attach-library", "ROCPROFILER_REGISTER_ENABLED", "the register is turned off" },
	{ "attach-library", "ROCP_TOOL_ATTACH=1", "started without ROCP_TOOL_ATTACH=1" },
	{ "attach-library", "from the start", "a tool was there from the start" },
	{ "attach-library", "HSA", NO_HSA },
	{ "attach-library", "", "attach library not loaded" },
	{ "rocattach", "", NO_HSA },
	{ "listener", "", "child by fork, cannot use the GPU" },
	{ "startup-tool", "ROCPROFILER_REGISTER_ENABLED", "the register is turned off" },
	{ "startup-tool", "", "a tool was there from the start" },
	{ "attached", "another roclatch", "another roclatch has it" },
	{ "attached", "", "a tool was attached the other way" },
	{ "sdk", "", "its SDK cannot attach" },
	{ "tool", "", "the tool cannot be loaded there" },
	{ "own-tool", "", "the tool cannot do what is asked" },
	{ "same-tool", "", "it keeps another tool" },
	{ "same-services", "", "it keeps other services" },
	{ "output", "", "it may not write to the folder" },
	{ "late", "", "not late either" },
};

static const char *reason(const struct check *check)
{
	for (size_t i = 0; check && i < sizeof reasons / sizeof *reasons; i++)
		if (!strcmp(reasons[i].line, check->name) && strstr(check->text, reasons[i].part))
			return reasons[i].words;
	return "not certain";
}

/* What stands against both ways tells more than what stands against one. */
static const struct check *weightiest_no(const struct preflight *preflight)
{
	const char *why = preflight->why_not_late;
	for (size_t i = 0; !preflight->can_late && why[0] && i < preflight->n; i++)
		if (preflight->v[i].verdict == VERDICT_NO && !strncmp(preflight->v[i].text, why, strlen(why)))
			return &preflight->v[i];
	return preflight_first_no(preflight);
}

void attachable_brief(const struct preflight *preflight, char *text, size_t size)
{
	/* by a roclatch that is gone (attach --keep, or killed): the next attach ends it */
	const char *recorded = preflight->orphaned ? "; a recording is still running" : "";
	if (preflight->can_attach)
		snprintf(text, size, "now%s", recorded);
	else
		snprintf(text, size, "%s: %s%s", preflight->can_late ? "late only" : "no", reason(weightiest_no(preflight)), recorded);
}

/* Lines about what is to be attached and where it writes, not about the process. */
static bool is_of_request(const char *line)
{
	static const char *const lines[] = { "tool", "own-tool", "same-tool", "same-services", "output" };
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i], line))
			return true;
	return false;
}

static bool is_ready(const struct preflight *preflight)
{
	for (size_t i = 0; i < preflight->n; i++) {
		const struct check *check = &preflight->v[i];
		if ((check->verdict == VERDICT_NO || check->verdict == VERDICT_UNKNOWN) && !is_of_request(check->name))
			return false;
	}
	return true;
}

static void answer(struct attachable *attachable, const struct preflight *preflight, const struct request *request)
{
	struct err why = { .code = ERR_NONE };
	preflight_error(preflight, request, &why);
	attachable->how = preflight->can_attach ? ATTACHABLE_NOW : preflight->can_late ? ATTACHABLE_LATE : ATTACHABLE_NO;
	attachable_brief(preflight, attachable->brief, sizeof attachable->brief);
	attachable_sentence(preflight, request->late, &why, attachable->summary, sizeof attachable->summary);
	attachable->ready = is_ready(preflight);
	const char *words = reason(preflight_first_no(preflight));
	attachable->coming = !attachable->ready && (!strcmp(words, NO_REGISTER) || !strcmp(words, NO_HSA));
	snprintf(attachable->remedy, sizeof attachable->remedy, "%s", why.remedy);
	if (!preflight->can_late)
		snprintf(attachable->why_not_late, sizeof attachable->why_not_late, "%s", preflight->why_not_late);
}

static int ask_open(struct attachable *attachable, struct target *target, struct request *request, struct err *err)
{
	struct preflight preflight;
	struct images images;
	struct rocm_view view;
	if (images_open(&images, target, err) < 0)
		return -1;
	int rc = rocm_view_glance(&view, &images, err);
	if (rc == 0) {
		rc = attachable_look(&preflight, &view, request, err);
		snprintf(attachable->register_version, sizeof attachable->register_version, "%s", view.register_version);
		rocm_view_close(&view);
	}
	images_close(&images);
	if (rc == 0)
		answer(attachable, &preflight, request);
	return rc;
}

static void answer_unopened(struct attachable *attachable, pid_t pid, const struct err *why,
			    const struct request *request)
{
	struct preflight preflight;
	preflight_unopened(&preflight, pid, why);
	answer(attachable, &preflight, request);
}

static int ask(struct attachable *attachable, pid_t pid, uint64_t start_time, struct request *request, struct err *err)
{
	struct target target;
	struct proc_stat now;
	if (target_open(&target, pid, NULL, err) == 0) {
		int rc = target.start_time == start_time ? ask_open(attachable, &target, request, err) :
			 err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)pid);
		target_close(&target);
		if (rc == 0)
			return 0;
	}
	/* gone, or is there something in it that does not let itself be looked at? */
	if (err->code == ERR_TARGET_EXITED || proc_stat(pid, 0, &now, NULL) < 0 || now.start_time != start_time)
		return -1;
	surroundings_advise(pid, err);
	answer_unopened(attachable, pid, err, request);
	return 0;
}

int attachable_ask(struct attachable *attachable, pid_t pid, uint64_t start_time, struct err *err)
{
	return attachable_ask_for(attachable, pid, start_time, &(struct request){ .late = false }, err);
}

int attachable_ask_for(struct attachable *attachable, pid_t pid, uint64_t start_time, const struct request *wanted,
		       struct err *err)
{
	char number[24];
	const char *argument[] = { "-p", number };
	struct request request = { .late = false };
	*attachable = (struct attachable){ .how = ATTACHABLE_NO };
	snprintf(number, sizeof number, "%d", (int)pid);
	int rc = request_read(&request, STYLE_ROCLATCH, 2, (char **)argument, environ, getauxval(AT_SECURE) != 0, err);
	if (rc < 0) {           /* what is wrong with our own variables says nothing about the process */
		request_free(&request);
		rc = request_read(&request, STYLE_ROCLATCH, 2, (char **)argument, (char *[]){ NULL }, true, err);
	}
	request.brief = true;
	request.late = wanted->late;
	request.trust_seccomp = wanted->trust_seccomp;
	if (rc == 0)
		rc = ask(attachable, pid, start_time, &request, err);
	request_free(&request);
	return rc;
}
