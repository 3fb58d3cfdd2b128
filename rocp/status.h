/* SPDX-License-Identifier: MIT */
/* What rocprofiler-register answers, in words. */
#ifndef ROCLATCH_ROCP_STATUS_H
#define ROCLATCH_ROCP_STATUS_H

/* rocprofiler_register_error_code_t, rocprofiler-register/rocprofiler-register.h */
enum register_status {
	REGISTER_SUCCESS,
	REGISTER_NO_TOOLS,
	REGISTER_DEADLOCK,
	REGISTER_BAD_API_TABLE_LENGTH,
	REGISTER_UNSUPPORTED_API,
	REGISTER_INVALID_API_ADDRESS,
	REGISTER_ROCPROFILER_ERROR,
	REGISTER_EXCESS_API_INSTANCES,
	REGISTER_INVALID_ARGUMENT,
	REGISTER_ATTACHMENT_NOT_AVAILABLE,
	REGISTER_STATUS_COUNT
};

/* "ROCP_REG_NO_TOOLS", or words that say that it is not known. */
const char *register_status_name(unsigned status);
/* What it means for an attach or a detach, for people. */
const char *register_status_text(unsigned status);
/* What to do about it, or "". */
const char *register_status_remedy(unsigned status);

#endif
