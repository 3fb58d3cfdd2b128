/* SPDX-License-Identifier: MIT */
/*
 * The part of ROCprofiler-SDK's ABI (1.0 to 1.3.x) that the tool uses, in own
 * declarations: the tool is built without AMD's headers and linked with none of
 * its libraries.  What differs between versions is told apart by `size` members.
 */
#ifndef ROCLATCH_ROCP_TOOL_SDK_H
#define ROCLATCH_ROCP_TOOL_SDK_H

#include <stddef.h>
#include <stdint.h>

#define SDK_VERSION_LEAST 10000u        /* older ones have another ABI */

enum { SDK_SUCCESS = 0, SDK_BUFFER_BUSY = 14 };
enum { POLICY_LOSSLESS = 2 };
enum { PHASE_ENTER = 1, PHASE_EXIT = 2 };
enum { CATEGORY_TRACING = 1 };
enum { AGENT_GPU = 2 };

/* Callback tracing kinds: these numbers hold since 1.0.  They are asked for by name all the same. */
enum { CODE_OBJECT_LOAD = 1, CODE_OBJECT_KERNEL = 2 };
enum { STREAM_CREATE = 1, STREAM_DESTROY = 2, STREAM_SET = 3 };
enum { RANGE_MARK = 0, RANGE_THREAD = 1, RANGE_PROCESS = 2 };
enum { CONTROL_PAUSE = 0, CONTROL_RESUME = 1 };
enum { REQUEST_MEMORY_COPY = 10, REQUEST_KERNEL_DISPATCH = 11 };

struct sdk_handle { uint64_t handle; };
_Static_assert(sizeof(struct sdk_handle) == 8, "handles are one word");

struct sdk_client { size_t size; const char *name; uint32_t handle; };
_Static_assert(sizeof(struct sdk_client) == 24 && offsetof(struct sdk_client, name) == 8 &&
	       offsetof(struct sdk_client, handle) == 16, "rocprofiler_client_id_t");

struct sdk_configured {
	size_t size;
	int (*initialize)(void (*finalize)(struct sdk_client), void *data);
	void (*finalize)(void *data);
	void *data;
};
_Static_assert(sizeof(struct sdk_configured) == 32 && offsetof(struct sdk_configured, initialize) == 8 &&
	       offsetof(struct sdk_configured, finalize) == 16 && offsetof(struct sdk_configured, data) == 24,
	       "rocprofiler_tool_configure_result_t");

struct sdk_attaching {
	size_t size;
	int (*attach)(void (*detach)(struct sdk_client), struct sdk_handle *contexts, uint64_t n, void *data);
	void (*detach)(void *data);
	void *data;
};
_Static_assert(sizeof(struct sdk_attaching) == 32 && offsetof(struct sdk_attaching, attach) == 8 &&
	       offsetof(struct sdk_attaching, detach) == 16 && offsetof(struct sdk_attaching, data) == 24,
	       "rocprofiler_tool_configure_attach_result_t");

struct sdk_header { uint32_t category, kind; void *payload; };
_Static_assert(sizeof(struct sdk_header) == 16 && offsetof(struct sdk_header, kind) == 4 &&
	       offsetof(struct sdk_header, payload) == 8, "rocprofiler_record_header_t");

struct sdk_correlation { uint64_t internal, external, ancestor; };
_Static_assert(sizeof(struct sdk_correlation) == 24, "rocprofiler_correlation_id_t");

struct sdk_async_correlation { uint64_t internal, external; };
_Static_assert(sizeof(struct sdk_async_correlation) == 16, "rocprofiler_async_correlation_id_t");

struct sdk_dispatch_info {
	uint64_t size, agent, queue, kernel, dispatch;
	uint32_t private_segment, group_segment, workgroup[3], grid[3];
	unsigned char reserved[56];
};
_Static_assert(sizeof(struct sdk_dispatch_info) == 128 && offsetof(struct sdk_dispatch_info, kernel) == 24 &&
	       offsetof(struct sdk_dispatch_info, private_segment) == 40 &&
	       offsetof(struct sdk_dispatch_info, workgroup) == 48 && offsetof(struct sdk_dispatch_info, grid) == 60 &&
	       offsetof(struct sdk_dispatch_info, reserved) == 72, "rocprofiler_kernel_dispatch_info_t");

