/* SPDX-License-Identifier: MIT */
/* What each option changes in the environment that arrives. */
#ifndef ROCLATCH_TESTS_REQUEST_ROWS_H
#define ROCLATCH_TESTS_REQUEST_ROWS_H

#define ATT "--rocm-root /none --att-no-intercept "
#define ATT_IS "ROCPROF_ADVANCED_THREAD_TRACE=1\nROCPROF_ATT_NO_INTERCEPT=1\n"
#define KFD_IS "ROCPROF_KFD_PAGE_MIGRATION_TRACE=1\nROCPROF_KFD_PAGE_MAPPING_TRACE=1\nROCPROF_KFD_QUEUE_TRACE=1\n" \
	"ROCPROF_KFD_DROPPED_EVENTS_TRACE=1\n"
#define HIP_RUNTIME_IS "ROCPROF_HIP_RUNTIME_API_TRACE=1\nROCPROF_HIP_GRAPH_TRACE=1\nROCPROF_HIP_EVENT_TRACE=1\n"
#define HIP_IS HIP_RUNTIME_IS "ROCPROF_HIP_COMPILER_API_TRACE=1\n"
#define HSA_IS "ROCPROF_HSA_CORE_API_TRACE=1\nROCPROF_HSA_AMD_EXT_API_TRACE=1\nROCPROF_HSA_IMAGE_EXT_API_TRACE=1\n" \
	"ROCPROF_HSA_FINALIZER_EXT_API_TRACE=1\n"
#define REST_IS "ROCPROF_MARKER_API_TRACE=1\nROCPROF_KERNEL_TRACE=1\nROCPROF_MEMORY_COPY_TRACE=1\n" \
	"ROCPROF_MEMORY_ALLOCATION_TRACE=1\nROCPROF_SCRATCH_MEMORY_TRACE=1\nROCPROF_RCCL_API_TRACE=1\nROCPROF_OMPT_TRACE=1\n" \
	"ROCPROF_ROCDECODE_API_TRACE=1\nROCPROF_ROCJPEG_API_TRACE=1\nROCPROF_ROCSHMEM_API_TRACE=1\n" \
	"ROCPROF_HIPFILE_API_TRACE=1\nROCPROF_HIP_EVENT_TRACE=1\n" KFD_IS

