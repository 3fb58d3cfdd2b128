/* SPDX-License-Identifier: MIT */
/* The texts that records speak of by numbers. */
#include "rocp/formats/json_parts.h"

static void one_kind(struct json_text *json, const struct kind_names *names)
{
	member_object(json, NULL);
	member_text(json, "kind", names ? names->name : "");
	member_array(json, "operations");
	for (size_t i = 0; names && i < names->operations; i++)
		member_text(json, NULL, names->operation[i]);
	member_end(json);
	member_end(json);
}

/* The place of each is its number. */
static void kinds(struct json_text *json, const struct trace *trace)
{
	const struct kind_names *names[KINDS_MOST] = { 0 };
	int32_t n = 0;
	for (size_t i = 0; i < trace->kind_count; i++) {
		int32_t kind = trace->kinds[i].kind;
		if (kind < 0 || kind >= KINDS_MOST)
			continue;
		names[kind] = &trace->kinds[i];
		n = kind >= n ? kind + 1 : n;
	}
	member_array(json, "buffer_records");
	for (int32_t kind = 0; kind < n; kind++)
		one_kind(json, names[kind]);
	member_end(json);
}

static void pair(struct json_text *json, uint64_t key, const char *text)
{
	member_object(json, NULL);
	member_unsigned(json, "key", key);
	member_text(json, "value", text);
	member_end(json);
}

static int marker(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	(void)err;
	if (event->text)
		pair(&output->json, event->correlation, event->text);
	return 0;
}

static int renamed(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	return event->rename ? renames_add(&output->renames, event->rename, err) : 0;
}

static void empty(struct json_text *json, const char *key)
{
	member_array(json, key);
	member_end(json);
}

int json_strings(struct json_output *output, struct err *err)
{
	struct json_text *json = &output->json;
	const struct conversion *conversion = output->conversion;
	if (conversion->settings->kernel_rename &&
	    json_each(output, DOMAIN_BIT(DOMAIN_KERNEL) | DOMAIN_BIT(DOMAIN_COUNTERS), renamed, err) != 0)
		return -1;
	member_object(json, "strings");
	empty(json, "callback_records");        /* none of the records below is one but counters', which have no kind */
	kinds(json, conversion->trace);
	member_array(json, "marker_api");
	if (json_each(output, DOMAIN_BIT(DOMAIN_MARKER), marker, err) != 0)
		return -1;
	member_end(json);
	member_object(json, "correlation_id");
	member_array(json, "external");
	for (size_t i = 0; i < output->renames.n; i++)
		pair(json, i + 1, output->renames.text[i]);
	member_end(json);
	member_end(json);
	member_object(json, "counters");
	empty(json, "dimension_ids");
	member_end(json);
	empty(json, "pc_sample_instructions");
	empty(json, "pc_sample_comments");
	empty(json, "att_filenames");
	empty(json, "code_object_snapshot_filenames");
	member_end(json);
	return 0;
}
