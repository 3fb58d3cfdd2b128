/* SPDX-License-Identifier: MIT */
/* What the extdata columns hold: the SDK's structures as rocprofv3 serialises them. */
#include <inttypes.h>
#include <string.h>

#include "rocp/formats/rocpd_parts.h"
#include "rocp/formats/utf8.h"
#include "rocp/trace/agent_bits.h"

static void put_character(sqlite3_str *out, const char *text, size_t length)
{
	unsigned char c = (unsigned char)*text;
	if (!length)
		sqlite3_str_appendall(out, UTF8_INSTEAD);
	else if (c == '"' || c == '\\')
		sqlite3_str_appendf(out, "\\%c", c);
	else if (c < 0x20)
		sqlite3_str_appendf(out, "\\u%04x", c);
	else
		sqlite3_str_append(out, text, (int)length);
}

void rocpd_json_text(sqlite3_str *out, const char *text)
{
	const char *end = text ? text + strlen(text) : NULL;
	sqlite3_str_appendchar(out, 1, '"');
	while (text < end) {
		size_t skip, length = utf8_length((const unsigned char *)text, (size_t)(end - text), &skip);
		put_character(out, text, length);
		text += length ? length : skip;
	}
	sqlite3_str_appendchar(out, 1, '"');
}

char *rocpd_clean(const char *text)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	const char *end = text + strlen(text);
	sqlite3_str_appendall(out, "");
	while (text < end) {
		size_t skip, length = utf8_length((const unsigned char *)text, (size_t)(end - text), &skip);
		if (length)
			sqlite3_str_append(out, text, (int)length);
		else
			sqlite3_str_appendall(out, UTF8_INSTEAD);
		text += length ? length : skip;
	}
	bool failed = sqlite3_str_errcode(out) != SQLITE_OK;
	char *clean = sqlite3_str_finish(out);
	return clean || failed ? clean : sqlite3_mprintf("");
}

static void put_name(sqlite3_str *out, const char *key)
{
	if (sqlite3_str_length(out) > 1)
		sqlite3_str_appendchar(out, 1, ',');
	sqlite3_str_appendf(out, "\"%s\":", key);
}

static void put_number(sqlite3_str *out, const char *key, uint64_t value)
{
	put_name(out, key);
	sqlite3_str_appendf(out, "%llu", (unsigned long long)value);
}

static void put_signed(sqlite3_str *out, const char *key, int64_t value)
{
	put_name(out, key);
	sqlite3_str_appendf(out, "%lld", (long long)value);
}

static void put_text(sqlite3_str *out, const char *key, const char *text)
{
	put_name(out, key);
	rocpd_json_text(out, text);
}

static void put_handle(sqlite3_str *out, const char *key, uint64_t handle)
{
	put_name(out, key);
	sqlite3_str_appendf(out, "{\"handle\":%llu}", (unsigned long long)handle);
}

static void put_dim(sqlite3_str *out, const char *key, struct dim dim)
{
	put_name(out, key);
	sqlite3_str_appendf(out, "{\"x\":%u,\"y\":%u,\"z\":%u}", dim.x, dim.y, dim.z);
}

static void put_field(sqlite3_str *out, const char *key, uint64_t value)
{
	const struct agent_bits *part = agent_bits(key);
	if (!part) {
		put_number(out, key, value);
		return;
	}
	put_name(out, key);
	for (const char *before = "{"; part->name; part++) {
		uint64_t is = agent_bits_take(part, &value);
		if (!is && part->rarely)
			continue;
		sqlite3_str_appendf(out, "%s\"%s\":%llu", before, part->name, (unsigned long long)is);
		before = ",";
	}
	sqlite3_str_appendchar(out, 1, '}');
}

static void put_list(sqlite3_str *out, const char *key, const char *const *text, size_t n)
{
	put_name(out, key);
	sqlite3_str_appendchar(out, 1, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			sqlite3_str_appendchar(out, 1, ',');
		rocpd_json_text(out, text[i]);
	}
	sqlite3_str_appendchar(out, 1, ']');
}

static char *finish(sqlite3_str *out)
{
	sqlite3_str_appendchar(out, 1, '}');
	return sqlite3_str_finish(out);
}

static sqlite3_str *begin(void)
{
	sqlite3_str *out = sqlite3_str_new(NULL);
	sqlite3_str_appendchar(out, 1, '{');
	return out;
}

