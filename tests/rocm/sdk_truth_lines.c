// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: the lines of truth.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <unistd.h>

#include "sdk.h"
#include "truth.h"

static void put_number(FILE *out, uint64_t number)
{
	char text[24], *at = text + sizeof(text);

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	*--at = '\t';
	fwrite_unlocked(at, 1, (size_t)(text + sizeof(text) - at), out);
}

static void put_signed(FILE *out, int64_t number)
{
	fprintf(out, "\t%" PRId64, number);
}

static void put_text(FILE *out, const char *text)
{
	putc_unlocked('\t', out);
	put_escaped(out, text);
}

static void put_end(FILE *out)
{
	putc_unlocked('\n', out);
}

static void put_dim(FILE *out, struct size3 dim)
{
	put_number(out, dim.x);
	put_number(out, dim.y);
	put_number(out, dim.z);
}

static void put_agent(FILE *out, const struct agent_v0 *agent)
{
	fputs("agent", out);
	put_number(out, agent->id.handle);
	put_number(out, (uint64_t)agent->type);
#define PUT_WORD(type, name) put_number(out, agent->name);
	AGENT_WORDS(PUT_WORD)
	put_number(out, agent->local_mem_size);
	put_number(out, agent->hive_id);
	put_number(out, agent->gpu_id);
	put_dim(out, agent->workgroup_max_dim);
	put_dim(out, agent->grid_max_dim);
	put_number(out, agent->node_id);
	put_signed(out, agent->logical_node_id);
	put_signed(out, agent->logical_node_type_id);
	put_number(out, agent->runtime_visibility);
	put_text(out, agent->name);
	put_text(out, agent->vendor_name);
	put_text(out, agent->product_name);
	put_text(out, agent->model_name);
	put_end(out);
}

static int put_counters(struct handle agent, struct handle *counters, size_t n, void *out)
{
	for (size_t i = 0; i < n; i++) {
		struct counter_info_v0 info;

		rocprofiler_query_counter_info(counters[i], 1, &info);
		fputs("counter", out);
		put_number(out, info.id.handle);
		put_number(out, agent.handle);
		put_text(out, info.name);
		put_text(out, info.description);
		put_text(out, info.block);
		put_text(out, info.expression);
		put_number(out, info.is_constant);
		put_number(out, info.is_derived);
		put_end(out);
	}
	return 0;
}

void put_circumstances(FILE *out)
{
	fprintf(out, "sdk\t%d\t%d\n", SDK_VERSION, (int)getpid());
	for (int k = 0; k < buffer_kinds(); k++) {
		fprintf(out, "kind\t%d\t%s\n", k, kind_name(k));
		for (int i = 0; i < kind_operations(k); i++)
			fprintf(out, "operation\t%d\t%d\t%s\n", k, i, operation_name(k, i));
	}
	for (unsigned i = 0; i < AGENTS; i++) {
		put_agent(out, agent_at(i));
		rocprofiler_iterate_agent_supported_counters(agent_at(i)->id, put_counters, out);
	}
}

static void put_head(FILE *out, const char *type, struct handle context, uint64_t size, int kind, int operation)
{
	fputs(type, out);
	put_number(out, context.handle);
	put_number(out, size);
	put_number(out, (uint64_t)kind);
	put_number(out, (uint64_t)operation);
}

static void put_correlation(FILE *out, struct correlation_id id)
{
	put_number(out, id.internal);
	put_number(out, id.external);
	put_number(out, id.ancestor);
}

static void put_async(FILE *out, struct async_correlation_id id)
{
	put_number(out, id.internal);
	put_number(out, id.external);
}

static void put_span(FILE *out, uint64_t a, uint64_t b, uint64_t c)
{
	put_number(out, a);
	put_number(out, b);
	put_number(out, c);
}

static void put_api(FILE *out, struct handle context, const struct buffer_tracing_api_record *r)
{
	put_head(out, "api", context, r->size, r->kind, r->operation);
	put_correlation(out, r->correlation_id);
	put_span(out, r->start_timestamp, r->end_timestamp, r->thread_id);
	put_text(out, kind_name(r->kind));
	put_text(out, operation_name(r->kind, r->operation));
}

static void put_info(FILE *out, const struct kernel_dispatch_info *info)
{
	put_number(out, info->agent_id.handle);
	put_number(out, info->queue_id.handle);
	put_number(out, info->kernel_id);
	put_number(out, info->dispatch_id);
}

static void put_dispatch(FILE *out, struct handle context, const struct buffer_tracing_kernel_dispatch_record *r)
{
	put_head(out, "dispatch", context, r->size, r->kind, r->operation);
	put_async(out, r->correlation_id);
	put_span(out, r->thread_id, r->start_timestamp, r->end_timestamp);
	put_info(out, &r->dispatch_info);
	put_number(out, r->dispatch_info.private_segment_size);
	put_number(out, r->dispatch_info.group_segment_size);
	put_dim(out, r->dispatch_info.workgroup_size);
	put_dim(out, r->dispatch_info.grid_size);
#if SDK_VERSION >= 10300
	put_signed(out, r->pipe_id);
#else
	put_number(out, 0);
#endif
}

