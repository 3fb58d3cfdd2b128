/* SPDX-License-Identifier: MIT */
/* The settings that were in effect, in upstream's words. */
#include <string.h>

#include "rocp/formats/json_parts.h"
#include "rocp/formats/settings.h"

/* What a switch is called, and its variable without "ROCPROF_". */
static const struct { const char *key, *variable; } switches[] = {
	{ "kernel_trace", "KERNEL_TRACE" }, { "hip_graph_trace", "HIP_GRAPH_TRACE" },
	{ "hsa_core_api_trace", "HSA_CORE_API_TRACE" }, { "hsa_amd_ext_api_trace", "HSA_AMD_EXT_API_TRACE" },
	{ "hsa_image_ext_api_trace", "HSA_IMAGE_EXT_API_TRACE" },
	{ "hsa_finalizer_ext_api_trace", "HSA_FINALIZER_EXT_API_TRACE" },
	{ "marker_api_trace", "MARKER_API_TRACE" }, { "memory_copy_trace", "MEMORY_COPY_TRACE" },
	{ "memory_allocation_trace", "MEMORY_ALLOCATION_TRACE" }, { "scratch_memory_trace", "SCRATCH_MEMORY_TRACE" },
	{ "counter_collection", "COUNTER_COLLECTION" }, { "hip_runtime_api_trace", "HIP_RUNTIME_API_TRACE" },
	{ "hip_compiler_api_trace", "HIP_COMPILER_API_TRACE" }, { "rccl_api_trace", "RCCL_API_TRACE" },
	{ "rocdecode_api_trace", "ROCDECODE_API_TRACE" }, { "rocjpeg_api_trace", "ROCJPEG_API_TRACE" },
	{ "ompt_trace", "OMPT_TRACE" }, { "rocshmem_api_trace", "ROCSHMEM_API_TRACE" },
	{ "hipfile_api_trace", "HIPFILE_API_TRACE" }, { "hip_event_trace", "HIP_EVENT_TRACE" },
	{ "selected_regions", "SELECTED_REGIONS" },
};

static const char *variable(const struct env *env, const char *name, const char *otherwise)
{
	const char *text = env_get(env, name);
	return text ? text : otherwise;
}

/* ROCPROF_COUNTERS has "pmc: A B"; ROCPROF_COUNTER_GROUPS a line of that for each group. */
static void counter_groups(struct json_text *json, const struct env *env)
{
	const char *at = variable(env, "ROCPROF_COUNTERS", variable(env, "ROCPROF_COUNTER_GROUPS", ""));
	char name[256];
	member_array(json, "counters");
	while (*at) {
		size_t line = strcspn(at, "\n");
		const char *end = at + line;
		if (!strncmp(at, "pmc:", 4))
			at += 4;
		member_array(json, NULL);
		while (at < end) {
			size_t length = strcspn(at, " \t,\n");
			if (length && length < sizeof name) {
				memcpy(name, at, length);
				name[length] = '\0';
				member_text(json, NULL, name);
			}
			at += length + (at + length < end);
		}
		member_end(json);
		at = end + (*end == '\n');
	}
	member_end(json);
}

static void places(struct json_text *json, const struct conversion *conversion)
{
	const struct env *env = &conversion->trace->settings;
	const char *slash = strrchr(conversion->base, '/');
	char folder[4096] = ".";
	if (slash) {
		size_t length = slash == conversion->base ? 1 : (size_t)(slash - conversion->base);
		length = length < sizeof folder ? length : sizeof folder - 1;
		memcpy(folder, conversion->base, length);
		folder[length] = '\0';
	}
	member_text(json, "output_path", folder);
	member_text(json, "output_file", slash ? slash + 1 : conversion->base);
	member_text(json, "raw_output_path", variable(env, "ROCPROF_OUTPUT_PATH", "%cwd%"));
	member_text(json, "raw_output_file", variable(env, "ROCPROF_OUTPUT_FILE_NAME", "%hostname%/%pid%"));
}