/* Buffer records: where they differ from the log's own structures they are longer. */
#define SDK_API_SIZE 64u
#define SDK_COPY_SIZE 96u
#define SDK_ALLOCATION_SIZE 88u
#define SDK_SCRATCH_SIZE 88u            /* 96 with allocation_size, behind 1.0 */
#define SDK_DISPATCH_SIZE 184u          /* 192 with pipe_id, since 1.3 */
#define SDK_DISPATCH_PIPE 184u

struct sdk_callback {
	struct sdk_handle context;
	uint64_t thread;
	struct sdk_correlation correlation;
	int32_t kind, operation, phase;
	void *payload;
};
_Static_assert(sizeof(struct sdk_callback) == 64 && offsetof(struct sdk_callback, correlation) == 16 &&
	       offsetof(struct sdk_callback, kind) == 40 && offsetof(struct sdk_callback, operation) == 44 &&
	       offsetof(struct sdk_callback, phase) == 48 && offsetof(struct sdk_callback, payload) == 56,
	       "rocprofiler_callback_tracing_record_t");

struct sdk_marker { uint64_t size; const char *message; uint64_t more, answer; };
_Static_assert(sizeof(struct sdk_marker) == 32 && offsetof(struct sdk_marker, message) == 8 &&
	       offsetof(struct sdk_marker, answer) == 24, "marker api data");

struct sdk_code_object {
	uint64_t size, id, agent, hsa_agent;
	const char *uri;
	uint64_t load_base, load_size;
	int64_t load_delta;
	int32_t storage;
	uint64_t memory_base, memory_size;      /* of storage 2; of 1 the first is an int, the file */
};
_Static_assert(sizeof(struct sdk_code_object) == 88 && offsetof(struct sdk_code_object, uri) == 32 &&
	       offsetof(struct sdk_code_object, load_delta) == 56 && offsetof(struct sdk_code_object, storage) == 64 &&
	       offsetof(struct sdk_code_object, memory_base) == 72, "code object load data");

struct sdk_kernel {
	uint64_t size, id, code_object;
	const char *name;
	uint64_t object;
	uint32_t kernarg_size, kernarg_alignment, group_segment, private_segment, sgprs, arch_vgprs, accum_vgprs;
	int64_t entry_offset;
	uint64_t address;
};
_Static_assert(offsetof(struct sdk_kernel, name) == 24 && offsetof(struct sdk_kernel, kernarg_size) == 40 &&
	       offsetof(struct sdk_kernel, accum_vgprs) == 64 && offsetof(struct sdk_kernel, entry_offset) == 72 &&
	       offsetof(struct sdk_kernel, address) == 80 && sizeof(struct sdk_kernel) == 88, "kernel symbol data");

struct sdk_stream { uint64_t size, id, value; };
_Static_assert(sizeof(struct sdk_stream) == 24, "hip stream data");

/* As far as every 1.x has it: this size is asked for. */
#define SDK_AGENT_SIZE 296u
struct sdk_agent {
	uint64_t size, id;
	int32_t type;
	unsigned char fields[204];
	const void *mem_banks, *caches, *io_links;
	const char *name, *vendor, *product, *model;
	uint32_t node;
	int32_t logical_node, type_node;
	uint32_t runtime_visibility;
};
_Static_assert(sizeof(struct sdk_agent) == SDK_AGENT_SIZE && offsetof(struct sdk_agent, type) == 16 &&
	       offsetof(struct sdk_agent, mem_banks) == 224 && offsetof(struct sdk_agent, name) == 248 &&
	       offsetof(struct sdk_agent, model) == 272 && offsetof(struct sdk_agent, node) == 280 &&
	       offsetof(struct sdk_agent, type_node) == 288, "rocprofiler_agent_v0_t");

struct sdk_counter {
	uint64_t id;
	const char *name, *description, *block, *expression;
	uint8_t flags;          /* 1: constant, 2: derived */
};
_Static_assert(sizeof(struct sdk_counter) == 48 && offsetof(struct sdk_counter, expression) == 32 &&
	       offsetof(struct sdk_counter, flags) == 40, "rocprofiler_counter_info_v0_t");

struct sdk_counted { uint64_t size; struct sdk_async_correlation correlation; uint64_t start, end; struct sdk_dispatch_info info; };
_Static_assert(sizeof(struct sdk_counted) == 168 && offsetof(struct sdk_counted, correlation) == 8 &&
	       offsetof(struct sdk_counted, start) == 24 && offsetof(struct sdk_counted, info) == 40,
	       "rocprofiler_dispatch_counting_service_data_t");

struct sdk_value { uint64_t id; double value; uint64_t dispatch, user, agent; };
_Static_assert(sizeof(struct sdk_value) == 40 && offsetof(struct sdk_value, value) == 8, "rocprofiler_counter_record_t");

