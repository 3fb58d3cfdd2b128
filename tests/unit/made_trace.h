/* SPDX-License-Identifier: MIT */
/* A recording made by hand: every kind of event, and ids that nobody told about. */
#ifndef ROCLATCH_TESTS_MADE_TRACE_H
#define ROCLATCH_TESTS_MADE_TRACE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/formats/formats.h"

#define CPU_AGENT 0x1001u
#define GPU_AGENT 0x1002u
#define STRANGE_AGENT 0x7777u

static struct agent made_agent[] = {
	{ .id = CPU_AGENT, .node = 0, .logical_node = 0, .type_node = 0, .name = "AMD EPYC", .vendor = "CPU", .product = "EPYC", .model = "" },
	{ .id = GPU_AGENT, .is_gpu = true, .node = 4, .logical_node = 1, .type_node = 0, .device_id = 0x74a1, .cu_count = 304,
	  .capability = 0x80000b00, .fw_version = 0x401, .workgroup_max_dim = { 1024, 1024, 1024 },
	  .name = "gfx942", .vendor = "AMD", .product = "AMD Instinct \"MI300X\"", .model = "aqua" },
};
static struct code_object made_object[] = {
	{ .id = 1, .agent = GPU_AGENT, .load_base = 0x7f0000001000, .load_size = 8192, .memory_base = 0x55, .memory_size = 99,
	  .load_delta = 0x7f0000001000, .storage = 2, .uri = "memory://4711#offset=0x1&size=99" },
};
static struct kernel_symbol made_kernel[] = {
	{ .id = 5, .code_object = 1, .object = 0x7f0000002000, .address = 0x7f0000003000, .entry_offset = -64, .kernarg_size = 24,
	  .kernarg_alignment = 8, .group_segment = 600, .private_segment = 16, .sgprs = 32, .arch_vgprs = 24, .accum_vgprs = 4,
	  .name = "_Z3addPfS_.kd", .demangled = "add(float*, float*)", .truncated = "add", .formatted = "add(float*, float*)" },
	{ .id = 6, .code_object = 1, .name = "mul.kd", .demangled = "mul", .truncated = "mul", .formatted = "mul" },
};
static const struct kernel_symbol strange_kernel = {
	.id = 99, .code_object = 42, .name = "kernel 99", .demangled = "kernel 99", .truncated = "kernel 99", .formatted = "kernel 99",
};
static struct counter_info made_counter[] = {
	{ .id = 300, .agent = GPU_AGENT, .name = "SQ_WAVES", .description = "waves's number", .block = "SQ", .expression = "" },
	{ .id = 301, .agent = GPU_AGENT, .is_derived = true, .name = "MEAN", .description = "", .block = "", .expression = "a/b" },
};
static struct trace_thread made_thread[] = { { 4711, "worker" }, { 4712, "comm \xff" }, { 4799, "silent" } };
static struct trace_stream made_stream[] = { { 0, 0 }, { 3, 0xabc } };
static const char *made_argument[] = { "./app", "it's", "\"x\"" };
static const struct counter_value made_value[] = { { 0, 300, 64 }, { 1, 300, 0.5 }, { 0, 301, 7.25 }, { 0, 999, 1 } };

#define API(d, k, kn, op, opn, t0, t1, tid, corr, anc) \
	.domain = d, .kind = k, .kind_name = kn, .operation = op, .operation_name = opn, .start = t0, .end = t1, .thread = tid, \
	.correlation = corr, .ancestor = anc, .size = 64
#define T0 1000000000u

