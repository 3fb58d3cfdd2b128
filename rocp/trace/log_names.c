/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/log_source.h"

#define SETTINGS_MOST 4096

/* Keeps the texts behind the fixed part of a record; log_fault made sure that they are there. */
static int keep_texts(struct trace *trace, const struct log_frame *frame, const char **text[], struct err *err)
{
	size_t fixed;
	unsigned texts = log_texts(frame->type, &fixed);
	const char *at = (const char *)frame + fixed;
	for (unsigned i = 0; i < texts; i++) {
		size_t length = strlen(at);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): callers give one for each that the type has */
		*text[i] = texts_keep(&names_of(trace)->texts, at, length, err);
		if (!*text[i])
			return -1;
		at += length + 1;
	}
	return 0;
}

static int keep_text(struct trace *trace, const struct log_frame *frame, const char **text, struct err *err)
{
	return keep_texts(trace, frame, (const char **[]){ text }, err);
}

static int take_setting(struct trace *trace, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || trace->settings.n >= SETTINGS_MOST)
		return 0;
	char *name = strndup(text, (size_t)(equals - text));
	int rc = name ? env_set(&trace->settings, name, equals + 1, err) :
		err_set(err, ERR_FAILED, ENOMEM, "keep the settings of a recording");
	free(name);
	return rc;
}

static int take_fact(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	const char **const place[] = {
		[FACT_HOSTNAME] = &trace->hostname, [FACT_MACHINE_ID] = &trace->machine_id, [FACT_SYSTEM] = &trace->system,
		[FACT_RELEASE] = &trace->release, [FACT_VERSION] = &trace->version, [FACT_HARDWARE] = &trace->hardware,
		[FACT_DOMAIN] = &trace->domain, [FACT_FOLDER] = &trace->folder, [FACT_OUTPUT] = &trace->output,
		[FACT_TOOL_VERSION] = &trace->tool_version,
	};
	if (frame->part == FACT_SETTING)
		return take_setting(trace, (const char *)(frame + 1), err);
	if (frame->part == FACT_ARGUMENT) {
		const char **argument = array_add(&trace->argument, &trace->arguments, sizeof *argument, err);
		return argument ? keep_text(trace, frame, argument, err) : -1;
	}
	if (frame->part < sizeof place / sizeof place[0] && place[frame->part])
		return keep_text(trace, frame, place[frame->part], err);
	log_of(trace)->unknown++;
	return 0;
}

static int take_operation(struct trace *trace, const struct log_name *record, struct err *err)
{
	struct log_source *log = log_of(trace);
	if (record->kind < 0 || record->kind >= KINDS_MOST || record->operation < -1 || record->operation >= OPERATIONS_MOST) {
		log->unnamed++;
		return 0;
	}
	struct kind_slot *kind = &log->kind[record->kind];
	if (record->operation == -1)
		return keep_text(trace, &record->frame, &kind->name, err);
	size_t needed = (size_t)record->operation + 1;
	if (needed > kind->operations) {
		const char **operation = reallocarray(kind->operation, needed, sizeof *operation);
		if (!operation)
			return err_set(err, ERR_FAILED, ENOMEM, "keep the names of operations");
		memset(operation + kind->operations, 0, (needed - kind->operations) * sizeof *operation);
		kind->operation = operation;
		kind->operations = needed;
	}
	return keep_text(trace, &record->frame, &kind->operation[record->operation], err);
}

static int take_agent(struct trace *trace, const struct log_agent *record, struct err *err)
{
	struct agent *agent = array_add(&trace->agent, &trace->agents, sizeof *agent, err);
	if (!agent)
		return -1;
	agent_decode(agent, record->agent);
	return keep_texts(trace, &record->frame, (const char **[]){ &agent->name, &agent->vendor, &agent->product, &agent->model }, err);
}

static int take_code_object(struct trace *trace, const struct log_code_object *record, struct err *err)
{
	struct code_object *object = array_add(&trace->code_object, &trace->code_objects, sizeof *object, err);
	if (!object)
		return -1;
	*object = (struct code_object){
		.id = record->id, .agent = record->agent, .load_base = record->load_base, .load_size = record->load_size,
		.load_delta = record->load_delta, .storage = (uint32_t)record->storage,
		.memory_base = record->memory_base, .memory_size = record->memory_size,
	};
	return keep_text(trace, &record->frame, &object->uri, err);
}

static int take_kernel(struct trace *trace, const struct log_kernel *record, struct err *err)
{
	struct kernel_symbol *kernel = array_add(&trace->kernel, &trace->kernels, sizeof *kernel, err);
	if (!kernel)
		return -1;
	*kernel = (struct kernel_symbol){
		.id = record->id, .code_object = record->code_object, .object = record->object, .address = record->address,
		.entry_offset = record->entry_offset, .kernarg_size = record->kernarg_size,
		.kernarg_alignment = record->kernarg_alignment, .group_segment = record->group_segment,
		.private_segment = record->private_segment, .sgprs = record->sgprs, .arch_vgprs = record->arch_vgprs,
		.accum_vgprs = record->accum_vgprs,
	};
	return keep_text(trace, &record->frame, &kernel->name, err);
}

static int take_counter(struct trace *trace, const struct log_counter *record, struct err *err)
{
	struct counter_info *counter = array_add(&trace->counter, &trace->counters, sizeof *counter, err);
	if (!counter)
		return -1;
	*counter = (struct counter_info){
		.id = record->id, .agent = record->agent, .is_constant = record->is_constant, .is_derived = record->is_derived,
	};
	return keep_texts(trace, &record->frame,
		(const char **[]){ &counter->name, &counter->description, &counter->block, &counter->expression }, err);
}

static int take_thread(struct trace *trace, const struct log_thread *record, struct err *err)
{
	struct trace_thread *thread = array_add(&trace->thread, &trace->threads, sizeof *thread, err);
	if (!thread)
		return -1;
	thread->tid = record->tid;
	return keep_text(trace, &record->frame, &thread->name, err);
}

static int take_stream(struct trace *trace, const struct log_stream *record, struct err *err)
{
	struct trace_stream *stream = array_add(&trace->stream, &trace->streams, sizeof *stream, err);
	if (!stream)
		return -1;
	*stream = (struct trace_stream){ record->id, record->value };
	return 0;
}

static int take_note(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	const char *text = "";
	return keep_text(trace, frame, &text, err) < 0 ? -1 : names_note(trace, text, err);
}

static int take_text(struct trace *trace, const struct log_text *record, struct err *err)
{
	int rc = markers_text(&log_of(trace)->markers, record->number, record->text, err);
	log_of(trace)->dropped_texts += rc > 0;
	return rc < 0 ? -1 : 0;
}

int log_take_name(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	const void *record = frame;
	switch (frame->type) {
	case LOG_FACT: return take_fact(trace, record, err);
	case LOG_NAME: return take_operation(trace, record, err);
	case LOG_TEXT: return take_text(trace, record, err);
	case LOG_AGENT: return take_agent(trace, record, err);
	case LOG_CODE_OBJECT: return take_code_object(trace, record, err);
	case LOG_KERNEL: return take_kernel(trace, record, err);
	case LOG_COUNTER: return take_counter(trace, record, err);
	case LOG_THREAD: return take_thread(trace, record, err);
	case LOG_STREAM: return take_stream(trace, record, err);
	case LOG_NOTE: return take_note(trace, record, err);
	default:
		log_of(trace)->unknown++;
		log_of(trace)->unknown_records += frame->type > LOG_MARKER && frame->type < LOG_LOST;
		return 0;
	}
}
