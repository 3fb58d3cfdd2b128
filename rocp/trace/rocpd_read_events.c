/* SPDX-License-Identifier: MIT */
/*
 * Events of a rocpd database, table by table.  As rocprofv3 writes them, stack_id
 * is the correlation id, parent_stack_id the ancestor's, and correlation_id what
 * the application gave.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/rocpd_source.h"

/* The columns that all begin with. */
#define EVENT_COLUMNS "x.start, x.\"end\", x.tid, e.category_id, e.stack_id, e.parent_stack_id, e.correlation_id, "
#define EVENT_JOIN " LEFT JOIN @event@ e ON e.id = x.event_id"
#define DISPATCH_COLUMNS "x.agent_id, x.kernel_id, x.dispatch_id, x.queue_id, x.stream_id, x.private_segment_size, " \
	"x.group_segment_size, x.workgroup_size_x, x.workgroup_size_y, x.workgroup_size_z, x.grid_size_x, x.grid_size_y, " \
	"x.grid_size_z, x.region_name_id"

struct visiting {
	struct trace *trace;
	struct rocpd_group *group;
	unsigned domains;
	event_visit *visit;
	void *ctx;
	struct err *err;
	sqlite3_stmt *row;
	const char *kind[4], *operation[9];     /* names that are not in the database: see prepare_names */
	/* counters of a dispatch, while its values come */
	struct event counters;
	uint64_t counters_row;
	size_t values;
	bool gathering;
};

enum { KIND_DISPATCH, KIND_ALLOCATION, KIND_SCRATCH, KIND_COPY };
enum { DISPATCH_COMPLETE, REAL_ALLOC, REAL_FREE, VIRTUAL_ALLOC, VIRTUAL_FREE, SCRATCH_ALLOC, SCRATCH_FREE, SCRATCH_RECLAIM, MARK };

static int prepare_names(struct visiting *at)
{
	static const char *const kind[] = { "KERNEL_DISPATCH", "MEMORY_ALLOCATION", "SCRATCH_MEMORY", "MEMORY_COPY" };
	static const char *const operation[] = {
		"KERNEL_DISPATCH_COMPLETE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_FREE", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
		"MEMORY_ALLOCATION_VMEM_FREE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE", "SCRATCH_MEMORY_ASYNC_RECLAIM", "roctxMarkA",
	};
	struct texts *texts = &names_of(at->trace)->texts;
	for (size_t i = 0; i < 4; i++)
		if (!(at->kind[i] = texts_keep(texts, kind[i], strlen(kind[i]), at->err)))
			return -1;
	for (size_t i = 0; i < 9; i++)
		if (!(at->operation[i] = texts_keep(texts, operation[i], strlen(operation[i]), at->err)))
			return -1;
	return 0;
}

static bool is_null(const struct visiting *at, int column)
{
	return sqlite3_column_type(at->row, column) == SQLITE_NULL;
}

static uint64_t number(const struct visiting *at, int column)
{
	return rocpd_column(at->row, column);
}

static uint32_t word(const struct visiting *at, int column)
{
	return (uint32_t)rocpd_column(at->row, column);
}

/* An id of this process's things; 0 where there is none. */
static uint64_t id(const struct visiting *at, int column)
{
	return is_null(at, column) ? 0 : at->group->base + number(at, column);
}

/* The same for ids that begin with 1. */
static uint64_t not_0(const struct visiting *at, int column)
{
	return number(at, column) ? at->group->base + number(at, column) : 0;
}

static uint64_t agent(const struct visiting *at, int column)
{
	size_t handle = is_null(at, column) ? INDEX_NONE : index_get(&at->group->agents, number(at, column));
	return handle == INDEX_NONE ? 0 : handle;
}

static const char *string(const struct visiting *at, int column, const char *without)
{
	size_t place = is_null(at, column) ? INDEX_NONE : index_get(&at->group->strings, number(at, column));
	return place == INDEX_NONE ? without : rocpd_of(at->trace)->string[place];
}

/* What EVENT_COLUMNS tell; the category is the caller's. */
static void begin(const struct visiting *at, struct event *event)
{
	size_t tid = index_get(&at->group->threads, number(at, 2));
	*event = (struct event){
		.start = number(at, 0), .end = number(at, 1), .thread = tid != INDEX_NONE ? tid : number(at, 2),
		.correlation = not_0(at, 4), .ancestor = not_0(at, 5), .external = number(at, 6),
	};
}

static const char *unknown(const struct visiting *at, const char *text)
{
	return texts_keep(&names_of(at->trace)->texts, text, strlen(text), at->err);
}

static int hand_out(const struct visiting *at, const struct event *event)
{
	return DOMAIN_BIT(event->domain) & at->domains ? at->visit(at->ctx, event, at->err) : 0;
}

