// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: records made to order.  Their
 * fields are functions of kind, index and seed.  With an even seed, times follow
 * that of the order, as a profiler's would; with an odd one they are functions
 * too, some records have times, sizes and addresses at the ends of their range,
 * and some texts are no UTF-8.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"

#define LONG_TEXT 6000
#define FIRST_TIME UINT64_C(8640000000000000)   /* a hundred days */

static __thread uint64_t base;

void make_begin(void)
{
	base = sdk_now();
}

uint64_t mix(uint64_t kind, uint64_t index, uint64_t seed, uint64_t field)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u + kind * 0x2545f4914f6cdd1du + field;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct making { uint64_t kind, index, seed, field; };

static uint64_t next(struct making *making)
{
	return mix(making->kind, making->index, making->seed, ++making->field);
}

/* All bits, few bits, none and all of them set. */
static uint64_t wide(struct making *making)
{
	uint64_t value = next(making);

	switch (value >> 60) {
	case 0: return 0;
	case 1: return making->seed & 1 ? UINT64_MAX : value & 0xffff;
	case 2: case 3: return value & 0xffffffff;
	default: return value;
	}
}

static void make_times(struct making *making, uint64_t *start, uint64_t *end)
{
	uint64_t first = making->seed & 1 ? FIRST_TIME + (making->seed & 0xff) * 10000000000u : base;

	*start = first + making->index * 100 + next(making) % 97;
	*end = *start + (making->index % 32 == 7 ? 0 : next(making) % 20000);
	if (!(making->seed & 1))
		return;
	if (making->index % 64 == 17)
		*start = *end = 0;
	if (making->index % 64 == 33)
		*end = *start + (UINT64_C(1) << 62);
}

static uint64_t make_thread(const struct making *making)
{
	return making->index % 16 == 5 ? 4194303 : (uint64_t)gettid();
}

static struct handle some_agent(struct making *making)
{
	uint64_t value = next(making);

	return value % 16 == 3 ? (struct handle){ 0 } : agent_at(value % AGENTS)->id;
}

static struct size3 some_size(struct making *making, uint32_t most)
{
	uint64_t a = next(making), b = next(making), c = next(making);

	return (struct size3){ (uint32_t)(a % most) + 1, b % 3 ? 1 : (uint32_t)(b % most) + 1, c % 5 ? 1 : (uint32_t)(c % 64) + 1 };
}

static void make_dispatch(struct making *making, struct buffer_tracing_kernel_dispatch_record *r)
{
	struct kernel_dispatch_info *info = &r->dispatch_info;
	uint64_t kernels = kernel_count();

	r->thread_id = make_thread(making);
	make_times(making, &r->start_timestamp, &r->end_timestamp);
	info->size = offsetof(struct kernel_dispatch_info, reserved_padding);
	info->agent_id = gpu_at((unsigned)(next(making) % 8))->id;
	info->queue_id.handle = making->index % 40 == 11 ? 0 : next(making) % 5 + 1;
	/* one in fifty is a kernel that nobody was told of */
	info->kernel_id = kernels && making->index % 50 != 49 ? next(making) % kernels + 1 : 4000000000u + making->index;
	info->dispatch_id = making->index + 1 + (making->seed << 32);
	info->private_segment_size = making->index % 3 ? 0 : (uint32_t)wide(making);
	info->group_segment_size = making->index % 2 ? (uint32_t)(next(making) % 65537) : (uint32_t)wide(making);
	info->workgroup_size = some_size(making, 1024);
	info->grid_size = some_size(making, making->seed & 1 ? UINT32_MAX : 1 << 20);
#if SDK_VERSION >= 10300
	r->pipe_id = making->index % 9 == 8 ? -1 : (int32_t)(next(making) % 8);
#endif
}

static void make_copy(struct making *making, struct buffer_tracing_memory_copy_record *r)
{
	r->thread_id = make_thread(making);
	make_times(making, &r->start_timestamp, &r->end_timestamp);
	r->dst_agent_id = agent_at((unsigned)(next(making) % AGENTS))->id;
	r->src_agent_id = some_agent(making);
	r->bytes = wide(making);
	r->dst_address = wide(making);
	r->src_address = wide(making);
}

static void make_allocation(struct making *making, struct buffer_tracing_memory_allocation_record *r)
{
	bool frees = r->operation == ALLOCATION_FREE || r->operation == ALLOCATION_VMEM_FREE;

	r->thread_id = make_thread(making);
	make_times(making, &r->start_timestamp, &r->end_timestamp);
	r->agent_id = frees ? (struct handle){ 0 } : some_agent(making);
	r->address = wide(making);
	r->allocation_size = frees ? 0 : wide(making);
}

static void make_scratch(struct making *making, struct buffer_tracing_scratch_memory_record *r)
{
	r->agent_id = gpu_at((unsigned)(next(making) % 8))->id;
	r->queue_id.handle = next(making) % 5;
	r->thread_id = make_thread(making);
	make_times(making, &r->start_timestamp, &r->end_timestamp);
	r->flags = (int32_t)(next(making) % 4);
#if SDK_VERSION >= 10100
	r->allocation_size = r->operation == 1 ? wide(making) : 0;
#endif
}

