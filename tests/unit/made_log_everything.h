/* SPDX-License-Identifier: MIT */
/*
 * A log with a record of every type, an event of every domain, and names that
 * are hard to write: what its parts are stands beside them.
 */
#ifndef ROCLATCH_TESTS_MADE_LOG_EVERYTHING_H
#define ROCLATCH_TESTS_MADE_LOG_EVERYTHING_H

#include "made_log.h"

#define MADE_CPU 100u                   /* agents' handles: node 0 */
#define MADE_GPU 200u                   /* node 1, GPU 0 */
#define MADE_GPU2 300u                  /* node 2, GPU 1 */
#define MADE_HARD_TEXT "a \"quoted\", <b>&amp; \\ marker\nof two lines \xc3\xa9"

static inline void made_circumstances(struct made_log *log)
{
	made_fact(log, FACT_HOSTNAME, "node17");
	made_fact(log, FACT_MACHINE_ID, "0123456789abcdef0123456789abcdef");
	made_fact(log, FACT_SYSTEM, "Linux");
	made_fact(log, FACT_RELEASE, "6.8.0-31-generic");
	made_fact(log, FACT_VERSION, "#31-Ubuntu SMP");
	made_fact(log, FACT_HARDWARE, "x86_64");
	made_fact(log, FACT_DOMAIN, "(none)");
	made_fact(log, FACT_ARGUMENT, "/opt/app/solver");
	made_fact(log, FACT_ARGUMENT, "--size");
	made_fact(log, FACT_ARGUMENT, "a b");
	made_fact(log, FACT_FOLDER, "/home/user");
	made_fact(log, FACT_OUTPUT, "/home/user/roclatch-4711.rlog");
	made_fact(log, FACT_SETTING, "ROCPROF_KERNEL_TRACE=1");
	made_fact(log, FACT_SETTING, "ROCPROF_OUTPUT_PATH=/home/user=x");
	made_fact(log, FACT_TOOL_VERSION, "1.0");
}

static inline void made_kinds(struct made_log *log)
{
	static const struct { int32_t kind, operation; const char *text; } name[] = {
		{ 0, -1, "NONE" },
		{ MADE_HSA, -1, "HSA_CORE_API" }, { MADE_HSA, 0, "hsa_init" }, { MADE_HSA, 3, "hsa_queue_create" },
		{ MADE_HIP, -1, "HIP_RUNTIME_API" }, { MADE_HIP, 215, "hipMalloc" }, { MADE_HIP, 259, "hipMemcpy" },
		{ MADE_HIP, 240, "hipLaunchKernel" },
		{ MADE_COPY, -1, "MEMORY_COPY" }, { MADE_COPY, 1, "MEMORY_COPY_HOST_TO_HOST" },
		{ MADE_COPY, 2, "MEMORY_COPY_HOST_TO_DEVICE" }, { MADE_COPY, 3, "MEMORY_COPY_DEVICE_TO_HOST" },
		{ MADE_COPY, 4, "MEMORY_COPY_DEVICE_TO_DEVICE" },
		{ MADE_KERNEL, -1, "KERNEL_DISPATCH" }, { MADE_KERNEL, 2, "KERNEL_DISPATCH_COMPLETE" },
		{ MADE_SCRATCH, -1, "SCRATCH_MEMORY" }, { MADE_SCRATCH, 1, "SCRATCH_MEMORY_ALLOC" },
		{ MADE_SCRATCH, 2, "SCRATCH_MEMORY_FREE" },
		{ MADE_RCCL, -1, "RCCL_API" }, { MADE_RCCL, 0, "ncclAllGather" },
		{ MADE_OMPT, -1, "OMPT" }, { MADE_OMPT, 1, "omp_thread_begin" },
		{ MADE_ALLOCATION, -1, "MEMORY_ALLOCATION" }, { MADE_ALLOCATION, 1, "MEMORY_ALLOCATION_ALLOCATE" },
		{ MADE_ALLOCATION, 3, "MEMORY_ALLOCATION_FREE" },
		{ MADE_ROCDECODE, -1, "ROCDECODE_API" }, { MADE_ROCDECODE, 0, "rocDecCreateDecoder" },
		{ MADE_ROCJPEG, -1, "ROCJPEG_API" }, { MADE_ROCJPEG, 0, "rocJpegCreate" },
		{ MADE_MARKER, -1, "MARKER_CORE_RANGE_API" }, { MADE_MARKER, 0, "roctxMarkA" },
		{ MADE_MARKER, 1, "roctxThreadRangeA" }, { MADE_MARKER, 2, "roctxProcessRangeA" },
		{ MADE_ROCSHMEM, -1, "ROCSHMEM_API" }, { MADE_ROCSHMEM, 0, "rocshmem_init" },
		{ MADE_HIPFILE, -1, "HIPFILE_API" }, { MADE_HIPFILE, 0, "hipFileRead" },
	};
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		made_name(log, name[i].kind, name[i].operation, name[i].text);
}

