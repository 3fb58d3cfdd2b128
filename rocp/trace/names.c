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

struct sorting { struct kernel_symbol kernel; size_t order; };

/* By id; of those with the same id the last stands first. */
static int by_id(const void *left, const void *right)
{
	const struct sorting *a = left, *b = right;
	if (a->kernel.id != b->kernel.id)
		return a->kernel.id < b->kernel.id ? -1 : 1;
	return a->order > b->order ? -1 : a->order < b->order;
}

static int sort_kernels(struct trace *trace, struct err *err)
{
	struct sorting *sorting = calloc(trace->kernels + 1, sizeof *sorting);
	if (!sorting)
		return err_set(err, ERR_FAILED, 0, "out of memory for %zu kernels", trace->kernels);
	for (size_t i = 0; i < trace->kernels; i++)
		sorting[i] = (struct sorting){ trace->kernel[i], i };
	qsort(sorting, trace->kernels, sizeof *sorting, by_id);
	size_t n = 0;
	for (size_t i = 0; i < trace->kernels; i++)
		if (!n || trace->kernel[n - 1].id != sorting[i].kernel.id)
			trace->kernel[n++] = sorting[i].kernel;
	trace->kernels = n;
	free(sorting);
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

static int index_all(struct trace *trace, struct err *err)
{
	struct names *names = names_of(trace);
	int rc = 0;
	for (size_t i = 0; !rc && i < trace->kernels; i++)
		rc = index_put(&names->kernels, trace->kernel[i].id, i, err);
	for (size_t i = 0; !rc && i < trace->agents; i++)
		rc = index_put(&names->agents, trace->agent[i].id, i, err);
	for (size_t i = 0; !rc && i < trace->counters; i++)
		rc = index_put(&names->counters, trace->counter[i].id, i, err);
	return rc;
}

/* A thread's last name counts; it keeps the place of its first. */
static int index_threads(struct trace *trace, struct err *err)
{
	struct index *index = &names_of(trace)->threads;
	size_t n = 0;
	for (size_t i = 0; i < trace->threads; i++) {
		size_t at = index_get(index, trace->thread[i].tid);
		if (at != INDEX_NONE)
			trace->thread[at].name = trace->thread[i].name;
		else if (index_put(index, trace->thread[i].tid, n, err) < 0)
			return -1;
		else
			trace->thread[n++] = trace->thread[i];
	}
	trace->threads = n;
	return 0;
}

int names_finish(struct trace *trace, struct err *err)
{
	return add_unnamed(trace, err) < 0 || sort_kernels(trace, err) < 0 || demangle_kernels(trace, err) < 0 ||
		index_all(trace, err) < 0 || index_threads(trace, err) < 0 ? -1 : 0;
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
