// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: activity to order, for tests.
 *   emit KIND|all COUNT SEED             that many records (of each kind)
 *   emit-threads N COUNT SEED            N threads at once, each COUNT records of mixed kinds
 *   emit-for MS [N]                      N threads (1), mixed kinds at full rate
 * The answer is how many records buffers took.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk.h"

#define THREADS_MOST 256

static const int mixed[] = {
	BUFFER_HIP_RUNTIME_API, BUFFER_KERNEL_DISPATCH, BUFFER_HIP_RUNTIME_API, BUFFER_MEMORY_COPY, BUFFER_HSA_CORE_API,
	BUFFER_MEMORY_ALLOCATION, BUFFER_HIP_RUNTIME_API, BUFFER_MARKER_CORE_RANGE_API, BUFFER_SCRATCH_MEMORY,
	BUFFER_HSA_AMD_EXT_API, BUFFER_KERNEL_DISPATCH, BUFFER_RCCL_API,
};

static bool is_marker(int kind)
{
	return (kind >= BUFFER_MARKER_CORE_API && kind <= BUFFER_MARKER_NAME_API) || kind == BUFFER_MARKER_CORE_RANGE_API;
}

/* A pause to order would end the recording. */
static int32_t operation_of(int kind, uint64_t index, uint64_t seed)
{
	return kind == BUFFER_MARKER_CONTROL_API ? 1 : make_operation(kind, index, seed);
}

static unsigned emit_one(int kind, uint64_t index, uint64_t seed)
{
	int32_t operation = operation_of(kind, index, seed);
	struct activity activity;
	union any_record record;
	size_t size;
	bool wanted = activity_begin(&activity, kind, operation);
	unsigned n;

	if (!wanted && kind != BUFFER_KERNEL_DISPATCH)
		return 0;
	size = make_record(&record, kind, operation, index, seed);
	if (is_marker(kind))
		tell_marker(&activity, make_text(index, seed));
	else if (kind_shape(kind) == SHAPE_API)
		tell_api(&activity);
	n = wanted ? activity_record(&activity, &record, size) : 0;
	if (kind == BUFFER_KERNEL_DISPATCH)
		count_dispatch(&activity, &record.dispatch);
	return n;
}

static uint64_t emit_many(int kind, uint64_t count, uint64_t seed)
{
	uint64_t n = 0;

	make_begin();
	for (uint64_t i = 0; i < count; i++)
		n += emit_one(kind, i, seed);
	return n;
}

static uint64_t emit_all(uint64_t count, uint64_t seed)
{
	uint64_t n = 0;

	for (int kind = 1; kind < buffer_kinds(); kind++)
		if (kind_shape(kind) != SHAPE_NONE && kind_shape(kind) != SHAPE_KFD)
			n += emit_many(kind, count, seed);
	return n;
}

struct worker {
	pthread_t thread;
	uint64_t count, seed, until, emitted;
};

static void *emit_mixed(void *argument)
{
	struct worker *worker = argument;

	make_begin();
	for (uint64_t i = 0; worker->until ? i % 64 || sdk_now() < worker->until : i < worker->count; i++)
		worker->emitted += emit_one(mixed[i % (sizeof(mixed) / sizeof(mixed[0]))], i, worker->seed);
	return NULL;
}

static uint64_t emit_by_threads(unsigned n, uint64_t count, uint64_t seed, uint64_t until)
{
	static struct worker workers[THREADS_MOST];
	uint64_t emitted = 0;

	if (n > THREADS_MOST)
		n = THREADS_MOST;
	for (unsigned i = 0; i < n; i++) {
		workers[i] = (struct worker){ .count = count, .seed = seed + 2 * i, .until = until };
		if (pthread_create(&workers[i].thread, NULL, emit_mixed, &workers[i]))
			n = i;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		emitted += workers[i].emitted;
	}
	return emitted;
}

bool emit_order(const char *line, char *answer, size_t size)
{
	unsigned long long count, seed, n = 1;
	char kind[64];

	if (!strncmp(line, "emit ", 5) && sscanf(line, "emit %63s %llu %llu", kind, &count, &seed) == 3) {
		int found = kind_by_name(kind);

		if (!strcmp(kind, "all"))
			n = emit_all(count, seed);
		else if (found > 0 && kind_shape(found) != SHAPE_NONE && kind_shape(found) != SHAPE_KFD)
			n = emit_many(found, count, seed);
		else
			return false;
	} else if (sscanf(line, "emit-threads %llu %llu %llu", &n, &count, &seed) == 3) {
		n = emit_by_threads((unsigned)n, count, seed, 0);
	} else if (sscanf(line, "emit-for %llu %llu", &count, &n) >= 1) {
		n = emit_by_threads((unsigned)n, 0, 2, sdk_now() + count * 1000000);
	} else {
		return false;
	}
	snprintf(answer, size, "%llu", n);
	return true;
}
