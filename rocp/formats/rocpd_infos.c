/* SPDX-License-Identifier: MIT */
/*
 * The rocpd_info_* tables.  Rows have the process's own ids (tid, kernel id, ...)
 * as rocprofv3 writes them; an id that appears in an event and was never announced
 * gets a row too, so that every reference leads somewhere.
 */
#include "rocp/formats/rocpd_parts.h"

static int no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, 0, "out of memory");
}

/* 1: the key is new and is now there; 0: it was there. */
static int remember(struct idmap *map, uint64_t key, struct err *err)
{
	uint64_t known;
	if (idmap_get(map, key, &known))
		return 0;
	return idmap_set(map, key, key) < 0 ? no_memory(err) : 1;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* Valid UTF-8 for a column; what it gives is freed by run_clean alone. */
#define MOST_TEXTS 8
struct clean { char *text[MOST_TEXTS]; size_t n; bool failed; };

static const char *clean(struct clean *c, const char *text)
{
	char *valid = rocpd_clean(or_empty(text));
	c->failed |= !valid;
	if (valid)
		c->text[c->n++] = valid;
	return or_empty(valid);
}

static const char *owned(struct clean *c, char *json)
{
	c->failed |= !json;
	if (json)
		c->text[c->n++] = json;
	return json ? json : "{}";
}

static int done(struct clean *c, int rc, struct err *err)
{
	for (size_t i = 0; i < c->n; i++)
		sqlite3_free(c->text[i]);
	return c->failed && rc == 0 ? no_memory(err) : rc;
}

int rocpd_string(struct rocpd *rocpd, const char *text, int64_t *id, struct err *err)
{
	bool is_new;
	uint64_t number = textmap_number(&rocpd->strings, text, &is_new);
	if (!number)
		return no_memory(err);
	*id = (int64_t)number;
	if (!is_new)
		return 0;
	char *valid = rocpd_clean(text);
	if (!valid)
		return no_memory(err);
	sqlite3_stmt *row = rocpd->row[ROW_STRING];
	sqlite3_bind_int64(row, 1, *id);
	sqlite3_bind_text(row, 2, valid, -1, SQLITE_STATIC);
	int rc = sqlite3_step(row) == SQLITE_DONE ? 0 : -1;
	bool twice = rc < 0 && sqlite3_errcode(rocpd->db) == SQLITE_CONSTRAINT;
	sqlite3_reset(row);
	/* Two texts that are not valid may have become one. */
	if (twice)
		rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_string%s\" (id, string) VALUES (%lld, '%q #%lld')", rocpd->suffix,
			       (long long)*id, valid, (long long)*id);
	else if (rc < 0)
		rocpd_not_written(rocpd, err);
	sqlite3_free(valid);
	return rc;
}

static int write_node(struct rocpd *rocpd, struct err *err)
{
	const struct trace *trace = rocpd->trace;
	const char *machine = trace->machine_id && *trace->machine_id ? trace->machine_id :
		trace->hostname && *trace->hostname ? trace->hostname : "unknown";
	uint64_t hash = 0xcbf29ce484222325u;
	for (const char *at = machine; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	hash &= INT64_MAX;
	rocpd->node = (int64_t)(hash % UINT32_MAX ? hash % UINT32_MAX : 1);
	struct clean c = { 0 };
	int rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_node%s\" (id, hash, machine_id, system_name, hostname, release, "
			   "version, hardware_name, domain_name) VALUES (%lld, %lld, %Q, %Q, %Q, %Q, %Q, %Q, %Q)", rocpd->suffix,
			   (long long)rocpd->node, (long long)hash, clean(&c, machine), clean(&c, trace->system),
			   clean(&c, trace->hostname), clean(&c, trace->release), clean(&c, trace->version),
			   clean(&c, trace->hardware), clean(&c, trace->domain));
	return done(&c, rc, err);
}

static char *command_of(const struct trace *trace)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	for (size_t i = 0; i < trace->arguments; i++)
		sqlite3_str_appendf(out, "%s%s", i ? " " : "", trace->argument[i]);
	return sqlite3_str_finish(out);
}

static int write_process(struct rocpd *rocpd, struct err *err)
{
	const struct trace *trace = rocpd->trace;
	char *command = command_of(trace);
	struct clean c = { 0 };
	int rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_process%s\" (id, nid, ppid, pid, init, fini, start, \"end\", "
			   "command, environment, extdata) VALUES (%u, %lld, %u, %u, %lld, %lld, %lld, %lld, %Q, %Q, %Q)",
			   rocpd->suffix, trace->pid, (long long)rocpd->node, trace->ppid, trace->pid, (long long)trace->start,
			   (long long)trace->end, (long long)trace->start, (long long)trace->end, clean(&c, command),
			   owned(&c, rocpd_settings_json(trace)), owned(&c, rocpd_recording_json(trace)));
	sqlite3_free(command);
	return done(&c, rc, err);
}

