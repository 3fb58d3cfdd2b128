/* SPDX-License-Identifier: MIT */
/*
 * Every option of an attachment, said once: rocprofv3's of the newest release,
 * rocprof-attach's, rocprof-compute's and our own.
 *
 * O(id, name, letter, second name, kind, rule, group, styles, variable, value, help)
 */
#ifndef ROCLATCH_ROCP_OPTIONS_TABLE_H
#define ROCLATCH_ROCP_OPTIONS_TABLE_H

#define BOOL_OF(id, name, letter, group, variable, help) \
	O(id, name, letter, NULL, BOOL, IF_TRUE, group, FULL, variable, NULL, help)
#define TRACE_OF(id, name, variable, help) BOOL_OF(id, name, 0, TRACE, variable, help)

#define OPTIONS_TARGET \
	O(PID, "pid", 'p', "attach", TEXT, NO, TARGET, ALL, NULL, "PID", "the process; may be given several times") \
	O(ATTACH_PID, "attach-pid", 0, NULL, TEXT, NO, TARGET, ALL, NULL, "PID", "the same, as rocprof-compute calls it") \
	O(NAME, "name", 0, NULL, TEXT, NO, TARGET, ALL, NULL, "REGEX", "every process whose name matches") \
	O(ALL_OF, "all", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "every process that can be attached") \
	O(CHILDREN, "attach-children", 0, NULL, BOOL, NO, TARGET, ALL, "ROCPROF_ATTACH_CHILDREN", NULL, "descendants too (default yes)") \
	O(DURATION, "attach-duration-msec", 0, NULL, TEXT, NO, TARGET, ALL, "ROCPROF_ATTACH_DURATION", "TIME", "detach after 5000, 10s, 500ms, 2m; else on Enter") \
	O(KEEP, "keep", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "attach and return; roclatch detach ends it") \
	O(SYNC, "attach-sync-output", 0, NULL, BOOL, BOTH, TARGET, FULL, "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC", NULL, "detach waits until all output is written") \
	O(TOOL, "attach-tool-library", 't', NULL, TEXT, NO, TARGET, ALL, NULL, "PATH[:PATH...]", "tool to load (default: the target's own ROCm); roclatch: ours") \
	O(OWN_TOOL, "own-tool", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "the same as -t roclatch: record with roclatch's own tool") \
	O(KEEP_LOG, "keep-log", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "own tool: keep the log after the conversion") \
	O(LATE, "late", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "attach although ROCP_TOOL_ATTACH=1 was not set at start") \
	O(SDK, "sdk", 0, NULL, TEXT, NO, TARGET, ALL, NULL, "PATH", "SDK library for --late") \
	O(TIMEOUT, "timeout-msec", 0, NULL, NUMBER, NO, TARGET, ALL, NULL, "TIME", "limit of each call in the process, default 2m") \
	O(THREAD, "thread", 0, NULL, NUMBER, NO, TARGET, ALL, NULL, "TID", "borrow this thread; by default roclatch chooses one") \
	O(TRUST_SECCOMP, "trust-seccomp", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "go on although seccomp filters cannot be read") \
	O(ANNOUNCE, "announce", 0, NULL, FLAG, NO, TARGET, ALL, NULL, NULL, "a line on the terminal of the process at attach and detach") \
	O(ATTACH_LIBRARY, "attach-library", 0, NULL, TEXT, NO, TARGET, ALL, NULL, "PATH", "no effect: roclatch needs no attach library") \
	O(FALLBACK_TOOL, "fallback-tool-library", 0, NULL, TEXT, NO, TARGET, ALL, NULL, "PATH", "tool when the target has none of its own")

