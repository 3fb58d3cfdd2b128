/* SPDX-License-Identifier: MIT */
/* For speedscope: a sampled profile of each thread, by its file-format-schema.json. */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/json_text.h"
#include "rocp/formats/samples_parts.h"

#define STRETCHES_MOST 200000u  /* in order of time up to here; more would make a file that no page opens */

/* One element of a thread's profile: from stacks that were summed up, or from stretches. */
struct part {
	uint32_t thread, path;
	const char *state;      /* the innermost frame, "[futex]"; NULL: none */
	uint64_t samples;
};

struct writer {
	struct samples *samples;
	struct json_text json;
	struct part *part;      /* by thread */
	size_t parts;
	uint32_t *outer;        /* one stack's functions */
	struct index states;    /* text -> frame */
};

/* If stretches tell all that was counted, they are better: they are in order. */
static bool stretches_are_whole(const struct samples *samples)
{
	const struct profile *profile = samples->profile;
	uint64_t sum = 0;
	for (size_t i = 0; i < profile->stretches_n; i++)
		sum += profile->stretches[i].samples;
	return !profile->stretches_cut && profile->stretches_n <= STRETCHES_MOST && sum == samples->weight;
}

static int add_part(struct writer *writer, const struct sampled_stack *stack, struct err *err)
{
	struct part *part = &writer->part[writer->parts++];
	*part = (struct part){ stack->thread, stack->path, NULL, stack->samples };
	if (!stack->blocked && stack->path != NO_STACK)
		return 0;
	part->state = texts_print(&writer->samples->texts, err, "[%s]", stack->blocked ? stack->blocked : task_state_text(TASK_RUNNING));
	return part->state ? 0 : -1;
}

static int make_parts(struct writer *writer, struct err *err)
{
	struct samples *samples = writer->samples;
	const struct profile *profile = samples->profile;
	bool in_time = stretches_are_whole(samples);
	size_t n = in_time ? profile->stretches_n : samples->stacks;
	writer->part = samples_array(n, sizeof *writer->part, err);
	for (size_t i = 0; writer->part && i < n; i++) {
		const struct stretch *stretch = in_time ? &profile->stretches[samples->in_time[i]] : NULL;
		struct sampled_stack one;
		char text[64];
		if (stretch)
			one = (struct sampled_stack){ stretch->thread, samples_path(samples, stretch->stack),
				samples_blocked(stretch->state, stretch->call, text, sizeof text), stretch->samples };
		if (add_part(writer, stretch ? &one : &samples->stack[i], err) < 0)
			return -1;
	}
	return writer->part ? 0 : -1;
}

static void put_frame(struct json_text *json, const char *name, const char *file)
{
	member_object(json, NULL);
	member_text(json, "name", name);
	if (file[0])
		member_text(json, "file", file);
	member_end(json);
}

static int put_frames(struct writer *writer, struct err *err)
{
	const struct samples *samples = writer->samples;
	size_t frames = samples->functions;
	member_object(&writer->json, "shared");
	member_array(&writer->json, "frames");
	for (size_t i = 0; i < frames; i++) {
		const struct sampled_function *function = &samples->function[i];
		put_frame(&writer->json, function->label, function->path[0] ? function->path : function->module);
	}
	for (size_t i = 0; i < writer->parts; i++) {
		const char *state = writer->part[i].state;
		if (!state || index_get(&writer->states, (uintptr_t)state) != INDEX_NONE)
			continue;
		put_frame(&writer->json, state, "");
		if (index_put(&writer->states, (uintptr_t)state, frames++, err) < 0)
			return -1;
	}
	member_end(&writer->json);
	member_end(&writer->json);
	return 0;
}

static void put_sample(struct writer *writer, const struct part *part)
{
	const struct samples *samples = writer->samples;
	const char *before = "";
	size_t n = 0;
	for (uint32_t path = part->path; path != NO_STACK; path = samples->path[path].parent)
		writer->outer[n++] = samples->path[path].function;
	member_array(&writer->json, NULL);
	for (; n; before = ",") {
		file_text(samples->file, before);
		file_unsigned(samples->file, writer->outer[--n]);
	}
	if (part->state) {
		file_text(samples->file, before);
		file_unsigned(samples->file, index_get(&writer->states, (uintptr_t)part->state));
	}
	member_end(&writer->json);
}

static double weight_of(const struct samples *samples, uint64_t count)
{
	double period = samples_period(samples->profile);
	return period > 0 ? (double)count * period : (double)count;
}

/* The parts [from, to) are one thread's. */
static int put_profile(struct writer *writer, size_t from, size_t to, struct err *err)
{
	struct samples *samples = writer->samples;
	struct json_text *json = &writer->json;
	const struct watched_thread *thread = samples_thread(samples, writer->part[from].thread);
	const char *name = texts_print(&samples->texts, err, "%s-%d", thread->name, (int)thread->tid);
	uint64_t sum = 0;
	if (!name)
		return -1;
	for (size_t i = from; i < to; i++)
		sum += writer->part[i].samples;
	member_object(json, NULL);
	member_text(json, "type", "sampled");
	member_text(json, "name", name);
	member_text(json, "unit", samples_period(samples->profile) > 0 ? "seconds" : "none");
	member_real(json, "startValue", 0);
	member_real(json, "endValue", weight_of(samples, sum));
	member_array(json, "samples");
	for (size_t i = from; i < to; i++)
		put_sample(writer, &writer->part[i]);
	member_end(json);
	member_array(json, "weights");
	for (size_t i = from; i < to; i++)
		member_real(json, NULL, weight_of(samples, writer->part[i].samples));
	member_end(json);
	member_end(json);
	return 0;
}

static int put_profiles(struct writer *writer, struct err *err)
{
	member_array(&writer->json, "profiles");
	for (size_t from = 0, to = 0; from < writer->parts; from = to) {
		while (to < writer->parts && writer->part[to].thread == writer->part[from].thread)
			to++;
		if (put_profile(writer, from, to, err) < 0)
			return -1;
	}
	member_end(&writer->json);
	return 0;
}

static int put_all(struct writer *writer, struct err *err)
{
	struct json_text *json = &writer->json;
	const struct profile *profile = writer->samples->profile;
	member_object(json, NULL);
	member_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	member_text(json, "name", profile->name);
	member_text(json, "exporter", "roclatch");
	member_unsigned(json, "activeProfileIndex", 0);
	if (put_frames(writer, err) < 0 || put_profiles(writer, err) < 0)
		return -1;
	member_end(json);
	return 0;
}

int samples_speedscope(struct samples *samples, struct err *err)
{
	struct writer writer = { .samples = samples, .json = { .file = samples->file, .dense = true } };
	writer.outer = samples_array(samples->paths, sizeof *writer.outer, err);
	int rc = writer.outer && make_parts(&writer, err) == 0 ? put_all(&writer, err) : -1;
	index_free(&writer.states);
	free(writer.outer);
	free(writer.part);
	return rc;
}
