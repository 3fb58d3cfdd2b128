/* SPDX-License-Identifier: MIT */
/* A second attachment must ask for the same services: the tool made them at the first. */
#include <string.h>

#include "rocp/options.h"

enum same { SAME_TRUTH, SAME_TEXT };

struct service { const char *variable; enum same how; };

static const struct service services[] = {
	{ "ROCPROF_HIP_RUNTIME_API_TRACE", SAME_TRUTH }, { "ROCPROF_HIP_COMPILER_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_HIP_API_TRACE", SAME_TRUTH }, { "ROCPROF_HSA_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_HSA_CORE_API_TRACE", SAME_TRUTH }, { "ROCPROF_HSA_AMD_EXT_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_HSA_IMAGE_EXT_API_TRACE", SAME_TRUTH }, { "ROCPROF_HSA_FINALIZER_EXT_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_MARKER_API_TRACE", SAME_TRUTH }, { "ROCPROF_KERNEL_TRACE", SAME_TRUTH },
	{ "ROCPROF_HIP_GRAPH_TRACE", SAME_TRUTH }, { "ROCPROF_HIP_EVENT_TRACE", SAME_TRUTH },
	{ "ROCPROF_MEMORY_COPY_TRACE", SAME_TRUTH }, { "ROCPROF_MEMORY_ALLOCATION_TRACE", SAME_TRUTH },
	{ "ROCPROF_SCRATCH_MEMORY_TRACE", SAME_TRUTH }, { "ROCPROF_RCCL_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_ROCDECODE_API_TRACE", SAME_TRUTH }, { "ROCPROF_ROCJPEG_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_ROCSHMEM_API_TRACE", SAME_TRUTH }, { "ROCPROF_HIPFILE_API_TRACE", SAME_TRUTH },
	{ "ROCPROF_OMPT_TRACE", SAME_TRUTH }, { "ROCPROF_OMPT_TRACE_OPERATIONS", SAME_TEXT },
	{ "ROCPROF_COUNTER_COLLECTION", SAME_TRUTH }, { "ROCPROF_COUNTERS", SAME_TEXT },
	{ "ROCPROF_COUNTER_GROUPS", SAME_TEXT }, { "ROCPROF_COUNTER_GROUPS_INTERVAL", SAME_TEXT },
	{ "ROCPROF_COUNTER_GROUPS_RANDOM_SEED", SAME_TEXT }, { "ROCPROF_EXTRA_COUNTERS_CONTENTS", SAME_TEXT },
	{ "ROCPROF_KERNEL_REPLAY", SAME_TRUTH }, { "ROCPROF_BENCHMARK_MODE", SAME_TEXT },
	{ "ROCPROF_SPM_COUNTER_COLLECTION", SAME_TRUTH }, { "ROCPROF_SPM_COUNTERS", SAME_TEXT },
	{ "ROCPROF_SPM_SAMPLE_INTERVAL", SAME_TEXT }, { "ROCPROF_SPM_SAMPLE_INTERVAL_UNIT", SAME_TEXT },
	{ "ROCPROF_PC_SAMPLING_UNIT", SAME_TEXT }, { "ROCPROF_PC_SAMPLING_METHOD", SAME_TEXT },
	{ "ROCPROF_PC_SAMPLING_INTERVAL", SAME_TEXT }, { "ROCPROFILER_PC_SAMPLING_BETA_ENABLED", SAME_TRUTH },
	{ "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", SAME_TEXT }, { "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", SAME_TEXT },
	{ "ROCPROF_KERNEL_FILTER_RANGE", SAME_TEXT }, { "ROCPROF_OUTPUT_CONFIG_FILE", SAME_TRUTH },
	{ "ROCPROF_ADVANCED_THREAD_TRACE", SAME_TRUTH }, { "ROCPROF_ATT_NO_INTERCEPT", SAME_TRUTH },
	{ "ROCPROF_ATT_LIBRARY_PATH", SAME_TEXT }, { "ROCPROF_ATT_CONSECUTIVE_KERNELS", SAME_TEXT },
	{ "ROCPROF_ATT_PARAM_TARGET_CU", SAME_TEXT }, { "ROCPROF_ATT_PARAM_SIMD_SELECT", SAME_TEXT },
	{ "ROCPROF_ATT_PARAM_BUFFER_SIZE", SAME_TEXT }, { "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK", SAME_TEXT },
	{ "ROCPROF_ATT_PARAM_RESOURCE_MODE", SAME_TEXT }, { "ROCPROF_ATT_PARAM_GPU_INDEX", SAME_TEXT },
	{ "ROCPROF_ATT_PARAM_PERFCOUNTERS", SAME_TEXT }, { "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", SAME_TEXT },
	{ "ROCPROF_ATT_PARAM_TARGET_ONLY", SAME_TRUTH }, { "ROCPROF_ATT_PARAM_SERIALIZE_ALL", SAME_TRUTH },
	{ "ROCPROF_ATT_PARAM_NO_DETAIL", SAME_TRUTH },
};

/* As the SDK reads it: digits by their value, a few words are no, any other is yes. */
static bool is_on(const char *value)
{
	bool truth = true;
	if (!value || !value[strspn(value, "0")])
		return false;
	return bool_word(value, &truth) < 0 || truth;
}

static bool is_same(enum same how, const char *before, const char *now)
{
	if (how == SAME_TRUTH)
		return is_on(before) == is_on(now);
	return before && now ? !strcmp(before, now) : before == now;
}

static int compare(const struct service *service, size_t n, const struct env *before, const struct env *now, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = service[i].variable, *was = env_get(before, name), *is = env_get(now, name);
		if (is_same(service[i].how, was, is))
			continue;
		err_set(err, ERR_NOT_POSSIBLE, 0, "the tool was attached before with other services: %s was %s%.120s, now it is %s%.120s",
			name, was ? "" : "not set", was ? was : "", is ? "" : "not set", is ? is : "");
		return err_remedy(err, "attach with the same options as the first time, or restart the target");
	}
	return 0;
}

int request_same_services(const struct env *before, const struct env *now, struct err *err)
{
	return compare(services, sizeof services / sizeof services[0], before, now, err);
}

int request_same_for_own(const struct env *before, const struct env *now, struct err *err)
{
	/* the second says how kernels are called that the filters of counters look at */
	static const struct service own[] = { { "ROCPROF_KERNEL_RENAME", SAME_TRUTH }, { "ROCPROF_DEMANGLE_KERNELS", SAME_TEXT } };
	bool filtered = env_get(now, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX") || env_get(now, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX");
	return compare(own, filtered ? 2 : 1, before, now, err);
}
