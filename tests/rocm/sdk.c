// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1, which Debian does not have: how
 * it finds, loads, initialises, attaches, detaches and finalises tools, and what
 * it does not forgive.  SDK_VERSION says which; 1.0.0 (ROCm 7.0) has no attach.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"
#include "truth.h"

#define CLIENTS 8
#define WITH_ATTACH (SDK_VERSION >= 10100)
enum { MAJOR = SDK_VERSION / 10000, MINOR = SDK_VERSION / 100 % 100, PATCH = SDK_VERSION % 100 };
#if SDK_VERSION < 10100
#define TEXT "1.0.0"
#elif SDK_VERSION < 10300
#define TEXT "1.1.0"
#else
#define TEXT "1.3.0"
#endif

struct client {
	void *library;
	configure_function *configure;
	struct client_id id;
	struct tool_configure_result result;
	struct tool_configure_attach_result attach;
	bool configured, attaches;
};

static struct client clients[CLIENTS];
static unsigned client_count;
static int finalized;
int initializing;

void sdk_fatal(const char *what, const char *why)
{
	fprintf(stderr, "SDK stand-in: %s: %s\n", what, why ? why : "");
	abort();
}

static void add_client(void *library, configure_function *configure)
{
	for (unsigned i = 0; i < client_count; i++)
		if (clients[i].configure == configure)
			return;
	if (client_count == CLIENTS)
		sdk_fatal("too many tools", NULL);
	/* the handle is constant for tools alone */
	struct client made = { .library = library, .configure = configure,
		.id = { sizeof(struct client_id), NULL, 0x5000 + client_count } };
	memcpy(&clients[client_count++], &made, sizeof(made));
}

static void load_tool(const char *path)
{
	void *library = dlopen(path, RTLD_LOCAL | RTLD_LAZY);
	configure_function *configure;

	if (!library)
		sdk_fatal("tool library", dlerror());
	*(void **)&configure = dlsym(library, "rocprofiler_configure");
	if (configure)
		add_client(library, configure);
}

/* As AMD's parser does: each ':' ends a name, and with a ':' anywhere the text behind the last one is lost. */
static void load_tools(const char *list)
{
	char *copy = strdup(list), *at = copy, *colon = strchr(at, ':');

	if (!colon && *at)
		load_tool(at);
	for (; colon; at = colon + 1, colon = strchr(at, ':')) {
		*colon = 0;
		if (*at)
			load_tool(at);
	}
	free(copy);
}

static void configure_client(struct client *client, unsigned priority)
{
	struct tool_configure_result *result;
	configure_attach_function *attach = NULL;
	struct tool_configure_attach_result *attach_result;

	configuring = priority;
	result = client->configure(MAJOR * 10000 + MINOR * 100 + PATCH, TEXT, priority, &client->id);
	if (!result)
		return;
	client->result = *result;
	client->configured = true;
#if WITH_ATTACH
	*(void **)&attach = dlsym(client->library, "rocprofiler_configure_attach");
#endif
	if (!attach)
		return;
	attach_result = attach(MAJOR * 10000 + MINOR * 100 + PATCH, TEXT, priority, &client->id);
	if (attach_result) {
		client->attach = *attach_result;
		client->attaches = true;
	}
}

static void finalize_client(struct client_id id)
{
	struct client *client = &clients[id.handle - 0x5000];

	if (client->configured && client->result.finalize)
		client->result.finalize(client->result.tool_data);
	client->configured = false;
}

static void finalize_all(void)
{
	finalized = -1;
	unload_code_objects();
	for (unsigned i = 0; i < client_count; i++) {
		stop_contexts(i);
		completion_wait();
		finalize_client(clients[i].id);
	}
	completion_end();
	end_threads();
	truth_close();
	finalized = 1;
}

static void initialize(void)
{
	const char *tools = getenv("ROCP_TOOL_LIBRARIES");
	configure_function *visible;

	initializing = -1;
	truth_open();
	atexit(finalize_all);
	*(void **)&visible = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
	if (visible)
		add_client(RTLD_DEFAULT, visible);
	if (tools)
		load_tools(tools);
	for (unsigned i = 0; i < client_count; i++)
		configure_client(&clients[i], i);
	for (unsigned i = 0; i < client_count; i++) {
		configuring = i;
		if (clients[i].configured && clients[i].result.initialize)
			clients[i].result.initialize(finalize_client, clients[i].result.tool_data);
	}
	if (buffers_want_default_thread())
		start_default_thread();
	initializing = 1;
}

PUBLIC int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static const char *const known[] = { "hsa", "hip_compiler", "roctx", "rccl", "rocdecode", "rocjpeg" };

	(void)version, (void)instance;
	if (!name || !tables || n != 1)
		return SDK_INVALID_ARGUMENT;
	pthread_once(&once, initialize);
#if WITH_ATTACH
	if (!strcmp(name, "rocattach"))
		return SDK_SUCCESS;
#endif
	if (!strcmp(name, "hip")) {
		pass_once(name, tables[0]);
		wrap_hip(tables[0]);
		return SDK_SUCCESS;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i])) {
			pass_once(name, tables[0]);
			if (!strcmp(name, "hsa"))
				load_all_code_objects();
			return SDK_SUCCESS;
		}
	return SDK_INVALID_ARGUMENT;
}

#if WITH_ATTACH
PUBLIC int rocprofiler_attach(void)
{
	bool any = false;

	if (!client_count)
		return SDK_NOT_AVAILABLE;
	for (unsigned i = 0; i < client_count; i++) {
		struct handle list[CONTEXTS];
		unsigned n = contexts_of(i, list);

		if (!clients[i].configured || !clients[i].attaches || !clients[i].attach.tool_attach)
			continue;
		any = true;
		clients[i].attach.tool_attach(NULL, list, n, clients[i].attach.tool_data);
	}
	return any ? SDK_SUCCESS : SDK_NOT_IMPLEMENTED;
}

PUBLIC int rocprofiler_detach(void)
{
	bool any = false;

	if (!client_count)
		return SDK_NOT_AVAILABLE;
	for (unsigned i = 0; i < client_count; i++) {
		if (!clients[i].configured || !clients[i].attaches || !clients[i].attach.tool_detach)
			continue;
		any = true;
		stop_contexts(i);
		wait_for_device();
		completion_wait();
		finalized = -1;
		clients[i].attach.tool_detach(clients[i].attach.tool_data);
		finalized = 0;
	}
	truth_flush();
	return any ? SDK_SUCCESS : SDK_NOT_IMPLEMENTED;
}
#endif

PUBLIC int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
	*major = MAJOR;
	*minor = MINOR;
	*patch = PATCH;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_get_version_triplet(struct version_triplet *version)
{
	*version = (struct version_triplet){ MAJOR, MINOR, PATCH };
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_is_initialized(int *status)
{
	*status = initializing;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_is_finalized(int *status)
{
	*status = finalized;
	return SDK_SUCCESS;
}