typedef void sdk_buffer_callback(struct sdk_handle context, struct sdk_handle buffer, struct sdk_header **headers,
	size_t n, void *data, uint64_t dropped);
typedef void sdk_tracing_callback(struct sdk_callback record, uint64_t *user, void *data);
typedef int sdk_request_callback(uint64_t thread, struct sdk_handle context, int kind, int32_t operation,
	uint64_t correlation, uint64_t *external, void *data);
typedef void sdk_counting_callback(struct sdk_counted dispatch, struct sdk_handle *config, uint64_t *user, void *data);
typedef void sdk_counted_callback(struct sdk_counted dispatch, struct sdk_value *value, size_t n, uint64_t user, void *data);

/* What is called: answer, name behind rocprofiler_, arguments, whether a tool cannot do without. */
#define SDK_FUNCTIONS(F) \
	F(int, create_context, (struct sdk_handle *context), 1) \
	F(int, start_context, (struct sdk_handle context), 1) \
	F(int, stop_context, (struct sdk_handle context), 1) \
	F(int, context_is_active, (struct sdk_handle context, int *active), 1) \
	F(int, create_buffer, (struct sdk_handle context, size_t size, size_t watermark, int policy, \
		sdk_buffer_callback *callback, void *data, struct sdk_handle *buffer), 1) \
	F(int, flush_buffer, (struct sdk_handle buffer), 1) \
	F(int, create_callback_thread, (struct sdk_handle *thread), 1) \
	F(int, assign_callback_thread, (struct sdk_handle buffer, struct sdk_handle thread), 1) \
	F(int, iterate_buffer_tracing_kinds, (int (*callback)(int kind, void *data), void *data), 1) \
	F(int, iterate_callback_tracing_kinds, (int (*callback)(int kind, void *data), void *data), 1) \
	F(int, query_buffer_tracing_kind_name, (int kind, const char **name, uint64_t *length), 1) \
	F(int, query_callback_tracing_kind_name, (int kind, const char **name, uint64_t *length), 1) \
	F(int, iterate_buffer_tracing_kind_operations, (int kind, int (*callback)(int kind, int32_t operation, void *data), \
		void *data), 1) \
	F(int, query_buffer_tracing_kind_operation_name, (int kind, int32_t operation, const char **name, uint64_t *length), 1) \
	F(int, configure_buffer_tracing_service, (struct sdk_handle context, int kind, const int32_t *operations, size_t n, \
		struct sdk_handle buffer), 1) \
	F(int, configure_callback_tracing_service, (struct sdk_handle context, int kind, const int32_t *operations, size_t n, \
		sdk_tracing_callback *callback, void *data), 1) \
	F(int, configure_external_correlation_id_request_service, (struct sdk_handle context, const int *kinds, size_t n, \
		sdk_request_callback *callback, void *data), 0) \
	F(int, query_available_agents, (int version, int (*callback)(int version, const void **agents, size_t n, void *data), \
		size_t agent_size, void *data), 1) \
	F(int, iterate_agent_supported_counters, (struct sdk_handle agent, \
		int (*callback)(struct sdk_handle agent, struct sdk_handle *counters, size_t n, void *data), void *data), 0) \
	F(int, query_counter_info, (struct sdk_handle counter, int version, void *info), 0) \
	F(int, create_counter_config, (struct sdk_handle agent, struct sdk_handle *counters, size_t n, \
		struct sdk_handle *config), 0) \
	F(int, destroy_counter_config, (struct sdk_handle config), 0) \
	F(int, configure_callback_dispatch_counting_service, (struct sdk_handle context, sdk_counting_callback *before, \
		void *data, sdk_counted_callback *after, void *after_data), 0) \
	F(int, query_record_counter_id, (uint64_t id, struct sdk_handle *counter), 0) \
	F(const char *, get_status_string, (int status), 0)

struct sdk {
	uint32_t version;
#define SDK_MEMBER(answer, name, arguments, needed) answer (*name) arguments;
	SDK_FUNCTIONS(SDK_MEMBER)
#undef SDK_MEMBER
	char *(*demangle)(const char *name, char *buffer, size_t *length, int *status);    /* or NULL */
};
extern struct sdk sdk;

/* Finds the functions in the library that `caller` is in, whatever scope it was loaded in.  -1: not all are there. */
int sdk_find(const void *caller, uint32_t version);
/* What a status means, in words. */
const char *sdk_words(int status);

#endif