static inline void made_things(struct made_log *log)
{
	made_agent(log, MADE_CPU, 0, 0, 0, "AMD EPYC 7763 64-Core Processor", "AMD EPYC 7763 64-Core Processor");
	made_agent(log, MADE_GPU, 1, 0, 90010, "gfx90a", "AMD Instinct MI250X/MI250");
	made_agent(log, MADE_GPU2, 2, 1, 90010, "gfx90a", "AMD Instinct MI250X/MI250");
	made_code_object(log, 1, MADE_GPU, "file:///opt/app/solver#offset=4096&size=32768");
	made_code_object(log, 2, MADE_GPU2, "memory://4711#offset=0x5600000000&size=32768");
	made_kernel(log, 1, 1, "_Z15matrixTransposePfS_i.kd");  /* matrixTranspose(float*, float*, int) */
	made_kernel(log, 2, 1, "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_.kd");
	made_kernel(log, 3, 2, "Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1.kd");
	made_kernel(log, 4, 2, "__amd_rocclr_copyBuffer");      /* never dispatched */
	made_counter(log, 7001, MADE_GPU, "SQ_WAVES", "");
	made_counter(log, 7002, MADE_GPU, "GRBM_GUI_ACTIVE", "");
	made_counter(log, 7003, MADE_GPU, "MeanOccupancy", "reduce(SQ_LEVEL_WAVES,sum)/GRBM_GUI_ACTIVE");
	made_thread(log, MADE_PID, "solver");
	made_thread(log, 4712, "worker");
	made_thread(log, 4712, "worker-1");
	made_stream(log, 0, 0);
	made_stream(log, 1, 0x5581aa00);
	made_stream(log, 2, 0x5581bb00);
	made_note(log, "counters were asked for that no agent has: FOO");
	made_numbered_text(log, 1, "step 1");
	made_numbered_text(log, 2, MADE_HARD_TEXT);
	made_numbered_text(log, 3, "phase");
}

/* In time: ranges with what they enclose. */
static inline void made_calls(struct made_log *log)
{
	made_marker(log, 1, 1);
	made_marker(log, 9, 2);
	made_api(log, MADE_HSA, 0, 2, 1000, 5000);
	made_api(log, MADE_HIP, 215, 3, 6000, 9000)->ancestor = 1;
	struct log_api *copy = made_api(log, MADE_HIP, 259, 4, 10000, 19000);
	copy->ancestor = 1;
	copy->external = 77;            /* the program's own */
	made_api(log, MADE_HIP, 240, 5, 20000, 21000)->ancestor = 1;
	made_api(log, MADE_HIP, 240, 6, 21500, 22500)->thread = 4712;
	made_api(log, MADE_HIP, 400, 7, 23000, 23001)->thread = 4712;   /* an operation without a name */
	made_api(log, MADE_MARKER, 1, 1, 500, 30000);
	made_api(log, MADE_MARKER, 0, 9, 31000, 31000);
	made_api(log, MADE_MARKER, 2, 10, 200, 60000);
	made_marker(log, 10, 3);        /* after its record */
	made_api(log, MADE_RCCL, 0, 11, 32000, 33000);
	made_api(log, MADE_OMPT, 1, 12, 33000, 34000);
	made_api(log, MADE_ROCDECODE, 0, 13, 34000, 35000);
	made_api(log, MADE_ROCJPEG, 0, 14, 35000, 36000);
	made_api(log, MADE_ROCSHMEM, 0, 15, 36000, 37000);
	made_api(log, MADE_HIPFILE, 0, 16, 37000, 38000);
	made_api(log, 200, 17, 17, 38000, 39000);                       /* a kind without a name */
}

static inline void made_work(struct made_log *log)
{
	static const struct log_value first[] = { { 1, 7001, 64 }, { 2, 7001, 36 }, { 3, 7002, 12345 } };
	static const struct log_value rest[] = { { 4, 7003, 0.125 } };
	made_dispatch(log, MADE_GPU, 1, 1, 5, 21000, 25000);
	made_dispatch(log, MADE_GPU, 1, 2, 6, 25500, 31500)->external = LOG_EXTERNAL(2, 1);     /* renamed: step 1 */
	made_dispatch(log, MADE_GPU2, 2, 3, 5, 22000, 22100)->thread = 4712;
	made_dispatch(log, MADE_GPU2, 3, 4, 5, 23000, 26000);
	made_dispatch(log, MADE_GPU, 42, 5, 5, 32000, 32001);           /* a kernel that nothing names */
	made_dispatch_of(log, sizeof(struct log_dispatch) + 8, MADE_GPU, 1, 6, 5, 33000, 35000);        /* with a pipe */
	made_copy(log, 2, MADE_GPU, MADE_CPU, 1 << 20, 4, 11000, 15000);
	made_copy(log, 3, MADE_CPU, MADE_GPU2, 4096, 4, 16000, 18000);
	made_copy(log, 4, MADE_GPU2, MADE_GPU, 512, 4, 18500, 18900);
	made_allocation(log, 1, MADE_GPU, 1 << 20, 3, 6500, 8500);
	made_allocation(log, 3, 0, 0, 8, 50000, 51000);
	made_scratch(log, 1, MADE_GPU, 0, 40000, 41000);
	made_scratch(log, 2, MADE_GPU, 65536, 42000, 42500);
	made_counters(log, MADE_GPU, 1, 1, 5, 21000, 25000, first, 3);
	made_counters(log, MADE_GPU, 1, 1, 5, 21000, 25000, rest, 1);   /* more of the same dispatch */
	made_counters(log, MADE_GPU, 1, 2, 6, 25500, 31500, first, 3)->external = LOG_EXTERNAL(2, 1);
}

/* Events: hip 5, hsa 1, marker 3, rccl, rocdecode, rocjpeg, rocshmem, hipfile 1 each, other api 2,
 * kernels 6, copies 3, allocations 2, scratch 2, counters 2 (in 3 records). */
static inline void made_everything(struct made_log *log)
{
	made_circumstances(log);
	made_kinds(log);
	made_things(log);
	made_calls(log);
	made_work(log);
	made_lost(log, 5, "the disk was slow");
	made_lost(log, 2, "the disk was slow");
	made_end(log, 70000, "");
}

static inline void made_log_everything(const char *path)
{
	struct made_log log;
	made_log_begin(&log, path);
	made_everything(&log);
	made_log_close(&log);
}

#endif
