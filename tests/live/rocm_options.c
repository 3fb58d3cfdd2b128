// SPDX-License-Identifier: MIT
/* Each of rocprofv3's options: all the variables that the tool sees, and no other. */
#include <stdlib.h>
#include <string.h>

#include "rocm.h"

#define VARIABLES 64
#define ON(name) "ROCPROF_" name "=1"
#define HIP_RUNTIME ON("HIP_EVENT_TRACE") "|" ON("HIP_GRAPH_TRACE") "|" ON("HIP_RUNTIME_API_TRACE")
#define HIP ON("HIP_COMPILER_API_TRACE") "|" HIP_RUNTIME
#define HSA ON("HSA_AMD_EXT_API_TRACE") "|" ON("HSA_CORE_API_TRACE") "|" ON("HSA_FINALIZER_EXT_API_TRACE") "|" \
	ON("HSA_IMAGE_EXT_API_TRACE")
#define KFD ON("KFD_DROPPED_EVENTS_TRACE") "|" ON("KFD_PAGE_MAPPING_TRACE") "|" ON("KFD_PAGE_MIGRATION_TRACE") "|" \
	ON("KFD_QUEUE_TRACE")
#define EVERYTHING ON("MARKER_API_TRACE") "|" ON("KERNEL_TRACE") "|" KFD "|" ON("MEMORY_COPY_TRACE") "|" \
	ON("MEMORY_ALLOCATION_TRACE") "|" ON("SCRATCH_MEMORY_TRACE") "|" ON("RCCL_API_TRACE") "|" ON("OMPT_TRACE") "|" \
	ON("ROCDECODE_API_TRACE") "|" ON("ROCJPEG_API_TRACE") "|" ON("ROCSHMEM_API_TRACE") "|" ON("HIPFILE_API_TRACE")
#define PC_SAMPLING "ROCPROFILER_PC_SAMPLING_BETA_ENABLED=1|ROCPROF_PC_SAMPLING_UNIT=time|" \
	"ROCPROF_PC_SAMPLING_METHOD=host_trap|ROCPROF_PC_SAMPLING_INTERVAL=100"
#define THREAD_TRACE ON("ADVANCED_THREAD_TRACE") "|" ON("ATT_NO_INTERCEPT")

struct row { const char *words, *variables; };

static const struct row traces[] = {
	{ "", "" },
	{ "--hip-trace", HIP },
	{ "--hip-runtime-trace", HIP_RUNTIME },
	{ "--hip-compiler-trace", ON("HIP_COMPILER_API_TRACE") },
	{ "--hsa-trace", HSA },
	{ "--hsa-core-trace", ON("HSA_CORE_API_TRACE") },
	{ "--hsa-amd-trace", ON("HSA_AMD_EXT_API_TRACE") },
	{ "--hsa-image-trace", ON("HSA_IMAGE_EXT_API_TRACE") },
	{ "--hsa-finalizer-trace", ON("HSA_FINALIZER_EXT_API_TRACE") },
	{ "--marker-trace", ON("MARKER_API_TRACE") },
	{ "--kernel-trace", ON("KERNEL_TRACE") },
	{ "--hip-graph-trace", ON("HIP_GRAPH_TRACE") },
	{ "--hip-event-trace", ON("HIP_EVENT_TRACE") },
	{ "--memory-copy-trace", ON("MEMORY_COPY_TRACE") },
	{ "--memory-allocation-trace", ON("MEMORY_ALLOCATION_TRACE") },
	{ "--scratch-memory-trace", ON("SCRATCH_MEMORY_TRACE") },
	{ "--rccl-trace", ON("RCCL_API_TRACE") },
	{ "--rocdecode-trace", ON("ROCDECODE_API_TRACE") },
	{ "--rocjpeg-trace", ON("ROCJPEG_API_TRACE") },
	{ "--rocshmem-trace", ON("ROCSHMEM_API_TRACE") },
	{ "--hipfile-trace", ON("HIPFILE_API_TRACE") },
	{ "--ompt-trace", ON("OMPT_TRACE") },
	{ "--ompt-trace thread mutex", ON("OMPT_TRACE") "|ROCPROF_OMPT_TRACE_OPERATIONS=thread,mutex" },
	{ "--kfd-trace", KFD },
	{ "--kfd-page-migration-trace", ON("KFD_PAGE_MIGRATION_TRACE") },
	{ "--kfd-page-mapping-trace", ON("KFD_PAGE_MAPPING_TRACE") },
	{ "--kfd-queue-trace", ON("KFD_QUEUE_TRACE") },
	{ "--kfd-dropped-events-trace", ON("KFD_DROPPED_EVENTS_TRACE") },
	{ "--kokkos-trace", ON("MARKER_API_TRACE") "|" ON("KERNEL_RENAME") },
	{ "-r", EVERYTHING "|" HIP_RUNTIME },
	{ "-s", EVERYTHING "|" HIP "|" HSA },
	{ "-s --kfd-trace no --hsa-trace=off", ON("MARKER_API_TRACE") "|" ON("KERNEL_TRACE") "|" ON("MEMORY_COPY_TRACE") "|"
		ON("MEMORY_ALLOCATION_TRACE") "|" ON("SCRATCH_MEMORY_TRACE") "|" ON("RCCL_API_TRACE") "|" ON("OMPT_TRACE") "|"
		ON("ROCDECODE_API_TRACE") "|" ON("ROCJPEG_API_TRACE") "|" ON("ROCSHMEM_API_TRACE") "|"
		ON("HIPFILE_API_TRACE") "|" HIP },
	{ NULL, NULL }
};

