/* SPDX-License-Identifier: MIT */
/* Events of a log, one record at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/log_source.h"

size_t counters_values(const struct log_counters *record)
{
	return (record->frame.size - sizeof *record) / sizeof record->value[0];
}

bool counters_continue(struct gathered *gathered, const struct log_counters *record)
{
	size_t values = counters_values(record);
	if (gathered->any && gathered->dispatch == record->info.dispatch && gathered->correlation == record->correlation &&
	    gathered->values + values <= VALUES_MOST) {
		gathered->values += values;
		return true;
	}
	*gathered = (struct gathered){ true, record->info.dispatch, record->correlation, values };
	return false;
}

/* Names that the log does not tell are made of the numbers. */
static int name(struct trace *trace, struct event *event, const char *kind_name, struct err *err)
{
	struct log_source *log = log_of(trace);
	const struct kind_slot *kind = event->kind >= 0 && event->kind < KINDS_MOST ? &log->kind[event->kind] : NULL;
	event->kind_name = kind_name ? kind_name : kind && kind->name ? kind->name :
		texts_print(&log->names.texts, err, "kind %d", (int)event->kind);
	event->operation_name = NULL;
	if (kind && event->operation >= 0 && (size_t)event->operation < kind->operations)
		event->operation_name = kind->operation[event->operation];
	if (!event->operation_name)
		event->operation_name = texts_print(&log->names.texts, err, "operation %d", (int)event->operation);
	return event->kind_name && event->operation_name ? 0 : -1;
}

static void take_external(struct trace *trace, struct event *event, uint64_t external)
{
	uint32_t text = LOG_EXTERNAL_TEXT(external);
	event->stream = LOG_EXTERNAL_STREAM(external);
	event->rename = text && trace->renames ? markers_named(&log_of(trace)->markers, text) : NULL;
}

static void take_info(struct trace *trace, struct event *event, const struct log_dispatch_info *info)
{
	event->kernel = names_kernel(trace, info->kernel);
	event->agent = info->agent;
	event->queue = info->queue;
	event->dispatch = info->dispatch;
	event->private_segment = info->private_segment;
	event->group_segment = info->group_segment;
	event->workgroup = (struct dim){ info->workgroup[0], info->workgroup[1], info->workgroup[2] };
	event->grid = (struct dim){ info->grid[0], info->grid[1], info->grid[2] };
}

static int api(struct trace *trace, struct event *event, const struct log_api *record, struct err *err)
{
	struct log_source *log = log_of(trace);
	*event = (struct event){
		.domain = record->kind >= 0 && record->kind < KINDS_MOST ? log->kind[record->kind].domain : DOMAIN_OTHER_API,
		.kind = record->kind, .operation = record->operation, .size = 64,
		.start = record->start, .end = record->end, .thread = record->thread,
		.correlation = record->correlation, .external = record->external, .ancestor = record->ancestor,
	};
	if (event->domain == DOMAIN_MARKER)
		event->text = markers_of(&log->markers, record->correlation);
	return name(trace, event, NULL, err);
}

static int dispatch(struct trace *trace, struct event *event, const struct log_dispatch *record, struct err *err)
{
	*event = (struct event){
		.domain = DOMAIN_KERNEL, .kind = record->kind, .operation = record->operation,
		.size = record->frame.size > sizeof *record ? 192 : 184,
		.start = record->start, .end = record->end, .thread = record->thread, .correlation = record->correlation,
	};
	take_external(trace, event, record->external);
	take_info(trace, event, &record->info);
	return name(trace, event, "KERNEL_DISPATCH", err);
}

static int copy(struct trace *trace, struct event *event, const struct log_copy *record, struct err *err)
{
	*event = (struct event){
		.domain = DOMAIN_COPY, .kind = record->kind, .operation = record->operation, .size = 96,
		.start = record->start, .end = record->end, .thread = record->thread, .correlation = record->correlation,
		.agent = record->to_agent, .agent2 = record->from_agent, .bytes = record->bytes,
		.address = record->to_address, .address2 = record->from_address,
	};
	take_external(trace, event, record->external);
	return name(trace, event, "MEMORY_COPY", err);
}

static int allocation(struct trace *trace, struct event *event, const struct log_allocation *record, struct err *err)
{
	*event = (struct event){
		.domain = DOMAIN_ALLOCATION, .kind = record->kind, .operation = record->operation, .size = 88,
		.start = record->start, .end = record->end, .thread = record->thread,
		.correlation = record->correlation, .external = record->external, .ancestor = record->ancestor,
		.agent = record->agent, .address = record->address, .bytes = record->bytes,
	};
	return name(trace, event, "MEMORY_ALLOCATION", err);
}