static void make_graph(struct making *making, struct buffer_tracing_hip_graph_record *r)
{
	r->thread_id = make_thread(making);
	make_times(making, &r->start_timestamp, &r->end_timestamp);
	r->agent_id = gpu_at((unsigned)(next(making) % 8))->id;
	r->queue_id.handle = next(making) % 5;
	r->graph_exec_id.handle = next(making) % 100 + 1;
	r->kernel_dispatch_count = wide(making);
}

static void make_rest(struct making *making, union any_record *record, enum shape shape)
{
	if (shape == SHAPE_EXT)
		for (unsigned i = 0; i < 11; i++)
			record->ext.args[i] = wide(making);
	if (shape == SHAPE_OMPT)
		for (unsigned i = 0; i < 5; i++)
			record->ompt.data[i] = wide(making);
}

int32_t make_operation(int kind, uint64_t index, uint64_t seed)
{
	uint64_t value = mix((uint64_t)kind, index, seed, 1000);

	switch (kind_shape(kind)) {
	case SHAPE_DISPATCH: return DISPATCH_COMPLETE;
	case SHAPE_GRAPH: return kind_operations(kind) - 1;
	case SHAPE_RETIREMENT: return 0;
	case SHAPE_COPY: case SHAPE_ALLOCATION: case SHAPE_SCRATCH: case SHAPE_INITIALIZATION:
		return (int32_t)(1 + value % (uint64_t)(kind_operations(kind) - 1));
	default: return (int32_t)(value % (uint64_t)kind_operations(kind));
	}
}

size_t make_record(union any_record *record, int kind, int32_t operation, uint64_t index, uint64_t seed)
{
	struct making making = { (uint64_t)kind, index, seed, 0 };
	static const size_t sizes[] = {
		[SHAPE_API] = sizeof(record->api), [SHAPE_EXT] = sizeof(record->ext), [SHAPE_OMPT] = sizeof(record->ompt),
		[SHAPE_COPY] = sizeof(record->copy), [SHAPE_DISPATCH] = sizeof(record->dispatch),
		[SHAPE_SCRATCH] = sizeof(record->scratch), [SHAPE_RETIREMENT] = sizeof(record->retirement),
		[SHAPE_GRAPH] = sizeof(record->graph), [SHAPE_ALLOCATION] = sizeof(record->allocation), [SHAPE_INITIALIZATION] = sizeof(record->initialization),
	};
	enum shape shape = kind_shape(kind);

	memset(record, 0, sizes[shape]);
	record->api.size = sizes[shape];
	record->api.kind = kind;
	if (shape == SHAPE_RETIREMENT) {
		record->retirement.timestamp = base + index;
		record->retirement.internal_correlation_id = wide(&making);
		return sizes[shape];
	}
	record->api.operation = operation;
	switch (shape) {
	case SHAPE_DISPATCH: make_dispatch(&making, &record->dispatch); break;
	case SHAPE_COPY: make_copy(&making, &record->copy); break;
	case SHAPE_ALLOCATION: make_allocation(&making, &record->allocation); break;
	case SHAPE_SCRATCH: make_scratch(&making, &record->scratch); break;
	case SHAPE_GRAPH: make_graph(&making, &record->graph); break;
	case SHAPE_INITIALIZATION:
		record->initialization.thread_id = make_thread(&making);
		record->initialization.timestamp = base + index;
		record->initialization.version = 10000 + next(&making) % 90000;
		record->initialization.instance = next(&making) % 3;
		break;
	default:
		make_times(&making, &record->api.start_timestamp, &record->api.end_timestamp);
		record->api.thread_id = make_thread(&making);
		make_rest(&making, record, shape);
	}
	return sizes[shape];
}

const char *make_text(uint64_t index, uint64_t seed)
{
	static const char *const odd[] = {
		"", "plain", "with, a comma", "with \"quotes\" and 'others'", "two\nlines", "a\ttab and a \\ backslash",
		"Grüße aus 東京 🚀", "<script>alert('&amp;')</script>", "return\rfeed\x1b[0m", "%s %d %n {} ${HOME}",
		" blanks at both ends ", "null", "-1", "=1+1", "\xe2\x80\xa8 line separator",
	};
	static __thread char text[LONG_TEXT + 64];
	uint64_t value = mix(77, index, seed, 0);
	unsigned n = sizeof(odd) / sizeof(odd[0]);

	if (seed & 1 && index % 64 == 21)
		return "not UTF-8: \xff\xfe\x80 \xc3(";
	if (index % 64 == 42) {
		memset(text, 'x', LONG_TEXT);
		snprintf(text + LONG_TEXT, 64, " %llu", (unsigned long long)index);
	} else if (value % 4) {
		snprintf(text, sizeof(text), "step %llu", (unsigned long long)(value % 1000));
	} else {
		return odd[(value >> 8) % n];
	}
	return text;
}
