/* SPDX-License-Identifier: MIT */
/* Part of sdk_abi.h: what the SDK delivers.  Later versions have more at the end of some. */
#ifndef ROCLATCH_TESTS_SDK_RECORDS_H
#define ROCLATCH_TESTS_SDK_RECORDS_H

/* ---- buffer records -------------------------------------------------------------------------- */

/* hsa_api, hip_api, marker_api, rccl_api, rocdecode_api, rocjpeg_api, rocshmem_api, hipfile_api */
struct buffer_tracing_api_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	uint64_t start_timestamp, end_timestamp, thread_id;
};

/* The *_EXT kinds: arguments and what was returned. */
struct buffer_tracing_api_ext_record {
	struct buffer_tracing_api_record api;
	uint64_t args[11], retval[3];
};

struct buffer_tracing_ompt_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	uint64_t start_timestamp, end_timestamp, thread_id;
	uint64_t data[5];
};

struct kernel_dispatch_info {
	uint64_t size;
	struct handle agent_id, queue_id;
	uint64_t kernel_id, dispatch_id;
	uint32_t private_segment_size, group_segment_size;
	struct size3 workgroup_size, grid_size;
	uint8_t reserved_padding[56];
};

struct buffer_tracing_kernel_dispatch_record {
	uint64_t size;
	int32_t kind, operation;
	struct async_correlation_id correlation_id;
	uint64_t thread_id, start_timestamp, end_timestamp;
	struct kernel_dispatch_info dispatch_info;
#if SDK_VERSION >= 10300
	int32_t pipe_id;
#endif
};

struct buffer_tracing_memory_copy_record {
	uint64_t size;
	int32_t kind, operation;
	struct async_correlation_id correlation_id;
	uint64_t thread_id, start_timestamp, end_timestamp;
	struct handle dst_agent_id, src_agent_id;
	uint64_t bytes, dst_address, src_address;
};

struct buffer_tracing_memory_allocation_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	uint64_t thread_id, start_timestamp, end_timestamp;
	struct handle agent_id;
	uint64_t address, allocation_size;
};

struct buffer_tracing_scratch_memory_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	struct handle agent_id, queue_id;
	uint64_t thread_id, start_timestamp, end_timestamp;
	int32_t flags;
#if SDK_VERSION >= 10100
	uint64_t allocation_size;
#endif
};

/* of 1.3: one for each hipGraphLaunch */
struct buffer_tracing_hip_graph_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	uint64_t thread_id, start_timestamp, end_timestamp;
	struct handle agent_id, queue_id, graph_exec_id;
	uint64_t kernel_dispatch_count;
};

struct buffer_tracing_runtime_initialization_record {
	uint64_t size;
	int32_t kind, operation;
	struct correlation_id correlation_id;
	uint64_t thread_id, timestamp, version, instance;
};

struct buffer_tracing_correlation_id_retirement_record {
	uint64_t size;
	int32_t kind;
	uint64_t timestamp, internal_correlation_id;
};

/* ---- payloads of callbacks ------------------------------------------------------------------- */

struct callback_tracing_record {
	struct handle context_id;
	uint64_t thread_id;
	struct correlation_id correlation_id;
	int32_t kind, operation, phase;
	void *payload;
};

/* of HIP, HSA and such: the arguments are the stand-in's own */
struct callback_tracing_hip_api_data {
	uint64_t size;
	uint64_t args[11], retval[3];
};

struct callback_tracing_marker_api_data {
	uint64_t size;
	union {
		const char *message;
		uint64_t id;
		struct { const char *name; uint64_t object; };
		uint64_t words[2];
	} args;
	uint64_t retval;
};

struct callback_tracing_code_object_load_data {
	uint64_t size, code_object_id;
	struct handle agent_id, hsa_agent;
	const char *uri;
	uint64_t load_base, load_size;
	int64_t load_delta;
	int32_t storage_type;
	union {
		struct { int32_t storage_file; };
		struct { uint64_t memory_base, memory_size; };
	};
};

struct callback_tracing_code_object_kernel_symbol_register_data {
	uint64_t size, kernel_id, code_object_id;
	const char *kernel_name;
	uint64_t kernel_object;
	uint32_t kernarg_segment_size, kernarg_segment_alignment, group_segment_size, private_segment_size;
	uint32_t sgpr_count, arch_vgpr_count, accum_vgpr_count;
	int64_t kernel_code_entry_byte_offset;
	uint64_t kernel_address;
};

struct callback_tracing_hip_stream_data {
	uint64_t size;
	struct handle stream_id;
	uint64_t stream_value;
};

struct callback_tracing_hip_graph_data {
	uint64_t size;
	struct handle graph_exec_id;
	uint64_t graph_exec_value;
};

/* ---- counters -------------------------------------------------------------------------------- */

struct dispatch_counting_service_data {
	uint64_t size;
	struct async_correlation_id correlation_id;
	uint64_t start_timestamp, end_timestamp;
	struct kernel_dispatch_info dispatch_info;
};

struct dispatch_counting_service_record {
	uint64_t size, num_records;
	struct async_correlation_id correlation_id;
	uint64_t start_timestamp, end_timestamp;
	struct kernel_dispatch_info dispatch_info;
};

struct counter_record {
	uint64_t id;
	double counter_value;
	uint64_t dispatch_id, user_data;
	struct handle agent_id;
};

struct counter_info_v0 {
	struct handle id;
	const char *name, *description, *block, *expression;
	uint8_t is_constant : 1, is_derived : 1;
};

#endif
