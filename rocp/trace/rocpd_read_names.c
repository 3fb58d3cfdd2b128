/* SPDX-License-Identifier: MIT */
/* What a rocpd database says beside events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/agent_bits.h"
#include "rocp/trace/rocpd_source.h"

typedef int take_row(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err);

static int read_table(struct trace *trace, struct rocpd_group *group, enum rocpd_table table, const char *sql, take_row *take, struct err *err)
{
	sqlite3_stmt *statement;
	uint64_t rows = 0;
	int rc;
	if (!has_table(group, table))
		return 0;
	if (rocpd_ask(trace, group, &statement, sql, err) < 0)
		return -1;
	while ((rc = rocpd_next(trace, statement, &rows, err)) > 0)
		if ((rc = take(trace, group, statement, err)) < 0)
			break;
	sqlite3_finalize(statement);
	return rc;
}

static int take_string(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	const char *text = rocpd_column_text(trace, row, 1, err);
	const char **string = text ? array_add(&rocpd->string, &rocpd->string_count, sizeof *string, err) : NULL;
	if (!string)
		return -1;
	*string = text;
	return index_put(&group->strings, rocpd_column(row, 0), rocpd->string_count - 1, err);
}

static bool is_first(const struct trace *trace, const struct rocpd_group *group)
{
	return group == rocpd_of(trace)->group;
}

/* Each column into its text. */
static int take_texts(struct trace *trace, sqlite3_stmt *row, int column, const char **const *text, size_t texts, struct err *err)
{
	for (size_t i = 0; i < texts; i++)
		if (!(*text[i] = rocpd_column_text(trace, row, column + (int)i, err)))
			return -1;
	return 0;
}

static int take_node(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	const char **const text[] = { &trace->machine_id, &trace->system, &trace->hostname, &trace->release, &trace->version,
		&trace->hardware, &trace->domain };
	return is_first(trace, group) && !*trace->machine_id ? take_texts(trace, row, 0, text, 7, err) : 0;
}

/* Our own databases have them one by one. */
static int take_argument(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	if (!is_first(trace, group))
		return 0;
	const char **argument = array_add(&trace->argument, &trace->arguments, sizeof *argument, err);
	return argument && (*argument = rocpd_column_text(trace, row, 0, err)) ? 0 : -1;
}

static int take_note(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	if (!is_first(trace, group))
		return 0;
	const char *text = rocpd_column_text(trace, row, 0, err);
	return text ? names_note(trace, text, err) : -1;
}

static int take_command(struct trace *trace, const char *command, struct err *err)
{
	while (*command) {
		size_t length = strcspn(command, " ");
		if (length) {
			const char **argument = array_add(&trace->argument, &trace->arguments, sizeof *argument, err);
			if (!argument || !(*argument = texts_keep(&names_of(trace)->texts, command, length, err)))
				return -1;
		}
		command += length + (command[length] == ' ');
	}
	return 0;
}

static int take_process(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	if (!is_first(trace, group) || trace->pid)
		return 0;
	trace->pid = (uint32_t)rocpd_column(row, 0);
	trace->ppid = (uint32_t)rocpd_column(row, 1);
	trace->start = rocpd_column(row, 2);
	trace->end = rocpd_column(row, 3);
	trace->start_realtime = rocpd_column(row, 5);
	trace->sdk = (uint32_t)rocpd_column(row, 6);
	trace->session = (uint32_t)rocpd_column(row, 7);
	trace->lost = rocpd_column(row, 8);
	trace->missing = rocpd_column(row, 15);
	trace->says_how_it_ended = sqlite3_column_type(row, 9) != SQLITE_NULL;
	if (trace->says_how_it_ended)
		trace->closed = rocpd_column(row, 9);
	const char **const text[] = { &trace->folder, &trace->output, &trace->tool_version, &trace->why };
	const char *damage = (const char *)sqlite3_column_text(row, 14);
	snprintf(trace->damage, sizeof trace->damage, "%s", damage ? damage : "");
	const char *command = (const char *)sqlite3_column_text(row, 4);
	if (take_texts(trace, row, 10, text, 4, err) < 0)
		return -1;
	return trace->arguments || !command ? 0 : take_command(trace, command, err);
}