static int write_agent(struct rocpd *rocpd, const struct agent *agent, struct err *err)
{
	uint64_t known;
	if (idmap_get(&rocpd->agents, agent->id, &known))
		return 0;
	int64_t row = agent->node;
	if (idmap_get(&rocpd->nodes, agent->node, &known))
		row = rocpd->next_agent++;
	if (idmap_set(&rocpd->nodes, agent->node, 1) < 0 || idmap_set(&rocpd->agents, agent->id, (uint64_t)row) < 0)
		return no_memory(err);
	struct clean c = { 0 };
	int rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_agent%s\" (id, nid, pid, type, absolute_index, logical_index, "
			   "type_index, uuid, name, model_name, vendor_name, product_name, user_name, extdata) VALUES "
			   "(%lld, %lld, %u, %Q, %u, %d, %d, %lld, %Q, %Q, %Q, %Q, %Q, %Q)", rocpd->suffix, (long long)row,
			   (long long)rocpd->node, rocpd->trace->pid, agent->is_gpu ? "GPU" : "CPU", agent->node,
			   agent->logical_node, agent->type_node, (long long)agent->device_id, clean(&c, agent->name),
			   clean(&c, agent->model), clean(&c, agent->vendor), clean(&c, agent->product),
			   clean(&c, agent->product), owned(&c, rocpd_agent_json(agent)));
	return done(&c, rc, err);
}

int rocpd_agent(struct rocpd *rocpd, uint64_t handle, int64_t *id, struct err *err)
{
	uint64_t row;
	if (idmap_get(&rocpd->agents, handle, &row)) {
		*id = (int64_t)row;
		return 0;
	}
	*id = rocpd->next_agent++;
	if (idmap_set(&rocpd->agents, handle, (uint64_t)*id) < 0)
		return no_memory(err);
	return rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_agent%s\" (id, nid, pid, absolute_index, logical_index, name, extdata) "
			 "VALUES (%lld, %lld, %u, %lld, %lld, 'unknown', '{\"id\":{\"handle\":%llu}}')", rocpd->suffix, (long long)*id,
			 (long long)rocpd->node, rocpd->trace->pid, (long long)*id, (long long)*id, (unsigned long long)handle);
}

static int write_thread(struct rocpd *rocpd, uint64_t tid, const char *name, struct err *err)
{
	int rc = remember(&rocpd->threads, tid, err);
	if (rc <= 0)
		return rc;
	struct clean c = { 0 };
	rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_thread%s\" (id, nid, ppid, pid, tid, name) VALUES "
		       "(%lld, %lld, %u, %u, %lld, %Q)", rocpd->suffix, (long long)tid, (long long)rocpd->node, rocpd->trace->ppid,
		       rocpd->trace->pid, (long long)tid, name ? clean(&c, name) : NULL);
	return done(&c, rc, err);
}

int rocpd_thread(struct rocpd *rocpd, uint64_t tid, struct err *err)
{
	return write_thread(rocpd, tid, NULL, err);
}

static int numbered(struct rocpd *rocpd, struct idmap *map, const char *table, const char *what, uint64_t id, struct err *err)
{
	int rc = remember(map, id, err);
	if (rc <= 0)
		return rc;
	char name[48];
	if (id)
		sqlite3_snprintf(sizeof name, name, "%s %llu", what, (unsigned long long)id);
	else
		sqlite3_snprintf(sizeof name, name, "Default %s", what);
	return rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_%s%s\" (id, nid, pid, name) VALUES (%lld, %lld, %u, %Q)", table,
			 rocpd->suffix, (long long)id, (long long)rocpd->node, rocpd->trace->pid, name);
}

int rocpd_queue(struct rocpd *rocpd, uint64_t queue, struct err *err)
{
	return numbered(rocpd, &rocpd->queues, "queue", "Queue", queue, err);
}

int rocpd_stream(struct rocpd *rocpd, uint64_t stream, struct err *err)
{
	return numbered(rocpd, &rocpd->streams, "stream", "Stream", stream, err);
}

static int write_code_object(struct rocpd *rocpd, const struct code_object *object, struct err *err)
{
	int rc = remember(&rocpd->code_objects, object->id, err);
	if (rc <= 0)
		return rc;
	int64_t agent = 0;
	if (object->agent && rocpd_agent(rocpd, object->agent, &agent, err) < 0)
		return -1;
	char agent_text[24] = "NULL";
	if (object->agent)
		sqlite3_snprintf(sizeof agent_text, agent_text, "%lld", (long long)agent);
	const char *storage = object->storage == 1 ? "FILE" : object->storage == 2 ? "MEMORY" : NULL;
	struct clean c = { 0 };
	rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_code_object%s\" (id, nid, pid, agent_id, uri, load_base, load_size, "
		       "load_delta, storage_type, extdata) VALUES (%lld, %lld, %u, %s, %Q, %lld, %lld, %lld, %Q, %Q)",
		       rocpd->suffix, (long long)object->id, (long long)rocpd->node, rocpd->trace->pid, agent_text,
		       clean(&c, object->uri), (long long)object->load_base, (long long)object->load_size,
		       (long long)object->load_delta, storage, owned(&c, rocpd_code_object_json(object)));
	return done(&c, rc, err);
}

