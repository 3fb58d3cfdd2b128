/* SPDX-License-Identifier: MIT */
/*
 * One row of rocpd_event for each event, and one of its table.  As rocprofv3 does,
 * stack_id is the correlation id, parent_stack_id the ancestor's, and
 * correlation_id what the application gave.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/rocpd_parts.h"

#define PROGRESS_EVERY 65536

/* Values in the order of the statement's columns. */
#define INSERT(rocpd, kind, err, ...) \
	insert(rocpd, kind, (const int64_t[]){ __VA_ARGS__ }, sizeof (const int64_t[]){ __VA_ARGS__ } / sizeof(int64_t), err)

static int step(struct rocpd *rocpd, sqlite3_stmt *row, struct err *err)
{
	int rc = sqlite3_step(row) == SQLITE_DONE ? 0 : rocpd_not_written(rocpd, err);
	sqlite3_reset(row);
	return rc;
}

static int insert(struct rocpd *rocpd, enum rocpd_row kind, const int64_t *value, size_t n, struct err *err)
{
	sqlite3_stmt *row = rocpd->row[kind];
	for (size_t i = 0; i < n; i++)
		if (value[i] == ROCPD_NULL)
			sqlite3_bind_null(row, (int)i + 1);
		else
			sqlite3_bind_int64(row, (int)i + 1, value[i]);
	return step(rocpd, row, err);
}

/* What is the same for every row of an event. */
struct base { int64_t event, node, pid, thread, start, end; };

static int add_event(struct rocpd *rocpd, const struct event *event, uint64_t parent, struct err *err)
{
	int64_t category;
	if (rocpd_string(rocpd, event->kind_name, &category, err) < 0)
		return -1;
	rocpd->events++;
	if (!event->text)
		return INSERT(rocpd, ROW_EVENT, err, category, (int64_t)event->correlation, (int64_t)parent, (int64_t)event->external);
	sqlite3_str *json = sqlite3_str_new(NULL);
	sqlite3_str_appendall(json, "{\"message\":");
	rocpd_json_text(json, event->text);
	sqlite3_str_appendall(json, "}");
	char *text = sqlite3_str_finish(json);
	if (!text)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	sqlite3_bind_text(rocpd->row[ROW_EVENT_TEXT], 5, text, -1, sqlite3_free);
	return INSERT(rocpd, ROW_EVENT_TEXT, err, category, (int64_t)event->correlation, (int64_t)parent, (int64_t)event->external);
}

static int begin(struct rocpd *rocpd, const struct event *event, uint64_t parent, struct base *base, struct err *err)
{
	if (rocpd_thread(rocpd, event->thread, err) < 0 || add_event(rocpd, event, parent, err) < 0)
		return -1;
	*base = (struct base){ rocpd->events, rocpd->node, rocpd->trace->pid, (int64_t)event->thread, (int64_t)event->start,
			       (int64_t)event->end };
	return 0;
}

/* Instants are named by their track: one for each thread and name. */
static int track_of(struct rocpd *rocpd, const struct base *base, int64_t name, int64_t *track, struct err *err)
{
	uint64_t key = idmap_mix((uint64_t)base->thread, (uint64_t)name), row;
	if (idmap_get(&rocpd->tracks, key, &row)) {
		*track = (int64_t)row;
		return 0;
	}
	*track = ++rocpd->track_rows;
	if (idmap_set(&rocpd->tracks, key, (uint64_t)*track) < 0)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	return INSERT(rocpd, ROW_TRACK, err, base->node, base->pid, base->thread, name);
}

static int add_call(struct rocpd *rocpd, const struct event *event, struct err *err)
{
	struct base b;
	int64_t name, track;
	if (begin(rocpd, event, event->ancestor, &b, err) < 0 || rocpd_string(rocpd, event->operation_name, &name, err) < 0)
		return -1;
	if (event->domain != DOMAIN_MARKER || event->start != event->end)
		return INSERT(rocpd, ROW_REGION, err, b.node, b.pid, b.thread, b.start, b.end, name, b.event);
	return track_of(rocpd, &b, name, &track, err) < 0 ? -1 : INSERT(rocpd, ROW_SAMPLE, err, track, b.start, b.event);
}

/* Which event a dispatch has: 0 if none yet.  Pages, as ids are mostly dense. */
static uint64_t *event_of_dispatch(struct rocpd *rocpd, uint64_t dispatch)
{
	uint64_t page;
	if (!idmap_get(&rocpd->dispatches, dispatch / ROCPD_PAGE, &page)) {
		uint64_t *fresh = calloc(ROCPD_PAGE, sizeof *fresh);
		page = (uintptr_t)fresh;
		if (!fresh || idmap_set(&rocpd->dispatches, dispatch / ROCPD_PAGE, page) < 0) {
			free(fresh);
			return NULL;
		}
	}
	return (uint64_t *)(uintptr_t)page + dispatch % ROCPD_PAGE;
}

static int add_dispatch(struct rocpd *rocpd, const struct event *event, struct err *err)
{
	struct base b;
	int64_t agent, region;
	if (rocpd_agent(rocpd, event->agent, &agent, err) < 0 || rocpd_queue(rocpd, event->queue, err) < 0 ||
	    rocpd_stream(rocpd, event->stream, err) < 0 || rocpd_kernel(rocpd, event->kernel, err) < 0 ||
	    rocpd_string(rocpd, stats_name(event), &region, err) < 0 ||
	    begin(rocpd, event, event->correlation, &b, err) < 0)
		return -1;
	if (rocpd->trace->events[DOMAIN_COUNTERS]) {
		uint64_t *slot = event_of_dispatch(rocpd, event->dispatch);
		if (!slot)
			return err_set(err, ERR_FAILED, 0, "out of memory");
		*slot = (uint64_t)b.event;
	}
	return INSERT(rocpd, ROW_DISPATCH, err, b.node, b.pid, b.thread, agent, (int64_t)event->kernel->id,
		      (int64_t)event->dispatch, (int64_t)event->queue, (int64_t)event->stream, b.start, b.end,
		      event->private_segment, event->group_segment, event->workgroup.x, event->workgroup.y,
		      event->workgroup.z, event->grid.x, event->grid.y, event->grid.z, region, b.event);
}