static void outputs(struct json_text *json, const struct settings *settings)
{
	static const char *const index[] = { "relative", "absolute", "type-relative" };
	member_bool(json, "stats", settings->stats);
	member_bool(json, "summary", settings->summary);
	member_bool(json, "summary_per_domain", settings->summary_per_domain);
	member_array(json, "summary_groups");
	for (size_t i = 0; i < settings->summary_groups; i++)
		member_text(json, NULL, settings->summary_group[i]);
	member_end(json);
	member_text(json, "summary_unit", settings->summary_unit);
	member_text(json, "summary_file", settings->summary_output);
	member_bool(json, "csv_output", settings->formats & FORMAT_CSV);
	member_bool(json, "json_output", settings->formats & FORMAT_JSON);
	member_bool(json, "pftrace_output", settings->formats & FORMAT_PFTRACE);
	member_bool(json, "otf2_output", false);
	member_bool(json, "summary_output", settings->summary || settings->summary_per_domain || settings->summary_groups);
	member_bool(json, "rocpd_output", settings->formats & FORMAT_ROCPD);
	member_bool(json, "html_output", settings->formats & FORMAT_HTML);
	member_bool(json, "kernel_rename", settings->kernel_rename);
	member_bool(json, "group_by_queue", settings->group_by_queue);
	member_text(json, "agent_index", index[settings->agent_index]);
}

void json_config(struct json_text *json, const struct conversion *conversion)
{
	const struct settings *settings = conversion->settings;
	const struct env *env = &conversion->trace->settings;
	member_object(json, "config");
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
		char name[64] = "ROCPROF_";
		bool on = false;
		/* An empty one was refused long ago; it counts as off here. */
		(void)setting_switch(env, strcat(name, switches[i].variable), &on, NULL);
		member_bool(json, switches[i].key, on);
	}
	counter_groups(json, env);
	member_text(json, "extra_counters_contents", variable(env, "ROCPROF_EXTRA_COUNTERS_CONTENTS", ""));
	member_text(json, "kernel_filter_include", variable(env, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", ".*"));
	member_text(json, "kernel_filter_exclude", variable(env, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", ""));
	member_bool(json, "demangle", settings->naming != NAMING_MANGLED);
	member_bool(json, "truncate", settings->naming == NAMING_TRUNCATED);
	member_unsigned(json, "minimum_output_bytes", settings->least_bytes);
	places(json, conversion);
	outputs(json, settings);
	member_end(json);
}

static void process_config(struct json_text *json, const struct conversion *conversion)
{
	const struct trace *trace = conversion->trace;
	member_object(json, "metadata");
	member_unsigned(json, "pid", trace->pid);
	member_unsigned(json, "init_time", trace->start);
	member_unsigned(json, "fini_time", trace->end);
	json_config(json, conversion);
	member_array(json, "command");
	for (size_t i = 0; i < trace->arguments; i++)
		member_text(json, NULL, trace->argument[i]);
	member_end(json);
	member_object(json, "build_spec");
	member_text(json, "tool_version", trace->tool_version);
	member_unsigned(json, "sdk_version", trace->sdk);
	member_text(json, "system_name", trace->system);
	member_text(json, "system_processor", trace->hardware);
	member_end(json);
	member_object(json, "environment");
	for (size_t i = 0; i < trace->settings.n; i++)
		member_text(json, trace->settings.v[i].name, trace->settings.v[i].value);
	member_end(json);
	member_end(json);
}

int config_write(const struct conversion *conversion, struct err *err)
{
	struct file file;
	struct json_text json = { .file = &file };
	if (file_create(&file, conversion->base, "_config.json", err) < 0)
		return -1;
	member_object(&json, NULL);
	member_array(&json, "rocprofiler-sdk-tool");
	member_object(&json, NULL);
	process_config(&json, conversion);
	member_end(&json);
	member_end(&json);
	member_end(&json);
	if (file_finish(&file, err) < 0)
		return -1;
	if (conversion->wrote)
		conversion->wrote(conversion->ctx, file.path, file.written);
	return 0;
}