int rocpd_kernel(struct rocpd *rocpd, const struct kernel_symbol *kernel, struct err *err)
{
	int rc = remember(&rocpd->kernels, kernel->id, err);
	if (rc <= 0)
		return rc;
	const struct code_object unknown = { .id = kernel->code_object };
	if (write_code_object(rocpd, &unknown, err) < 0)
		return -1;
	struct clean c = { 0 };
	rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_kernel_symbol%s\" (id, nid, pid, code_object_id, kernel_name, "
		       "display_name, kernel_object, kernarg_segment_size, kernarg_segment_alignment, group_segment_size, "
		       "private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, extdata) VALUES "
		       "(%lld, %lld, %u, %lld, %Q, %Q, %lld, %u, %u, %u, %u, %u, %u, %u, %Q)", rocpd->suffix,
		       (long long)kernel->id, (long long)rocpd->node, rocpd->trace->pid, (long long)kernel->code_object,
		       clean(&c, kernel->name), clean(&c, kernel->formatted), (long long)kernel->object, kernel->kernarg_size,
		       kernel->kernarg_alignment, kernel->group_segment, kernel->private_segment, kernel->sgprs,
		       kernel->arch_vgprs, kernel->accum_vgprs, owned(&c, rocpd_kernel_json(kernel)));
	return done(&c, rc, err);
}

static int write_counter(struct rocpd *rocpd, const struct counter_info *counter, struct err *err)
{
	int rc = remember(&rocpd->counters, counter->id, err);
	if (rc <= 0)
		return rc;
	int64_t agent;
	if (rocpd_agent(rocpd, counter->agent, &agent, err) < 0)
		return -1;
	struct clean c = { 0 };
	const char *name = clean(&c, counter->name);
	rc = rocpd_run(rocpd, err, "INSERT INTO \"rocpd_info_pmc%s\" (id, nid, pid, agent_id, target_arch, name, symbol, description, "
		       "component, value_type, block, expression, is_constant, is_derived) VALUES (%lld, %lld, %u, %lld, 'GPU', %Q, "
		       "%Q, %Q, 'rocm', 'ABS', %Q, %Q, %d, %d)", rocpd->suffix, (long long)counter->id, (long long)rocpd->node,
		       rocpd->trace->pid, (long long)agent, name, name, clean(&c, counter->description),
		       clean(&c, counter->block), clean(&c, counter->expression), counter->is_constant, counter->is_derived);
	return done(&c, rc, err);
}

int rocpd_counter(struct rocpd *rocpd, uint64_t counter, uint64_t agent, struct err *err)
{
	uint64_t known;
	if (idmap_get(&rocpd->counters, counter, &known))
		return 0;
	char name[40];
	sqlite3_snprintf(sizeof name, name, "counter %llu", (unsigned long long)counter);
	return write_counter(rocpd, &(struct counter_info){ .id = counter, .agent = agent, .name = name }, err);
}

int rocpd_write_infos(struct rocpd *rocpd, struct err *err)
{
	const struct trace *trace = rocpd->trace;
	int rc = write_node(rocpd, err) < 0 || write_process(rocpd, err) < 0 || rocpd_queue(rocpd, 0, err) < 0 ||
		 rocpd_stream(rocpd, 0, err) < 0 ? -1 : 0;
	for (size_t i = 0; i < trace->agents; i++)
		if (rocpd->next_agent <= trace->agent[i].node)
			rocpd->next_agent = (int64_t)trace->agent[i].node + 1;
	for (size_t i = 0; i < trace->agents && rc == 0; i++)
		rc = write_agent(rocpd, &trace->agent[i], err);
	for (size_t i = 0; i < trace->counters && rc == 0; i++)
		rc = write_counter(rocpd, &trace->counter[i], err);
	for (size_t i = 0; i < trace->code_objects && rc == 0; i++)
		rc = write_code_object(rocpd, &trace->code_object[i], err);
	for (size_t i = 0; i < trace->kernels && rc == 0; i++)
		rc = rocpd_kernel(rocpd, &trace->kernel[i], err);
	for (size_t i = 0; i < trace->threads && rc == 0; i++)
		rc = write_thread(rocpd, trace->thread[i].tid, trace->thread[i].name, err);
	for (size_t i = 0; i < trace->streams && rc == 0; i++)
		rc = rocpd_stream(rocpd, trace->stream[i].id, err);
	return rc;
}
