// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: code objects and their kernels.  Only
 * contexts that are active when one is loaded are told, or when all are replayed, which
 * is when HSA's table comes: after tools were initialised and before they are attached.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime.h"
#include "sdk.h"
#include "truth.h"

static __typeof__(stand_in_kernels) *list_kernels;
static unsigned announced;

static void tell(int32_t operation, int phase, void *payload)
{
	for (unsigned i = 0; i < context_count; i++) {
		const struct service *service = &contexts[i].callback[CALLBACK_CODE_OBJECT];
		struct callback_tracing_record record = { .context_id = CONTEXT(i), .thread_id = (uint64_t)gettid(),
			.kind = CALLBACK_CODE_OBJECT, .operation = operation, .phase = phase, .payload = payload };
		uint64_t user = 0;

		if (!contexts[i].active || !service->asked || !(service->operations[0] & UINT64_C(1) << operation))
			continue;
		truth_callback(&record);
		service->callback(record, &user, service->argument);
	}
}

static void tell_code_object(unsigned id, int phase)
{
	struct callback_tracing_code_object_load_data data = { .size = sizeof(data), .code_object_id = id,
		.agent_id = gpu_at(id)->id, .hsa_agent = { mix(id, 1, 0, 1) }, .load_base = mix(id, 2, 0, 1) & ~UINT64_C(0xfff),
		.load_size = (mix(id, 3, 0, 1) & 0xffffff) + 4096, .load_delta = (int64_t)(mix(id, 4, 0, 1) & ~UINT64_C(0xfff)),
		.storage_type = id % 2 ? 2 : 1 };
	char uri[128];

	if (id % 2) {
		data.memory_base = mix(id, 5, 0, 1);
		data.memory_size = mix(id, 6, 0, 1) & 0xffffffff;
		snprintf(uri, sizeof(uri), "memory://%d#offset=0x%llx&size=%llu", (int)getpid(),
			(unsigned long long)data.memory_base, (unsigned long long)data.memory_size);
	} else {
		data.storage_file = (int32_t)id + 3;
		snprintf(uri, sizeof(uri), "file:///opt/app,%%20one/k\xc3\xbc" "che%u.so#offset=%u&size=65536", id, id * 4096);
	}
	data.uri = uri;
	tell(CODE_OBJECT_LOAD, phase, &data);
}

static void tell_kernel(unsigned i, const struct stand_in_kernel *kernel, int phase)
{
	uint64_t id = i + 1;
	struct callback_tracing_code_object_kernel_symbol_register_data data = { .size = sizeof(data), .kernel_id = id,
		.code_object_id = kernel->code_object, .kernel_name = kernel->name, .kernel_object = mix(id, 10, 0, 1),
		.kernarg_segment_size = (uint32_t)mix(id, 11, 0, 1) & 0xfff, .kernarg_segment_alignment = 1u << (id % 7),
		.group_segment_size = (uint32_t)mix(id, 12, 0, 1) & 0xffff,
		.private_segment_size = id % 3 ? 0 : (uint32_t)mix(id, 13, 0, 1), .sgpr_count = (uint32_t)(id * 8 % 112),
		.arch_vgpr_count = (uint32_t)(id * 4 % 260), .accum_vgpr_count = (uint32_t)(id * 12 % 516),
		.kernel_code_entry_byte_offset = (int64_t)mix(id, 14, 0, 1) >> 20, .kernel_address = mix(id, 15, 0, 1) };

	tell(CODE_OBJECT_KERNEL_SYMBOL, phase, &data);
}

static void announce(unsigned first, unsigned n)
{
	unsigned all, loaded = 0;
	const struct stand_in_kernel *list = list_kernels(&all);

	for (unsigned i = first; i < first + n; i++) {
		if (list[i].code_object != loaded)
			tell_code_object(loaded = list[i].code_object, PHASE_LOAD);
		tell_kernel(i, &list[i], PHASE_LOAD);
	}
	announced = first + n;
}

void load_all_code_objects(void)
{
	__typeof__(stand_in_on_load) *on_load;
	unsigned n;

	*(void **)&list_kernels = dlsym(RTLD_DEFAULT, "stand_in_kernels");
	*(void **)&on_load = dlsym(RTLD_DEFAULT, "stand_in_on_load");
	if (!list_kernels || !on_load)
		return;
	list_kernels(&n);
	announce(0, n);
	on_load(announce);
}

/* In the opposite order, kernels first. */
void unload_code_objects(void)
{
	unsigned all;
	const struct stand_in_kernel *list = list_kernels ? list_kernels(&all) : NULL;

	for (unsigned i = announced; list && i-- > 0;) {
		tell_kernel(i, &list[i], PHASE_UNLOAD);
		if (!i || list[i - 1].code_object != list[i].code_object)
			tell_code_object(list[i].code_object, PHASE_UNLOAD);
	}
}

uint64_t kernel_count(void)
{
	return announced;
}

uint64_t kernel_of(const void *function)
{
	unsigned all;
	const struct stand_in_kernel *list = list_kernels ? list_kernels(&all) : NULL;

	for (unsigned i = 0; list && i < announced; i++)
		if (list[i].function == function)
			return i + 1;
	return 0;
}
