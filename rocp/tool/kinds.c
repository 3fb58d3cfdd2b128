/* SPDX-License-Identifier: MIT */
#include "rocp/tool/kinds.h"

#include <string.h>

#include "rocp/tool/remembered.h"
#include "rocp/tool/sdk.h"

/* Kinds of the KFD are not among them: without that device the SDK aborts the process. */
const struct kind kinds[] = {
	{ "HIP_RUNTIME_API", SERVICE_HIP_RUNTIME, BUFFER_API, LOG_API },
	{ "HIP_COMPILER_API", SERVICE_HIP_COMPILER, BUFFER_API, LOG_API },
	{ "HSA_CORE_API", SERVICE_HSA_CORE, BUFFER_API, LOG_API },
	{ "HSA_AMD_EXT_API", SERVICE_HSA_AMD, BUFFER_API, LOG_API },
	{ "HSA_IMAGE_EXT_API", SERVICE_HSA_IMAGE, BUFFER_API, LOG_API },
	{ "HSA_FINALIZE_EXT_API", SERVICE_HSA_FINALIZER, BUFFER_API, LOG_API },
	{ "MARKER_CORE_RANGE_API", SERVICE_MARKER, BUFFER_MARKER, LOG_API },
	{ "MARKER_CONTROL_API", SERVICE_MARKER, BUFFER_MARKER, LOG_API },
	{ "MARKER_NAME_API", SERVICE_MARKER, BUFFER_MARKER, LOG_API },
	{ "RCCL_API", SERVICE_RCCL, BUFFER_API, LOG_API },
	{ "ROCDECODE_API", SERVICE_ROCDECODE, BUFFER_API, LOG_API },
	{ "ROCJPEG_API", SERVICE_ROCJPEG, BUFFER_API, LOG_API },
	{ "ROCSHMEM_API", SERVICE_ROCSHMEM, BUFFER_API, LOG_API },
	{ "HIPFILE_API", SERVICE_HIPFILE, BUFFER_API, LOG_API },
	{ "KERNEL_DISPATCH", SERVICE_KERNEL, BUFFER_DEVICE, LOG_DISPATCH },
	{ "MEMORY_COPY", SERVICE_COPY, BUFFER_DEVICE, LOG_COPY },
	{ "MEMORY_ALLOCATION", SERVICE_ALLOCATION, BUFFER_MEMORY, LOG_ALLOCATION },
	{ "SCRATCH_MEMORY", SERVICE_SCRATCH, BUFFER_MEMORY, LOG_SCRATCH },
};
const unsigned kind_count = sizeof kinds / sizeof kinds[0];

struct wanted {
	int (*name_of)(int kind, const char **name, uint64_t *length);
	const char *name;
	int found;
};

static int compare(int kind, void *data)
{
	struct wanted *wanted = data;
	const char *name = NULL;
	uint64_t length = 0;
	if (wanted->name_of(kind, &name, &length) == SDK_SUCCESS && name && !strcmp(name, wanted->name))
		wanted->found = kind;
	return 0;
}

int kind_in_buffers(const char *name)
{
	struct wanted wanted = { sdk.query_buffer_tracing_kind_name, name, -1 };
	sdk.iterate_buffer_tracing_kinds(compare, &wanted);
	return wanted.found;
}

int kind_in_callbacks(const char *name)
{
	struct wanted wanted = { sdk.query_callback_tracing_kind_name, name, -1 };
	sdk.iterate_callback_tracing_kinds(compare, &wanted);
	return wanted.found;
}

static int remember_operation(int kind, int32_t operation, void *data)
{
	const char *name = NULL;
	uint64_t length = 0;
	(void)data;
	if (sdk.query_buffer_tracing_kind_operation_name(kind, operation, &name, &length) == SDK_SUCCESS && name)
		remember_name(kind, operation, name);
	return 0;
}

void kind_remember(int number)
{
	const char *name = NULL;
	uint64_t length = 0;
	if (sdk.query_buffer_tracing_kind_name(number, &name, &length) == SDK_SUCCESS && name)
		remember_name(number, -1, name);
	sdk.iterate_buffer_tracing_kind_operations(number, remember_operation, NULL);
}
