/* SPDX-License-Identifier: MIT */
/*
 * The tables of rocpd's schema 3.  Their names carry the recording's own suffix,
 * so that databases can be laid together; a view shows each under its plain name.
 */
#include "rocp/formats/rocpd_parts.h"

#define COLUMNS(...) (const struct rocpd_column[]){ __VA_ARGS__, { NULL, NULL, NULL } }
#define NUMBER(name) { name, "INTEGER", NULL }
#define LARGE(name) { name, "BIGINT", NULL }
#define TEXT(name) { name, "TEXT", NULL }
#define MUST_NUMBER(name) { name, "INTEGER NOT NULL", NULL }
#define MUST_LARGE(name) { name, "BIGINT NOT NULL", NULL }
#define MUST_TEXT(name) { name, "TEXT NOT NULL", NULL }
#define JSON(name) { name, "JSONB DEFAULT '{}' NOT NULL", NULL }
#define ONE_OF(name, words) { name, "TEXT CHECK (\"" name "\" IN (" words "))", NULL }
#define MUST_BE(name, table) { name, "INTEGER NOT NULL", table }
#define MAY_BE(name, table) { name, "INTEGER", table }
#define OF_PROCESS MUST_BE("nid", "info_node"), MUST_BE("pid", "info_process")

/* No AUTOINCREMENT: rows are never deleted, and it would double the time of every insert. */
const struct rocpd_shape rocpd_shapes[ROCPD_SHAPES] = {
	{ "string", COLUMNS({ "string", "TEXT NOT NULL UNIQUE ON CONFLICT ABORT", NULL }) },
	{ "info_node", COLUMNS({ "hash", "BIGINT NOT NULL UNIQUE", NULL }, { "machine_id", "TEXT NOT NULL UNIQUE", NULL },
		TEXT("system_name"), TEXT("hostname"), TEXT("release"), TEXT("version"), TEXT("hardware_name"),
		TEXT("domain_name")) },
	{ "info_process", COLUMNS(MUST_BE("nid", "info_node"), NUMBER("ppid"), MUST_NUMBER("pid"), LARGE("init"),
		LARGE("fini"), LARGE("start"), LARGE("end"), TEXT("command"), JSON("environment"), JSON("extdata")) },
	{ "info_thread", COLUMNS(MUST_BE("nid", "info_node"), NUMBER("ppid"), MUST_BE("pid", "info_process"),
		MUST_NUMBER("tid"), TEXT("name"), LARGE("start"), LARGE("end"), JSON("extdata")) },
	{ "info_agent", COLUMNS(OF_PROCESS, ONE_OF("type", "'CPU', 'GPU'"), NUMBER("absolute_index"),
		NUMBER("logical_index"), NUMBER("type_index"), NUMBER("uuid"), TEXT("name"), TEXT("model_name"),
		TEXT("vendor_name"), TEXT("product_name"), TEXT("user_name"), JSON("extdata")) },
	{ "info_queue", COLUMNS(OF_PROCESS, TEXT("name"), JSON("extdata")) },
	{ "info_stream", COLUMNS(OF_PROCESS, TEXT("name"), JSON("extdata")) },
	{ "info_pmc", COLUMNS(OF_PROCESS, MAY_BE("agent_id", "info_agent"), ONE_OF("target_arch", "'CPU', 'GPU'"),
		{ "event_code", "INT", NULL }, NUMBER("instance_id"), MUST_TEXT("name"), MUST_TEXT("symbol"),
		TEXT("description"), { "long_description", "TEXT DEFAULT ''", NULL }, TEXT("component"),
		{ "units", "TEXT DEFAULT ''", NULL }, ONE_OF("value_type", "'ABS', 'ACCUM', 'RELATIVE'"), TEXT("block"),
		TEXT("expression"), NUMBER("is_constant"), NUMBER("is_derived"), JSON("extdata")) },
	{ "info_code_object", COLUMNS(OF_PROCESS, MAY_BE("agent_id", "info_agent"), TEXT("uri"), LARGE("load_base"),
		LARGE("load_size"), LARGE("load_delta"), ONE_OF("storage_type", "'FILE', 'MEMORY'"), JSON("extdata")) },
	{ "info_kernel_symbol", COLUMNS(OF_PROCESS, MUST_BE("code_object_id", "info_code_object"), TEXT("kernel_name"),
		TEXT("display_name"), NUMBER("kernel_object"), NUMBER("kernarg_segment_size"),
		NUMBER("kernarg_segment_alignment"), NUMBER("group_segment_size"), NUMBER("private_segment_size"),
		NUMBER("sgpr_count"), NUMBER("arch_vgpr_count"), NUMBER("accum_vgpr_count"), JSON("extdata")) },
	{ "track", COLUMNS(MUST_BE("nid", "info_node"), MAY_BE("pid", "info_process"), MAY_BE("tid", "info_thread"),
		MAY_BE("name_id", "string"), JSON("extdata")) },
	{ "event", COLUMNS(MAY_BE("category_id", "string"), NUMBER("stack_id"), NUMBER("parent_stack_id"),
		NUMBER("correlation_id"), JSON("call_stack"), JSON("line_info"), JSON("extdata")) },
	{ "arg", COLUMNS(MUST_BE("event_id", "event"), MUST_NUMBER("position"), MUST_TEXT("type"), MUST_TEXT("name"),
		TEXT("value"), JSON("extdata")) },
	{ "pmc_event", COLUMNS(MAY_BE("event_id", "event"), MUST_BE("pmc_id", "info_pmc"),
		{ "value", "REAL DEFAULT 0.0", NULL }, { "extdata", "JSONB DEFAULT '{}'", NULL }) },
	{ "region", COLUMNS(OF_PROCESS, MUST_BE("tid", "info_thread"), MUST_LARGE("start"), MUST_LARGE("end"),
		MUST_BE("name_id", "string"), MAY_BE("event_id", "event"), JSON("extdata")) },
	{ "sample", COLUMNS(MUST_BE("track_id", "track"), MUST_LARGE("timestamp"), MAY_BE("event_id", "event"),
		JSON("extdata")) },
	{ "kernel_dispatch", COLUMNS(OF_PROCESS, MAY_BE("tid", "info_thread"), MUST_BE("agent_id", "info_agent"),
		MUST_BE("kernel_id", "info_kernel_symbol"), MUST_NUMBER("dispatch_id"), MUST_BE("queue_id", "info_queue"),
		MUST_BE("stream_id", "info_stream"), MUST_LARGE("start"), MUST_LARGE("end"), NUMBER("private_segment_size"),
		NUMBER("group_segment_size"), MUST_NUMBER("workgroup_size_x"), MUST_NUMBER("workgroup_size_y"),
		MUST_NUMBER("workgroup_size_z"), MUST_NUMBER("grid_size_x"), MUST_NUMBER("grid_size_y"),
		MUST_NUMBER("grid_size_z"), MAY_BE("region_name_id", "string"), MAY_BE("event_id", "event"),
		JSON("extdata")) },
	{ "memory_copy", COLUMNS(OF_PROCESS, MAY_BE("tid", "info_thread"), MUST_LARGE("start"), MUST_LARGE("end"),
		MUST_BE("name_id", "string"), MAY_BE("dst_agent_id", "info_agent"), NUMBER("dst_address"),
		MAY_BE("src_agent_id", "info_agent"), NUMBER("src_address"), MUST_NUMBER("size"),
		MAY_BE("queue_id", "info_queue"), MAY_BE("stream_id", "info_stream"), MAY_BE("region_name_id", "string"),
		MAY_BE("event_id", "event"), JSON("extdata")) },
	{ "memory_allocate", COLUMNS(OF_PROCESS, MAY_BE("tid", "info_thread"), MAY_BE("agent_id", "info_agent"),
		ONE_OF("type", "'ALLOC', 'FREE', 'REALLOC', 'RECLAIM'"), ONE_OF("level", "'REAL', 'VIRTUAL', 'SCRATCH'"),
		MUST_LARGE("start"), MUST_LARGE("end"), NUMBER("address"), MUST_NUMBER("size"),
		MAY_BE("queue_id", "info_queue"), MAY_BE("stream_id", "info_stream"), MAY_BE("event_id", "event"),
		JSON("extdata")) },
};