char *rocpd_agent_json(const struct agent *agent)
{
	sqlite3_str *out = begin();
	put_handle(out, "id", agent->id);
	put_number(out, "type", agent->is_gpu ? 2 : 1);
#define PUT_FIELD(name) put_field(out, #name, agent->name);
	AGENT_FIELDS(PUT_FIELD)
#undef PUT_FIELD
	put_number(out, "mem_banks_count", agent->mem_banks_count);
	put_number(out, "caches_count", agent->caches_count);
	put_number(out, "io_links_count", agent->io_links_count);
	put_dim(out, "workgroup_max_dim", agent->workgroup_max_dim);
	put_dim(out, "grid_max_dim", agent->grid_max_dim);
	put_text(out, "name", agent->name);
	put_text(out, "vendor_name", agent->vendor);
	put_text(out, "product_name", agent->product);
	put_text(out, "model_name", agent->model);
	put_number(out, "node_id", agent->node);
	put_signed(out, "logical_node_id", agent->logical_node);
	put_signed(out, "logical_node_type_id", agent->type_node);
	put_field(out, "runtime_visibility", agent->runtime_visibility);
	return finish(out);
}

char *rocpd_kernel_json(const struct kernel_symbol *kernel)
{
	sqlite3_str *out = begin();
	put_number(out, "size", 88);    /* of the SDK's structure */
	put_number(out, "kernel_id", kernel->id);
	put_number(out, "code_object_id", kernel->code_object);
	put_text(out, "kernel_name", kernel->name);
	put_number(out, "kernel_object", kernel->object);
	put_number(out, "kernarg_segment_size", kernel->kernarg_size);
	put_number(out, "kernarg_segment_alignment", kernel->kernarg_alignment);
	put_number(out, "group_segment_size", kernel->group_segment);
	put_number(out, "private_segment_size", kernel->private_segment);
	put_number(out, "sgpr_count", kernel->sgprs);
	put_number(out, "arch_vgpr_count", kernel->arch_vgprs);
	put_number(out, "accum_vgpr_count", kernel->accum_vgprs);
	put_signed(out, "kernel_code_entry_byte_offset", kernel->entry_offset);
	put_handle(out, "kernel_address", kernel->address);
	put_text(out, "formatted_kernel_name", kernel->formatted);
	put_text(out, "demangled_kernel_name", kernel->demangled);
	put_text(out, "truncated_kernel_name", kernel->truncated);
	return finish(out);
}

char *rocpd_code_object_json(const struct code_object *object)
{
	sqlite3_str *out = begin();
	put_number(out, "size", 88);
	put_number(out, "code_object_id", object->id);
	put_handle(out, "rocp_agent", object->agent);
	put_text(out, "uri", object->uri);
	put_number(out, "load_base", object->load_base);
	put_number(out, "load_size", object->load_size);
	put_signed(out, "load_delta", object->load_delta);
	put_number(out, "storage_type", object->storage);
	put_number(out, "memory_base", object->memory_base);
	put_number(out, "memory_size", object->memory_size);
	return finish(out);
}

char *rocpd_settings_json(const struct trace *trace)
{
	sqlite3_str *out = begin();
	for (size_t i = 0; i < trace->settings.n; i++) {
		if (i)
			sqlite3_str_appendchar(out, 1, ',');
		rocpd_json_text(out, trace->settings.v[i].name);
		sqlite3_str_appendchar(out, 1, ':');
		rocpd_json_text(out, trace->settings.v[i].value);
	}
	return finish(out);
}

char *rocpd_recording_json(const struct trace *trace)
{
	sqlite3_str *out = begin();
	put_text(out, "tool", "roclatch");
	put_text(out, "tool_version", trace->tool_version);
	put_number(out, "sdk_version", trace->sdk);
	put_number(out, "session", trace->session);
	put_number(out, "start_realtime", trace->start_realtime);
	put_text(out, "folder", trace->folder);
	put_text(out, "output", trace->output);
	put_list(out, "arguments", trace->argument, trace->arguments);
	put_list(out, "notes", trace->note, trace->notes);
	put_number(out, "lost", trace->lost);
	put_number(out, "missing", trace->missing);
	if (trace->says_how_it_ended) {
		put_name(out, "closed");
		sqlite3_str_appendall(out, trace->closed ? "true" : "false");
	}
	put_text(out, "why", trace->why);
	put_text(out, "damage", trace->damage);
	return finish(out);
}
