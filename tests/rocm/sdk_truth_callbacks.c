// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: the lines of truth.h that callbacks make. */
#define _GNU_SOURCE
#include <inttypes.h>

#include "sdk.h"
#include "truth.h"

void put_escaped(FILE *out, const char *text)
{
	for (; text && *text; text++)
		switch (*text) {
		case '\t': fputs("\\t", out); break;
		case '\n': fputs("\\n", out); break;
		case '\r': fputs("\\r", out); break;
		case '\\': fputs("\\\\", out); break;
		default: putc_unlocked(*text, out);
		}
}

static void put_text(FILE *out, const char *text)
{
	put_escaped(out, text);
	putc_unlocked('\n', out);
}

static void put_marker(FILE *out, const struct callback_tracing_record *r)
{
	const struct callback_tracing_marker_api_data *data = r->payload;

	fprintf(out, "marker\t%" PRIu64 "\t%d\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
		r->context_id.handle, r->phase, r->kind, r->operation, r->correlation_id.internal, r->correlation_id.external,
		r->correlation_id.ancestor, r->thread_id);
	put_text(out, marker_has_text(r->kind, r->operation) ? data->args.message : "");
}

static void put_code_object(FILE *out, const struct callback_tracing_record *r)
{
	const struct callback_tracing_code_object_load_data *data = r->payload;

	fprintf(out, "code_object\t%" PRIu64 "\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%d\t%"
		PRIu64 "\t%" PRIu64 "\t", r->context_id.handle, r->phase, data->code_object_id, data->agent_id.handle,
		data->load_base, data->load_size, data->load_delta, data->storage_type, data->memory_base, data->memory_size);
	put_text(out, data->uri);
}

static void put_kernel(FILE *out, const struct callback_tracing_record *r)
{
	const struct callback_tracing_code_object_kernel_symbol_register_data *data = r->payload;

	fprintf(out, "kernel\t%" PRIu64 "\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%" PRId64
		"\t%" PRIu64 "\t", r->context_id.handle, r->phase, data->kernel_id, data->code_object_id, data->kernel_object,
		data->kernarg_segment_size, data->kernarg_segment_alignment, data->group_segment_size,
		data->private_segment_size, data->sgpr_count, data->arch_vgpr_count, data->accum_vgpr_count,
		data->kernel_code_entry_byte_offset, data->kernel_address);
	put_text(out, data->kernel_name);
}

static void put_stream(FILE *out, const struct callback_tracing_record *r)
{
	const struct callback_tracing_hip_stream_data *data = r->payload;

	fprintf(out, "stream\t%" PRIu64 "\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", r->context_id.handle, r->phase,
		r->operation, r->thread_id, data->stream_id.handle, data->stream_value);
}

void put_callback(FILE *out, const struct callback_tracing_record *r)
{
	switch (r->kind) {
	case CALLBACK_MARKER_CORE_API: case CALLBACK_MARKER_CONTROL_API: case CALLBACK_MARKER_NAME_API:
	case CALLBACK_MARKER_CORE_RANGE_API:
		put_marker(out, r);
		break;
	case CALLBACK_CODE_OBJECT:
		if (r->operation == CODE_OBJECT_LOAD)
			put_code_object(out, r);
		else
			put_kernel(out, r);
		break;
	case CALLBACK_HIP_STREAM:
		put_stream(out, r);
		break;
	}
}
