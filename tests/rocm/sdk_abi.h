/* SPDX-License-Identifier: MIT */
/*
 * Stands in for the headers of AMD's ROCprofiler-SDK 1.x: the part of its ABI that the stand-ins
 * use.  Members have upstream's names; struct x is rocprofiler_x_t.  upstream_offsets.tsv holds
 * what was measured with upstream's own headers, and offsets.awk checks this file by it.
 */
#ifndef ROCLATCH_TESTS_SDK_ABI_H
#define ROCLATCH_TESTS_SDK_ABI_H

#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

/* 10000 * major + 100 * minor: three are built */
#ifndef SDK_VERSION
#define SDK_VERSION 10300
#endif

enum sdk_status {
	SDK_SUCCESS = 0, SDK_ERROR = 1, SDK_CONTEXT_NOT_FOUND = 2, SDK_BUFFER_NOT_FOUND = 3, SDK_KIND_NOT_FOUND = 4,
	SDK_OPERATION_NOT_FOUND = 5, SDK_THREAD_NOT_FOUND = 6, SDK_AGENT_NOT_FOUND = 7, SDK_COUNTER_NOT_FOUND = 8,
	SDK_CONTEXT_NOT_STARTED = 11, SDK_CONTEXT_CONFLICT = 12, SDK_CONTEXT_ID_NOT_ZERO = 13, SDK_BUFFER_BUSY = 14,
	SDK_SERVICE_ALREADY_CONFIGURED = 15, SDK_CONFIGURATION_LOCKED = 16, SDK_NOT_IMPLEMENTED = 17,
	SDK_INCOMPATIBLE_ABI = 18, SDK_INVALID_ARGUMENT = 19, SDK_METRIC_NOT_VALID_FOR_AGENT = 20, SDK_FINALIZED = 21,
	SDK_DIM_NOT_FOUND = 23, SDK_OUT_OF_RESOURCES = 29, SDK_PROFILE_NOT_FOUND = 30, SDK_NOT_AVAILABLE = 37,
};

/* Of the buffer tracing kinds; those of callbacks have numbers of their own from 10 on. */
enum {
	BUFFER_HSA_CORE_API = 1, BUFFER_HSA_AMD_EXT_API, BUFFER_HSA_IMAGE_EXT_API, BUFFER_HSA_FINALIZE_EXT_API,
	BUFFER_HIP_RUNTIME_API, BUFFER_HIP_COMPILER_API, BUFFER_MARKER_CORE_API, BUFFER_MARKER_CONTROL_API,
	BUFFER_MARKER_NAME_API, BUFFER_MEMORY_COPY, BUFFER_KERNEL_DISPATCH, BUFFER_SCRATCH_MEMORY,
	BUFFER_CORRELATION_ID_RETIREMENT, BUFFER_RCCL_API, BUFFER_OMPT, BUFFER_MEMORY_ALLOCATION,
	BUFFER_RUNTIME_INITIALIZATION, BUFFER_ROCDECODE_API, BUFFER_ROCJPEG_API, BUFFER_HIP_STREAM,
	BUFFER_HIP_RUNTIME_API_EXT, BUFFER_HIP_COMPILER_API_EXT, BUFFER_ROCDECODE_API_EXT,
	BUFFER_KFD_EVENT_PAGE_MIGRATE, BUFFER_KFD_EVENT_PAGE_FAULT, BUFFER_KFD_EVENT_QUEUE,
	BUFFER_KFD_EVENT_UNMAP_FROM_GPU, BUFFER_KFD_EVENT_DROPPED_EVENTS, BUFFER_KFD_PAGE_MIGRATE,
	BUFFER_KFD_PAGE_FAULT, BUFFER_KFD_QUEUE, BUFFER_MARKER_CORE_RANGE_API,
	BUFFER_HIP_GRAPH, BUFFER_ROCSHMEM_API, BUFFER_ROCSHMEM_API_EXT, BUFFER_HIPFILE_API, BUFFER_HIPFILE_API_EXT,
	BUFFER_KINDS_MOST
};
enum {
	CALLBACK_HIP_RUNTIME_API = 5, CALLBACK_MARKER_CORE_API = 7, CALLBACK_MARKER_CONTROL_API, CALLBACK_MARKER_NAME_API,
	CALLBACK_CODE_OBJECT, CALLBACK_SCRATCH_MEMORY, CALLBACK_KERNEL_DISPATCH, CALLBACK_MEMORY_COPY, CALLBACK_RCCL_API,
	CALLBACK_OMPT, CALLBACK_MEMORY_ALLOCATION, CALLBACK_RUNTIME_INITIALIZATION, CALLBACK_ROCDECODE_API,
	CALLBACK_ROCJPEG_API, CALLBACK_HIP_STREAM, CALLBACK_MARKER_CORE_RANGE_API, CALLBACK_HIP_GRAPH,
	CALLBACK_ROCSHMEM_API, CALLBACK_HIPFILE_API, CALLBACK_KINDS_MOST
};
enum { PHASE_NONE = 0, PHASE_ENTER = 1, PHASE_EXIT = 2, PHASE_LOAD = 1, PHASE_UNLOAD = 2 };
enum { POLICY_NONE = 0, POLICY_DISCARD = 1, POLICY_LOSSLESS = 2 };
enum { CATEGORY_TRACING = 1, CATEGORY_PC_SAMPLING = 2, CATEGORY_COUNTERS = 3 };
enum { COUNTER_RECORD_DISPATCH_HEADER = 1, COUNTER_RECORD_VALUE = 2 };
enum { CODE_OBJECT_LOAD = 1, CODE_OBJECT_KERNEL_SYMBOL = 2 };
enum { STREAM_CREATE = 1, STREAM_DESTROY = 2, STREAM_SET = 3 };
enum { COPY_H2H = 1, COPY_H2D, COPY_D2H, COPY_D2D };
enum { ALLOCATION_ALLOCATE = 1, ALLOCATION_VMEM_ALLOCATE, ALLOCATION_FREE, ALLOCATION_VMEM_FREE };
enum { DISPATCH_ENQUEUE = 1, DISPATCH_COMPLETE = 2 };
enum { AGENT_CPU = 1, AGENT_GPU = 2 };
enum { LIBRARY_ROCPROFILER = 1 };

struct client_id {
	size_t size;
	const char *name;
	const uint32_t handle;
};

/* of contexts, buffers, callback threads, agents, queues, streams, counters and their configurations */
struct handle { uint64_t handle; };

struct tool_configure_result {
	size_t size;
	int (*initialize)(void (*finalize)(struct client_id), void *tool_data);
	void (*finalize)(void *tool_data);
	void *tool_data;
};

struct tool_configure_attach_result {
	size_t size;
	int (*tool_attach)(void (*detach)(struct client_id), struct handle *contexts, uint64_t n, void *tool_data);
	void (*tool_detach)(void *tool_data);
	void *tool_data;
};

typedef struct tool_configure_result *configure_function(uint32_t, const char *, uint32_t, struct client_id *);
typedef struct tool_configure_attach_result *configure_attach_function(uint32_t, const char *, uint32_t,
	struct client_id *);

struct correlation_id { uint64_t internal, external, ancestor; };
struct async_correlation_id { uint64_t internal, external; };
struct size3 { uint32_t x, y, z; };     /* rocprofiler_dim3_t */

struct record_header {
	union {
		struct { uint32_t category, kind; };
		uint64_t hash;
	};
	void *payload;
};

#include "sdk_agent.h"
#include "sdk_functions.h"
#include "sdk_records.h"

#endif
