/* SPDX-License-Identifier: MIT */
#include "html_sample.h"

#include <stdbool.h>

#include "made_log.h"

#define THREADS 4
#define STREAMS 3
#define LIVE 24

struct sample {
	struct made_log log;
	uint64_t random, correlation, dispatch;
	uint64_t now[THREADS], free_at[STREAMS], marker[THREADS];
	uint64_t live[LIVE], next_address, last;
};

enum { HIP_LAUNCH, HIP_COPY, HIP_ALLOCATE, HIP_FREE, HIP_SYNCHRONIZE, HIPS };
enum { HSA_STORE, HSA_COPY, HSAS };

static uint64_t roll(struct sample *sample, uint64_t most)
{
	sample->random = sample->random * 6364136223846793005u + 1442695040888963407u;
	return (sample->random >> 33) % most;
}

static void facts(struct made_log *log)
{
	static const char *const arguments[] = { "/opt/app/bin/train", "--epochs", "3", "--data", "it's here" };
	static const char *const settings[] = {
		"ROCPROF_HIP_RUNTIME_API_TRACE=1", "ROCPROF_KERNEL_TRACE=1", "ROCPROF_MEMORY_COPY_TRACE=1",
		"ROCPROF_COUNTERS=pmc: SQ_WAVES GRBM_GUI_ACTIVE", "ROCPROF_OUTPUT_FORMAT=html",
	};
	made_fact(log, FACT_HOSTNAME, "node-17");
	made_fact(log, FACT_SYSTEM, "Linux");
	made_fact(log, FACT_RELEASE, "6.8.0");
	made_fact(log, FACT_HARDWARE, "x86_64");
	made_fact(log, FACT_FOLDER, "/srv/runs");
	made_fact(log, FACT_OUTPUT, "/srv/runs/4711.rlog");
	made_fact(log, FACT_TOOL_VERSION, "1.0.0");
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
		made_fact(log, FACT_ARGUMENT, arguments[i]);
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		made_fact(log, FACT_SETTING, settings[i]);
	made_note(log, "Counters were read on one of two GPUs.");
}