#define OPTIONS_PLACE \
	O(PID_FILE, "pid-file", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "FILE", "the process whose id this file holds") \
	O(WITH_ENV, "env", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "NAME=VALUE", "every process that was started with this variable") \
	O(CGROUP, "cgroup", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "PATH", "every process in this control group and below") \
	O(SLURM_JOB, "slurm-job", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "JOB[.STEP]", "every process of this Slurm job on this node") \
	O(WAIT, "wait", 0, NULL, FLAG, NO, PLACE, ALL, NULL, NULL, "wait until the process is there and can be attached") \
	O(WAIT_TIMEOUT, "wait-timeout", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "TIME", "but no longer than this") \
	O(AT, "at", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "TIME", "attach at this time: 14:05:00, @1767225600, +30s") \
	O(FOLLOW, "follow", 0, NULL, FLAG, NO, PLACE, ALL, NULL, NULL, "attach children too that start later") \
	O(STAGE, "stage", 0, NULL, WORD, NO, PLACE, ALL, NULL, "memfd|file|none", "how to pass a tool to a process that does not see its file") \
	O(COLLECT, "collect", 0, NULL, TEXT, NO, PLACE, ALL, NULL, "FOLDER", "copy what the tool wrote, and a status, into this folder of ours")

#define OPTIONS_GENERAL \
	O(HELP, "help", 'h', NULL, FLAG, NO, GENERAL, ALL, NULL, NULL, "show this help and exit") \
	O(VERSION, "version", 'v', NULL, FLAG, NO, GENERAL, ALL, NULL, NULL, "show the version and exit") \
	O(JSON, "json", 0, NULL, FLAG, NO, GENERAL, ALL, NULL, NULL, "print one JSON object on stdout, also for errors") \
	O(VERBOSE, "verbose", 0, NULL, FLAG, NO, GENERAL, ALL, NULL, NULL, "explain on stderr what is done and why") \
	O(DRY_RUN, "dry-run", 0, NULL, FLAG, NO, GENERAL, ALL, NULL, NULL, "only check, and print what would be done")

#define OPTIONS_IO \
	O(INPUT, "input", 'i', NULL, TEXT, NO, IO, FULL, NULL, "FILE", "options from a .json, .yaml or .txt file, one job") \
	O(OUTPUT_FILE, "output-file", 'o', NULL, TEXT, TEXT, IO, FULL, "ROCPROF_OUTPUT_FILE_NAME", "NAME", "name of the output files (default %hostname%/%pid%)") \
	O(OUTPUT_DIRECTORY, "output-directory", 'd', NULL, TEXT, NO, IO, FULL, "ROCPROF_OUTPUT_PATH", "FOLDER", "where the target writes (default: here)") \
	O(FORMAT, "output-format", 'f', NULL, LIST, NO, IO, FULL, "ROCPROF_OUTPUT_FORMAT", "csv|json|pftrace|otf2|rocpd|html", "one or more formats (default rocpd)") \
	BOOL_OF(OUTPUT_CONFIG, "output-config", 0, IO, "ROCPROF_OUTPUT_CONFIG_FILE", "write the configuration too") \
	O(LOG_LEVEL, "log-level", 0, NULL, FOLDED, NO, IO, FULL, NULL, "fatal|error|warning|info|trace|env|config", "what ROCm's libraries say in the target") \
	O(EXTRA_COUNTERS, "extra-counters", 'E', NULL, TEXT, NO, IO, FULL, "ROCPROF_EXTRA_COUNTERS_CONTENTS", "FILE", "definitions of further counters")