/* with: words that come before; yes, no: what changes. */
static const struct { const char *name; char letter; const char *second, *with, *yes, *no; } bools[] = {
	{ "output-config", 0, NULL, "", "ROCPROF_OUTPUT_CONFIG_FILE=1", "" },
	{ "runtime-trace", 'r', NULL, "", HIP_RUNTIME_IS REST_IS, "" },
	{ "sys-trace", 's', NULL, "", HIP_IS HSA_IS REST_IS, "" },
	{ "hip-trace", 0, NULL, "", HIP_IS, "" },
	{ "hip-runtime-trace", 0, NULL, "", HIP_RUNTIME_IS, "" },
	{ "hip-compiler-trace", 0, NULL, "", "ROCPROF_HIP_COMPILER_API_TRACE=1", "" },
	{ "hsa-trace", 0, NULL, "", HSA_IS, "" },
	{ "hsa-core-trace", 0, NULL, "", "ROCPROF_HSA_CORE_API_TRACE=1", "" },
	{ "hsa-amd-trace", 0, NULL, "", "ROCPROF_HSA_AMD_EXT_API_TRACE=1", "" },
	{ "hsa-image-trace", 0, NULL, "", "ROCPROF_HSA_IMAGE_EXT_API_TRACE=1", "" },
	{ "hsa-finalizer-trace", 0, NULL, "", "ROCPROF_HSA_FINALIZER_EXT_API_TRACE=1", "" },
	{ "marker-trace", 0, NULL, "", "ROCPROF_MARKER_API_TRACE=1", "" },
	{ "kernel-trace", 0, NULL, "", "ROCPROF_KERNEL_TRACE=1", "" },
	{ "hip-graph-trace", 0, NULL, "", "ROCPROF_HIP_GRAPH_TRACE=1", "" },
	{ "hip-event-trace", 0, NULL, "", "ROCPROF_HIP_EVENT_TRACE=1", "" },
	{ "memory-copy-trace", 0, NULL, "", "ROCPROF_MEMORY_COPY_TRACE=1", "" },
	{ "memory-allocation-trace", 0, NULL, "", "ROCPROF_MEMORY_ALLOCATION_TRACE=1", "" },
	{ "scratch-memory-trace", 0, NULL, "", "ROCPROF_SCRATCH_MEMORY_TRACE=1", "" },
	{ "rccl-trace", 0, NULL, "", "ROCPROF_RCCL_API_TRACE=1", "" },
	{ "rocdecode-trace", 0, NULL, "", "ROCPROF_ROCDECODE_API_TRACE=1", "" },
	{ "rocjpeg-trace", 0, NULL, "", "ROCPROF_ROCJPEG_API_TRACE=1", "" },
	{ "rocshmem-trace", 0, NULL, "", "ROCPROF_ROCSHMEM_API_TRACE=1", "" },
	{ "hipfile-trace", 0, NULL, "", "ROCPROF_HIPFILE_API_TRACE=1", "" },
	{ "ompt-trace", 0, NULL, "", "ROCPROF_OMPT_TRACE=1", "" },
	{ "kfd-trace", 0, NULL, "", KFD_IS, "" },
	{ "kfd-page-migration-trace", 0, NULL, "", "ROCPROF_KFD_PAGE_MIGRATION_TRACE=1", "" },
	{ "kfd-page-mapping-trace", 0, NULL, "", "ROCPROF_KFD_PAGE_MAPPING_TRACE=1", "" },
	{ "kfd-queue-trace", 0, NULL, "", "ROCPROF_KFD_QUEUE_TRACE=1", "" },
	{ "kfd-dropped-events-trace", 0, NULL, "", "ROCPROF_KFD_DROPPED_EVENTS_TRACE=1", "" },
	{ "kokkos-trace", 0, NULL, "", "ROCPROF_MARKER_API_TRACE=1\nROCPROF_KERNEL_RENAME=1", "" },
	{ "kernel-replay-beta-enabled", 0, NULL, "", "", "" },
	{ "spm-beta-enabled", 0, NULL, "", "", "" },
	{ "pc-sampling-beta-enabled", 0, NULL, "", "", "" },
	{ "stats", 0, NULL, "", "ROCPROF_STATS=1", "" },
	{ "summary", 'S', NULL, "", "ROCPROF_STATS_SUMMARY=1\nROCPROF_STATS_SUMMARY_OUTPUT=stderr", "" },
	{ "summary-per-domain", 'D', NULL, "", "ROCPROF_STATS_SUMMARY_PER_DOMAIN=1", "" },
	{ "mangled-kernels", 'M', NULL, "", "ROCPROF_DEMANGLE_KERNELS=0", "" },
	{ "truncate-kernels", 'T', NULL, "", "ROCPROF_TRUNCATE_KERNELS=1", "" },
	{ "kernel-rename", 0, NULL, "", "ROCPROF_KERNEL_RENAME=1", "" },
	{ "selected-regions", 0, NULL, "", "ROCPROF_SELECTED_REGIONS=1", "" },
	{ "selected-regions-ref-count", 0, NULL, "", "ROCPROF_SELECTED_REGIONS_REF_COUNT=1", "" },
	{ "group-by-queue", 0, NULL, "", "ROCPROF_GROUP_BY_QUEUE=1", "" },
	{ "readlink", 0, NULL, "", "", "" },
	{ "realpath", 0, NULL, "", "", "" },
	{ "suppress-marker-preload", 0, NULL, "", "", "" },
	{ "echo", 0, NULL, "", "", "" },
	{ "disable-signal-handlers", 0, NULL, "", "ROCPROF_SIGNAL_HANDLERS=0", "ROCPROF_SIGNAL_HANDLERS=1" },
	{ "process-sync", 0, NULL, "", "ROCPROF_PROCESS_SYNC=1", "ROCPROF_PROCESS_SYNC=0" },
	{ "attach-children", 0, NULL, "", "ROCPROF_ATTACH_CHILDREN=1", "ROCPROF_ATTACH_CHILDREN=0" },
	{ "attach-sync-output", 0, NULL, "", "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC=1", "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC=0" },
	{ "advanced-thread-trace", 0, "att", ATT, ATT_IS, ATT_IS },
	{ "att-no-intercept", 0, NULL, "--rocm-root /none ", ATT_IS, "" },
	{ "att-perfcounter-target-only", 0, NULL, ATT, ATT_IS "ROCPROF_ATT_PARAM_TARGET_ONLY=1", ATT_IS },
	{ "att-serialize-all", 0, NULL, ATT, ATT_IS "ROCPROF_ATT_PARAM_SERIALIZE_ALL=1", ATT_IS },
	{ "att-no-detail", 0, NULL, ATT, ATT_IS "ROCPROF_ATT_PARAM_NO_DETAIL=1", ATT_IS },
};

