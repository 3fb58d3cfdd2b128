/* SPDX-License-Identifier: MIT */
/* librocprofiler-sdk-rocattach. */
#include "bin/dropin/host.h"
#include "bin/dropin/include/rocprofiler-sdk-rocattach/rocattach.h"
#include "bin/dropin/sessions.h"

static const struct { const char *name, *text; } words[ROCATTACH_STATUS_LAST] = {
	[ROCATTACH_STATUS_SUCCESS] = { "ROCATTACH_STATUS_SUCCESS", "Success" },
	[ROCATTACH_STATUS_ERROR] = { "ROCATTACH_STATUS_ERROR", "General error" },
	[ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT] = {
		"ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT", "Invalid function argument" },
	[ROCATTACH_STATUS_ERROR_NOT_SUPPORTED] = {
		"ROCATTACH_STATUS_ERROR_NOT_SUPPORTED", "Attachment not supported on this platform" },
	[ROCATTACH_STATUS_ERROR_PTRACE_ERROR] = {
		"ROCATTACH_STATUS_ERROR_PTRACE_ERROR", "General ptrace error" },
	[ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED] = {
		"ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED",
		"ptrace returned EPERM, operation not permitted" },
	[ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND] = {
		"ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND", "ptrace returned ESRCH, no such process" },
};

rocattach_status_t rocattach_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
	if (major)
		*major = ROCATTACH_VERSION_MAJOR;
	if (minor)
		*minor = ROCATTACH_VERSION_MINOR;
	if (patch)
		*patch = ROCATTACH_VERSION_PATCH;
	return ROCATTACH_STATUS_SUCCESS;
}

rocattach_status_t rocattach_get_version_triplet(rocattach_version_triplet_t *info)
{
	if (!info)
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	return rocattach_get_version(&info->major, &info->minor, &info->patch);
}

/* A caller may give any number. */
static bool is_status(rocattach_status_t status)
{
	return (unsigned)status < ROCATTACH_STATUS_LAST;
}

const char *rocattach_get_status_name(rocattach_status_t status)
{
	return is_status(status) ? words[status].name : NULL;
}

const char *rocattach_get_status_string(rocattach_status_t status)
{
	return is_status(status) ? words[status].text : NULL;
}

rocattach_status_t rocattach_attach(int pid)
{
	return host_run(sessions_attach, pid);
}

rocattach_status_t rocattach_detach(int pid)
{
	return host_run(pid ? sessions_detach : sessions_detach_all, pid);
}

rocattach_status_t rocattach_attach_tree(int pid)
{
	return host_run(sessions_attach_tree, pid);
}

rocattach_status_t rocattach_detach_tree(int pid)
{
	return host_run(sessions_detach_tree, pid);
}
