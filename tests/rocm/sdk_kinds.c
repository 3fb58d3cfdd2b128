// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: tracing kinds and operations, and what they are called. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk.h"
#include "sdk_names.h"

struct kind {
	const char *name;
	enum shape shape;
	int operations;
	const char *const *names;       /* the first of them */
	const char *rest;               /* what the others' names begin with */
	const char *const *made;        /* all of them, made when the library is loaded */
};

#define LIST(list) (int)(sizeof(list) / sizeof((list)[0])), list, NULL, NULL
#define NOTHING 0, no_names, NULL, NULL
#define SOME(n, list, rest) n, list, rest, NULL

static struct kind kinds[BUFFER_KINDS_MOST] = {
	{ "NONE", SHAPE_NONE, NOTHING },
	{ "HSA_CORE_API", SHAPE_API, SOME(125, hsa_core, "hsa_core_operation_") },
	{ "HSA_AMD_EXT_API", SHAPE_API, SOME(74, hsa_amd_ext, "hsa_amd_operation_") },
	{ "HSA_IMAGE_EXT_API", SHAPE_API, LIST(hsa_image) },
	{ "HSA_FINALIZE_EXT_API", SHAPE_API, LIST(hsa_finalize) },
	/* the numbers of names move from one version to the next */
	{ "HIP_RUNTIME_API", SHAPE_API, SOME(477 + SDK_VERSION / 100 % 10, hip_runtime, "hipOperation") },
	{ "HIP_COMPILER_API", SHAPE_API, LIST(hip_compiler) },
	{ "MARKER_CORE_API", SHAPE_API, LIST(marker_core) },
	{ "MARKER_CONTROL_API", SHAPE_API, LIST(marker_control) },
	{ "MARKER_NAME_API", SHAPE_API, LIST(marker_name) },
	{ "MEMORY_COPY", SHAPE_COPY, LIST(memory_copy) },
	{ "KERNEL_DISPATCH", SHAPE_DISPATCH, LIST(kernel_dispatch) },
	{ "SCRATCH_MEMORY", SHAPE_SCRATCH, LIST(scratch_memory) },
	{ "CORRELATION_ID_RETIREMENT", SHAPE_RETIREMENT, NOTHING },
	{ "RCCL_API", SHAPE_API, SOME(37, rccl, "ncclOperation") },
	{ "OMPT", SHAPE_OMPT, SOME(31, ompt, "omp_operation_") },
	{ "MEMORY_ALLOCATION", SHAPE_ALLOCATION, LIST(memory_allocation) },
	{ "RUNTIME_INITIALIZATION", SHAPE_INITIALIZATION, LIST(runtime_initialization) },
	{ "ROCDECODE_API", SHAPE_API, LIST(rocdecode) },
	{ "ROCJPEG_API", SHAPE_API, LIST(rocjpeg) },
	{ "HIP_STREAM", SHAPE_NONE, LIST(hip_stream) },
	{ "HIP_RUNTIME_API_EXT", SHAPE_EXT, SOME(477 + SDK_VERSION / 100 % 10, hip_runtime, "hipOperation") },
	{ "HIP_COMPILER_API_EXT", SHAPE_EXT, LIST(hip_compiler) },
	{ "ROCDECODE_API_EXT", SHAPE_EXT, LIST(rocdecode) },
	{ "KFD_EVENT_PAGE_MIGRATE", SHAPE_KFD, SOME(5, no_names, "KFD_EVENT_PAGE_MIGRATE_") },
	{ "KFD_EVENT_PAGE_FAULT", SHAPE_KFD, SOME(5, no_names, "KFD_EVENT_PAGE_FAULT_") },
	{ "KFD_EVENT_QUEUE", SHAPE_KFD, SOME(8, no_names, "KFD_EVENT_QUEUE_") },
	{ "KFD_EVENT_UNMAP_FROM_GPU", SHAPE_KFD, SOME(4, no_names, "KFD_EVENT_UNMAP_FROM_GPU_") },
	{ "KFD_EVENT_DROPPED_EVENTS", SHAPE_KFD, SOME(1, no_names, "KFD_EVENT_DROPPED_EVENTS_") },
	{ "KFD_PAGE_MIGRATE", SHAPE_KFD, SOME(6, no_names, "KFD_PAGE_MIGRATE_") },
	{ "KFD_PAGE_FAULT", SHAPE_KFD, SOME(5, no_names, "KFD_PAGE_FAULT_") },
	{ "KFD_QUEUE", SHAPE_KFD, SOME(6, no_names, "KFD_QUEUE_") },
	{ "MARKER_CORE_RANGE_API", SHAPE_API, LIST(marker_core_range) },
	{ "HIP_GRAPH", SHAPE_GRAPH, LIST(hip_graph) },
	{ "ROCSHMEM_API", SHAPE_API, LIST(rocshmem) },
	{ "ROCSHMEM_API_EXT", SHAPE_EXT, LIST(rocshmem) },
	{ "HIPFILE_API", SHAPE_API, LIST(hipfile) },
	{ "HIPFILE_API_EXT", SHAPE_EXT, LIST(hipfile) },
};
static struct kind code_object = { "CODE_OBJECT", SHAPE_NONE, LIST(code_object_operations) };

