/* SPDX-License-Identifier: MIT */
/*
 * Code objects and kernel symbols.  Readers take the id of a record as the place
 * in these lists, so that places without one are filled; a list whose ids are too
 * far apart for that (they count from 1 in every SDK) is written without gaps.
 */
#include <errno.h>
#include <stdlib.h>

#include "rocp/formats/json_parts.h"

#define GAPS_MOST 65536
#define CODE_OBJECT_SIZE 88     /* of the SDK's structures */
#define KERNEL_SIZE 88
#define STORAGE_FILE 1
#define STORAGE_MEMORY 2

static void code_object(struct json_text *json, const struct code_object *object)
{
	member_object(json, NULL);
	member_unsigned(json, "size", object->id ? CODE_OBJECT_SIZE : 0);
	member_unsigned(json, "code_object_id", object->id);
	member_handle(json, "agent_id", object->agent);
	member_text(json, "uri", object->uri);
	member_unsigned(json, "load_base", object->load_base);
	member_unsigned(json, "load_size", object->load_size);
	member_signed(json, "load_delta", object->load_delta);
	member_unsigned(json, "storage_type", object->storage);
	if (object->storage == STORAGE_FILE) {
		member_signed(json, "storage_file", -1);        /* a descriptor of the process, long gone */
	} else if (object->storage == STORAGE_MEMORY) {
		member_unsigned(json, "memory_base", object->memory_base);
		member_unsigned(json, "memory_size", object->memory_size);
	}
	member_end(json);
}

static void kernel_symbol(struct json_text *json, const struct kernel_symbol *kernel)
{
	member_object(json, NULL);
	member_unsigned(json, "size", kernel->id ? KERNEL_SIZE : 0);
	member_unsigned(json, "kernel_id", kernel->id);
	member_unsigned(json, "code_object_id", kernel->code_object);
	member_text(json, "kernel_name", kernel->name);
	member_unsigned(json, "kernel_object", kernel->object);
	member_unsigned(json, "kernarg_segment_size", kernel->kernarg_size);
	member_unsigned(json, "kernarg_segment_alignment", kernel->kernarg_alignment);
	member_unsigned(json, "group_segment_size", kernel->group_segment);
	member_unsigned(json, "private_segment_size", kernel->private_segment);
	member_unsigned(json, "sgpr_count", kernel->sgprs);
	member_unsigned(json, "arch_vgpr_count", kernel->arch_vgprs);
	member_unsigned(json, "accum_vgpr_count", kernel->accum_vgprs);
	member_signed(json, "kernel_code_entry_byte_offset", kernel->entry_offset);
	member_unsigned(json, "kernel_address", kernel->address);
	member_text(json, "formatted_kernel_name", kernel->formatted);
	member_text(json, "demangled_kernel_name", kernel->demangled);
	member_text(json, "truncated_kernel_name", kernel->truncated);
	member_end(json);
}

static int by_id(const void *a, const void *b)
{
	uint64_t left = (*(const struct code_object *const *)a)->id, right = (*(const struct code_object *const *)b)->id;
	return left < right ? -1 : left > right;
}

static int code_objects(struct json_text *json, const struct trace *trace, struct err *err)
{
	static const struct code_object none;
	size_t n = trace->code_objects;
	const struct code_object **sorted = malloc((n + 1) * sizeof(const struct code_object *));
	if (!sorted)
		return err_set(err, ERR_FAILED, ENOMEM, "sort code objects");
	for (size_t i = 0; i < n; i++)
		sorted[i] = &trace->code_object[i];
	qsort(sorted, n, sizeof *sorted, by_id);
	bool fill = n && sorted[n - 1]->id < n + GAPS_MOST;
	uint64_t id = 0;
	member_array(json, "code_objects");
	for (size_t i = 0; i < n; i++) {
		for (; fill && id < sorted[i]->id; id++)
			code_object(json, &none);
		code_object(json, sorted[i]);
		id = sorted[i]->id + 1;
	}
	member_end(json);
	free(sorted);
	return 0;
}

/* trace->kernel is sorted by id. */
static void kernel_symbols(struct json_text *json, const struct trace *trace)
{
	static const struct kernel_symbol none;
	size_t n = trace->kernels;
	bool fill = n && trace->kernel[n - 1].id < n + GAPS_MOST;
	uint64_t id = 0;
	member_array(json, "kernel_symbols");
	for (size_t i = 0; i < n; i++) {
		for (; fill && id < trace->kernel[i].id; id++)
			kernel_symbol(json, &none);
		kernel_symbol(json, &trace->kernel[i]);
		id = trace->kernel[i].id + 1;
	}
	member_end(json);
}

int json_code(struct json_text *json, const struct trace *trace, struct err *err)
{
	if (code_objects(json, trace, err) < 0)
		return -1;
	kernel_symbols(json, trace);
	member_array(json, "host_functions");
	member_end(json);
	return 0;
}
