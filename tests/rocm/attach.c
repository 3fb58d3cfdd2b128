// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk-attach.so.1, which rocprofiler-register
 * loads when HSA registers and ROCP_TOOL_ATTACH=1.  It registers the "rocattach"
 * table and, from SDK 1.3 on, starts the thread on which attachers are to work.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <rocprofiler-register/rocprofiler-register.h>

#include "sdk_abi.h"

#ifdef WITHOUT_LISTENER
#define VERSION ROCPROFILER_REGISTER_COMPUTE_VERSION_3(1, 1, 0)
#else
#define VERSION ROCPROFILER_REGISTER_COMPUTE_VERSION_3(1, 3, 0)
#endif

/* Version 0 of AMD's: a size and six functions for queues and code objects, which need a GPU. */
struct attach_table {
	size_t size;
	void (*function[6])(void);
};
_Static_assert(sizeof(struct attach_table) == 56, "rocattach table");

typedef __typeof__(rocprofiler_register_library_api_table) register_function;

static void nothing(void)
{
}

static struct attach_table table = { sizeof(table), { nothing, nothing, nothing, nothing, nothing, nothing } };

#ifndef WITHOUT_LISTENER
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static bool ending, started;
static pthread_t listener;

static void *listen_thread(void *unused)
{
	sigset_t all;

	pthread_setname_np(pthread_self(), "rocp-bg-attach");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_mutex_lock(&lock);
	while (!ending)
		pthread_cond_wait(&end, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void start_listener(void)
{
	if (!started)
		started = !pthread_create(&listener, NULL, listen_thread, NULL);
}

/* A forked child has the flag and not the thread. */
static void forget_listener(void)
{
	started = false;
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forget_listener);
}

__attribute__((destructor)) static void end_listener(void)
{
	if (!started)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&end);
	pthread_join(listener, NULL);
}
#endif

PUBLIC int rocprofiler_attach_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
	uint64_t n, register_function *register_table)
{
	rocprofiler_register_library_indentifier_t id = { 0 };
	void *own[] = { &table };

	(void)version, (void)instance, (void)tables;
#ifndef WITHOUT_LISTENER
	start_listener();
#endif
	if (strcmp(name, "hsa") || n != 1 || !register_table)
		return SDK_INVALID_ARGUMENT;
	register_table("rocattach", NULL, VERSION, own, 1, &id);
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_attach_get_version(void)
{
	return VERSION;
}