static const int same[CALLBACK_KINDS_MOST] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, BUFFER_SCRATCH_MEMORY, BUFFER_KERNEL_DISPATCH, BUFFER_MEMORY_COPY, BUFFER_RCCL_API,
	BUFFER_OMPT, BUFFER_MEMORY_ALLOCATION, BUFFER_RUNTIME_INITIALIZATION, BUFFER_ROCDECODE_API, BUFFER_ROCJPEG_API,
	BUFFER_HIP_STREAM, BUFFER_MARKER_CORE_RANGE_API, BUFFER_HIP_GRAPH, BUFFER_ROCSHMEM_API, BUFFER_HIPFILE_API,
};

__attribute__((constructor)) static void make_names(void)
{
	for (int k = 0; k < BUFFER_KINDS_MOST; k++) {
		const char **made;
		int shift = kinds[k].names == hip_runtime ? HIP_SHIFT : 0, named = 0;

		if (!kinds[k].rest) {
			kinds[k].made = kinds[k].names;
			continue;
		}
		made = calloc((size_t)kinds[k].operations, sizeof(*made));
		while (kinds[k].names[named])
			named++;
		for (int i = 0; made && i < kinds[k].operations; i++) {
			char *name = NULL;

			if (i >= shift && i - shift < named)
				made[i] = kinds[k].names[i - shift];
			else
				made[i] = asprintf(&name, "%s%03d", kinds[k].rest, i) < 0 ? "" : name;
		}
		kinds[k].made = made;
	}
	code_object.made = code_object.names;
}

int buffer_kinds(void)
{
	return SDK_VERSION < 10300 ? BUFFER_HIP_GRAPH : BUFFER_KINDS_MOST;
}

int callback_kinds(void)
{
	return SDK_VERSION < 10300 ? CALLBACK_HIP_GRAPH : CALLBACK_KINDS_MOST;
}

static const struct kind *by_buffer(int kind)
{
	return kind >= 0 && kind < buffer_kinds() ? &kinds[kind] : NULL;
}

static const struct kind *by_callback(int kind)
{
	if (kind < 0 || kind >= callback_kinds())
		return NULL;
	return kind == CALLBACK_CODE_OBJECT ? &code_object : &kinds[same[kind]];
}

enum shape kind_shape(int kind)
{
	return by_buffer(kind)->shape;
}

int kind_operations(int kind)
{
	return by_buffer(kind)->operations;
}

int callback_operations(int kind)
{
	return by_callback(kind)->operations;
}

int callback_kind(int kind)
{
	for (int i = 1; i < callback_kinds(); i++)
		if (same[i] == kind)
			return i;
	return 0;
}

const char *kind_name(int kind)
{
	return by_buffer(kind)->name;
}

const char *operation_name(int kind, int operation)
{
	return operation >= 0 && operation < kind_operations(kind) ? kinds[kind].made[operation] : "";
}

const char *callback_operation_name(int kind, int operation)
{
	const struct kind *found = by_callback(kind);

	return operation >= 0 && operation < found->operations ? found->made[operation] : "";
}

int kind_by_name(const char *name)
{
	for (int i = 0; i < buffer_kinds(); i++)
		if (!strcmp(kinds[i].name, name))
			return i;
	return -1;
}

int operation_by_name(int kind, const char *name)
{
	for (int i = 0; i < kind_operations(kind); i++)
		if (!strcmp(kinds[kind].made[i], name))
			return i;
	return -1;
}

static int give(const char *text, const char **name, uint64_t *length)
{
	if (name)
		*name = text;
	if (length)
		*length = strlen(text);
	return SDK_SUCCESS;
}

static int give_operation(const struct kind *kind, int32_t operation, const char **name, uint64_t *length)
{
	if (!kind)
		return SDK_KIND_NOT_FOUND;
	if (operation < 0 || operation >= kind->operations)
		return SDK_OPERATION_NOT_FOUND;
	return give(kind->made[operation], name, length);
}

static int give_operations(const struct kind *found, int kind, operation_function *callback, void *data)
{
	if (!found)
		return SDK_KIND_NOT_FOUND;
	for (int i = 0; i < found->operations; i++)
		if (callback(kind, i, data))
			break;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
	return by_buffer(kind) ? give(by_buffer(kind)->name, name, length) : SDK_KIND_NOT_FOUND;
}

PUBLIC int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
	return by_callback(kind) ? give(by_callback(kind)->name, name, length) : SDK_KIND_NOT_FOUND;
}

PUBLIC int rocprofiler_query_buffer_tracing_kind_operation_name(int kind, int32_t operation, const char **name,
	uint64_t *length)
{
	return give_operation(by_buffer(kind), operation, name, length);
}

PUBLIC int rocprofiler_query_callback_tracing_kind_operation_name(int kind, int32_t operation, const char **name,
	uint64_t *length)
{
	return give_operation(by_callback(kind), operation, name, length);
}

PUBLIC int rocprofiler_iterate_buffer_tracing_kinds(kind_function *callback, void *data)
{
	for (int i = 0; i < buffer_kinds(); i++)
		if (callback(i, data))
			break;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_iterate_callback_tracing_kinds(kind_function *callback, void *data)
{
	for (int i = 0; i < callback_kinds(); i++)
		if (callback(i, data))
			break;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_iterate_buffer_tracing_kind_operations(int kind, operation_function *callback, void *data)
{
	return give_operations(by_buffer(kind), kind, callback, data);
}

PUBLIC int rocprofiler_iterate_callback_tracing_kind_operations(int kind, operation_function *callback, void *data)
{
	return give_operations(by_callback(kind), kind, callback, data);
}