static const struct event made_event[] = {
	{ API(DOMAIN_MARKER, 32, "MARKER_CORE_RANGE_API", 1, "roctxThreadRangeA", T0, T0 + 9000, 4711, 1, 0), .text = "step \"1\"\n\xfe" },
	{ API(DOMAIN_HIP, 5, "HIP_RUNTIME_API", 215, "hipMalloc", T0 + 100, T0 + 900, 4711, 2, 1) },
	{ API(DOMAIN_HSA, 1, "HSA_CORE_API", 7, "hsa_memory_allocate", T0 + 200, T0 + 800, 4711, 3, 2), .external = 77 },
	{ API(DOMAIN_ALLOCATION, 16, "MEMORY_ALLOCATION", 1, "MEMORY_ALLOCATION_ALLOCATE", T0 + 300, T0 + 700, 4711, 3, 2),
	  .agent = GPU_AGENT, .address = 0x7f1000000000, .bytes = 4096 },
	{ API(DOMAIN_MARKER, 32, "MARKER_CORE_RANGE_API", 0, "roctxMarkA", T0 + 950, T0 + 950, 4712, 4, 0), .text = "mark" },
	{ API(DOMAIN_HIP, 5, "HIP_RUNTIME_API", 1, "hipGetDevice", T0 + 960, T0 + 960, 4711, 5, 1) },
	{ API(DOMAIN_KERNEL, 11, "KERNEL_DISPATCH", 2, "KERNEL_DISPATCH_COMPLETE", T0 + 2000, T0 + 4000, 4711, 6, 0), .agent = GPU_AGENT,
	  .queue = 2, .stream = 3, .kernel = &made_kernel[0], .dispatch = 1, .private_segment = 32, .group_segment = 1024,
	  .workgroup = { 64, 2, 1 }, .grid = { 6400, 2, 1 }, .rename = "step one" },
	{ API(DOMAIN_KERNEL, 11, "KERNEL_DISPATCH", 2, "KERNEL_DISPATCH_COMPLETE", T0 + 3000, T0 + 5000, 4711, 7, 0), .agent = GPU_AGENT,
	  .queue = 2, .stream = 3, .kernel = &made_kernel[1], .dispatch = 2, .workgroup = { 1, 1, 1 }, .grid = { 1, 1, 1 } },
	{ API(DOMAIN_KERNEL, 11, "KERNEL_DISPATCH", 2, "KERNEL_DISPATCH_COMPLETE", T0 + 3100, T0 + 3200, 5000, 8, 0),
	  .agent = STRANGE_AGENT, .queue = 0x7f22, .stream = 9, .kernel = &strange_kernel, .dispatch = 700, .workgroup = { 1, 1, 1 },
	  .grid = { 1, 1, 1 } },
	{ API(DOMAIN_COPY, 10, "MEMORY_COPY", 2, "MEMORY_COPY_HOST_TO_DEVICE", T0 + 5000, T0 + 6000, 4711, 9, 0), .agent = GPU_AGENT,
	  .agent2 = CPU_AGENT, .address = 0x7f1000000000, .address2 = 0x5000, .bytes = 4096, .stream = 3 },
	{ API(DOMAIN_ALLOCATION, 16, "MEMORY_ALLOCATION", 3, "MEMORY_ALLOCATION_FREE", T0 + 7000, T0 + 7100, 4711, 10, 0),
	  .address = 0x7f1000000000 },
	{ API(DOMAIN_ALLOCATION, 16, "MEMORY_ALLOCATION", 2, "MEMORY_ALLOCATION_VMEM_ALLOCATE", T0 + 7200, T0 + 7300, 4711, 11, 0),
	  .agent = GPU_AGENT, .address = 0x8f1000000000, .bytes = 1 << 20 },
	{ API(DOMAIN_SCRATCH, 12, "SCRATCH_MEMORY", 1, "SCRATCH_MEMORY_ALLOC", T0 + 1500, T0 + 1600, 4711, 12, 0), .agent = GPU_AGENT,
	  .queue = 2, .flags = 2, .bytes = 65536 },
	{ API(DOMAIN_SCRATCH, 12, "SCRATCH_MEMORY", 3, "SCRATCH_MEMORY_ASYNC_RECLAIM", T0 + 7500, T0 + 7600, 4711, 13, 0),
	  .agent = GPU_AGENT, .queue = 2 },
	/* one of a dispatch that is there, one of a dispatch that is not */
	{ API(DOMAIN_COUNTERS, 11, "COUNTERS", 0, "COUNTERS", T0 + 2000, T0 + 4000, 4711, 6, 0), .agent = GPU_AGENT, .queue = 2,
	  .stream = 3, .kernel = &made_kernel[0], .dispatch = 1, .workgroup = { 64, 2, 1 }, .grid = { 6400, 2, 1 },
	  .value = made_value, .values = 3 },
	{ API(DOMAIN_COUNTERS, 11, "COUNTERS", 0, "COUNTERS", T0 + 8000, T0 + 8500, 4711, 14, 0), .agent = GPU_AGENT, .queue = 2,
	  .kernel = &made_kernel[1], .dispatch = 3, .workgroup = { 8, 1, 1 }, .grid = { 8, 1, 1 }, .value = made_value + 3, .values = 1 },
};
#define MADE_EVENTS (sizeof made_event / sizeof *made_event)

static int made_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	const struct event *event = trace->reading;
	int rc = 0;
	for (size_t i = 0; i < MADE_EVENTS && rc == 0; i++)
		if (domains & DOMAIN_BIT(event[i].domain))
			rc = visit(ctx, &event[i], err);
	return rc;
}

static const struct trace_source made_source = { .each = made_each };

static void made_trace(struct trace *trace)
{
	*trace = (struct trace){
		.path = "/x/app.rlog", .id = { 0x1122334455667788, 0x99aabbccddeeff00 }, .pid = 4711, .ppid = 4000, .sdk = 10100,
		.start = T0 - 500, .end = T0 + 20000, .start_realtime = 1763200000000000000, .hostname = "node1", .machine_id = "abcdef",
		.system = "Linux", .release = "6.1", .version = "#1", .hardware = "x86_64", .domain = "(none)", .folder = "/home",
		.output = "/x/app.rlog", .tool_version = "1.0", .why = "", .closed = true, .says_how_it_ended = true,
		.argument = made_argument, .arguments = 3, .agent = made_agent, .agents = 2, .code_object = made_object, .code_objects = 1,
		.kernel = made_kernel, .kernels = 2, .counter = made_counter, .counters = 2, .thread = made_thread, .threads = 3,
		.stream = made_stream, .streams = 2, .source = &made_source, .reading = (void *)(uintptr_t)made_event,
	};
	for (size_t i = 0; i < MADE_EVENTS; i++)
		trace->events[made_event[i].domain]++;
}

#endif
