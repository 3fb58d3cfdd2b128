/* SPDX-License-Identifier: MIT */
/* Part of sdk_kinds.c: names of operations as the SDK gives them, by number; lists that end with NULL are a part. */
#ifndef ROCLATCH_TESTS_SDK_NAMES_H
#define ROCLATCH_TESTS_SDK_NAMES_H

/* Where the names of hip_runtime begin: not 0, and not the same in each version. */
#define HIP_SHIFT (215 + SDK_VERSION / 100 % 10)

static const char *const no_names[] = { NULL };
static const char *const hsa_core[] = {
	"hsa_init", "hsa_shut_down", "hsa_system_get_info", "hsa_system_extension_supported",
	"hsa_system_get_extension_table", "hsa_iterate_agents", "hsa_agent_get_info", "hsa_queue_create", NULL
};
static const char *const hsa_amd_ext[] = {
	"hsa_amd_coherency_get_type", "hsa_amd_coherency_set_type", "hsa_amd_profiling_set_profiler_enabled",
	"hsa_amd_profiling_async_copy_enable", NULL
};
static const char *const hsa_image[] = {
	"hsa_ext_image_get_capability", "hsa_ext_image_data_get_info", "hsa_ext_image_create", "hsa_ext_image_import",
	"hsa_ext_image_export", "hsa_ext_image_copy", "hsa_ext_image_clear", "hsa_ext_image_destroy",
	"hsa_ext_sampler_create", "hsa_ext_sampler_destroy"
};
static const char *const hsa_finalize[] = {
	"hsa_ext_program_create", "hsa_ext_program_destroy", "hsa_ext_program_add_module",
	"hsa_ext_program_iterate_modules", "hsa_ext_program_get_info", "hsa_ext_program_finalize"
};
static const char *const hip_runtime[] = {
	"hipMalloc", "hipFree", "hipMemcpy", "hipMemcpyAsync", "hipMemset", "hipLaunchKernel", "hipDeviceSynchronize",
	"hipGetDeviceCount", "hipStreamCreate", "hipStreamDestroy", "hipStreamSynchronize", "hipEventRecord",
	"hipGraphLaunch", NULL
};
static const char *const hip_compiler[] = {
	"__hipPopCallConfiguration", "__hipPushCallConfiguration", "__hipRegisterFatBinary", "__hipRegisterFunction",
	"__hipRegisterManagedVar", "__hipRegisterSurface", "__hipRegisterTexture", "__hipRegisterVar",
	"__hipUnregisterFatBinary"
};
static const char *const marker_core[] = {
	"roctxMarkA", "roctxRangePushA", "roctxRangePop", "roctxRangeStartA", "roctxRangeStop", "roctxGetThreadId"
};
static const char *const marker_control[] = { "roctxProfilerPause", "roctxProfilerResume" };
static const char *const marker_name[] = {
	"roctxNameOsThread", "roctxNameHsaAgent", "roctxNameHipDevice", "roctxNameHipStream"
};
static const char *const marker_core_range[] = {
	"roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA", "roctxGetThreadId"
};
static const char *const memory_copy[] = {
	"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST",
	"MEMORY_COPY_DEVICE_TO_DEVICE"
};
static const char *const kernel_dispatch[] = {
	"KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"
};
static const char *const scratch_memory[] = {
	"SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE", "SCRATCH_MEMORY_ASYNC_RECLAIM"
};
static const char *const memory_allocation[] = {
	"MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
	"MEMORY_ALLOCATION_FREE", "MEMORY_ALLOCATION_VMEM_FREE"
};
static const char *const runtime_initialization[] = {
	"RUNTIME_INITIALIZATION_NONE", "RUNTIME_INITIALIZATION_HSA", "RUNTIME_INITIALIZATION_HIP",
	"RUNTIME_INITIALIZATION_MARKER", "RUNTIME_INITIALIZATION_RCCL", "RUNTIME_INITIALIZATION_ROCDECODE",
	"RUNTIME_INITIALIZATION_ROCJPEG",
#if SDK_VERSION >= 10300
	"RUNTIME_INITIALIZATION_OMPT", "RUNTIME_INITIALIZATION_ROCSHMEM", "RUNTIME_INITIALIZATION_HIPFILE",
#endif
};
static const char *const rccl[] = {
	"ncclAllGather", "ncclAllReduce", "ncclAllToAll", "ncclAllToAllv", "ncclBroadcast", "ncclGather", "ncclReduce", NULL
};
static const char *const ompt[] = { "omp_thread_begin", "omp_thread_end", "omp_parallel_begin", "omp_parallel_end", NULL };
static const char *const rocdecode[] = {
	"rocDecCreateVideoParser", "rocDecParseVideoData", "rocDecDestroyVideoParser", "rocDecCreateDecoder",
	"rocDecDestroyDecoder", "rocDecGetDecoderCaps", "rocDecDecodeFrame", "rocDecGetDecodeStatus"
};
static const char *const rocjpeg[] = {
	"rocJpegStreamCreate", "rocJpegStreamParse", "rocJpegStreamDestroy", "rocJpegCreate", "rocJpegDestroy",
	"rocJpegGetImageInfo", "rocJpegDecode", "rocJpegDecodeBatched", "rocJpegGetErrorName"
};
static const char *const hip_stream[] = {
	"HIP_STREAM_NONE", "HIP_STREAM_CREATE", "HIP_STREAM_DESTROY", "HIP_STREAM_SET"
};
static const char *const hip_graph[] = {
	"HIP_GRAPH_OPERATION_NONE", "HIP_GRAPH_OPERATION_EXEC_CREATE", "HIP_GRAPH_OPERATION_EXEC_DESTROY",
	"HIP_GRAPH_OPERATION_EXEC_LAUNCH"
};
static const char *const rocshmem[] = { "rocshmem_init", "rocshmem_finalize", "rocshmem_malloc", "rocshmem_free" };
static const char *const hipfile[] = { "hipFileDriverOpen", "hipFileDriverClose", "hipFileRead", "hipFileWrite" };
static const char *const code_object_operations[] = {
	"CODE_OBJECT_NONE", "CODE_OBJECT_LOAD", "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER",
	"CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER"
};

#endif