static int take_setting(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	const char *name = (const char *)sqlite3_column_text(row, 0), *value = (const char *)sqlite3_column_text(row, 1);
	if (!is_first(trace, group) || !name || !value || trace->settings.n >= 4096 || !*name || strchr(name, '='))
		return 0;
	if (rocpd_spend(trace, strlen(name) + strlen(value), err) < 0)
		return -1;
	return env_set(&trace->settings, name, value, err);
}

/* The run's GUID: 128 bits, written as a UUID. */
static int take_metadata(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	const char *text = (const char *)sqlite3_column_text(row, 0);
	(void)err;
	if (!is_first(trace, group))
		return 0;
	for (unsigned digits = 0; text && *text && digits < 32; text++) {
		const char *all = "0123456789abcdef", *digit = strchr(all, *text | 0x20);
		if (digit && *digit) {
			trace->id[digits / 16] = trace->id[digits / 16] << 4 | (uint64_t)(digit - all);
			digits++;
		}
	}
	return 0;
}

static int take_thread(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	uint64_t tid = rocpd_column(row, 1);
	const char *name = rocpd_column_text(trace, row, 2, err);
	if (!name || index_put(&group->threads, rocpd_column(row, 0), (size_t)tid, err) < 0)
		return -1;
	if (!*name)
		return 0;
	struct trace_thread *thread = array_add(&trace->thread, &trace->threads, sizeof *thread, err);
	if (!thread)
		return -1;
	*thread = (struct trace_thread){ tid, name };
	return 0;
}

static int take_agent(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct agent *agent = array_add(&trace->agent, &trace->agents, sizeof *agent, err);
	if (!agent)
		return -1;
	const char *type = (const char *)sqlite3_column_text(row, 1);
	*agent = (struct agent){
		/* handles are those of the process; several processes have the same */
		.id = is_first(trace, group) && rocpd_column(row, 9) ? rocpd_column(row, 9) : group->base + rocpd_column(row, 0) + 1,
		.is_gpu = type && !strcmp(type, "GPU"), .node = (uint32_t)rocpd_column(row, 2),
		.logical_node = (int32_t)rocpd_column(row, 3), .type_node = (int32_t)rocpd_column(row, 4),
		.mem_banks_count = (uint32_t)rocpd_column(row, 10), .caches_count = (uint32_t)rocpd_column(row, 11),
		.io_links_count = (uint32_t)rocpd_column(row, 12), .runtime_visibility = (uint32_t)rocpd_column(row, 13),
		.workgroup_max_dim = { (uint32_t)rocpd_column(row, 14), (uint32_t)rocpd_column(row, 15), (uint32_t)rocpd_column(row, 16) },
		.grid_max_dim = { (uint32_t)rocpd_column(row, 17), (uint32_t)rocpd_column(row, 18), (uint32_t)rocpd_column(row, 19) },
	};
	if (index_put(&group->agents, rocpd_column(row, 0), agent->id, err) < 0 ||
	    index_put(&group->places, rocpd_column(row, 0), trace->agents - 1, err) < 0)
		return -1;
	int column = 20;
#define FIELD(name) agent->name = rocpd_column(row, column++);
	AGENT_FIELDS(FIELD)
#undef FIELD
	const char **const text[] = { &agent->name, &agent->vendor, &agent->product, &agent->model };
	return take_texts(trace, row, 5, text, 4, err);
}

/* Words that rocprofv3 takes apart.  0: agent, 1: which word, 2: a part's name, 3: its value */
static int take_bits(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	size_t at = index_get(&group->places, rocpd_column(row, 0));
	const char *word = (const char *)sqlite3_column_text(row, 1), *part = (const char *)sqlite3_column_text(row, 2);
	(void)err;
	if (at == INDEX_NONE || !word || !part)
		return 0;
	struct agent *agent = &trace->agent[at];
	uint64_t value = agent_bits_put(agent_bits(word), part, rocpd_column(row, 3));
	if (!strcmp(word, "capability"))
		agent->capability |= value;
	else if (!strcmp(word, "fw_version"))
		agent->fw_version |= value;
	else if (!strcmp(word, "sdma_fw_version"))
		agent->sdma_fw_version |= value;
	else
		agent->runtime_visibility |= (uint32_t)value;
	return 0;
}

