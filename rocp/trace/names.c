/* SPDX-License-Identifier: MIT */
#include "rocp/trace/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/log.h"

int names_dispatched(struct trace *trace, uint64_t kernel, struct err *err)
{
	struct index *dispatched = &names_of(trace)->dispatched;
	return index_get(dispatched, kernel) != INDEX_NONE ? 0 : index_put(dispatched, kernel, 0, err);
}

int names_note(struct trace *trace, const char *text, struct err *err)
{
	const char **note = text ? array_add(&trace->note, &trace->notes, sizeof *note, err) : NULL;
	if (!note)
		return -1;
	*note = text;
	return 0;
}

static int add_unnamed(struct trace *trace, struct err *err)
{
	struct names *names = names_of(trace);
	struct index known = { .n = 0 };
	int rc = 0;
	for (size_t i = 0; !rc && i < trace->kernels; i++)
		rc = index_put(&known, trace->kernel[i].id, i, err);
	uint64_t id;
	for (size_t at = 0; !rc && index_each(&names->dispatched, &at, &id);) {
		if (index_get(&known, id) != INDEX_NONE)
			continue;
		struct kernel_symbol *kernel = array_add(&trace->kernel, &trace->kernels, sizeof *kernel, err);
		if (!kernel || !(kernel->name = texts_print(&names->texts, err, "kernel %llu", (unsigned long long)id)))
			rc = -1;
		else
			kernel->id = id;
	}
	index_free(&known);
	return rc;
}

struct task { struct trace *trace; struct err *err; int rc; };

static void *demangle_all(void *ctx)
{
	struct task *task = ctx;
	struct texts *texts = &names_of(task->trace)->texts;
	for (size_t i = 0; i < task->trace->kernels; i++) {
		struct kernel_symbol *kernel = &task->trace->kernel[i];
		kernel->demangled = demangled_name(texts, kernel->name, task->err);
		kernel->truncated = kernel->demangled ? truncated_name(texts, kernel->demangled, task->err) : NULL;
		kernel->formatted = kernel->demangled;
		if (!kernel->truncated)
			return NULL;
	}
	task->rc = 0;
	return NULL;
}

/* The demangler goes as deep as a name is long: for long ones it gets a stack of its own. */
static int demangle_kernels(struct trace *trace, struct err *err)
{
	struct task task = { trace, err, -1 };
	pthread_attr_t attr;
	pthread_t thread;
	bool any = false;
	for (size_t i = 0; !any && i < trace->kernels; i++)
		any = strlen(trace->kernel[i].name) > DEMANGLE_PLAIN;
	if (!any) {
		demangle_all(&task);
		return task.rc;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DEMANGLE_STACK);
	int sys = pthread_create(&thread, &attr, demangle_all, &task);
	pthread_attr_destroy(&attr);
	if (sys)
		return err_set(err, ERR_FAILED, sys, "cannot make a thread for the names of kernels");
	pthread_join(thread, NULL);
	return task.rc;
}

/* Each id once: the last that was told of it counts, in the place of the first.  An element begins with its id. */
static int index_once(struct index *index, void *array, size_t *n, size_t size, struct err *err)
{
	unsigned char *element = array;
	size_t kept = 0;
	for (size_t i = 0; i < *n; i++) {
		uint64_t id;
		memcpy(&id, element + i * size, sizeof id);
		size_t at = index_get(index, id);
		if (at == INDEX_NONE) {
			at = kept++;
			if (index_put(index, id, at, err) < 0)
				return -1;
		}
		if (at != i)
			memcpy(element + at * size, element + i * size, size);
	}
	*n = kept;
	return 0;
}

static int index_all(struct trace *trace, struct err *err)
{
	struct names *names = names_of(trace);
	struct index objects = { .n = 0 }, streams = { .n = 0 };
	_Static_assert(!offsetof(struct agent, id) && !offsetof(struct counter_info, id) && !offsetof(struct trace_thread, tid) &&
		!offsetof(struct code_object, id) && !offsetof(struct trace_stream, id) && !offsetof(struct kernel_symbol, id), "ids");
	int rc = index_once(&names->agents, trace->agent, &trace->agents, sizeof *trace->agent, err) < 0 ||
		index_once(&names->counters, trace->counter, &trace->counters, sizeof *trace->counter, err) < 0 ||
		index_once(&names->threads, trace->thread, &trace->threads, sizeof *trace->thread, err) < 0 ||
		index_once(&names->kernels, trace->kernel, &trace->kernels, sizeof *trace->kernel, err) < 0 ||
		index_once(&objects, trace->code_object, &trace->code_objects, sizeof *trace->code_object, err) < 0 ||
		index_once(&streams, trace->stream, &trace->streams, sizeof *trace->stream, err) < 0 ? -1 : 0;
	index_free(&objects);
	index_free(&streams);
	return rc;
}

static int by_id(const void *left, const void *right)
{
	const struct kernel_symbol *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int sort_kernels(struct trace *trace, struct err *err)
{
	struct index index = { .n = 0 };
	int rc = index_once(&index, trace->kernel, &trace->kernels, sizeof *trace->kernel, err);
	index_free(&index);
	if (trace->kernels)
		qsort(trace->kernel, trace->kernels, sizeof *trace->kernel, by_id);
	return rc;
}

int names_finish(struct trace *trace, struct err *err)
{
	return add_unnamed(trace, err) < 0 || sort_kernels(trace, err) < 0 || demangle_kernels(trace, err) < 0 ||
		index_all(trace, err) < 0 ? -1 : 0;
}

const struct kernel_symbol *names_kernel(const struct trace *trace, uint64_t id)
{
	size_t at = index_get(&names_of(trace)->kernels, id);
	return at == INDEX_NONE ? NULL : &trace->kernel[at];
}

void names_free(struct trace *trace)
{
	struct names *names = trace->reading;
	for (size_t i = 0; i < trace->kind_count; i++)
		free(trace->kinds[i].operation);
	free(trace->kinds);
	free(trace->argument);
	free(trace->agent);
	free(trace->code_object);
	free(trace->kernel);
	free(trace->counter);
	free(trace->thread);
	free(trace->stream);
	free(trace->note);
	env_free(&trace->settings);
	if (!names)
		return;
	texts_free(&names->texts);
	index_free(&names->agents);
	index_free(&names->counters);
	index_free(&names->threads);
	index_free(&names->kernels);
	index_free(&names->dispatched);
}