static const struct row others[] = {
	{ "-f csv json", "ROCPROF_OUTPUT_FORMAT=csv,json" },
	{ "-f PFTRACE", "ROCPROF_OUTPUT_FORMAT=pftrace" },
	{ "--output-config", ON("OUTPUT_CONFIG_FILE") },
	{ "--log-level warning", "ROCPROFILER_LOG_LEVEL=warning|ROCPROF_LOG_LEVEL=warning" },
	{ "--log-level env", "" },
	{ "--pmc SQ_WAVES GRBM_COUNT", ON("COUNTER_COLLECTION") "|ROCPROF_COUNTERS=pmc: SQ_WAVES GRBM_COUNT" },
	{ "--spm-beta-enabled --spm SQ_WAVES --spm-sample-interval 1000 --spm-sample-interval-unit sclk_cycles",
		"ROCPROFILER_SPM_BETA_ENABLED=1|ROCPROF_SPM_COUNTERS=spm: SQ_WAVES|ROCPROF_SPM_COUNTER_COLLECTION=1|"
		"ROCPROF_SPM_SAMPLE_INTERVAL=1000|ROCPROF_SPM_SAMPLE_INTERVAL_UNIT=sclk_cycles" },
	{ "--pc-sampling-beta-enabled --pc-sampling-unit time --pc-sampling-method host_trap --pc-sampling-interval 100",
		PC_SAMPLING },
	{ "-f csv --stats", "ROCPROF_OUTPUT_FORMAT=csv|" ON("STATS") },
	{ "-S", ON("STATS_SUMMARY") "|ROCPROF_STATS_SUMMARY_OUTPUT=stderr" },
	{ "-S --summary-output-file STDOUT", ON("STATS_SUMMARY") "|ROCPROF_STATS_SUMMARY_OUTPUT=stdout" },
	{ "-D", ON("STATS_SUMMARY_PER_DOMAIN") },
	{ "--summary-groups KERNEL.* HIP.*", "ROCPROF_STATS_SUMMARY_GROUPS=KERNEL.*##@@##HIP.*" },
	{ "-u msec", "ROCPROF_STATS_SUMMARY_UNITS=msec" },
	{ "-M", "ROCPROF_DEMANGLE_KERNELS=0" },
	{ "-T", ON("TRUNCATE_KERNELS") },
	{ "--kernel-rename", ON("KERNEL_RENAME") },
	{ "--mpi-world-rank-variable R --mpi-world-size-variable S", "ROCPROF_MPI_RANK_VAR=R|ROCPROF_MPI_SIZE_VAR=S" },
	{ "--kernel-include-regex add", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=add" },
	{ "--kernel-exclude-regex sub", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX=sub" },
	{ "--kernel-iteration-range [1-3] [5]", "ROCPROF_KERNEL_FILTER_RANGE=[1-3], [5]" },
	{ "--selected-regions", ON("SELECTED_REGIONS") },
	{ "--selected-regions-ref-count", ON("SELECTED_REGIONS_REF_COUNT") },
	{ "--perfetto-backend system", "ROCPROF_PERFETTO_BACKEND=system" },
	{ "--perfetto-buffer-size 2048", "ROCPROF_PERFETTO_BUFFER_SIZE_KB=2048" },
	{ "--perfetto-buffer-fill-policy ring_buffer", "ROCPROF_PERFETTO_BUFFER_FILL_POLICY=ring_buffer" },
	{ "--perfetto-shmem-size-hint 64", "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB=64" },
	{ "--group-by-queue", ON("GROUP_BY_QUEUE") },
	{ "--benchmark-mode sdk-buffer-overhead", "ROCPROF_BENCHMARK_MODE=sdk-buffer-overhead" },
	{ "-A absolute", "ROCPROF_AGENT_INDEX=absolute" },
	{ "--disable-signal-handlers", "ROCPROF_SIGNAL_HANDLERS=0" },
	{ "--disable-signal-handlers no", ON("SIGNAL_HANDLERS") },
	{ "--process-sync", ON("PROCESS_SYNC") },
	{ "--process-sync off", "ROCPROF_PROCESS_SYNC=0" },
	{ "--minimum-output-data 2", "ROCPROF_MINIMUM_OUTPUT_BYTES=2048" },
	{ "--attach-children no", "ROCPROF_ATTACH_CHILDREN=0" },
	{ "--attach-sync-output", ON("ATTACH_OUTPUT_GENERATION_SYNC") },
	{ "--att-no-intercept", THREAD_TRACE },
	{ "--att-no-intercept --att-target-cu 0x2 --att-simd-select 3 --att-consecutive-kernels 4 --att-buffer-size 1024 "
		"--att-shader-engine-mask 0x11 --att-resource-mode hsa --att-gpu-index 0,1 --att-serialize-all --att-no-detail",
		THREAD_TRACE "|ROCPROF_ATT_PARAM_TARGET_CU=2|ROCPROF_ATT_PARAM_SIMD_SELECT=3|ROCPROF_ATT_CONSECUTIVE_KERNELS=4|"
		"ROCPROF_ATT_PARAM_BUFFER_SIZE=1024|ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK=17|"
		"ROCPROF_ATT_PARAM_RESOURCE_MODE=hsa|ROCPROF_ATT_PARAM_GPU_INDEX=0,1|" ON("ATT_PARAM_SERIALIZE_ALL") "|"
		ON("ATT_PARAM_NO_DETAIL") },
	{ "--att-no-intercept --att-perfcounters sq_waves --att-perfcounter-ctrl 5 --att-perfcounter-target-only",
		THREAD_TRACE "|ROCPROF_ATT_PARAM_PERFCOUNTERS=SQ_WAVES|ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL=5|"
		ON("ATT_PARAM_TARGET_ONLY") },
	{ NULL, NULL }
};

static char *list[VARIABLES];
static unsigned listed;

/* The first one of a name counts. */
static void put(const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;

	for (unsigned i = 0; i < listed; i++)
		if (!strncmp(list[i], variable, name))
			return;
	require(listed < VARIABLES, "too many variables");
	list[listed++] = strdup(variable);
}

static void put_always(const struct app *app)
{
	const char *const always[][2] = {
		{ "ROCPROFILER_LIBRARY_CTOR", "1" },
		{ "ROCPROFILER_REGISTER_TOOL_ATTACHED", "1" },
		{ "ROCPROF_ATTACH_CHILDREN", "1" },
		{ "ROCPROF_ATTACH_DURATION", "1" },
		{ "ROCPROF_ATTACH_PID", app->pid },
		{ "ROCPROF_ATTACH_TOOL_LIBRARY", app_path(AMD_TOOL) },
		{ "ROCPROF_OUTPUT_FILE_NAME", "out" },
		{ "ROCPROF_OUTPUT_FORMAT", "rocpd" },
		{ "ROCPROF_OUTPUT_PATH", app->output },
		{ "ROCP_TOOL_ATTACH", "1" },
		{ "ROCP_TOOL_LIBRARIES", app_path(AMD_TOOL) },
	};
	char text[8192];

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
		snprintf(text, sizeof(text), "%s=%s", always[i][0], always[i][1]);
		put(text);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *expected(const struct app *app, const struct row *row)
{
	static char text[LOG_SIZE];
	char copy[4096], *rest = NULL;
	size_t n = 0;

	listed = 0;
	snprintf(copy, sizeof(copy), "%s", row->variables);
	for (char *word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
		put(word);
	put_always(app);
	qsort(list, listed, sizeof(list[0]), by_text);
	for (unsigned i = 0; i < listed; i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n", list[i]);
		free(list[i]);
	}
	return text;
}

static void run_row(const struct row *row)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -d %s -o out --attach-duration-msec 1 %s", app.pid, app.output, row->words);
	const char *wanted = expected(&app, row), *got = log_variables(&app, "attach");

	expect(&o, 0, NULL);
	check(!strcmp(got, wanted), "with \"%s\" the tool saw:\n%sand not:\n%s", row->words, got, wanted);
	app_end(&app);
}

/* The way in is the same for all; on a slow machine a few have to do. */
static void run_rows(const void *rows)
{
	for (const struct row *row = rows; row->words && !failed(); row += 1) {
		run_row(row);
		for (unsigned i = 0; slow_machine() && i < 9 && row[1].words; i++)
			row++;
	}
}

void add_rocm_option_tests(void)
{
	add(MIXED, run_rows, traces, "each option for a trace makes exactly those variables arrive that rocprofv3 would send");
	add(MIXED, run_rows, others, "each other option makes exactly those variables arrive that rocprofv3 would send");
}