static int make_table(struct rocpd *rocpd, const struct rocpd_shape *table, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(rocpd->db);
	sqlite3_str_appendf(sql, "CREATE TABLE \"rocpd_%s%s\" (\"id\" INTEGER NOT NULL PRIMARY KEY, "
			    "\"guid\" TEXT DEFAULT %Q NOT NULL", table->name, rocpd->suffix, rocpd->guid);
	for (const struct rocpd_column *column = table->column; column->name; column++)
		sqlite3_str_appendf(sql, ", \"%s\" %s", column->name, column->type);
	for (const struct rocpd_column *column = table->column; column->name; column++)
		if (column->refers)
			sqlite3_str_appendf(sql, ", FOREIGN KEY (\"%s\") REFERENCES \"rocpd_%s%s\" (id) ON UPDATE CASCADE",
					    column->name, column->refers, rocpd->suffix);
	sqlite3_str_appendf(sql, "); CREATE VIEW \"rocpd_%s\" AS SELECT * FROM \"rocpd_%s%s\"",
			    table->name, table->name, rocpd->suffix);
	char *text = sqlite3_str_finish(sql);
	int rc = text ? rocpd_run(rocpd, err, "%s", text) : err_set(err, ERR_FAILED, 0, "out of memory");
	sqlite3_free(text);
	return rc;
}

int rocpd_make_tables(struct rocpd *rocpd, struct err *err)
{
	const char *suffix = rocpd->suffix;
	if (rocpd_run(rocpd, err, "CREATE TABLE \"rocpd_metadata%s\" (\"id\" INTEGER NOT NULL PRIMARY KEY, "
		      "\"tag\" TEXT NOT NULL, \"value\" TEXT NOT NULL);"
		      "CREATE VIEW \"rocpd_metadata\" AS SELECT * FROM \"rocpd_metadata%s\";"
		      "INSERT INTO \"rocpd_metadata%s\" (tag, value) VALUES ('schema_version', '3'), ('uuid', %Q), ('guid', %Q)",
		      suffix, suffix, suffix, suffix, rocpd->guid) < 0)
		return -1;
	for (size_t i = 0; i < ROCPD_SHAPES; i++)
		if (make_table(rocpd, &rocpd_shapes[i], err) < 0)
			return -1;
	/* Rows come in the order of these, so that they grow at their ends alone. */
	return rocpd_run(rocpd, err,
			 "CREATE INDEX \"rocpd_arg%s_event_id_idx\" ON \"rocpd_arg%s\" (\"event_id\");"
			 "CREATE INDEX \"rocpd_pmc_event%s_event_id_idx\" ON \"rocpd_pmc_event%s\" (\"event_id\");"
			 "CREATE INDEX \"rocpd_info_process%s_pid_idx\" ON \"rocpd_info_process%s\" (\"pid\");"
			 "CREATE INDEX \"rocpd_info_thread%s_tid_idx\" ON \"rocpd_info_thread%s\" (\"tid\")",
			 suffix, suffix, suffix, suffix, suffix, suffix, suffix, suffix);
}