static int scratch(struct trace *trace, struct event *event, const struct log_scratch *record, struct err *err)
{
	bool has_bytes = record->frame.size >= sizeof *record;
	*event = (struct event){
		.domain = DOMAIN_SCRATCH, .kind = record->kind, .operation = record->operation, .size = has_bytes ? 96 : 88,
		.start = record->start, .end = record->end, .thread = record->thread,
		.correlation = record->correlation, .external = record->external, .ancestor = record->ancestor,
		.agent = record->agent, .queue = record->queue, .flags = record->flags, .bytes = has_bytes ? record->bytes : 0,
	};
	return name(trace, event, "SCRATCH_MEMORY", err);
}

static void counters(struct trace *trace, struct event *event, const struct log_counters *record)
{
	*event = (struct event){
		.domain = DOMAIN_COUNTERS, .size = 168, .kind_name = "COUNTER_COLLECTION", .operation_name = "COUNTER_COLLECTION",
		.start = record->start, .end = record->end, .thread = record->thread, .correlation = record->correlation,
	};
	take_external(trace, event, record->external);
	take_info(trace, event, &record->info);
}

struct visiting {
	struct trace *trace;
	unsigned domains;
	event_visit *visit;
	void *ctx;
	struct err *err;
	struct event counters;          /* what was gathered, not yet visited */
	size_t room;                    /* for values */
};

/* The first reading found a name for every kernel. */
static int changed(const struct visiting *at)
{
	return err_set(at->err, ERR_FAILED, 0, "%s was changed while it was read", at->trace->path);
}

static int visit_gathered(struct visiting *at)
{
	struct log_source *log = log_of(at->trace);
	if (!log->gathered.any)
		return 0;
	if (!at->counters.kernel)
		return changed(at);
	at->counters.value = log->value;
	at->counters.values = log->gathered.values;
	return at->visit(at->ctx, &at->counters, at->err);
}

static int gather(struct visiting *at, const struct log_counters *record)
{
	struct log_source *log = log_of(at->trace);
	size_t values = counters_values(record), before = log->gathered.values;
	struct gathered next = log->gathered;
	bool more = counters_continue(&next, record);
	int rc = more ? 0 : visit_gathered(at);
	if (rc)
		return rc;
	before = more ? before : 0;
	log->gathered = next;
	if (!log->value || before + values > at->room) {
		size_t room = 2 * (before + values) + 64;
		struct counter_value *larger = reallocarray(log->value, room, sizeof *larger);
		if (!larger)
			return err_set(at->err, ERR_FAILED, ENOMEM, "keep the counters of a dispatch");
		log->value = larger;
		at->room = room;
	}
	_Static_assert(sizeof(struct counter_value) == sizeof(struct log_value) &&
		offsetof(struct counter_value, value) == offsetof(struct log_value, value), "counter_value");
	memcpy(log->value + before, record->value, values * sizeof *log->value);
	if (!more)
		counters(at->trace, &at->counters, record);
	return 0;
}

static int visit(struct visiting *at, const struct log_frame *frame)
{
	const unsigned domain[LOG_MARKER - LOG_API] = {
		DOMAINS_API, DOMAIN_BIT(DOMAIN_KERNEL), DOMAIN_BIT(DOMAIN_COPY), DOMAIN_BIT(DOMAIN_ALLOCATION),
		DOMAIN_BIT(DOMAIN_SCRATCH), DOMAIN_BIT(DOMAIN_COUNTERS),
	};
	const void *record = frame;
	struct event event;
	int rc = 0;
	if (frame->type < LOG_API || frame->type >= LOG_MARKER || !(domain[frame->type - LOG_API] & at->domains))
		return 0;
	switch (frame->type) {
	case LOG_API: rc = api(at->trace, &event, record, at->err); break;
	case LOG_DISPATCH: rc = dispatch(at->trace, &event, record, at->err); break;
	case LOG_COPY: rc = copy(at->trace, &event, record, at->err); break;
	case LOG_ALLOCATION: rc = allocation(at->trace, &event, record, at->err); break;
	case LOG_SCRATCH: rc = scratch(at->trace, &event, record, at->err); break;
	default: return gather(at, record);
	}
	if (rc < 0 || !(DOMAIN_BIT(event.domain) & at->domains))
		return rc;
	if (event.domain == DOMAIN_KERNEL && !event.kernel)
		return changed(at);
	return at->visit(at->ctx, &event, at->err);
}

int log_each(struct trace *trace, unsigned domains, event_visit *visitor, void *ctx, struct err *err)
{
	struct log_source *log = log_of(trace);
	struct visiting at = { .trace = trace, .domains = domains, .visit = visitor, .ctx = ctx, .err = err };
	const struct log_frame *frame;
	log_rewind(&log->file);
	log->gathered.any = false;
	while ((frame = log_next(&log->file, &log->end))) {
		int rc = visit(&at, frame);
		if (rc)
			return rc;
	}
	if (log->file.at.block != log->end.block || log->file.at.byte != log->end.byte)
		return err_set(err, ERR_FAILED, 0, "%s was changed while it was read: %s", trace->path, log->file.damage);
	return visit_gathered(&at);
}
