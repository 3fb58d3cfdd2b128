/* SPDX-License-Identifier: MIT */
#include "bin/dropin/status.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static bool is_gone(pid_t pid)
{
	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* The line of the pre-flight that stands against an attachment; "" if none does. */
static const char *refusal(const struct preflight *preflight)
{
	for (size_t i = 0; i < preflight->n; i++)
		if (preflight->v[i].verdict == VERDICT_NO)
			return preflight->v[i].name;
	return "";
}

rocattach_status_t status_of(pid_t pid, const struct preflight *preflight, const struct err *err)
{
	const char *line = refusal(preflight);
	if (err->code == ERR_TARGET_EXITED || err->sys == ESRCH || is_gone(pid))
		return ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND;
	if (err->code == ERR_USAGE || !strcmp(line, "tool"))
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	if (!strcmp(line, "permission") || !strcmp(line, "tracer") || err->sys == EPERM || err->sys == EACCES)
		return ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED;
	if (err->code == ERR_FAILED && err->sys && err->sys != ENOMEM)
		return ROCATTACH_STATUS_ERROR_PTRACE_ERROR;
	return ROCATTACH_STATUS_ERROR;
}
