/* SPDX-License-Identifier: MIT */
#include "rocp/tool/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rocp/tool_abi.h"

const char *const service_variable[SERVICES] = {
	[SERVICE_HIP_RUNTIME] = "ROCPROF_HIP_RUNTIME_API_TRACE", [SERVICE_HIP_COMPILER] = "ROCPROF_HIP_COMPILER_API_TRACE",
	[SERVICE_HSA_CORE] = "ROCPROF_HSA_CORE_API_TRACE", [SERVICE_HSA_AMD] = "ROCPROF_HSA_AMD_EXT_API_TRACE",
	[SERVICE_HSA_IMAGE] = "ROCPROF_HSA_IMAGE_EXT_API_TRACE",
	[SERVICE_HSA_FINALIZER] = "ROCPROF_HSA_FINALIZER_EXT_API_TRACE",
	[SERVICE_MARKER] = "ROCPROF_MARKER_API_TRACE", [SERVICE_RCCL] = "ROCPROF_RCCL_API_TRACE",
	[SERVICE_ROCDECODE] = "ROCPROF_ROCDECODE_API_TRACE", [SERVICE_ROCJPEG] = "ROCPROF_ROCJPEG_API_TRACE",
	[SERVICE_ROCSHMEM] = "ROCPROF_ROCSHMEM_API_TRACE", [SERVICE_HIPFILE] = "ROCPROF_HIPFILE_API_TRACE",
	[SERVICE_KERNEL] = "ROCPROF_KERNEL_TRACE", [SERVICE_COPY] = "ROCPROF_MEMORY_COPY_TRACE",
	[SERVICE_ALLOCATION] = "ROCPROF_MEMORY_ALLOCATION_TRACE", [SERVICE_SCRATCH] = "ROCPROF_SCRATCH_MEMORY_TRACE",
	[SERVICE_COUNTERS] = "ROCPROF_COUNTER_COLLECTION",
};

/* Those that say what comes of a log, and the rest of what is read here. */
static const char *const other[] = {
	"ROCPROF_DEMANGLE_KERNELS", "ROCPROF_KERNEL_RENAME", "ROCPROF_SELECTED_REGIONS", "ROCPROF_SELECTED_REGIONS_REF_COUNT",
	"ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", "ROCPROF_KERNEL_FILTER_RANGE",
	"ROCPROF_COUNTERS", "ROCPROF_COUNTER_GROUPS", TOOL_LOG_VARIABLE, "ROCPROF_ROCLATCH_FORMATS", "ROCPROF_OUTPUT_FORMAT",
	"ROCPROF_OUTPUT_PATH", "ROCPROF_OUTPUT_FILE_NAME", "ROCPROF_OUTPUT_CONFIG_FILE", "ROCPROF_MINIMUM_OUTPUT_BYTES",
	"ROCPROF_STATS", "ROCPROF_STATS_SUMMARY", "ROCPROF_STATS_SUMMARY_GROUPS", "ROCPROF_STATS_SUMMARY_OUTPUT",
	"ROCPROF_STATS_SUMMARY_PER_DOMAIN", "ROCPROF_STATS_SUMMARY_UNITS", "ROCPROF_TRUNCATE_KERNELS", "ROCPROF_AGENT_INDEX",
	"ROCPROF_GROUP_BY_QUEUE", "ROCPROF_DATE_FORMAT", "ROCPROF_TIME_FORMAT", "ROCPROF_MPI_RANK_VAR", "ROCPROF_MPI_SIZE_VAR",
	"ROCPROF_PERFETTO_BACKEND", "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", "ROCPROF_PERFETTO_BUFFER_SIZE_KB",
	"ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB",
};

const char *settings_name(size_t n)
{
	const size_t others = sizeof other / sizeof other[0];
	if (n < SERVICES)
		return service_variable[n];
	return n - SERVICES < others ? other[n - SERVICES] : settings_not_done(n - SERVICES - others);
}

const char *settings_not_done(size_t n)
{
	static const char *const name[] = {
		"ROCPROF_OMPT_TRACE", "ROCPROF_HIP_GRAPH_TRACE", "ROCPROF_HIP_EVENT_TRACE",
		"ROCPROF_KFD_PAGE_MIGRATION_TRACE", "ROCPROF_KFD_PAGE_MAPPING_TRACE", "ROCPROF_KFD_QUEUE_TRACE",
		"ROCPROF_KFD_DROPPED_EVENTS_TRACE", "ROCPROF_PC_SAMPLING_METHOD", "ROCPROF_ADVANCED_THREAD_TRACE",
		"ROCPROF_SPM_COUNTER_COLLECTION", "ROCPROF_KERNEL_REPLAY", "ROCPROF_COLLECTION_PERIOD",
		"ROCPROF_EXTRA_COUNTERS_CONTENTS",
	};
	return n < sizeof name / sizeof name[0] ? name[n] : NULL;
}

/* As the SDK reads them. */
bool settings_are_true(const char *value)
{
	static const char *const no[] = { "off", "false", "no", "n", "f" };
	if (!value || !*value)
		return false;
	if (!value[strspn(value, "0123456789")])
		return strtol(value, NULL, 10) != 0;
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		if (!strcasecmp(value, no[i]))
			return false;
	return true;
}

static const char *text(const char *value)
{
	return value && *value ? value : NULL;
}

void settings_read(struct settings *settings, const char *(*get)(const char *name))
{
	memset(settings, 0, sizeof *settings);
	for (unsigned i = 0; i < SERVICES; i++)
		settings->service[i] = settings_are_true(get(service_variable[i]));
	const char *demangle = get("ROCPROF_DEMANGLE_KERNELS");
	settings->kernel_rename = settings_are_true(get("ROCPROF_KERNEL_RENAME"));
	settings->selected_regions = settings_are_true(get("ROCPROF_SELECTED_REGIONS"));
	settings->regions_counted = settings_are_true(get("ROCPROF_SELECTED_REGIONS_REF_COUNT"));
	settings->mangled = demangle && !settings_are_true(demangle);
	settings->include = text(get("ROCPROF_KERNEL_FILTER_INCLUDE_REGEX"));
	settings->exclude = text(get("ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX"));
	settings->range = text(get("ROCPROF_KERNEL_FILTER_RANGE"));
	settings->counters = text(get("ROCPROF_COUNTERS"));
	if (!settings->counters)
		settings->counters = text(get("ROCPROF_COUNTER_GROUPS"));       /* of several, the first */
	settings->service[SERVICE_COUNTERS] = settings->service[SERVICE_COUNTERS] && settings->counters;
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) || (c && strchr("!@#$%&(),*+-./;<>?{}^`~|", c));
}

/* "NAME:device=N" */
static int split_device(char *name)
{
	char *mark = strstr(name, ":device="), *end;
	if (!mark)
		return -1;
	*mark = '\0';
	long number = strtol(mark + 8, &end, 10);
	return end > mark + 8 && number >= 0 && number < 1 << 20 ? (int)number : -1;
}

bool settings_counter(const char **at, char *name, size_t size, int *device)
{
	for (;;) {
		const char *begin = *at;
		while (is_blank(*begin)) {
			/* a new line begins another group */
			if (*begin == '\n')
				return false;
			begin++;
		}
		if (!*begin)
			return false;
		*at = begin;
		while (**at && !is_blank(**at))
			++*at;
		size_t length = (size_t)(*at - begin);
		if (length >= size || (length == 4 && !memcmp(begin, "pmc:", 4)))
			continue;
		memcpy(name, begin, length);
		name[length] = '\0';
		*device = split_device(name);
		return true;
	}
}