/* The agent of a row's id; 0: none. */
static uint64_t agent_of(const struct rocpd_group *group, sqlite3_stmt *row, int column)
{
	size_t id = sqlite3_column_type(row, column) == SQLITE_NULL ? INDEX_NONE : index_get(&group->agents, rocpd_column(row, column));
	return id == INDEX_NONE ? 0 : id;
}

static int take_code_object(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct code_object *object = array_add(&trace->code_object, &trace->code_objects, sizeof *object, err);
	const char *storage = (const char *)sqlite3_column_text(row, 6);
	if (!object)
		return -1;
	*object = (struct code_object){
		.id = group->base + rocpd_column(row, 0), .agent = agent_of(group, row, 1), .load_base = rocpd_column(row, 3),
		.load_size = rocpd_column(row, 4), .load_delta = sqlite3_column_int64(row, 5),
		.storage = storage && !strcmp(storage, "FILE") ? 1 : storage && !strcmp(storage, "MEMORY") ? 2 : (uint32_t)rocpd_column(row, 9),
		.memory_base = rocpd_column(row, 7), .memory_size = rocpd_column(row, 8),
	};
	return (object->uri = rocpd_column_text(trace, row, 2, err)) ? 0 : -1;
}

static int take_kernel(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct kernel_symbol *kernel = array_add(&trace->kernel, &trace->kernels, sizeof *kernel, err);
	if (!kernel)
		return -1;
	*kernel = (struct kernel_symbol){
		.id = group->base + rocpd_column(row, 0), .code_object = group->base + rocpd_column(row, 1),
		.object = rocpd_column(row, 3), .kernarg_size = (uint32_t)rocpd_column(row, 4),
		.kernarg_alignment = (uint32_t)rocpd_column(row, 5), .group_segment = (uint32_t)rocpd_column(row, 6),
		.private_segment = (uint32_t)rocpd_column(row, 7), .sgprs = (uint32_t)rocpd_column(row, 8),
		.arch_vgprs = (uint32_t)rocpd_column(row, 9), .accum_vgprs = (uint32_t)rocpd_column(row, 10),
		.entry_offset = sqlite3_column_int64(row, 11), .address = rocpd_column(row, 12),
	};
	return (kernel->name = rocpd_column_text(trace, row, 2, err)) ? 0 : -1;
}

static int take_counter(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct counter_info *counter = array_add(&trace->counter, &trace->counters, sizeof *counter, err);
	if (!counter)
		return -1;
	*counter = (struct counter_info){
		.id = group->base + rocpd_column(row, 0), .agent = agent_of(group, row, 1),
		.is_constant = rocpd_column(row, 2), .is_derived = rocpd_column(row, 3),
	};
	const char **const text[] = { &counter->name, &counter->description, &counter->block, &counter->expression };
	return take_texts(trace, row, 4, text, 4, err);
}

static int take_stream(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	struct trace_stream *stream = array_add(&trace->stream, &trace->streams, sizeof *stream, err);
	if (!stream)
		return -1;
	*stream = (struct trace_stream){ .id = group->base + rocpd_column(row, 0) };
	return 0;
}

static int take_dispatched(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	return names_dispatched(trace, group->base + rocpd_column(row, 0), err);
}

#define FIELD_SQL(name) ", " MEMBER("extdata", #name)
#define RECORDING(name) MEMBER("extdata", name)
/* The elements of a list; of the first process, as others follow only where databases were laid together. */
#define LIST(name) "SELECT v.value FROM (SELECT extdata FROM @info_process@ LIMIT 1) p, " \
	"json_each(CASE WHEN json_valid(p.extdata, 9) THEN p.extdata ELSE '{}' END, '$." name "') v"