static void put_copy(FILE *out, struct handle context, const struct buffer_tracing_memory_copy_record *r)
{
	put_head(out, "copy", context, r->size, r->kind, r->operation);
	put_async(out, r->correlation_id);
	put_span(out, r->thread_id, r->start_timestamp, r->end_timestamp);
	put_number(out, r->dst_agent_id.handle);
	put_number(out, r->src_agent_id.handle);
	put_span(out, r->bytes, r->dst_address, r->src_address);
}

static void put_allocation(FILE *out, struct handle context, const struct buffer_tracing_memory_allocation_record *r)
{
	put_head(out, "allocation", context, r->size, r->kind, r->operation);
	put_correlation(out, r->correlation_id);
	put_span(out, r->thread_id, r->start_timestamp, r->end_timestamp);
	put_span(out, r->agent_id.handle, r->address, r->allocation_size);
}

static void put_scratch(FILE *out, struct handle context, const struct buffer_tracing_scratch_memory_record *r)
{
	put_head(out, "scratch", context, r->size, r->kind, r->operation);
	put_correlation(out, r->correlation_id);
	put_number(out, r->agent_id.handle);
	put_number(out, r->queue_id.handle);
	put_span(out, r->thread_id, r->start_timestamp, r->end_timestamp);
	put_signed(out, r->flags);
#if SDK_VERSION >= 10100
	put_number(out, r->allocation_size);
#else
	put_number(out, 0);
#endif
}

static void put_graph(FILE *out, struct handle context, const struct buffer_tracing_hip_graph_record *r)
{
	put_head(out, "graph", context, r->size, r->kind, r->operation);
	put_correlation(out, r->correlation_id);
	put_span(out, r->thread_id, r->start_timestamp, r->end_timestamp);
	put_span(out, r->agent_id.handle, r->queue_id.handle, r->graph_exec_id.handle);
	put_number(out, r->kernel_dispatch_count);
}

static void put_initialization(FILE *out, struct handle context,
	const struct buffer_tracing_runtime_initialization_record *r)
{
	put_head(out, "initialization", context, r->size, r->kind, r->operation);
	put_number(out, r->thread_id);
	put_span(out, r->timestamp, r->version, r->instance);
}

static void put_retirement(FILE *out, struct handle context,
	const struct buffer_tracing_correlation_id_retirement_record *r)
{
	fputs("retirement", out);
	put_number(out, context.handle);
	put_number(out, r->size);
	put_span(out, (uint64_t)r->kind, r->timestamp, r->internal_correlation_id);
}

void put_counted(FILE *out, struct handle context, const struct dispatch_counting_service_data *data, uint64_t n)
{
	fputs("counted", out);
	put_number(out, context.handle);
	put_async(out, data->correlation_id);
	put_number(out, data->start_timestamp);
	put_number(out, data->end_timestamp);
	put_info(out, &data->dispatch_info);
	put_number(out, n);
	put_end(out);
}

void put_value(FILE *out, struct handle context, const struct counter_record *value)
{
	struct handle counter = { 0 };

	rocprofiler_query_record_counter_id(value->id, &counter);
	fputs("value", out);
	put_number(out, context.handle);
	put_span(out, value->dispatch_id, value->agent_id.handle, counter.handle);
	put_number(out, value->id);
	fprintf(out, "\t%.17g\n", value->counter_value);
}

static void put_counter_record(FILE *out, struct handle context, const struct record_header *header)
{
	const struct dispatch_counting_service_record *r = header->payload;
	struct dispatch_counting_service_data data;

	if (header->kind == COUNTER_RECORD_VALUE) {
		put_value(out, context, header->payload);
		return;
	}
	data = (struct dispatch_counting_service_data){ sizeof(data), r->correlation_id, r->start_timestamp,
		r->end_timestamp, r->dispatch_info };
	put_counted(out, context, &data, r->num_records);
}

void put_record(FILE *out, struct handle context, const struct record_header *header)
{
	if (header->category == CATEGORY_COUNTERS) {
		put_counter_record(out, context, header);
		return;
	}
	switch (kind_shape((int)header->kind)) {
	case SHAPE_API: case SHAPE_EXT: case SHAPE_OMPT: put_api(out, context, header->payload); break;
	case SHAPE_DISPATCH: put_dispatch(out, context, header->payload); break;
	case SHAPE_COPY: put_copy(out, context, header->payload); break;
	case SHAPE_ALLOCATION: put_allocation(out, context, header->payload); break;
	case SHAPE_SCRATCH: put_scratch(out, context, header->payload); break;
	case SHAPE_GRAPH: put_graph(out, context, header->payload); break;
	case SHAPE_INITIALIZATION: put_initialization(out, context, header->payload); break;
	case SHAPE_RETIREMENT: put_retirement(out, context, header->payload); break;
	default: return;
	}
	put_end(out);
}