#define OPTIONS_TRACE \
	O(RUNTIME_TRACE, "runtime-trace", 'r', NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "HIP runtime, markers, kernels, copies, memory, ...") \
	O(SYS_TRACE, "sys-trace", 's', NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "all of HIP and HSA, and the rest of --runtime-trace") \
	O(HIP_TRACE, "hip-trace", 0, NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "HIP runtime and compiler API") \
	TRACE_OF(HIP_COMPILER, "hip-compiler-trace", "ROCPROF_HIP_COMPILER_API_TRACE", "compiler-made HIP calls") \
	TRACE_OF(HIP_RUNTIME, "hip-runtime-trace", "ROCPROF_HIP_RUNTIME_API_TRACE", "HIP runtime API, graphs and events") \
	O(HSA_TRACE, "hsa-trace", 0, NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "all of the HSA API") \
	TRACE_OF(HSA_CORE, "hsa-core-trace", "ROCPROF_HSA_CORE_API_TRACE", "HSA core API") \
	TRACE_OF(HSA_AMD, "hsa-amd-trace", "ROCPROF_HSA_AMD_EXT_API_TRACE", "HSA API, AMD's extensions") \
	TRACE_OF(HSA_IMAGE, "hsa-image-trace", "ROCPROF_HSA_IMAGE_EXT_API_TRACE", "HSA API, images") \
	TRACE_OF(HSA_FINALIZER, "hsa-finalizer-trace", "ROCPROF_HSA_FINALIZER_EXT_API_TRACE", "HSA API, finalizer") \
	TRACE_OF(MARKER, "marker-trace", "ROCPROF_MARKER_API_TRACE", "ROCTx ranges and marks") \
	TRACE_OF(RCCL, "rccl-trace", "ROCPROF_RCCL_API_TRACE", "RCCL API") \
	O(OMPT, "ompt-trace", 0, NULL, LIST0, NO, TRACE, FULL, "ROCPROF_OMPT_TRACE", "all|thread|parallel|task|sync|mutex|target|device|error", "OpenMP, all of it or these parts") \
	TRACE_OF(ROCDECODE, "rocdecode-trace", "ROCPROF_ROCDECODE_API_TRACE", "rocDecode API") \
	TRACE_OF(ROCJPEG, "rocjpeg-trace", "ROCPROF_ROCJPEG_API_TRACE", "rocJPEG API") \
	TRACE_OF(ROCSHMEM, "rocshmem-trace", "ROCPROF_ROCSHMEM_API_TRACE", "rocSHMEM API") \
	TRACE_OF(HIPFILE, "hipfile-trace", "ROCPROF_HIPFILE_API_TRACE", "hipFILE API") \
	TRACE_OF(KERNEL, "kernel-trace", "ROCPROF_KERNEL_TRACE", "kernel dispatches") \
	TRACE_OF(HIP_GRAPH, "hip-graph-trace", "ROCPROF_HIP_GRAPH_TRACE", "HIP graphs") \
	TRACE_OF(MEMORY_COPY, "memory-copy-trace", "ROCPROF_MEMORY_COPY_TRACE", "copies between memories") \
	TRACE_OF(MEMORY_ALLOCATION, "memory-allocation-trace", "ROCPROF_MEMORY_ALLOCATION_TRACE", "allocations of GPU memory") \
	O(KFD_TRACE, "kfd-trace", 0, NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "all that the kernel driver reports") \
	TRACE_OF(KFD_MIGRATION, "kfd-page-migration-trace", "ROCPROF_KFD_PAGE_MIGRATION_TRACE", "kernel driver: pages that move") \
	TRACE_OF(KFD_MAPPING, "kfd-page-mapping-trace", "ROCPROF_KFD_PAGE_MAPPING_TRACE", "kernel driver: pages that are mapped") \
	TRACE_OF(KFD_QUEUE, "kfd-queue-trace", "ROCPROF_KFD_QUEUE_TRACE", "kernel driver: queues") \
	TRACE_OF(KFD_DROPPED, "kfd-dropped-events-trace", "ROCPROF_KFD_DROPPED_EVENTS_TRACE", "kernel driver: events that were lost") \
	TRACE_OF(SCRATCH, "scratch-memory-trace", "ROCPROF_SCRATCH_MEMORY_TRACE", "scratch memory") \
	TRACE_OF(HIP_EVENT, "hip-event-trace", "ROCPROF_HIP_EVENT_TRACE", "HIP events") \
	O(KOKKOS, "kokkos-trace", 0, NULL, BOOL, NO, TRACE, FULL, NULL, NULL, "markers and kernel names (Kokkos' own tool cannot come late)")