/* Counters belong to a dispatch; where dispatches were not recorded, they tell of it themselves. */
static int add_counters(struct rocpd *rocpd, const struct event *event, struct err *err)
{
	uint64_t *slot = event_of_dispatch(rocpd, event->dispatch);
	if (!slot)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	if (!*slot) {
		struct event dispatch = *event;
		dispatch.kind_name = "KERNEL_DISPATCH";
		if (add_dispatch(rocpd, &dispatch, err) < 0)
			return -1;
	}
	sqlite3_stmt *row = rocpd->row[ROW_PMC];
	for (size_t i = 0; i < event->values; i++) {
		const struct counter_value *value = &event->value[i];
		if (rocpd_counter(rocpd, value->counter, event->agent, err) < 0)
			return -1;
		sqlite3_bind_int64(row, 1, (int64_t)*slot);
		sqlite3_bind_int64(row, 2, (int64_t)value->counter);
		sqlite3_bind_double(row, 3, value->value);
		if (step(rocpd, row, err) < 0)
			return -1;
	}
	return 0;
}

static int agent_or_null(struct rocpd *rocpd, uint64_t handle, int64_t *id, struct err *err)
{
	*id = ROCPD_NULL;
	return handle == 0 || handle == UINT64_MAX ? 0 : rocpd_agent(rocpd, handle, id, err);
}

static int add_copy(struct rocpd *rocpd, const struct event *event, struct err *err)
{
	struct base b;
	int64_t to, from, name;
	if (agent_or_null(rocpd, event->agent, &to, err) < 0 || agent_or_null(rocpd, event->agent2, &from, err) < 0 ||
	    rocpd_stream(rocpd, event->stream, err) < 0 || rocpd_string(rocpd, event->operation_name, &name, err) < 0 ||
	    begin(rocpd, event, event->correlation, &b, err) < 0)
		return -1;
	return INSERT(rocpd, ROW_COPY, err, b.node, b.pid, b.thread, b.start, b.end, name, to, (int64_t)event->address, from,
		      (int64_t)event->address2, (int64_t)event->bytes, (int64_t)event->stream, b.event);
}

static bool has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

static int add_allocation(struct rocpd *rocpd, const struct event *event, struct err *err)
{
	struct base b;
	int64_t agent;
	if (agent_or_null(rocpd, event->agent, &agent, err) < 0 || rocpd_queue(rocpd, event->queue, err) < 0 ||
	    rocpd_stream(rocpd, event->stream, err) < 0 || begin(rocpd, event, event->ancestor, &b, err) < 0)
		return -1;
	const char *operation = event->operation_name;
	bool scratch = event->domain == DOMAIN_SCRATCH;
	const char *type = has(operation, "FREE") ? "FREE" : has(operation, "RECLAIM") ? "RECLAIM" :
		has(operation, "REALLOC") ? "REALLOC" : "ALLOC";
	const char *level = scratch ? "SCRATCH" : has(operation, "VMEM") ? "VIRTUAL" : "REAL";
	char extra[32] = "{}";
	if (scratch)
		sqlite3_snprintf(sizeof extra, extra, "{\"flags\":\"%d\"}", event->flags);
	sqlite3_stmt *row = rocpd->row[ROW_ALLOCATION];
	sqlite3_bind_text(row, 12, type, -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 13, level, -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 14, extra, -1, SQLITE_STATIC);
	return INSERT(rocpd, ROW_ALLOCATION, err, b.node, b.pid, b.thread, agent, b.start, b.end, (int64_t)event->address,
		      (int64_t)event->bytes, (int64_t)event->queue, (int64_t)event->stream, b.event);
}

static int add(void *ctx, const struct event *event, struct err *err)
{
	struct rocpd *rocpd = ctx;
	const struct conversion *conversion = rocpd->conversion;
	if (++rocpd->seen % PROGRESS_EVERY == 0 && conversion->progress && rocpd->all)
		conversion->progress(conversion->ctx, "rocpd", (double)rocpd->seen / (double)rocpd->all);
	switch (event->domain) {
	case DOMAIN_KERNEL: return add_dispatch(rocpd, event, err);
	case DOMAIN_COPY: return add_copy(rocpd, event, err);
	case DOMAIN_ALLOCATION:
	case DOMAIN_SCRATCH: return add_allocation(rocpd, event, err);
	case DOMAIN_COUNTERS: return add_counters(rocpd, event, err);
	default: return add_call(rocpd, event, err);
	}
}

int rocpd_write_events(struct rocpd *rocpd, struct err *err)
{
	struct trace *trace = rocpd->trace;
	for (size_t i = 0; i < DOMAINS; i++)
		rocpd->all += trace->events[i];
	if (trace_each(trace, DOMAINS_ALL & ~DOMAIN_BIT(DOMAIN_COUNTERS), add, rocpd, err) != 0)
		return -1;
	/* Their dispatches are known now. */
	return trace->events[DOMAIN_COUNTERS] && trace_each(trace, DOMAIN_BIT(DOMAIN_COUNTERS), add, rocpd, err) != 0 ? -1 : 0;
}
