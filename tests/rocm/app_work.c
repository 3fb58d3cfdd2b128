// SPDX-License-Identifier: MIT
/* Stands in for a program that uses ROCm: work that looks like training, and kernels by their compiled names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "runtime.h"

#define WORKERS 64
#define BATCH (1 << 20)
#define KEPT 6

static _Atomic unsigned working;
static atomic_bool tired;

bool app_tell_sdk(const char *line, char *answer)
{
	int (*order)(const char *, char *, size_t);

	*(void **)&order = dlsym(RTLD_DEFAULT, "sdk_order");
	return order && order(line, answer, ANSWER - 1);
}

static void gemm(void **arguments) { (void)arguments; }
static void softmax(void **arguments) { (void)arguments; }
static void layer_norm(void **arguments) { (void)arguments; }
static void adam(void **arguments) { (void)arguments; }

enum { GEMM, SOFTMAX, LAYER_NORM, ADAM, KERNELS };
static void (*const kernels[KERNELS])(void **) = { gemm, softmax, layer_norm, adam };

void app_load_kernels(void (*add)(void **))
{
	static const char *const names[KERNELS] = {
		"_ZN2ck6gemm_kILi128ELi64EfEEvPKfS2_Pfiii.kd",
		"_ZN2at6native12softmax_warpIfLi10EEEvPT_PKS2_i.kd",
		"_ZN2at6native10layer_normIffEEviT_PKS2_PS2_.kd",
		"_ZN3opt11adam_updateILb1EEEvPfS1_S1_fi.kd",
	};
	struct stand_in_kernel list[KERNELS + 1] = { { (const void *)(uintptr_t)add, "_Z9add_wordsPmm.kd", 0 } };

	for (unsigned i = 0; i < KERNELS; i++)
		list[i + 1] = (struct stand_in_kernel){ (const void *)(uintptr_t)kernels[i], names[i], 0 };
	stand_in_load(list, KERNELS + 1);
}

/* roctx is there when the SDK is. */
static void marker(const char *function, const char *text)
{
	void (*call)(const char *);

	*(void **)&call = dlsym(RTLD_DEFAULT, function);
	if (call)
		call(text);
}

static void launch(unsigned kernel, unsigned blocks, unsigned shared, void *stream)
{
	void *arguments[] = { NULL };

	if (hipLaunchKernel((const void *)(uintptr_t)kernels[kernel], (struct dim3){ blocks, 1, 1 },
			(struct dim3){ 256, 1, 1 }, arguments, shared, stream))
		app_wrong("hipLaunchKernel failed");
}

static void layer(unsigned number, void *stream)
{
	char text[32];

	snprintf(text, sizeof(text), "layer %u", number);
	marker("sdk_marker_push", text);
	launch(LAYER_NORM, 1200 + 100 * number, 1024, stream);
	launch(GEMM, 6000 + 900 * number, 65536, stream);
	launch(SOFTMAX, 1800, 4096, stream);
	marker("sdk_marker_pop", NULL);
}

struct training {
	void *stream[2], *device, *kept[KEPT];
	char *host;
};

/* Memory grows for some steps, and is then given back. */
static void step(struct training *t, unsigned number)
{
	char text[32];

	snprintf(text, sizeof(text), "step %u", number);
	marker("sdk_marker_push", text);
	if (number % (KEPT * 2) < KEPT)
		hipMalloc(&t->kept[number % KEPT], (size_t)(number % KEPT + 1) * BATCH);
	hipMemcpyAsync(t->device, t->host, BATCH / 2, HIP_HOST_TO_DEVICE, t->stream[0]);
	for (unsigned i = 0; i < 3; i++)
		layer(i, t->stream[i % 2]);
	hipStreamSynchronize(t->stream[0]);
	launch(ADAM, 3000, 0, t->stream[1]);
	hipMemcpyAsync(t->host, t->device, BATCH / 8, HIP_DEVICE_TO_HOST, t->stream[1]);
	hipStreamSynchronize(t->stream[1]);
	if (number % (KEPT * 2) >= KEPT)
		hipFree(t->kept[number % KEPT]);
	marker("sdk_marker_pop", NULL);
	if (number % 10 == 9)
		marker("sdk_marker_mark", "checkpoint");
}

static void *train(void *number)
{
	struct training t = { .host = malloc(BATCH) };
	struct timespec pause = { .tv_nsec = 2000000 };
	char name[16];

	snprintf(name, sizeof(name), "train-%u", (unsigned)(uintptr_t)number);
	pthread_setname_np(pthread_self(), name);
	if (!t.host || hipStreamCreate(&t.stream[0]) || hipStreamCreate(&t.stream[1]) || hipMalloc(&t.device, BATCH))
		app_wrong("nothing to train with");
	for (unsigned i = 0; !atomic_load(&tired) && !atomic_load(&app_record->stop); i++) {
		step(&t, i);
		nanosleep(&pause, NULL);
	}
	hipFree(t.device);
	hipStreamDestroy(t.stream[0]);
	hipStreamDestroy(t.stream[1]);
	free(t.host);
	atomic_fetch_sub(&working, 1);
	return NULL;
}

void app_train(unsigned n)
{
	atomic_store(&tired, false);
	for (unsigned i = 0; i < n && i < WORKERS; i++) {
		pthread_t thread;

		atomic_fetch_add(&working, 1);
		if (pthread_create(&thread, NULL, train, (void *)(uintptr_t)i))
			app_wrong("pthread_create failed");
		pthread_detach(thread);
	}
}

bool app_work(const char *line, char *answer)
{
	unsigned n;
	unsigned long long seed;

	if (sscanf(line, "kernels %u %llu", &n, &seed) == 2) {
		stand_in_make_kernels(n, seed);
	} else if (sscanf(line, "busy %u", &n) == 1) {
		app_train(n);
	} else if (!strcmp(line, "idle")) {
		atomic_store(&tired, true);
		while (atomic_load(&working))
			usleep(1000);
	} else {
		return false;
	}
	strcpy(answer, "0");
	return true;
}