static void names(struct made_log *log)
{
	static const struct { int32_t kind, operation; const char *text; } table[] = {
		{ MADE_HIP, -1, "HIP_RUNTIME_API" }, { MADE_HIP, HIP_LAUNCH, "hipLaunchKernel" }, { MADE_HIP, HIP_COPY, "hipMemcpyAsync" },
		{ MADE_HIP, HIP_ALLOCATE, "hipMalloc" }, { MADE_HIP, HIP_FREE, "hipFree" },
		{ MADE_HIP, HIP_SYNCHRONIZE, "hipStreamSynchronize" }, { MADE_HSA, -1, "HSA_CORE_API" },
		{ MADE_HSA, HSA_STORE, "hsa_signal_store_screlease" }, { MADE_HSA, HSA_COPY, "hsa_amd_memory_async_copy" },
		{ MADE_MARKER, -1, "MARKER_CORE_RANGE_API" }, { MADE_MARKER, 1, "roctxThreadRangeA" },
		{ MADE_COPY, -1, "MEMORY_COPY" }, { MADE_COPY, 2, "MEMORY_COPY_HOST_TO_DEVICE" }, { MADE_COPY, 3, "MEMORY_COPY_DEVICE_TO_HOST" },
		{ MADE_KERNEL, -1, "KERNEL_DISPATCH" }, { MADE_KERNEL, 2, "KERNEL_DISPATCH_COMPLETE" },
		{ MADE_ALLOCATION, -1, "MEMORY_ALLOCATION" }, { MADE_ALLOCATION, 1, "MEMORY_ALLOCATION_ALLOCATE" },
		{ MADE_ALLOCATION, 3, "MEMORY_ALLOCATION_FREE" }, { MADE_SCRATCH, -1, "SCRATCH_MEMORY" },
		{ MADE_SCRATCH, 1, "SCRATCH_MEMORY_ALLOC" },
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		made_name(log, table[i].kind, table[i].operation, table[i].text);
	made_numbered_text(log, 1, "epoch / forward");
	made_numbered_text(log, 2, "batch");
	made_agent(log, SAMPLE_CPU, 0, 0, 0, "AMD EPYC 9654", "AMD EPYC 9654 96-Core Processor");
	made_agent(log, SAMPLE_GPU, 1, 0, 90402, "gfx942", "AMD Instinct MI300X");
	made_agent(log, SAMPLE_GPU + 1, 2, 1, 90402, "gfx942", "AMD Instinct MI300X");
	made_code_object(log, 1, SAMPLE_GPU, "memory://4711#offset=0x1000&size=32768");
	made_kernel(log, 1, 1, "_ZN5model4gemmIfLi128ELi64EEEvPKT_S3_PS1_iii.kd");
	made_kernel(log, 2, 1, "_ZN5model7softmaxEPfii.kd");
	made_kernel(log, 3, 1, "reduce_sum.kd");
	made_kernel(log, 4, 1, SAMPLE_HOSTILE);
	made_counter(log, 7, SAMPLE_GPU, "SQ_WAVES", "");
	made_counter(log, 8, SAMPLE_GPU, "GRBM_GUI_ACTIVE", "");
	made_thread(log, MADE_PID, "train");
	made_thread(log, MADE_PID + 1, "loader");
	made_thread(log, MADE_PID + 2, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
	for (uint64_t i = 0; i < STREAMS; i++)
		made_stream(log, i, i * 0x1000);
}

static void call(struct sample *sample, int thread, int32_t kind, int32_t operation, uint64_t start, uint64_t end, uint64_t id,
		 uint64_t ancestor)
{
	struct log_api *api = made_api(&sample->log, kind, operation, id, start, end);
	api->thread = MADE_PID + (uint64_t)thread;
	api->ancestor = ancestor;
	sample->last = end > sample->last ? end : sample->last;
}

static void launch(struct sample *sample, int thread, uint64_t start, uint64_t id)
{
	uint64_t stream = roll(sample, STREAMS), which = roll(sample, 20), begins = start + 4000;
	uint64_t kernel = which < 10 ? 1 : which < 16 ? 2 : which < 19 ? 3 : 4, agent = stream == 2 ? SAMPLE_GPU + 1 : SAMPLE_GPU;
	begins = begins > sample->free_at[stream] ? begins : sample->free_at[stream];
	uint64_t ends = begins + 2000 + roll(sample, which < 10 ? 60000 : 8000);
	sample->free_at[stream] = ends + 300;
	sample->last = ends > sample->last ? ends : sample->last;
	struct log_dispatch *record = made_dispatch(&sample->log, agent, kernel, ++sample->dispatch, id, begins, ends);
	record->thread = MADE_PID + (uint64_t)thread;
	record->external = LOG_EXTERNAL(stream, 0);
	record->info.queue = 0x7f0000001000u + stream * 0x1000;
	record->info.grid[0] = 256 * (1 + (uint32_t)roll(sample, 4));
	if (agent != SAMPLE_GPU || sample->dispatch % 8)
		return;
	/* In two records, as a dispatch with very many values has them. */
	for (int i = 0; i < 2; i++) {
		const struct log_value values[] = { { 0, 7, (double)roll(sample, 1000) }, { 1, 7, 10 }, { 0, 8, (double)(ends - begins) / 2 } };
		made_counters(&sample->log, agent, kernel, sample->dispatch, id, begins, ends, values, 3);
	}
}

static void copy(struct sample *sample, int thread, uint64_t start, uint64_t id)
{
	bool to_gpu = roll(sample, 3) > 0;
	uint64_t bytes = 4096 + roll(sample, 1u << 22), end = start + 1500 + bytes / 25;
	struct log_copy *record = made_copy(&sample->log, to_gpu ? 2 : 3, to_gpu ? SAMPLE_GPU : SAMPLE_CPU, to_gpu ? SAMPLE_CPU : SAMPLE_GPU,
					    bytes, id, start + 1500, end);
	record->thread = MADE_PID + (uint64_t)thread;
	sample->last = end > sample->last ? end : sample->last;
}

static int32_t allocate(struct sample *sample, int thread, uint64_t start, uint64_t id)
{
	uint64_t place = roll(sample, LIVE), *live = &sample->live[place];
	bool frees = *live;
	uint64_t bytes = frees ? 0 : (1 + roll(sample, 64)) << 20, agent = frees ? 0 : SAMPLE_GPU + place % 2;
	struct log_allocation *record = made_allocation(&sample->log, frees ? 3 : 1, agent, bytes, id, start + 100, start + 1200);
	record->thread = MADE_PID + (uint64_t)thread;
	if (!frees)
		*live = sample->next_address += 0x10000000;
	record->address = *live;
	*live = frees ? 0 : *live;
	return frees ? HIP_FREE : HIP_ALLOCATE;
}

static void step(struct sample *sample, uint64_t number)
{
	int thread = (int)(number % THREADS);
	uint64_t start = sample->now[thread] + 500 + roll(sample, number % 997 ? 12000 : 3000000), end = start + 2000 + roll(sample, 9000);
	uint64_t id = ++sample->correlation, inner = ++sample->correlation, what = roll(sample, 100);
	int32_t hip = HIP_LAUNCH;
	if (what < 60) {
		launch(sample, thread, start, id);
	} else if (what < 80) {
		copy(sample, thread, start, id);
		hip = HIP_COPY;
	} else if (what < 90) {
		hip = allocate(sample, thread, start, id);
	} else {
		hip = HIP_SYNCHRONIZE;
		end += roll(sample, 90000);
	}
	call(sample, thread, MADE_HSA, what < 60 ? HSA_STORE : HSA_COPY, start + 300, start + 300 + (end - start) / 2, inner, id);
	call(sample, thread, MADE_HIP, hip, start, end, id, 0);
	sample->now[thread] = end;
	if (number % 200 >= THREADS)
		return;
	call(sample, thread, MADE_MARKER, 1, sample->marker[thread], end + 100, ++sample->correlation, 0);
	made_marker(&sample->log, sample->correlation, thread ? 2 : 1);
	sample->marker[thread] = end + 200;
}

void sample_log(const char *path, uint64_t steps)
{
	struct sample sample = { .random = 42, .next_address = 0x7f0000000000u };
	made_log_begin(&sample.log, path);
	sample.log.block = 64u << 10;
	facts(&sample.log);
	names(&sample.log);
	for (int i = 0; i < THREADS; i++)
		sample.now[i] = sample.marker[i] = 1000 + 7777 * (uint64_t)i;
	for (uint64_t i = 0; i < steps; i++)
		step(&sample, i);
	if (steps)
		made_scratch(&sample.log, 1, SAMPLE_GPU, 1u << 20, 90000, 120000);
	made_end(&sample.log, sample.last + 20000, "");
	made_log_close(&sample.log);
}
