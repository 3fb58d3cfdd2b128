/* SPDX-License-Identifier: MIT */
/* Everything that the profile has, one document: docs/samples.md tells its layout. */
#include <stdio.h>
#include <stdlib.h>

#include "rocp/formats/json_text.h"
#include "rocp/formats/samples_parts.h"
#include "rocp/trace/demangle.h"

#define HOWS (FRAME_SIGNAL + 1)

/* Frames are places as they were found, stacks those that something refers to. */
struct numbers {
	uint32_t *frame_of;     /* by place and how, from 1; 0: none */
	uint32_t *stack_of;     /* by node, from 1; 0: nothing refers to it */
};

/* Beyond what a reader's numbers may hold exactly. */
static void member_address(struct json_text *json, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
	member_text(json, key, text);
}

static void put_head(struct json_text *json, const struct profile *profile)
{
	member_text(json, "format", "roclatch samples");
	member_unsigned(json, "version", 1);
	member_signed(json, "pid", profile->pid);
	member_text(json, "name", profile->name);
	member_text(json, "command", profile->command);
	member_real(json, "rate", profile->rate);
	member_unsigned(json, "began_real_ns", profile->began_real_ns);
	member_unsigned(json, "duration_ns", profile->duration_ns);
	member_unsigned(json, "ticks", profile->ticks);
	member_unsigned(json, "late", profile->late);
	member_unsigned(json, "dropped", profile->dropped);
	member_unsigned(json, "samples", profile->samples);
	member_unsigned(json, "stacks_taken", profile->stacks_taken);
	member_unsigned(json, "stacks_missed", profile->stacks_missed);
	member_unsigned(json, "by_outside", profile->by_outside);
	member_unsigned(json, "by_stop", profile->by_stop);
	member_unsigned(json, "by_perf", profile->by_perf);
	member_unsigned(json, "stop_longest_ns", profile->stop_longest_ns);
	member_bool(json, "stretches_cut", profile->stretches_cut);
	member_text(json, "why_no_stacks", profile->why_no_stacks);
}

static void put_threads(struct json_text *json, const struct profile *profile)
{
	member_array(json, "threads");
	for (size_t i = 0; i < profile->threads_n; i++) {
		const struct watched_thread *thread = &profile->threads[i];
		member_object(json, NULL);
		member_signed(json, "tid", thread->tid);
		member_text(json, "name", thread->name);
		member_unsigned(json, "first_ns", thread->first_ns);
		member_unsigned(json, "last_ns", thread->last_ns);
		member_unsigned(json, "run_ns", thread->run_ns);
		member_object(json, "in_state");
		for (enum task_state state = 0; state < TASK_STATES; state++)
			member_unsigned(json, task_state_text(state), thread->in_state[state]);
		member_end(json);
		member_end(json);
	}
	member_end(json);
}

static void put_frame(struct json_text *json, const struct samples *samples, size_t at, enum frame_how how)
{
	const struct place *place = &samples->profile->places[at];
	member_object(json, NULL);
	member_address(json, "pc", place->pc);
	if (place->end) {
		member_text(json, "end", unwind_end_text((enum unwind_end)(place->end - 1)));
	} else {
		member_bool(json, "exact", place->exact);
		member_text(json, "how", frame_how_text(how));
		if (place->function) {
			member_text(json, "function", place->function);
			member_text(json, "demangled", samples->function[samples->function_of[at]].label);
		} else {
			member_text(json, "token", samples->function[samples->function_of[at]].label);
		}
		member_text(json, "module", place->module);
		member_text(json, "path", place->path);
		member_text(json, "build_id", place->build_id);
		member_address(json, "vaddr", place->vaddr);
		member_address(json, "offset", place->offset);
	}
	member_end(json);
}

static void refer(struct numbers *numbers, const struct profile *profile, uint32_t stack)
{
	if (stack < profile->nodes_n)
		numbers->stack_of[stack] = 1;
}

static uint32_t *frame_of(const struct numbers *numbers, const struct profile *profile, const struct stack_node *node)
{
	return node->place < profile->places_n && node->how < HOWS ? &numbers->frame_of[(size_t)node->place * HOWS + node->how] : NULL;
}

