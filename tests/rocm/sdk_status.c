// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: what its statuses are called, those that the version has. */
#include "sdk.h"

#define STATUS(name, text) { "ROCPROFILER_STATUS_" name, text }

static const struct { const char *name, *text; } statuses[] = {
	STATUS("SUCCESS", "Success"), STATUS("ERROR", "General error"),
	STATUS("ERROR_CONTEXT_NOT_FOUND", "No context of that id"), STATUS("ERROR_BUFFER_NOT_FOUND", "No buffer of that id"),
	STATUS("ERROR_KIND_NOT_FOUND", "No such kind"), STATUS("ERROR_OPERATION_NOT_FOUND", "No such operation of the kind"),
	STATUS("ERROR_THREAD_NOT_FOUND", "No thread of that id"), STATUS("ERROR_AGENT_NOT_FOUND", "No agent of that id"),
	STATUS("ERROR_COUNTER_NOT_FOUND", "No such counter"), STATUS("ERROR_CONTEXT_ERROR", "An error of the context"),
	STATUS("ERROR_CONTEXT_INVALID", "The context is not valid"), STATUS("ERROR_CONTEXT_NOT_STARTED", "It was not started"),
	STATUS("ERROR_CONTEXT_CONFLICT", "It conflicts with another context"),
	STATUS("ERROR_CONTEXT_ID_NOT_ZERO", "The context's id is not 0"), STATUS("ERROR_BUFFER_BUSY", "The buffer is busy"),
	STATUS("ERROR_SERVICE_ALREADY_CONFIGURED", "The service is configured already"),
	STATUS("ERROR_CONFIGURATION_LOCKED", "The time to configure is over"), STATUS("ERROR_NOT_IMPLEMENTED", "Not implemented"),
	STATUS("ERROR_INCOMPATIBLE_ABI", "Another ABI"), STATUS("ERROR_INVALID_ARGUMENT", "An argument is not valid"),
	STATUS("ERROR_METRIC_NOT_VALID_FOR_AGENT", "The agent does not have that metric"), STATUS("ERROR_FINALIZED", "Finalized"),
	STATUS("ERROR_HSA_NOT_LOADED", "HSA is not loaded"), STATUS("ERROR_DIM_NOT_FOUND", "No such dimension"),
	STATUS("ERROR_PROFILE_COUNTER_NOT_FOUND", "The profile does not have that counter"),
	STATUS("ERROR_AST_GENERATION_FAILED", "No syntax tree was made"), STATUS("ERROR_AST_NOT_FOUND", "No syntax tree"),
	STATUS("ERROR_AQL_NO_EVENT_COORD", "No coordinates of the event"),
	STATUS("ERROR_INCOMPATIBLE_KERNEL", "The kernel driver is too old"), STATUS("ERROR_OUT_OF_RESOURCES", "No resources left"),
	STATUS("ERROR_PROFILE_NOT_FOUND", "No such profile"),
	STATUS("ERROR_AGENT_DISPATCH_CONFLICT", "Agent and dispatch counting exclude each other"),
	STATUS("INTERNAL_NO_AGENT_CONTEXT", "No agent context"), STATUS("ERROR_SAMPLE_RATE_EXCEEDED", "Sampled too fast"),
	STATUS("ERROR_NO_PROFILE_QUEUE", "No queue to profile with"), STATUS("ERROR_NO_HARDWARE_COUNTERS", "No hardware counters"),
	STATUS("ERROR_AGENT_MISMATCH", "Another agent"), STATUS("ERROR_NOT_AVAILABLE", "Not available"),
	STATUS("ERROR_EXCEEDS_HW_LIMIT", "More than the hardware has"),
	STATUS("ERROR_AGENT_ARCH_NOT_SUPPORTED", "Not for this architecture"),
	STATUS("ERROR_PERMISSION_DENIED", "Permission denied"),
#if SDK_VERSION >= 10300
	STATUS("ERROR_INCOMPATIBLE_REGISTER_VERSION", "Another version of the register"),
#endif
};
enum { STATUSES = sizeof(statuses) / sizeof(statuses[0]) };
_Static_assert(STATUSES == (SDK_VERSION < 10300 ? 41 : 42), "each has its number");

PUBLIC const char *rocprofiler_get_status_name(int status)
{
	return status >= 0 && status < STATUSES ? statuses[status].name : NULL;
}

PUBLIC const char *rocprofiler_get_status_string(int status)
{
	return status >= 0 && status < STATUSES ? statuses[status].text : NULL;
}