/* 7: name, 8: message; 9 (samples): 1 */
static int visit_call(struct visiting *at)
{
	struct event event;
	begin(at, &event);
	const char *kind = string(at, 3, NULL), *name = string(at, 7, NULL);
	if ((!kind && !(kind = unknown(at, "unknown kind"))) || (!name && !(name = unknown(at, "unknown operation"))))
		return -1;
	/* rocprofv3 names the track of an instant by its kind */
	if (name == kind && sqlite3_column_count(at->row) > 9 && domain_of_kind(kind) == DOMAIN_MARKER)
		name = at->operation[MARK];
	event.size = 64;
	if (rocpd_name_event(at->trace, &event, kind, name, at->err) < 0)
		return -1;
	if (event.domain == DOMAIN_MARKER && !is_null(at, 8) && !(event.text = rocpd_column_text(at->trace, at->row, 8, at->err)))
		return -1;
	return hand_out(at, &event);
}

/* DISPATCH_COLUMNS from 7 on.  The kernel was seen when the names were read, or the file is not the same. */
static int take_dispatch(const struct visiting *at, struct event *event)
{
	begin(at, event);
	event->external = event->ancestor = 0;
	event->kernel = names_kernel(at->trace, at->group->base + number(at, 8));
	if (!event->kernel)
		return err_set(at->err, ERR_FAILED, 0, "%s was changed while it was read", at->trace->path);
	event->agent = agent(at, 7);
	event->dispatch = at->group->base + number(at, 9);
	event->queue = id(at, 10);
	event->stream = id(at, 11);
	event->private_segment = word(at, 12);
	event->group_segment = word(at, 13);
	event->workgroup = (struct dim){ word(at, 14), word(at, 15), word(at, 16) };
	event->grid = (struct dim){ word(at, 17), word(at, 18), word(at, 19) };
	/* rocprofv3 puts the kernel's own name there, if no marker encloses it */
	const char *region = string(at, 20, "");
	const struct kernel_symbol *kernel = event->kernel;
	if (at->trace->renames && *region && strcmp(region, kernel->demangled) && strcmp(region, kernel->truncated) && strcmp(region, kernel->name))
		event->rename = region;
	return 0;
}

static int visit_dispatch(struct visiting *at)
{
	struct event event;
	if (take_dispatch(at, &event) < 0 ||
	    rocpd_name_event(at->trace, &event, at->kind[KIND_DISPATCH], at->operation[DISPATCH_COMPLETE], at->err) < 0)
		return -1;
	event.domain = DOMAIN_KERNEL;
	event.size = 184;
	return hand_out(at, &event);
}

static int visit_gathered(struct visiting *at)
{
	if (!at->gathering)
		return 0;
	at->gathering = false;
	at->counters.value = rocpd_of(at->trace)->value;
	at->counters.values = at->values;
	return hand_out(at, &at->counters);
}

/* 21: the dispatch's row, 22: counter, 23: value; all of one dispatch come together */
static int visit_value(struct visiting *at)
{
	struct rocpd_source *rocpd = rocpd_of(at->trace);
	uint64_t dispatch = number(at, 21);
	if (!at->gathering || at->counters_row != dispatch || at->values == VALUES_MOST) {
		int rc = visit_gathered(at);
		if (rc || (rc = take_dispatch(at, &at->counters)))
			return rc;
		at->counters.domain = DOMAIN_COUNTERS;
		at->counters.kind_name = at->counters.operation_name = "COUNTER_COLLECTION";
		at->counters.size = 168;
		at->counters_row = dispatch;
		at->values = 0;
		at->gathering = true;
	}
	if (at->values == rocpd->values_room) {
		size_t room = rocpd->values_room ? 2 * rocpd->values_room : 64;
		struct counter_value *larger = reallocarray(rocpd->value, room, sizeof *larger);
		if (!larger)
			return err_set(at->err, ERR_FAILED, ENOMEM, "keep the counters of a dispatch");
		rocpd->value = larger;
		rocpd->values_room = room;
	}
	rocpd->value[at->values++] = (struct counter_value){ .counter = id(at, 22), .value = sqlite3_column_double(at->row, 23) };
	return 0;
}

/* 7: name, 8: to, 9: address, 10: from, 11: address, 12: bytes, 13: stream */
static int visit_copy(struct visiting *at)
{
	struct event event;
	begin(at, &event);
	event.external = event.ancestor = 0;
	const char *name = string(at, 7, NULL);
	if ((!name && !(name = unknown(at, "unknown operation"))) ||
	    rocpd_name_event(at->trace, &event, at->kind[KIND_COPY], name, at->err) < 0)
		return -1;
	event.domain = DOMAIN_COPY;
	event.size = 96;
	event.agent = agent(at, 8);
	event.address = number(at, 9);
	event.agent2 = agent(at, 10);
	event.address2 = number(at, 11);
	event.bytes = number(at, 12);
	event.stream = id(at, 13);
	return hand_out(at, &event);
}