#define OPTIONS_COUNTERS \
	O(PMC, "pmc", 0, NULL, LIST0, NO, COUNTERS, FULL, "ROCPROF_COUNTERS", "COUNTER...", "hardware counters, as many as fit into one pass") \
	O(SET, "set", 0, NULL, TEXT, NO, COUNTERS, FULL, NULL, "NAME", "rocprof-compute's counters of this set") \
	O(BLOCK, "block", 0, NULL, LIST, NO, COUNTERS, FULL, NULL, "ID...", "rocprof-compute's counters of these blocks") \
	O(ARCH, "arch", 0, NULL, TEXT, NO, COUNTERS, FULL, NULL, "gfxNNN", "the GPU for --set and --block (default: the one here)") \
	O(REPLAY_MODE, "replay-mode", 0, NULL, WORD, NO, COUNTERS, FULL, NULL, "kernel|application", "kernel: each dispatch again for each --pmc") \
	O(REPLAY_BETA, "kernel-replay-beta-enabled", 0, NULL, BOOL, NO, COUNTERS, FULL, NULL, NULL, "needed for --replay-mode kernel") \
	O(SPM_BETA, "spm-beta-enabled", 0, NULL, BOOL, NO, COUNTERS, FULL, NULL, NULL, "needed for --spm") \
	O(SPM, "spm", 0, NULL, LIST0, NO, COUNTERS, FULL, "ROCPROF_SPM_COUNTERS", "COUNTER...", "streaming performance monitors") \
	O(SPM_INTERVAL, "spm-sample-interval", 0, NULL, NUMBER, NO, COUNTERS, FULL, "ROCPROF_SPM_SAMPLE_INTERVAL", "N", "between two samples") \
	O(SPM_UNIT, "spm-sample-interval-unit", 0, NULL, WORD, NO, COUNTERS, FULL, "ROCPROF_SPM_SAMPLE_INTERVAL_UNIT", "sclk_cycles", "unit of that interval") \
	O(PC_BETA, "pc-sampling-beta-enabled", 0, NULL, BOOL, NO, COUNTERS, FULL, NULL, NULL, "needed for PC sampling") \
	O(PC_UNIT, "pc-sampling-unit", 0, NULL, WORD, NO, COUNTERS, FULL, "ROCPROF_PC_SAMPLING_UNIT", "instructions|cycles|time", "what the interval counts") \
	O(PC_METHOD, "pc-sampling-method", 0, NULL, WORD, NO, COUNTERS, FULL, "ROCPROF_PC_SAMPLING_METHOD", "stochastic|host_trap", "how samples are taken") \
	O(PC_INTERVAL, "pc-sampling-interval", 0, NULL, NUMBER, NO, COUNTERS, FULL, "ROCPROF_PC_SAMPLING_INTERVAL", "N", "between two samples")

