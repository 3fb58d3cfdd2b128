/* SPDX-License-Identifier: MIT */
#include "html_sample.h"

#include <stdio.h>
#include <string.h>

#define THREADS 4
#define STREAMS 3
#define LIVE 24

struct sample {
	event_visit *visit;
	void *ctx;
	struct err *err;
	unsigned domains;
	uint64_t random, correlation, dispatch;
	uint64_t now[THREADS], free_at[STREAMS], marker[THREADS];
	uint64_t live[LIVE];
	uint64_t next_address;
};

static struct kernel_symbol kernels[] = {
	{ .id = 1, .name = "_ZN5model4gemmIfLi128ELi64EEEvPKT_S3_PS1_iii.kd", .truncated = "gemm", .arch_vgprs = 96, .accum_vgprs = 64,
	  .sgprs = 80, .group_segment = 32768, .formatted = "void model::gemm<float, 128, 64>(float const*, float const*, float*, int, int, int)" },
	{ .id = 2, .name = "_ZN5model7softmaxEPfii.kd", .arch_vgprs = 24, .sgprs = 32, .group_segment = 1024,
	  .formatted = "model::softmax(float*, int, int)" },
	{ .id = 3, .name = "reduce_sum.kd", .arch_vgprs = 16, .sgprs = 16, .formatted = "reduce_sum" },
	{ .id = 4, .name = SAMPLE_HOSTILE, .arch_vgprs = 8, .sgprs = 16, .formatted = SAMPLE_HOSTILE },
};
static struct agent agents[] = {
	{ .id = 100, .cpu_cores_count = 64, .name = "AMD EPYC 9654", .product = "AMD EPYC 9654 96-Core Processor" },
	{ .id = 101, .is_gpu = true, .logical_node = 1, .node = 1, .cu_count = 304, .name = "gfx942", .product = "AMD Instinct MI300X" },
	{ .id = 102, .is_gpu = true, .logical_node = 2, .node = 2, .type_node = 1, .cu_count = 304, .name = "gfx942", .product = "AMD Instinct MI300X" },
};
static struct counter_info counters[] = {
	{ .id = 7, .agent = 101, .name = "SQ_WAVES", .description = "waves" },
	{ .id = 8, .agent = 101, .name = "GRBM_GUI_ACTIVE", .description = "busy" },
};
static struct trace_thread threads[] = { { 4711, "train" }, { 4712, "loader" }, { 4713, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d" }, { 4714, NULL } };
static struct trace_stream streams[] = { { 0, 0 }, { 1, 0x1000 }, { 2, 0x2000 } };
static struct env_var settings[] = {
	{ (char *)"ROCPROF_HIP_RUNTIME_API_TRACE", (char *)"1" }, { (char *)"ROCPROF_KERNEL_TRACE", (char *)"1" },
	{ (char *)"ROCPROF_MEMORY_COPY_TRACE", (char *)"1" }, { (char *)"ROCPROF_COUNTERS", (char *)"pmc: SQ_WAVES GRBM_GUI_ACTIVE" },
	{ (char *)"ROCPROF_OUTPUT_FORMAT", (char *)"html" },
};
static const char *arguments[] = { "/opt/app/bin/train", "--epochs", "3", "--data", "it's here" };
static const char *notes[] = { "Counters were read on one of two GPUs." };

static uint64_t roll(struct sample *sample, uint64_t most)
{
	sample->random = sample->random * 6364136223846793005u + 1442695040888963407u;
	return (sample->random >> 33) % most;
}

static int tell(struct sample *sample, struct event event)
{
	if (!(sample->domains & DOMAIN_BIT(event.domain)))
		return 0;
	return sample->visit(sample->ctx, &event, sample->err);
}

static int call(struct sample *sample, int thread, enum domain domain, const char *name, uint64_t start, uint64_t end,
		uint64_t correlation, uint64_t ancestor)
{
	return tell(sample, (struct event){
		.domain = domain, .kind_name = domain == DOMAIN_HIP ? "HIP_RUNTIME_API" : "HSA_CORE_API", .operation_name = name,
		.start = start, .end = end, .thread = threads[thread].tid, .correlation = correlation, .ancestor = ancestor });
}

static int marker(struct sample *sample, int thread, const char *text, uint64_t start, uint64_t end)
{
	return tell(sample, (struct event){
		.domain = DOMAIN_MARKER, .kind_name = "MARKER_CORE_RANGE_API", .operation_name = "roctxThreadRangeA", .text = text,
		.start = start, .end = end, .thread = threads[thread].tid, .correlation = ++sample->correlation });
}

static int launch(struct sample *sample, int thread, uint64_t start, uint64_t id)
{
	int stream = (int)roll(sample, STREAMS);
	uint64_t which = roll(sample, 20), begins = start + 4000;
	const struct kernel_symbol *kernel = &kernels[which < 10 ? 0 : which < 16 ? 1 : which < 19 ? 2 : 3];
	begins = begins > sample->free_at[stream] ? begins : sample->free_at[stream];
	uint64_t ends = begins + 2000 + roll(sample, which < 10 ? 60000 : 8000);
	sample->free_at[stream] = ends + 300;
	struct event event = {
		.domain = DOMAIN_KERNEL, .kind_name = "KERNEL_DISPATCH", .operation_name = "KERNEL_DISPATCH_COMPLETE", .start = begins, .end = ends,
		.thread = threads[thread].tid, .correlation = id, .stream = (uint64_t)stream, .agent = stream == 2 ? 102 : 101,
		.queue = 0x7f0000001000u + (uint64_t)stream * 0x1000, .kernel = kernel, .dispatch = ++sample->dispatch,
		.workgroup = { 256, 1, 1 }, .grid = { 256 * (1 + (uint32_t)roll(sample, 4)), 64, 1 }, .group_segment = kernel->group_segment };
	if (tell(sample, event) < 0)
		return -1;
	if (event.agent != 101 || sample->dispatch % 8)
		return 0;
	/* In two events, as a dispatch with very many values has them. */
	for (int i = 0; i < 2; i++) {
		const struct counter_value values[] = { { 0, 7, (double)roll(sample, 1000) }, { 1, 7, 10 }, { 0, 8, (double)(ends - begins) / 2 } };
		event.domain = DOMAIN_COUNTERS;
		event.kind_name = event.operation_name = "COUNTER_COLLECTION";
		event.value = values;
		event.values = 3;
		if (tell(sample, event) < 0)
			return -1;
	}
	return 0;
}

static int copy(struct sample *sample, int thread, uint64_t start, uint64_t id)
{
	bool to_device = roll(sample, 3) > 0;
	uint64_t bytes = 4096 + roll(sample, 1u << 22);
	return tell(sample, (struct event){
		.domain = DOMAIN_COPY, .kind_name = "MEMORY_COPY",
		.operation_name = to_device ? "MEMORY_COPY_HOST_TO_DEVICE" : "MEMORY_COPY_DEVICE_TO_HOST", .start = start + 1500,
		.end = start + 1500 + bytes / 25, .thread = threads[thread].tid, .correlation = id, .agent = to_device ? 101 : 100,
		.agent2 = to_device ? 100 : 101, .bytes = bytes, .address = 0x7f1200000000u + bytes, .address2 = 0x7f3400000000u });
}

static int allocate(struct sample *sample, int thread, uint64_t start, uint64_t id, bool *freed)
{
	uint64_t place = roll(sample, LIVE);
	struct event event = {
		.domain = DOMAIN_ALLOCATION, .kind_name = "MEMORY_ALLOCATION", .operation_name = "MEMORY_ALLOCATION_ALLOCATE", .start = start + 100,
		.end = start + 1200, .thread = threads[thread].tid, .correlation = id };
	*freed = sample->live[place];
	if (*freed) {
		event.operation_name = "MEMORY_ALLOCATION_FREE";
		event.address = sample->live[place];
		sample->live[place] = 0;
	} else {
		event.agent = 101 + place % 2;
		event.bytes = (1 + roll(sample, 64)) << 20;
		event.address = sample->live[place] = sample->next_address += 0x10000000;
	}
	return tell(sample, event);
}

static int step(struct sample *sample, uint64_t number)
{
	int thread = (int)(number % THREADS);
	uint64_t start = sample->now[thread] + 500 + roll(sample, number % 997 ? 12000 : 3000000), end = start + 2000 + roll(sample, 9000);
	uint64_t id = ++sample->correlation, inner = ++sample->correlation, what = roll(sample, 100);
	const char *name = "hipLaunchKernel";
	bool freed = false;
	int rc = 0;
	if (what < 60)
		rc = launch(sample, thread, start, id);
	else if (what < 80 && (name = "hipMemcpyAsync"))
		rc = copy(sample, thread, start, id);
	else if (what < 90) {
		rc = allocate(sample, thread, start, id, &freed);
		name = freed ? "hipFree" : "hipMalloc";
	} else {
		name = "hipStreamSynchronize";
		end += roll(sample, 90000);
	}
	if (rc < 0 || call(sample, thread, DOMAIN_HSA, what < 60 ? "hsa_signal_store_screlease" : "hsa_amd_memory_async_copy", start + 300,
			   start + 300 + (end - start) / 2, inner, id) < 0 ||
	    call(sample, thread, DOMAIN_HIP, name, start, end, id, 0) < 0)
		return -1;
	sample->now[thread] = end;
	if (number % 200 < THREADS) {
		rc = marker(sample, thread, thread ? "batch" : "epoch / forward", sample->marker[thread], end + 100);
		sample->marker[thread] = end + 200;
	}
	return rc;
}

static int each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	struct sample sample = { .visit = visit, .ctx = ctx, .err = err, .domains = domains, .random = 42, .next_address = 0x7f0000000000u };
	uint64_t steps = *(const uint64_t *)trace->reading;
	int rc = 0;
	for (int i = 0; i < THREADS; i++)
		sample.now[i] = sample.marker[i] = SAMPLE_START + 1000 + 7777 * (uint64_t)i;
	for (uint64_t i = 0; i < steps && rc == 0; i++)
		rc = step(&sample, i);
	if (!rc && steps)
		rc = tell(&sample, (struct event){
			.domain = DOMAIN_SCRATCH, .kind_name = "SCRATCH_MEMORY", .operation_name = "SCRATCH_MEMORY_ALLOC", .start = SAMPLE_START + 90000,
			.end = SAMPLE_START + 120000, .agent = 101, .queue = 0x7f0000001000u, .thread = 4711, .bytes = 1 << 20, .flags = 1 });
	return rc;
}

static void nothing(struct trace *trace) { (void)trace; }

struct ending { struct trace *trace; };

static int note_end(void *ctx, const struct event *event, struct err *err)
{
	struct trace *trace = ((struct ending *)ctx)->trace;
	(void)err;
	trace->end = event->end > trace->end ? event->end : trace->end;
	trace->events[event->domain]++;
	return 0;
}

void sample_open(struct trace *trace, uint64_t steps)
{
	static const struct trace_source source = { each, nothing };
	static uint64_t lengths[16];
	static size_t used;
	uint64_t *length = &lengths[used++ % 16];
	*length = steps;
	*trace = (struct trace){
		.id = { 0x1122334455667788u, 0x99aabbccddeeff00u }, .pid = 4711, .ppid = 1, .sdk = 10101, .start = SAMPLE_START,
		.end = SAMPLE_START, .start_realtime = 1763200000000000000u, .hostname = "node-17", .machine_id = "m", .system = "Linux",
		.release = "6.8.0", .version = "#1", .hardware = "x86_64", .domain = "", .folder = "/srv/runs", .output = "/srv/runs/4711.rlog",
		.tool_version = "0.4.0", .argument = arguments, .arguments = 5, .settings = { settings, 5, 5 }, .agent = agents, .agents = 3,
		.kernel = kernels, .kernels = 4, .counter = counters, .counters = 2, .thread = threads, .threads = 4, .stream = streams,
		.streams = STREAMS, .note = notes, .notes = 1, .why = "", .closed = true, .source = &source, .reading = length,
	};
	for (size_t i = 0; i < 4; i++)
		kernels[i].demangled = kernels[i].formatted;
	snprintf(trace->path, sizeof trace->path, "/srv/runs/4711.rlog");
	struct ending ending = { trace };
	each(trace, DOMAINS_ALL, note_end, &ending, NULL);
	trace->end += 20000;
}
