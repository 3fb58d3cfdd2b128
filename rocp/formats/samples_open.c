/* SPDX-License-Identifier: MIT */
/* What the formats share: labels of places, functions, stacks by functions, and orders. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"
#include "rocp/trace/demangle.h"

#define LABEL_MOST 4096

void *samples_array(size_t n, size_t size, struct err *err)
{
	void *array = calloc(n + 1, size);
	if (!array)
		err_set(err, ERR_FAILED, 0, "out of memory for the samples");
	return array;
}

static const char *label_of(struct samples *samples, const struct place *place, struct err *err)
{
	char text[LABEL_MOST];
	if (!place->end && place->function && place->function[0])
		return demangled_name(&samples->texts, place->function, err);
	samples_place_text(place, text, sizeof text);
	return texts_keep(&samples->texts, text, strlen(text), err);
}

/* The same label in the same module is the same function. */
static int name_place(struct samples *samples, size_t at, struct index *known, struct err *err)
{
	const struct place *place = &samples->profile->places[at];
	const char *module = place->module ? place->module : "", *label = label_of(samples, place, err);
	const char *key = label ? texts_print(&samples->texts, err, "%s\n%s", place->end ? "" : module, label) : NULL;
	if (!key)
		return -1;
	size_t number = index_get(known, (uintptr_t)key);
	if (number == INDEX_NONE) {
		number = samples->functions++;
		samples->function[number] = (struct sampled_function){ .label = label, .module = place->end ? "" : module,
			.path = place->path && !place->end ? place->path : "", .is_end = place->end };
		if (index_put(known, (uintptr_t)key, number, err) < 0)
			return -1;
	}
	samples->function_of[at] = (uint32_t)number;
	return 0;
}

struct naming_task { struct samples *samples; struct err *err; int rc; };

static void *name_all(void *ctx)
{
	struct naming_task *task = ctx;
	struct index known = { .n = 0 };
	task->rc = 0;
	for (size_t i = 0; i < task->samples->profile->places_n && task->rc == 0; i++)
		task->rc = name_place(task->samples, i, &known, task->err);
	index_free(&known);
	return NULL;
}

/* The demangler goes as deep as a name is long: for long ones it gets a stack of its own. */
static int name_places(struct samples *samples, struct err *err)
{
	const struct profile *profile = samples->profile;
	struct naming_task task = { samples, err, -1 };
	pthread_attr_t attr;
	pthread_t thread;
	bool any = false;
	for (size_t i = 0; !any && i < profile->places_n; i++)
		any = profile->places[i].function && strlen(profile->places[i].function) > DEMANGLE_PLAIN;
	if (!any) {
		name_all(&task);
		return task.rc;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DEMANGLE_STACK);
	int sys = pthread_create(&thread, &attr, name_all, &task);
	pthread_attr_destroy(&attr);
	if (sys)
		return err_set(err, ERR_FAILED, sys, "cannot make a thread for the names of functions");
	pthread_join(thread, NULL);
	return task.rc;
}

/* A node's caller stands before it. */
static int join_nodes(struct samples *samples, struct err *err)
{
	const struct profile *profile = samples->profile;
	struct index known = { .n = 0 };
	int rc = 0;
	for (size_t i = 0; i < profile->nodes_n && rc == 0; i++) {
		const struct stack_node *node = &profile->nodes[i];
		uint32_t parent = node->parent < i ? samples->path_of[node->parent] : NO_STACK;
		uint32_t function = node->place < profile->places_n ? samples->function_of[node->place] : 0;
		uint64_t key = (uint64_t)parent << 32 | function;
		size_t at = index_get(&known, key);
		if (at == INDEX_NONE) {
			at = samples->paths++;
			samples->path[at] = (struct call_path){ parent, function };
			rc = index_put(&known, key, at, err);
		}
		samples->path_of[i] = (uint32_t)at;
	}
	index_free(&known);
	return rc;
}

static int take_buckets(struct samples *samples, struct err *err)
{
	const struct profile *profile = samples->profile;
	size_t n = 0;
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *bucket = &profile->buckets[i];
		char text[64];
		if (!bucket->samples)
			continue;       /* they turned out to be of another kind */
		const char *blocked = samples_blocked(bucket->state, bucket->call, text, sizeof text);
		if (blocked)
			blocked = texts_keep(&samples->texts, blocked, strlen(blocked), err);
		if (!blocked && bucket->state != TASK_RUNNING)
			return -1;
		samples->stack[n++] = (struct sampled_stack){ bucket->thread, samples_path(samples, bucket->stack), blocked, bucket->samples };
		samples->weight += bucket->samples;
	}
	samples->stacks = samples_join(samples->stack, n, false);
	return 0;
}

static void count_stack(struct samples *samples, const struct sampled_stack *stack, uint64_t *seen, uint64_t mark)
{
	if (stack->path == NO_STACK)
		return;
	samples->function[samples->path[stack->path].function].self += stack->samples;
	for (uint32_t at = stack->path; at != NO_STACK; at = samples->path[at].parent) {
		uint32_t function = samples->path[at].function;
		if (seen[function] != mark)
			samples->function[function].total += stack->samples;
		seen[function] = mark;
	}
}

static int count(struct samples *samples, struct err *err)
{
	uint64_t *seen = samples_array(samples->functions, sizeof *seen, err);
	for (size_t i = 0; seen && i < samples->stacks; i++)
		count_stack(samples, &samples->stack[i], seen, i + 1);
	free(seen);
	return seen ? 0 : -1;
}

static int by_time(const void *left, const void *right, void *ctx)
{
	const struct stretch *stretch = ctx, *a = stretch + *(const uint32_t *)left, *b = stretch + *(const uint32_t *)right;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static uint32_t *in_time(const struct profile *profile, struct err *err)
{
	uint32_t *order = samples_array(profile->stretches_n, sizeof *order, err);
	for (size_t i = 0; order && i < profile->stretches_n; i++)
		order[i] = (uint32_t)i;
	if (order && profile->stretches_n)
		qsort_r(order, profile->stretches_n, sizeof *order, by_time, profile->stretches);
	return order;
}

int samples_open(struct samples *samples, const struct profile *profile, struct file *file, struct err *err)
{
	*samples = (struct samples){ .profile = profile, .file = file };
	samples->function_of = samples_array(profile->places_n, sizeof *samples->function_of, err);
	samples->function = samples_array(profile->places_n, sizeof *samples->function, err);
	samples->path_of = samples_array(profile->nodes_n, sizeof *samples->path_of, err);
	samples->path = samples_array(profile->nodes_n, sizeof *samples->path, err);
	samples->stack = samples_array(profile->buckets_n, sizeof *samples->stack, err);
	samples->in_time = in_time(profile, err);
	if (!samples->function_of || !samples->function || !samples->path_of || !samples->path || !samples->stack || !samples->in_time)
		return -1;
	if (name_places(samples, err) < 0 || join_nodes(samples, err) < 0 || take_buckets(samples, err) < 0)
		return -1;
	return count(samples, err);
}

void samples_close(struct samples *samples)
{
	texts_free(&samples->texts);
	free(samples->function_of);
	free(samples->function);
	free(samples->path_of);
	free(samples->path);
	free(samples->stack);
	free(samples->in_time);
}
