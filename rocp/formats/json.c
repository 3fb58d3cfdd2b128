/* SPDX-License-Identifier: MIT */
/*
 * rocprofv3's JSON: one object with everything of a process.  Records stand in
 * it by kind, and the recording is read once for each kind that it has, so that
 * memory does not grow with it.
 */
#include "rocp/formats/json_parts.h"

#define PROGRESS_EVERY 4096

struct each { struct json_output *output; event_visit *visit; };

static int visit_one(void *ctx, const struct event *event, struct err *err)
{
	struct each *each = ctx;
	struct json_output *output = each->output;
	const struct conversion *conversion = output->conversion;
	if (output->json.file->sys)     /* a full disk: the rest need not be read */
		return file_finish(output->json.file, err);
	if (conversion->progress && ++output->seen % PROGRESS_EVERY == 0 && output->seen <= output->all)
		conversion->progress(conversion->ctx, "json", (double)output->seen / (double)output->all);
	return each->visit(output, event, err);
}

int json_each(struct json_output *output, unsigned domains, event_visit *visit, struct err *err)
{
	struct trace *trace = output->conversion->trace;
	struct each each = { output, visit };
	for (enum domain domain = 0; domain < DOMAINS; domain++)
		if (!trace->events[domain])
			domains &= ~DOMAIN_BIT(domain);
	return domains ? trace_each(trace, domains, visit_one, &each, err) : 0;
}

static void metadata(struct json_text *json, const struct conversion *conversion)
{
	const struct trace *trace = conversion->trace;
	member_object(json, "metadata");
	member_object(json, "node");
	member_unsigned(json, "id", 0);
	member_unsigned(json, "hash", 0);
	member_text(json, "machine_id", trace->machine_id);
	member_text(json, "system_name", trace->system);
	member_text(json, "hostname", trace->hostname);
	member_text(json, "release", trace->release);
	member_text(json, "version", trace->version);
	member_text(json, "hardware_name", trace->hardware);
	member_text(json, "domain_name", trace->domain);
	member_end(json);
	member_unsigned(json, "pid", trace->pid);
	member_unsigned(json, "init_time", trace->start);
	member_unsigned(json, "fini_time", trace->end);
	member_array(json, "command");
	for (size_t i = 0; i < trace->arguments; i++)
		member_text(json, NULL, trace->argument[i]);
	member_end(json);
	json_config(json, conversion);
	member_end(json);
}

static int write_process(struct json_output *output, struct err *err)
{
	struct json_text *json = &output->json;
	const struct conversion *conversion = output->conversion;
	member_object(json, NULL);
	member_array(json, "rocprofiler-sdk-tool");
	member_object(json, NULL);
	metadata(json, conversion);
	json_agents(json, conversion->trace);
	json_counters(json, conversion->trace);
	if (json_strings(output, err) < 0 || json_code(json, conversion->trace, err) < 0)
		return -1;
	json_summary(json, conversion);
	if (json_records(output, err) < 0)
		return -1;
	member_end(json);
	member_end(json);
	member_end(json);
	return 0;
}

int json_write(const struct conversion *conversion, struct err *err)
{
	struct file file;
	const uint64_t *events = conversion->trace->events;
	struct json_output output = { .json = { .file = &file }, .conversion = conversion };
	for (enum domain domain = 0; domain < DOMAINS; domain++)
		output.all += events[domain];
	output.all += events[DOMAIN_MARKER];    /* once more for their texts */
	if (conversion->settings->kernel_rename)
		output.all += events[DOMAIN_KERNEL] + events[DOMAIN_COUNTERS];
	if (file_create(&file, conversion->base, "_results.json", err) < 0)
		return -1;
	int rc = write_process(&output, err);
	textmap_free(&output.renames);
	if (rc < 0) {
		file_abandon(&file);
		return -1;
	}
	if (file_finish(&file, err) < 0)
		return -1;
	if (conversion->wrote)
		conversion->wrote(conversion->ctx, file.path, file.written);
	return 0;
}