/* 7: agent, 8: type, 9: level, 10: address, 11: size, 12: queue, 13: stream, 14: flags */
static int visit_allocation(struct visiting *at)
{
	struct event event;
	const char *type = (const char *)sqlite3_column_text(at->row, 8), *level = (const char *)sqlite3_column_text(at->row, 9);
	bool free_it = type && !strcmp(type, "FREE"), reclaim = type && !strcmp(type, "RECLAIM");
	bool scratch = level && !strcmp(level, "SCRATCH"), real = !scratch && !(level && !strcmp(level, "VIRTUAL"));
	size_t operation = scratch ? (free_it ? SCRATCH_FREE : reclaim ? SCRATCH_RECLAIM : SCRATCH_ALLOC) :
		real ? (free_it ? REAL_FREE : REAL_ALLOC) : free_it ? VIRTUAL_FREE : VIRTUAL_ALLOC;
	begin(at, &event);
	if (rocpd_name_event(at->trace, &event, at->kind[scratch ? KIND_SCRATCH : KIND_ALLOCATION], at->operation[operation], at->err) < 0)
		return -1;
	event.domain = scratch ? DOMAIN_SCRATCH : DOMAIN_ALLOCATION;
	event.size = scratch ? 96 : 88;
	event.agent = agent(at, 7);
	event.address = number(at, 10);
	event.bytes = number(at, 11);
	event.queue = id(at, 12);
	event.stream = id(at, 13);
	event.flags = (int32_t)number(at, 14);
	return hand_out(at, &event);
}

static const struct query {
	enum rocpd_table table;
	unsigned domains;
	int (*visit)(struct visiting *at);
	const char *sql;
} queries[] = {
	{ TABLE_REGION, DOMAINS_API, visit_call, "SELECT " EVENT_COLUMNS "x.name_id, " MEMBER("e.extdata", "message")
		" FROM @region@ x" EVENT_JOIN },
	{ TABLE_SAMPLE, DOMAINS_API, visit_call, "SELECT x.timestamp, x.timestamp, t.tid, e.category_id, e.stack_id, e.parent_stack_id, "
		"e.correlation_id, t.name_id, " MEMBER("e.extdata", "message") ", 1 FROM @sample@ x JOIN @track@ t ON t.id = x.track_id"
		EVENT_JOIN },
	{ TABLE_DISPATCH, DOMAIN_BIT(DOMAIN_KERNEL), visit_dispatch, "SELECT " EVENT_COLUMNS DISPATCH_COLUMNS
		" FROM @kernel_dispatch@ x" EVENT_JOIN },
	{ TABLE_COPY, DOMAIN_BIT(DOMAIN_COPY), visit_copy, "SELECT " EVENT_COLUMNS "x.name_id, x.dst_agent_id, x.dst_address, "
		"x.src_agent_id, x.src_address, x.size, x.stream_id FROM @memory_copy@ x" EVENT_JOIN },
	{ TABLE_ALLOCATE, DOMAIN_BIT(DOMAIN_ALLOCATION) | DOMAIN_BIT(DOMAIN_SCRATCH), visit_allocation, "SELECT " EVENT_COLUMNS
		"x.agent_id, x.type, x.level, x.address, x.size, x.queue_id, x.stream_id, " MEMBER("x.extdata", "flags")
		" FROM @memory_allocate@ x" EVENT_JOIN },
	{ TABLE_PMC_EVENT, DOMAIN_BIT(DOMAIN_COUNTERS), visit_value, "SELECT " EVENT_COLUMNS DISPATCH_COLUMNS ", x.rowid, p.pmc_id, "
		"p.value FROM @kernel_dispatch@ x CROSS JOIN @pmc_event@ p ON p.event_id = x.event_id" EVENT_JOIN },
};

static bool can_ask(const struct visiting *at, const struct query *query)
{
	return has_table(at->group, TABLE_EVENT) && (query->table != TABLE_SAMPLE || has_table(at->group, TABLE_TRACK)) &&
	       (query->table != TABLE_PMC_EVENT || has_table(at->group, TABLE_DISPATCH));
}

/* Of rows that no answer had.  Only these tables are joined so that rows can be left out. */
static int count_left(struct visiting *at, const struct query *query, uint64_t seen)
{
	bool can_lack = query->table == TABLE_SAMPLE || query->table == TABLE_PMC_EVENT || !can_ask(at, query);
	return can_lack && !rocpd_of(at->trace)->complete ? rocpd_count_left(at->trace, at->group, query->table, seen, at->err) : 0;
}

static int ask(struct visiting *at, const struct query *query)
{
	uint64_t rows = 0;
	int rc;
	if (!(query->domains & at->domains) || !has_table(at->group, query->table))
		return 0;
	if (!can_ask(at, query))
		return count_left(at, query, 0);
	if (rocpd_ask(at->trace, at->group, &at->row, query->sql, at->err) < 0)
		return -1;
	while ((rc = rocpd_next(at->trace, at->row, &rows, at->err)) > 0)
		if ((rc = query->visit(at)))
			break;
	if (!rc)
		rc = visit_gathered(at);
	at->gathering = false;
	sqlite3_finalize(at->row);
	return rc ? rc : count_left(at, query, rows);
}

int rocpd_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	struct visiting at = { .trace = trace, .domains = domains, .visit = visit, .ctx = ctx, .err = err };
	int rc = prepare_names(&at);
	for (size_t i = 0; !rc && i < rocpd->groups; i++) {
		at.group = &rocpd->group[i];
		for (size_t k = 0; !rc && k < sizeof queries / sizeof queries[0]; k++)
			rc = ask(&at, &queries[k]);
	}
	return rc;
}