static void put_frames(struct json_text *json, const struct samples *samples, struct numbers *numbers)
{
	const struct profile *profile = samples->profile;
	uint32_t frames = 0;
	member_array(json, "frames");
	for (size_t i = 0; i < profile->nodes_n; i++) {
		uint32_t *frame = frame_of(numbers, profile, &profile->nodes[i]);
		if (!frame || *frame)
			continue;
		*frame = ++frames;
		put_frame(json, samples, profile->nodes[i].place, (enum frame_how)profile->nodes[i].how);
	}
	member_end(json);
}

static void put_stacks(struct json_text *json, const struct profile *profile, struct numbers *numbers)
{
	uint32_t stacks = 0;
	member_array(json, "stacks");
	for (size_t i = 0; i < profile->nodes_n; i++) {
		const char *before = "";
		if (!numbers->stack_of[i])
			continue;
		numbers->stack_of[i] = ++stacks;
		member_array(json, NULL);
		for (size_t at = i, steps = 0; at < profile->nodes_n && steps < profile->nodes_n; at = profile->nodes[at].parent, steps++) {
			const uint32_t *frame = frame_of(numbers, profile, &profile->nodes[at]);
			file_text(json->file, before);
			file_unsigned(json->file, frame ? *frame - 1 : 0);
			before = ",";
		}
		member_end(json);
	}
	member_end(json);
}

static void put_doing(struct json_text *json, const struct profile *profile, const struct numbers *numbers, uint8_t state, int32_t call,
		      uint32_t stack)
{
	char text[64];
	member_text(json, "state", task_state_text((enum task_state)state));
	if (call >= 0) {
		member_signed(json, "call", call);
		member_text(json, "syscall", task_syscall_name(call, text, sizeof text));
	}
	if (stack < profile->nodes_n)
		member_unsigned(json, "stack", numbers->stack_of[stack] - 1);
}

static void put_buckets(struct json_text *json, const struct profile *profile, const struct numbers *numbers)
{
	member_array(json, "buckets");
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *bucket = &profile->buckets[i];
		if (!bucket->samples)
			continue;
		member_object(json, NULL);
		member_unsigned(json, "thread", bucket->thread);
		put_doing(json, profile, numbers, bucket->state, bucket->call, bucket->stack);
		member_unsigned(json, "samples", bucket->samples);
		member_end(json);
	}
	member_end(json);
}

static void put_stretches(struct json_text *json, const struct profile *profile, const struct numbers *numbers)
{
	member_array(json, "stretches");
	for (size_t i = 0; i < profile->stretches_n; i++) {
		const struct stretch *stretch = &profile->stretches[i];
		member_object(json, NULL);
		member_unsigned(json, "thread", stretch->thread);
		member_unsigned(json, "from_ns", stretch->from_ns);
		member_unsigned(json, "to_ns", stretch->to_ns);
		put_doing(json, profile, numbers, stretch->state, stretch->call, stretch->stack);
		member_unsigned(json, "samples", stretch->samples);
		member_end(json);
	}
	member_end(json);
}

static void put_all(struct json_text *json, const struct samples *samples, struct numbers *numbers)
{
	const struct profile *profile = samples->profile;
	for (size_t i = 0; i < profile->buckets_n; i++)
		refer(numbers, profile, profile->buckets[i].stack);
	for (size_t i = 0; i < profile->stretches_n; i++)
		refer(numbers, profile, profile->stretches[i].stack);
	member_object(json, NULL);
	put_head(json, profile);
	put_threads(json, profile);
	put_frames(json, samples, numbers);
	put_stacks(json, profile, numbers);
	put_buckets(json, profile, numbers);
	put_stretches(json, profile, numbers);
	member_end(json);
}

int samples_json(struct samples *samples, struct err *err)
{
	const struct profile *profile = samples->profile;
	struct json_text json = { .file = samples->file, .dense = true };
	struct numbers numbers = { samples_array(profile->places_n * HOWS, sizeof *numbers.frame_of, err),
				   samples_array(profile->nodes_n, sizeof *numbers.stack_of, err) };
	int rc = numbers.frame_of && numbers.stack_of ? 0 : -1;
	if (rc == 0)
		put_all(&json, samples, &numbers);
	free(numbers.frame_of);
	free(numbers.stack_of);
	return rc;
}