#define PC "--pc-sampling-beta-enabled --pc-sampling-unit cycles --pc-sampling-method stochastic --pc-sampling-interval 1024 "
#define PC_IS "ROCPROFILER_PC_SAMPLING_BETA_ENABLED=1\nROCPROF_PC_SAMPLING_UNIT=cycles\nROCPROF_PC_SAMPLING_METHOD=stochastic\n" \
	"ROCPROF_PC_SAMPLING_INTERVAL=1024\n"
#define SPM "--spm-beta-enabled --spm X "
#define SPM_IS "ROCPROFILER_SPM_BETA_ENABLED=1\nROCPROF_SPM_COUNTER_COLLECTION=1\nROCPROF_SPM_COUNTERS=spm:~X\n"
#define MPI_IS "ROCPROF_MPI_RANK_VAR=R\nROCPROF_MPI_SIZE_VAR=S"

/* A value of several words can have no '=' before it. */
static const struct { const char *name; char letter; const char *second, *with, *value, *changes; } values[] = {
	{ "output-file", 'o', NULL, "", "name", "ROCPROF_OUTPUT_FILE_NAME=name" },
	{ "output-directory", 'd', NULL, "", "some/where", "ROCPROF_OUTPUT_PATH=some/where" },
	{ "output-format", 'f', NULL, "", "csv", "ROCPROF_OUTPUT_FORMAT=csv" },
	{ "output-format", 'f', NULL, "", "CSV Json pftrace otf2 rocpd", "ROCPROF_OUTPUT_FORMAT=csv,json,pftrace,otf2,rocpd" },
	{ "output-format", 'f', NULL, "", "html", "-ROCPROF_OUTPUT_FORMAT" },
	{ "output-format", 'f', NULL, "", "json html csv", "ROCPROF_OUTPUT_FORMAT=json,csv" },
	{ "log-level", 0, NULL, "", "fatal", "ROCPROF_LOG_LEVEL=fatal\nROCPROFILER_LOG_LEVEL=fatal" },
	{ "log-level", 0, NULL, "", "ERROR", "ROCPROF_LOG_LEVEL=error\nROCPROFILER_LOG_LEVEL=error" },
	{ "log-level", 0, NULL, "", "warning", "ROCPROF_LOG_LEVEL=warning\nROCPROFILER_LOG_LEVEL=warning" },
	{ "log-level", 0, NULL, "", "info", "ROCPROF_LOG_LEVEL=info\nROCPROFILER_LOG_LEVEL=info" },
	{ "log-level", 0, NULL, "", "trace", "ROCPROF_LOG_LEVEL=trace\nROCPROFILER_LOG_LEVEL=trace" },
	{ "log-level", 0, NULL, "", "env", "" },
	{ "log-level", 0, NULL, "", "config", "" },
	{ "ompt-trace", 0, NULL, "", "all", "ROCPROF_OMPT_TRACE=1" },
	{ "ompt-trace", 0, NULL, "", "task all", "ROCPROF_OMPT_TRACE=1" },
	{ "ompt-trace", 0, NULL, "", "target", "ROCPROF_OMPT_TRACE=1\nROCPROF_OMPT_TRACE_OPERATIONS=target" },
	{ "ompt-trace", 0, NULL, "", "thread parallel TASK sync mutex target device error",
	  "ROCPROF_OMPT_TRACE=1\nROCPROF_OMPT_TRACE_OPERATIONS=thread,parallel,task,sync,mutex,target,device,error" },
	{ "pmc", 0, NULL, "", "SQ_WAVES", "ROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTERS=pmc:~SQ_WAVES" },
	{ "pmc", 0, NULL, "", "SQ_WAVES GRBM_COUNT TCC_HIT[0]", "ROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTERS=pmc:~SQ_WAVES~GRBM_COUNT~TCC_HIT[0]" },
	{ "replay-mode", 0, NULL, "--kernel-replay-beta-enabled --pmc A --pmc B C ", "kernel",
	  "ROCPROF_KERNEL_REPLAY=1\nROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTER_GROUPS=pmc:~A\x01pmc:~B~C" },
	{ "replay-mode", 0, NULL, "--kernel-replay-beta-enabled --pmc A ", "kernel",
	  "ROCPROF_KERNEL_REPLAY=1\nROCPROF_COUNTER_COLLECTION=1\nROCPROF_COUNTERS=pmc:~A" },
	{ "replay-mode", 0, NULL, "", "application", "" },
	{ "spm", 0, NULL, "--spm-beta-enabled ", "A B", "ROCPROFILER_SPM_BETA_ENABLED=1\nROCPROF_SPM_COUNTER_COLLECTION=1\nROCPROF_SPM_COUNTERS=spm:~A~B" },
	{ "spm-sample-interval", 0, NULL, SPM, "4096", SPM_IS "ROCPROF_SPM_SAMPLE_INTERVAL=4096" },
	{ "spm-sample-interval", 0, NULL, SPM, "0", SPM_IS },
	{ "spm-sample-interval-unit", 0, NULL, SPM, "sclk_cycles", SPM_IS "ROCPROF_SPM_SAMPLE_INTERVAL_UNIT=sclk_cycles" },
	{ "pc-sampling-unit", 0, NULL, PC, "instructions", PC_IS "ROCPROF_PC_SAMPLING_UNIT=instructions" },
	{ "pc-sampling-unit", 0, NULL, PC, "time", PC_IS "ROCPROF_PC_SAMPLING_UNIT=time" },
	{ "pc-sampling-method", 0, NULL, PC, "host_trap", PC_IS "ROCPROF_PC_SAMPLING_METHOD=host_trap" },
	{ "pc-sampling-interval", 0, NULL, PC, "77", PC_IS "ROCPROF_PC_SAMPLING_INTERVAL=77" },
	{ "summary-groups", 0, NULL, "", "KERNEL.*|MEM.*", "ROCPROF_STATS_SUMMARY_GROUPS=KERNEL.*|MEM.*" },
	{ "summary-groups", 0, NULL, "", "A B", "ROCPROF_STATS_SUMMARY_GROUPS=A##@@##B" },
	{ "summary-output-file", 0, NULL, "", "STDOUT", "ROCPROF_STATS_SUMMARY_OUTPUT=STDOUT" },
	{ "summary-output-file", 0, NULL, "-S ", "STDOUT", "ROCPROF_STATS_SUMMARY=1\nROCPROF_STATS_SUMMARY_OUTPUT=stdout" },
	{ "summary-output-file", 0, NULL, "-S ", "File", "ROCPROF_STATS_SUMMARY=1\nROCPROF_STATS_SUMMARY_OUTPUT=File" },
	{ "summary-units", 'u', NULL, "", "sec", "ROCPROF_STATS_SUMMARY_UNITS=sec" },
	{ "summary-units", 'u', NULL, "", "msec", "ROCPROF_STATS_SUMMARY_UNITS=msec" },
	{ "summary-units", 'u', NULL, "", "usec", "ROCPROF_STATS_SUMMARY_UNITS=usec" },
	{ "summary-units", 'u', NULL, "", "nsec", "ROCPROF_STATS_SUMMARY_UNITS=nsec" },
	{ "profile-mpi-ranks", 0, NULL, "", "0-3,8", "" },
	{ "mpi-world-rank-variable", 0, NULL, "--mpi-world-size-variable S ", "R", MPI_IS },
	{ "mpi-world-size-variable", 0, NULL, "--mpi-world-rank-variable R ", "S", MPI_IS },
	{ "kernel-include-regex", 0, NULL, "", "gemm.*", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=gemm.*" },
	{ "kernel-exclude-regex", 0, NULL, "", "copy", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX=copy" },
	{ "kernel-iteration-range", 0, NULL, "", "[1-3]", "ROCPROF_KERNEL_FILTER_RANGE=[1-3]" },
	{ "kernel-iteration-range", 0, NULL, "", "[1-3,5] 7", "ROCPROF_KERNEL_FILTER_RANGE=[1-3,5],~7" },
	{ "collection-period-unit", 0, NULL, "", "msec", "" },
	{ "perfetto-backend", 0, NULL, "", "inprocess", "ROCPROF_PERFETTO_BACKEND=inprocess" },
	{ "perfetto-backend", 0, NULL, "", "system", "ROCPROF_PERFETTO_BACKEND=system" },
	{ "perfetto-buffer-size", 0, NULL, "", "1", "ROCPROF_PERFETTO_BUFFER_SIZE_KB=1" },
	{ "perfetto-buffer-size", 0, NULL, "", "4194303", "ROCPROF_PERFETTO_BUFFER_SIZE_KB=4194303" },
	{ "perfetto-buffer-fill-policy", 0, NULL, "", "discard", "ROCPROF_PERFETTO_BUFFER_FILL_POLICY=discard" },
	{ "perfetto-buffer-fill-policy", 0, NULL, "", "ring_buffer", "ROCPROF_PERFETTO_BUFFER_FILL_POLICY=ring_buffer" },
	{ "perfetto-shmem-size-hint", 0, NULL, "", "64", "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB=64" },
	{ "preload", 0, NULL, "", "a.so b.so", "" },
	{ "rocm-root", 0, NULL, "", "/opt/other", "" },
	{ "sdk-soversion", 0, NULL, "", "1", "" },
	{ "sdk-version", 0, NULL, "", "1.2.3", "" },
	{ "benchmark-mode", 0, NULL, "", "disabled-sdk-contexts", "ROCPROF_BENCHMARK_MODE=disabled-sdk-contexts" },
	{ "benchmark-mode", 0, NULL, "", "sdk-buffer-overhead", "ROCPROF_BENCHMARK_MODE=sdk-buffer-overhead" },
	{ "benchmark-mode", 0, NULL, "", "sdk-callback-overhead", "ROCPROF_BENCHMARK_MODE=sdk-callback-overhead" },
	{ "benchmark-mode", 0, NULL, "", "tool-runtime-overhead", "ROCPROF_BENCHMARK_MODE=tool-runtime-overhead" },
	{ "benchmark-mode", 0, NULL, "", "execution-profile", "ROCPROF_BENCHMARK_MODE=execution-profile\nROCPROF_GROUP_BY_QUEUE=0" },
	{ "benchmark-mode", 0, NULL, "--group-by-queue=no ", "execution-profile", "ROCPROF_BENCHMARK_MODE=execution-profile" },
	{ "agent-index", 'A', NULL, "", "absolute", "ROCPROF_AGENT_INDEX=absolute" },
	{ "agent-index", 'A', NULL, "", "relative", "ROCPROF_AGENT_INDEX=relative" },
	{ "agent-index", 'A', NULL, "", "type-relative", "ROCPROF_AGENT_INDEX=type-relative" },
	{ "minimum-output-data", 0, NULL, "", "8", "ROCPROF_MINIMUM_OUTPUT_BYTES=8192" },
	{ "minimum-output-data", 0, NULL, "", "0", "" },
	{ "pid", 'p', "attach", "", "42", "" },
	{ "attach-pid", 0, NULL, "", "42", "" },
	{ "attach-duration-msec", 0, NULL, "", "5000", "ROCPROF_ATTACH_DURATION=5000" },
	{ "attach-duration-msec", 0, NULL, "", "10s", "ROCPROF_ATTACH_DURATION=10000" },
	{ "attach-duration-msec", 0, NULL, "", "500ms", "ROCPROF_ATTACH_DURATION=500" },
	{ "attach-duration-msec", 0, NULL, "", "2m", "ROCPROF_ATTACH_DURATION=120000" },
	{ "att-target-cu", 0, NULL, ATT, "0", ATT_IS "ROCPROF_ATT_PARAM_TARGET_CU=0" },
	{ "att-target-cu", 0, NULL, ATT, "0x1f", ATT_IS "ROCPROF_ATT_PARAM_TARGET_CU=31" },
	{ "att-simd-select", 0, NULL, ATT, "0xF", ATT_IS "ROCPROF_ATT_PARAM_SIMD_SELECT=15" },
	{ "att-consecutive-kernels", 0, NULL, ATT, "3", ATT_IS "ROCPROF_ATT_CONSECUTIVE_KERNELS=3" },
	{ "att-buffer-size", 0, NULL, ATT, "0x6000000", ATT_IS "ROCPROF_ATT_PARAM_BUFFER_SIZE=100663296" },
	{ "att-shader-engine-mask", 0, NULL, ATT, "0x11111111", ATT_IS "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK=286331153" },
	{ "att-resource-mode", 0, NULL, ATT, "default", ATT_IS "ROCPROF_ATT_PARAM_RESOURCE_MODE=default" },
	{ "att-resource-mode", 0, NULL, ATT, "hsa", ATT_IS "ROCPROF_ATT_PARAM_RESOURCE_MODE=hsa" },
	{ "att-resource-mode", 0, NULL, ATT, "code-object", ATT_IS "ROCPROF_ATT_PARAM_RESOURCE_MODE=code-object" },
	{ "att-gpu-index", 0, NULL, ATT, "0,2", ATT_IS "ROCPROF_ATT_PARAM_GPU_INDEX=0,2" },
	{ "att-perfcounters", 0, NULL, ATT, "sq_waves:0x3", ATT_IS "ROCPROF_ATT_PARAM_PERFCOUNTERS=SQ_WAVES:0X3" },
	{ "att-perfcounter-ctrl", 0, NULL, ATT, "3", ATT_IS "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL=3" },
	{ "att-perfcounter-ctrl", 0, NULL, ATT, "0", ATT_IS },
	{ "att-activity", 0, NULL, ATT, "8", ATT_IS "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL=8\nROCPROF_ATT_PARAM_PERFCOUNTERS="
	  "SQ_BUSY_CU_CYCLES~SQ_VALU_MFMA_BUSY_CYCLES~SQ_ACTIVE_INST_VALU~SQ_ACTIVE_INST_LDS~SQ_ACTIVE_INST_VMEM~"
	  "SQ_ACTIVE_INST_FLAT~SQ_ACTIVE_INST_SCA~SQ_ACTIVE_INST_MISC" },
};

/* All that the newest rocprofv3 and rocprof-attach know, by every name. */
static const char upstream[] =
	"--version -v --help -h --input -i --output-file -o --output-directory -d --output-format -f --output-config "
	"--log-level --extra-counters -E --runtime-trace -r --sys-trace -s --hip-trace --hip-runtime-trace "
	"--hip-compiler-trace --hsa-trace --hsa-core-trace --hsa-amd-trace --hsa-image-trace --hsa-finalizer-trace "
	"--marker-trace --kernel-trace --hip-graph-trace --hip-event-trace --memory-copy-trace "
	"--memory-allocation-trace --scratch-memory-trace --rccl-trace --rocdecode-trace --rocjpeg-trace "
	"--rocshmem-trace --hipfile-trace --ompt-trace --kfd-trace --kfd-page-migration-trace --kfd-page-mapping-trace "
	"--kfd-queue-trace --kfd-dropped-events-trace --kokkos-trace --pmc --replay-mode --kernel-replay-beta-enabled "
	"--spm-beta-enabled --spm --spm-sample-interval --spm-sample-interval-unit --pc-sampling-beta-enabled "
	"--pc-sampling-unit --pc-sampling-method --pc-sampling-interval --stats --summary -S --summary-per-domain -D "
	"--summary-groups --summary-output-file --summary-units -u --mangled-kernels -M --truncate-kernels -T "
	"--kernel-rename --profile-mpi-ranks --mpi-world-rank-variable --mpi-world-size-variable --kernel-include-regex "
	"--kernel-exclude-regex --kernel-iteration-range --collection-period -P --collection-period-unit "
	"--selected-regions --selected-regions-ref-count --perfetto-backend --perfetto-buffer-size "
	"--perfetto-buffer-fill-policy --perfetto-shmem-size-hint --list-avail -L --group-by-queue --preload "
	"--rocm-root --sdk-soversion --sdk-version --readlink --realpath --benchmark-mode --agent-index -A "
	"--suppress-marker-preload --echo --disable-signal-handlers --process-sync --minimum-output-data --pid -p "
	"--attach --attach-duration-msec --attach-children --attach-sync-output --advanced-thread-trace --att "
	"--att-no-intercept --att-library-path --att-target-cu --att-simd-select --att-consecutive-kernels "
	"--att-buffer-size --att-shader-engine-mask --att-resource-mode --att-gpu-index --att-perfcounters "
	"--att-perfcounter-ctrl --att-perfcounter-target-only --att-activity --att-serialize-all --att-no-detail "
	"--attach-tool-library -t --attach-library --fallback-tool-library ";

#endif
