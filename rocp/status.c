/* SPDX-License-Identifier: MIT */
#include "rocp/status.h"

struct answer { const char *name, *text, *remedy; };

static const struct answer answers[REGISTER_STATUS_COUNT] = {
	[REGISTER_SUCCESS] = { "ROCP_REG_SUCCESS", "done", "" },
	[REGISTER_NO_TOOLS] = {
		"ROCP_REG_NO_TOOLS", "the SDK has no attach support, or nothing is loaded that could be detached",
		"use a process with ROCprofiler-SDK 1.1 (ROCm 7.1) or newer, or attach with --late" },
	[REGISTER_DEADLOCK] = {
		"ROCP_REG_DEADLOCK", "another registration or attachment is going on in the process at this moment",
		"try again when the process has finished loading libraries" },
	[REGISTER_BAD_API_TABLE_LENGTH] = {
		"ROCP_REG_BAD_API_TABLE_LENGTH", "a runtime has registered a table of a length that the register does not know",
		"use runtimes and a librocprofiler-register of the same ROCm release" },
	[REGISTER_UNSUPPORTED_API] = {
		"ROCP_REG_UNSUPPORTED_API", "a runtime has registered a table that the register does not know",
		"use runtimes and a librocprofiler-register of the same ROCm release" },
	[REGISTER_INVALID_API_ADDRESS] = {
		"ROCP_REG_INVALID_API_ADDRESS",
		"a table was registered from a library with an unexpected file name (ROCPROFILER_REGISTER_SECURE)",
		"start the process without ROCPROFILER_REGISTER_SECURE" },
	[REGISTER_ROCPROFILER_ERROR] = {
		"ROCP_REG_ROCPROFILER_ERROR",
		"the SDK or the tool refused: the tool has no rocprofiler_configure_attach or would not start, "
		"or the SDK refused a table",
		"see what the tool wrote to the stderr of the process; another tool can only be attached to a new process, "
		"as this one keeps the first tool's path" },
	[REGISTER_EXCESS_API_INSTANCES] = {
		"ROCP_REG_EXCESS_API_INSTANCES", "a runtime was loaded more often than the register has room for",
		"start the process with one copy of each runtime" },
	[REGISTER_INVALID_ARGUMENT] = {
		"ROCP_REG_INVALID_ARGUMENT", "another tool path than that of the first attachment, which stays for the "
		"life of the process",
		"give the same tool, by the same path, as the first time" },
	[REGISTER_ATTACHMENT_NOT_AVAILABLE] = {
		"ROCP_REG_ATTACHMENT_NOT_AVAILABLE", "the process was not started for attachment: no \"rocattach\" table "
		"is registered",
		"start the process with ROCP_TOOL_ATTACH=1, or attach with --late" },
};

const char *register_status_name(unsigned status)
{
	return status < REGISTER_STATUS_COUNT ? answers[status].name : "no status that we know";
}

const char *register_status_text(unsigned status)
{
	return status < REGISTER_STATUS_COUNT ? answers[status].text :
						"an answer that only a newer librocprofiler-register knows";
}

const char *register_status_remedy(unsigned status)
{
	return status < REGISTER_STATUS_COUNT ? answers[status].remedy : "";
}
