/* SPDX-License-Identifier: MIT */
#include "rocp/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rocp/preflight_look.h"
#include "rocp/tool_abi.h"

static void (*const lines[])(struct look *) = {
	look_process, look_permission, look_cpu, look_libc, look_namespaces, look_tracer, look_seccomp,
	look_register, look_attach_library, look_rocattach, look_runtime, look_listener, look_startup_tool,
	look_attached, look_sdk, look_tool, look_own_tool, look_same_tool, look_same_services, look_output, look_late,
};
#define LINES (sizeof lines / sizeof *lines)
_Static_assert(LINES <= PREFLIGHT_MAX, "room for all lines");

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_OK] = "ok", [VERDICT_NOTE] = "note", [VERDICT_NO] = "no", [VERDICT_UNKNOWN] = "unknown" };
	return names[verdict];
}

struct check *check_add(struct look *look, const char *name)
{
	struct check *check = &look->preflight->v[look->preflight->n++];
	*check = (struct check){ .name = name };
	return check;
}

#define FORMAT(buffer, fmt) \
	do { \
		va_list ap; \
		va_start(ap, fmt); \
		vsnprintf(buffer, sizeof(buffer), fmt, ap); \
		va_end(ap); \
	} while (0)

void check_ok(struct check *check, const char *fmt, ...)
{
	check->verdict = VERDICT_OK;
	FORMAT(check->text, fmt);
}

void check_note(struct check *check, const char *fmt, ...)
{
	check->verdict = VERDICT_NOTE;
	FORMAT(check->text, fmt);
}

void check_refuse(struct look *look, struct check *check, unsigned against, const char *remedy, const char *fmt, ...)
{
	char text[sizeof check->text];
	struct preflight *preflight = look->preflight;
	const enum verdict verdict = against & look->asked ? VERDICT_NO : VERDICT_NOTE;
	FORMAT(text, fmt);
	look->refused |= against;
	if ((against & FOR_LATE) && !preflight->why_not_late[0])
		snprintf(preflight->why_not_late, sizeof preflight->why_not_late, "%.*s",
			 (int)sizeof preflight->why_not_late - 1, text);
	if (check->verdict == VERDICT_NO || check->verdict == verdict)
		return;
	check->verdict = verdict;
	memcpy(check->text, text, sizeof text);
	snprintf(check->remedy, sizeof check->remedy, "%s", remedy);
}

void check_unknown(struct look *look, struct check *check, const char *text)
{
	look->refused |= FOR_BOTH;
	check->verdict = VERDICT_UNKNOWN;
	snprintf(check->text, sizeof check->text, "%s", text);
}

const char *variable(const struct look *look, const char *name)
{
	return look->view->environment_known ? env_get(&look->view->environment, name) : NULL;
}

/* In 7.1 the variable that names the tool named the library of the attacher itself. */
static bool is_attacher(const char *path)
{
	return strstr(path, "librocprofv3-attach") || strstr(path, "-rocattach.so");
}

/* What an attachment before has left: the register keeps the string of its first tool. */
static void look_back(struct look *look)
{
	struct rocm_view *view = look->view;
	const char *path = view->tool_path;
	if (path && (!path[0] || is_attacher(path)))
		path = NULL;
	/* what was brought to a parent is not here, though a child inherits the variable */
	if (path && !view->tool && is_brought(path))
		path = NULL;
	if (!path && view->was_attached)
		path = variable(look, "ROCP_TOOL_LIBRARIES");
	look->late_before = view->sdk && view->tool && !view->was_attached && image_exports(look, view->tool, TOOL_STATE);
	/* registers of the 0.7 line take their mark back, so that only the loaded tool tells */
	look->preflight->reattach = view->was_attached || look->late_before || (path && view->sdk && view->tool);
	look->before = look->preflight->reattach ? path : NULL;
	if (look->before)
		show_before(look);
}

/* Both ways out, for a process that was not started for attachment. */
static void add_late_remedy(struct look *look)
{
	struct check *check = look->not_started_for_it;
	size_t used = check ? strlen(check->remedy) : 0;
	if (check && look->asked == FOR_ATTACH && !(look->refused & FOR_LATE))
		snprintf(check->remedy + used, sizeof check->remedy - used,
			 "%sattach with --late, which uses roclatch's own tool", used ? ", or " : "");
}

static int gone(const struct look *look, struct err *err)
{
	return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at", (int)look->target->pid);
}

/* Without ROCm it cannot be attached in any way, and lines that follow could not change the reasons that are told. */
static bool is_settled(const struct look *look)
{
	return !look->view->reg && look->refused == FOR_BOTH && look->preflight->why_not_late[0] &&
	       preflight_first_no(look->preflight);
}

int preflight_look(struct preflight *preflight, struct rocm_view *view, const struct request *request, struct err *err)
{
	struct look look = {
		.preflight = preflight, .view = view, .images = view->images, .target = view->images->target,
		.request = request, .asked = request->late ? FOR_LATE : FOR_ATTACH,
	};
	*preflight = (struct preflight){ .listener = view->listener };
	if (!target_alive(look.target))
		return gone(&look, err);
	look_back(&look);
	for (size_t i = 0; i < LINES && !(request->brief && is_settled(&look)); i++)
		lines[i](&look);
	add_late_remedy(&look);
	preflight->can_attach = !(look.refused & FOR_ATTACH);
	preflight->can_late = !(look.refused & FOR_LATE);
	return target_alive(look.target) ? 0 : gone(&look, err);
}

/* Which of the first lines it is that says no. */
static const char *unopened_line(pid_t pid, const struct err *why)
{
	struct proc_status status;
	char path[32];
	if (proc_status(pid, 0, &status, NULL) < 0 || why->code != ERR_NOT_POSSIBLE || strchr("ZXxT", status.state))
		return "process";
	if (status.tracer || status.state == 't')
		return "tracer";
	/* opening it asks what PTRACE_SEIZE would ask */
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC), failure = errno;
	if (fd >= 0)
		close(fd);
	else if (failure == EACCES || failure == EPERM)
		return "permission";
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	return access(path, F_OK) == 0 ? "cpu" : "process";
}

void preflight_unopened(struct preflight *preflight, pid_t pid, const struct err *why)
{
	*preflight = (struct preflight){ .n = 1 };
	struct check *check = &preflight->v[0];
	check->name = unopened_line(pid, why);
	check->verdict = VERDICT_NO;
	snprintf(check->text, sizeof check->text, "%.*s", (int)sizeof check->text - 1, why->text);
	snprintf(check->remedy, sizeof check->remedy, "%s", why->remedy);
	snprintf(preflight->why_not_late, sizeof preflight->why_not_late, "%.*s",
		 (int)sizeof preflight->why_not_late - 1, why->text);
}

const struct check *preflight_first_no(const struct preflight *preflight)
{
	for (size_t i = 0; i < preflight->n; i++)
		if (preflight->v[i].verdict == VERDICT_NO)
			return &preflight->v[i];
	return NULL;
}

int preflight_error(const struct preflight *preflight, const struct request *request, struct err *err)
{
	const struct check *check = preflight_first_no(preflight);
	if (check) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s", check->text);
		return err_remedy(err, "%s", check->remedy);
	}
	if (request->late ? preflight->can_late : preflight->can_attach)
		return 0;
	return err_set(err, ERR_NOT_POSSIBLE, 0, "it is not certain that the process can be attached");
}