#define OPTIONS_POST \
	BOOL_OF(STATS, "stats", 0, POST, "ROCPROF_STATS", "statistics (with csv or json)") \
	BOOL_OF(SUMMARY, "summary", 'S', POST, "ROCPROF_STATS_SUMMARY", "one summary of all") \
	BOOL_OF(SUMMARY_DOMAIN, "summary-per-domain", 'D', POST, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", "a summary of each domain") \
	O(SUMMARY_GROUPS, "summary-groups", 0, NULL, LIST, NO, POST, FULL, "ROCPROF_STATS_SUMMARY_GROUPS", "REGEX...", "domains that are summed up together") \
	O(SUMMARY_OUTPUT, "summary-output-file", 0, NULL, TEXT, NO, POST, FULL, "ROCPROF_STATS_SUMMARY_OUTPUT", "FILE", "file, or stdout or stderr of the target") \
	O(SUMMARY_UNITS, "summary-units", 'u', NULL, WORD, TEXT, POST, FULL, "ROCPROF_STATS_SUMMARY_UNITS", "sec|msec|usec|nsec", "unit of times there") \
	O(MANGLED, "mangled-kernels", 'M', NULL, BOOL, NO, POST, FULL, "ROCPROF_DEMANGLE_KERNELS", NULL, "kernel names as the compiler made them") \
	BOOL_OF(TRUNCATE, "truncate-kernels", 'T', POST, "ROCPROF_TRUNCATE_KERNELS", "kernel names without arguments") \
	BOOL_OF(RENAME, "kernel-rename", 0, POST, "ROCPROF_KERNEL_RENAME", "ROCTx ranges as kernel names") \
	BOOL_OF(BY_QUEUE, "group-by-queue", 0, POST, "ROCPROF_GROUP_BY_QUEUE", "by HSA queue instead of HIP stream") \
	O(LIST_AVAIL, "list-avail", 'L', NULL, BOOL, NO, POST, FULL, NULL, NULL, "list counters (needs AMD's rocprofv3-avail)")

#define OPTIONS_FILTER \
	O(MPI_RANKS, "profile-mpi-ranks", 0, NULL, TEXT, NO, FILTER, FULL, NULL, "0-3,8", "no effect: the process is chosen by its pid") \
	O(MPI_RANK, "mpi-world-rank-variable", 0, NULL, TEXT, NO, FILTER, FULL, "ROCPROF_MPI_RANK_VAR", "NAME", "variable of the target that holds its rank") \
	O(MPI_SIZE, "mpi-world-size-variable", 0, NULL, TEXT, NO, FILTER, FULL, "ROCPROF_MPI_SIZE_VAR", "NAME", "variable of the target that holds the number of ranks") \
	O(INCLUDE, "kernel-include-regex", 0, NULL, TEXT, NONEMPTY, FILTER, FULL, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", "REGEX", "only these kernels") \
	O(EXCLUDE, "kernel-exclude-regex", 0, NULL, TEXT, NONEMPTY, FILTER, FULL, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", "REGEX", "not these kernels") \
	O(RANGE, "kernel-iteration-range", 0, NULL, LIST, NO, FILTER, FULL, "ROCPROF_KERNEL_FILTER_RANGE", "[A-B]...", "only these runs of a kernel") \
	O(PERIOD, "collection-period", 'P', NULL, LIST, NO, FILTER, FULL, NULL, "D:T:N...", "refused: not possible with an attachment") \
	O(PERIOD_UNIT, "collection-period-unit", 0, NULL, WORD, NO, FILTER, FULL, NULL, "hour|min|sec|msec|usec|nsec", "no effect, as the above") \
	BOOL_OF(REGIONS, "selected-regions", 0, FILTER, "ROCPROF_SELECTED_REGIONS", "only between roctxProfilerResume and Pause") \
	BOOL_OF(REGIONS_COUNT, "selected-regions-ref-count", 0, FILTER, "ROCPROF_SELECTED_REGIONS_REF_COUNT", "count these calls")

#define OPTIONS_PERFETTO \
	O(BACKEND, "perfetto-backend", 0, NULL, WORD, TEXT, PERFETTO, FULL, "ROCPROF_PERFETTO_BACKEND", "inprocess|system", "who collects") \
	O(BUFFER, "perfetto-buffer-size", 0, NULL, NUMBER, TEXT, PERFETTO, FULL, "ROCPROF_PERFETTO_BUFFER_SIZE_KB", "KIB", "1 to 4194303") \
	O(FILL, "perfetto-buffer-fill-policy", 0, NULL, WORD, TEXT, PERFETTO, FULL, "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", "discard|ring_buffer", "when the buffer is full") \
	O(SHMEM, "perfetto-shmem-size-hint", 0, NULL, NUMBER, TEXT, PERFETTO, FULL, "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB", "KIB", "shared memory")

#define OPTIONS_ADVANCED \
	O(AGENT_INDEX, "agent-index", 'A', NULL, WORD, TEXT, ADVANCED, FULL, "ROCPROF_AGENT_INDEX", "absolute|relative|type-relative", "how GPUs are numbered") \
	O(SIGNALS, "disable-signal-handlers", 0, NULL, BOOL, NOT, ADVANCED, FULL, "ROCPROF_SIGNAL_HANDLERS", NULL, "the tool catches no signals") \
	O(PROCESS_SYNC, "process-sync", 0, NULL, BOOL, BOTH, ADVANCED, FULL, "ROCPROF_PROCESS_SYNC", NULL, "wait for the output of sister processes") \
	O(MINIMUM, "minimum-output-data", 0, NULL, NUMBER, NO, ADVANCED, FULL, "ROCPROF_MINIMUM_OUTPUT_BYTES", "KIB", "no files for less than this") \
	O(ROCM_ROOT, "rocm-root", 0, NULL, TEXT, NO, ADVANCED, FULL, NULL, "FOLDER", "ROCm whose tool is used when the target has none") \
	O(PRELOAD, "preload", 0, NULL, LIST0, NO, ADVANCED, FULL, NULL, "FILE...", "no effect: the target runs already") \
	O(SOVERSION, "sdk-soversion", 0, NULL, NUMBER, NO, ADVANCED, FULL, NULL, "N", "no effect: the target's own libraries are used") \
	O(SDK_VERSION, "sdk-version", 0, NULL, TEXT, NO, ADVANCED, FULL, NULL, "X.Y.Z", "no effect, as the above") \
	O(READLINK, "readlink", 0, NULL, BOOL, NO, ADVANCED, FULL, NULL, NULL, "no effect, as the above") \
	O(REALPATH, "realpath", 0, NULL, BOOL, NO, ADVANCED, FULL, NULL, NULL, "no effect, as the above") \
	O(BENCHMARK, "benchmark-mode", 0, NULL, WORD, TEXT, ADVANCED, FULL, "ROCPROF_BENCHMARK_MODE", "disabled-sdk-contexts|sdk-buffer-overhead|sdk-callback-overhead|tool-runtime-overhead|execution-profile", "measure the profiler itself") \
	O(NO_MARKER_PRELOAD, "suppress-marker-preload", 0, NULL, BOOL, NO, ADVANCED, FULL, NULL, NULL, "no effect: nothing is preloaded") \
	O(ECHO_ONLY, "echo", 0, NULL, BOOL, NO, ADVANCED, FULL, NULL, NULL, "show what would be done, do nothing")

#define ATT_NUMBER(id, name, variable, help) O(id, name, 0, NULL, AUTO, NO, THREAD_TRACE, FULL, variable, "N", help)
#define OPTIONS_ATT \
	O(ATT, "advanced-thread-trace", 0, "att", BOOL, NO, THREAD_TRACE, FULL, "ROCPROF_ADVANCED_THREAD_TRACE", NULL, "trace instructions; the options below need it") \
	O(ATT_NO_INTERCEPT, "att-no-intercept", 0, NULL, BOOL, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_NO_INTERCEPT", NULL, "without intercepting dispatches") \
	O(ATT_LIBRARY, "att-library-path", 0, NULL, LIST, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_LIBRARY_PATH", "FOLDER...", "where librocprof-trace-decoder.so lies") \
	ATT_NUMBER(ATT_CU, "att-target-cu", "ROCPROF_ATT_PARAM_TARGET_CU", "compute unit (default 1)") \
	ATT_NUMBER(ATT_SIMD, "att-simd-select", "ROCPROF_ATT_PARAM_SIMD_SELECT", "mask of SIMDs (default 0xF)") \
	ATT_NUMBER(ATT_CONSECUTIVE, "att-consecutive-kernels", "ROCPROF_ATT_CONSECUTIVE_KERNELS", "kernels in one trace (default 0)") \
	ATT_NUMBER(ATT_BUFFER, "att-buffer-size", "ROCPROF_ATT_PARAM_BUFFER_SIZE", "bytes") \
	ATT_NUMBER(ATT_ENGINES, "att-shader-engine-mask", "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK", "mask of shader engines (default 0x1)") \
	O(ATT_RESOURCE, "att-resource-mode", 0, NULL, WORD, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_RESOURCE_MODE", "default|hsa|code-object", "how resources are held") \
	O(ATT_GPU, "att-gpu-index", 0, NULL, TEXT, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_GPU_INDEX", "N,N...", "GPUs (default all)") \
	O(ATT_COUNTERS, "att-perfcounters", 0, NULL, TEXT, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_PERFCOUNTERS", "COUNTERS", "counters in the trace") \
	O(ATT_CTRL, "att-perfcounter-ctrl", 0, NULL, NUMBER, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", "N", "their period, 1 to 32") \
	O(ATT_TARGET_ONLY, "att-perfcounter-target-only", 0, NULL, BOOL, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_TARGET_ONLY", NULL, "of the target compute unit only") \
	O(ATT_ACTIVITY, "att-activity", 0, NULL, NUMBER, NO, THREAD_TRACE, FULL, NULL, "N", "activity counters with this period, 1 to 16") \
	O(ATT_SERIALIZE, "att-serialize-all", 0, NULL, BOOL, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_SERIALIZE_ALL", NULL, "no two kernels at once") \
	O(ATT_NO_DETAIL, "att-no-detail", 0, NULL, BOOL, NO, THREAD_TRACE, FULL, "ROCPROF_ATT_PARAM_NO_DETAIL", NULL, "less detail")

#define OPTIONS OPTIONS_TARGET OPTIONS_PLACE OPTIONS_GENERAL OPTIONS_IO OPTIONS_TRACE OPTIONS_COUNTERS OPTIONS_POST \
	OPTIONS_FILTER OPTIONS_PERFETTO OPTIONS_ADVANCED OPTIONS_ATT

#endif
