/* SPDX-License-Identifier: MIT */
/* Events, with the members that the SDK's records have. */
#include <inttypes.h>
#include <stdio.h>

#include "rocp/formats/json_parts.h"

#define DISPATCH_INFO_SIZE 72   /* of the SDK's structures */
#define DISPATCH_DATA_SIZE 168

static void begin_record(struct json_text *json, const struct event *event)
{
	member_object(json, NULL);
	member_unsigned(json, "size", event->size);
	member_signed(json, "kind", event->kind);
	member_signed(json, "operation", event->operation);
}

static void correlation(const struct json_output *output, struct json_text *json, const struct event *event, bool ancestor)
{
	uint64_t external = event->rename ? textmap_find(&output->renames, event->rename) : 0;
	member_object(json, "correlation_id");
	member_unsigned(json, "internal", event->correlation);
	member_unsigned(json, "external", external ? external : event->external);
	if (ancestor)
		member_unsigned(json, "ancestor", event->ancestor);
	member_end(json);
}

static void times(struct json_text *json, const struct event *event)
{
	member_unsigned(json, "start_timestamp", event->start);
	member_unsigned(json, "end_timestamp", event->end);
}

static void dim_member(struct json_text *json, const char *key, const struct dim *dim)
{
	member_object(json, key);
	member_unsigned(json, "x", dim->x);
	member_unsigned(json, "y", dim->y);
	member_unsigned(json, "z", dim->z);
	member_end(json);
}

static void dispatch_info(struct json_text *json, const struct event *event)
{
	member_object(json, "dispatch_info");
	member_unsigned(json, "size", DISPATCH_INFO_SIZE);
	member_handle(json, "agent_id", event->agent);
	member_handle(json, "queue_id", event->queue);
	member_unsigned(json, "kernel_id", event->kernel->id);
	member_unsigned(json, "dispatch_id", event->dispatch);
	member_unsigned(json, "private_segment_size", event->private_segment);
	member_unsigned(json, "group_segment_size", event->group_segment);
	dim_member(json, "workgroup_size", &event->workgroup);
	dim_member(json, "grid_size", &event->grid);
	member_end(json);
}

static int api_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	struct json_text *json = &output->json;
	(void)err;
	begin_record(json, event);
	correlation(output, json, event, true);
	times(json, event);
	member_unsigned(json, "thread_id", event->thread);
	if (event->domain == DOMAIN_HIP)
		member_handle(json, "stream_id", event->stream);
	member_end(json);
	return 0;
}

/* What kernels, copies and allocations begin with. */
static void begin_work(struct json_output *output, const struct event *event, bool ancestor)
{
	begin_record(&output->json, event);
	member_unsigned(&output->json, "thread_id", event->thread);
	correlation(output, &output->json, event, ancestor);
	times(&output->json, event);
}

static int kernel_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	(void)err;
	begin_work(output, event, false);
	dispatch_info(&output->json, event);
	member_handle(&output->json, "stream_id", event->stream);
	member_end(&output->json);
	return 0;
}

static int copy_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	struct json_text *json = &output->json;
	(void)err;
	begin_work(output, event, false);
	member_handle(json, "dst_agent_id", event->agent);
	member_handle(json, "src_agent_id", event->agent2);
	member_unsigned(json, "bytes", event->bytes);
	member_handle(json, "stream_id", event->stream);
	member_end(json);
	return 0;
}

static int allocation_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	struct json_text *json = &output->json;
	char address[24];
	(void)err;
	snprintf(address, sizeof address, "0x%016" PRIx64, event->address);
	begin_work(output, event, true);
	member_handle(json, "agent_id", event->agent);
	member_text(json, "address", address);
	member_unsigned(json, "allocation_size", event->bytes);
	member_handle(json, "stream_id", event->stream);
	member_end(json);
	return 0;
}

static int scratch_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	struct json_text *json = &output->json;
	(void)err;
	begin_record(json, event);
	member_handle(json, "agent_id", event->agent);
	member_handle(json, "queue_id", event->queue);
	member_unsigned(json, "thread_id", event->thread);
	times(json, event);
	correlation(output, json, event, true);
	member_signed(json, "flags", event->flags);
	member_unsigned(json, "allocation_size", event->bytes);
	member_end(json);
	return 0;
}

static int counters_record(void *ctx, const struct event *event, struct err *err)
{
	struct json_output *output = ctx;
	struct json_text *json = &output->json;
	(void)err;
	member_object(json, NULL);
	member_unsigned(json, "thread_id", event->thread);
	member_object(json, "dispatch_data");
	member_unsigned(json, "size", DISPATCH_DATA_SIZE);
	correlation(output, json, event, false);
	times(json, event);
	dispatch_info(json, event);
	member_end(json);
	member_array(json, "records");
	for (size_t i = 0; i < event->values; i++) {
		member_object(json, NULL);
		member_handle(json, "counter_id", event->value[i].counter);
		member_real(json, "value", event->value[i].value);
		member_end(json);
	}
	member_end(json);
	member_handle(json, "stream_id", event->stream);
	member_end(json);
	return 0;
}

static int section(struct json_output *output, enum domain domain, event_visit *visit, struct err *err)
{
	member_array(&output->json, domain_key(domain));
	if (json_each(output, DOMAIN_BIT(domain), visit, err) != 0)
		return -1;
	member_end(&output->json);
	return 0;
}

int json_records(struct json_output *output, struct err *err)
{
	/* Upstream's order; what its older versions do not have comes last. */
	static const struct { enum domain domain; event_visit *visit; } sections[] = {
		{ DOMAIN_KERNEL, kernel_record }, { DOMAIN_HIP, api_record }, { DOMAIN_HSA, api_record },
		{ DOMAIN_MARKER, api_record }, { DOMAIN_RCCL, api_record }, { DOMAIN_COPY, copy_record },
		{ DOMAIN_ALLOCATION, allocation_record }, { DOMAIN_SCRATCH, scratch_record },
		{ DOMAIN_ROCDECODE, api_record }, { DOMAIN_ROCJPEG, api_record }, { DOMAIN_HIPFILE, api_record },
		{ DOMAIN_ROCSHMEM, api_record }, { DOMAIN_OTHER_API, api_record },
	};
	static const char *const never[] = { "pc_sample_host_trap", "pc_sample_stochastic" };
	struct json_text *json = &output->json;
	member_object(json, "callback_records");
	if (section(output, DOMAIN_COUNTERS, counters_record, err) < 0)
		return -1;
	member_end(json);
	member_object(json, "buffer_records");
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (section(output, sections[i].domain, sections[i].visit, err) < 0)
			return -1;
	for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
		member_array(json, never[i]);
		member_end(json);
	}
	member_end(json);
	return 0;
}