int rocpd_read_names(struct trace *trace, struct rocpd_group *group, struct err *err)
{
	static const struct { enum rocpd_table table; take_row *take; const char *sql; } query[] = {
		{ TABLE_STRING, take_string, "SELECT id, string FROM @string@" },
		{ TABLE_METADATA, take_metadata, "SELECT value FROM @metadata@ WHERE tag = 'guid' LIMIT 1" },
		{ TABLE_NODE, take_node, "SELECT machine_id, system_name, hostname, release, version, hardware_name, domain_name FROM @info_node@" },
		{ TABLE_PROCESS, take_argument, LIST("arguments") },
		{ TABLE_PROCESS, take_note, LIST("notes") },
		{ TABLE_PROCESS, take_process, "SELECT pid, ppid, start, \"end\", command, " RECORDING("start_realtime") ", "
			RECORDING("sdk_version") ", " RECORDING("session") ", " RECORDING("lost") ", " RECORDING("closed") ", "
			RECORDING("folder") ", " RECORDING("output") ", " RECORDING("tool_version") ", " RECORDING("why") ", "
			RECORDING("damage") ", " RECORDING("missing") " FROM @info_process@" },
		{ TABLE_PROCESS, take_setting, "SELECT s.key, s.value FROM @info_process@ p, json_each(CASE WHEN "
			"json_valid(p.environment, 9) THEN p.environment ELSE '{}' END) s WHERE s.key GLOB 'ROCP*'" },
		{ TABLE_THREAD, take_thread, "SELECT id, tid, name FROM @info_thread@" },
		{ TABLE_AGENT, take_agent, "SELECT id, type, absolute_index, logical_index, type_index, name, vendor_name, product_name, "
			"model_name, " MEMBER("extdata", "id.handle") ", " MEMBER("extdata", "mem_banks_count") ", "
			MEMBER("extdata", "caches_count") ", " MEMBER("extdata", "io_links_count") ", "
			MEMBER("extdata", "runtime_visibility") ", " MEMBER("extdata", "workgroup_max_dim.x") ", "
			MEMBER("extdata", "workgroup_max_dim.y") ", " MEMBER("extdata", "workgroup_max_dim.z") ", "
			MEMBER("extdata", "grid_max_dim.x") ", " MEMBER("extdata", "grid_max_dim.y") ", "
			MEMBER("extdata", "grid_max_dim.z") AGENT_FIELDS(FIELD_SQL) " FROM @info_agent@" },
		{ TABLE_AGENT, take_bits, "SELECT a.id, w.column1, v.key, v.value FROM @info_agent@ a, (VALUES ('capability'), "
			"('fw_version'), ('sdma_fw_version'), ('runtime_visibility')) w, json_each(CASE WHEN json_valid(a.extdata, 9) "
			"THEN a.extdata ELSE '{}' END, '$.' || w.column1) v WHERE v.key IS NOT NULL" },
		{ TABLE_CODE_OBJECT, take_code_object, "SELECT id, agent_id, uri, load_base, load_size, load_delta, storage_type, "
			MEMBER("extdata", "memory_base") ", " MEMBER("extdata", "memory_size") ", " MEMBER("extdata", "storage_type")
			" FROM @info_code_object@" },
		{ TABLE_KERNEL, take_kernel, "SELECT id, code_object_id, coalesce(nullif(kernel_name, ''), display_name, ''), "
			"kernel_object, kernarg_segment_size, kernarg_segment_alignment, group_segment_size, private_segment_size, "
			"sgpr_count, arch_vgpr_count, accum_vgpr_count, " MEMBER("extdata", "kernel_code_entry_byte_offset") ", "
			MEMBER("extdata", "kernel_address.handle") " FROM @info_kernel_symbol@" },
		{ TABLE_PMC, take_counter, "SELECT id, agent_id, is_constant, is_derived, name, description, block, expression FROM @info_pmc@" },
		{ TABLE_STREAM, take_stream, "SELECT id FROM @info_stream@" },
		{ TABLE_DISPATCH, take_dispatched, "SELECT kernel_id FROM @kernel_dispatch@" },
	};
	for (size_t i = 0; i < sizeof query / sizeof query[0]; i++)
		if (read_table(trace, group, query[i].table, query[i].sql, query[i].take, err) < 0)
			return -1;
	return 0;
}
