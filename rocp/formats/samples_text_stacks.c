/* SPDX-License-Identifier: MIT */
/* Of the text for people: where threads are blocked, and the stacks that were seen most. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"

#define BLOCKED_MOST 20u
#define STACKS_MOST 10u
#define FRAMES_MOST 24u
#define CALL_WIDTH 18u

/* Blocked in a call, in a function, on behalf of another module. */
struct blocked {
	const char *call;
	uint32_t inner, caller;         /* functions; NO_STACK: not known */
	uint64_t samples;
};

/* The innermost function of another module than the innermost one: who waits, where the C library does the waiting. */
static uint32_t caller_of(const struct samples *samples, uint32_t path)
{
	const char *module = samples->function[samples->path[path].function].module;
	for (path = samples->path[path].parent; path != NO_STACK; path = samples->path[path].parent) {
		const struct sampled_function *function = &samples->function[samples->path[path].function];
		if (!function->is_end && strcmp(function->module, module))
			return samples->path[path].function;
	}
	return NO_STACK;
}

static int same_place_first(const void *left, const void *right)
{
	const struct blocked *a = left, *b = right;
	int order = strcmp(a->call, b->call);
	if (order)
		return order;
	if (a->inner != b->inner)
		return a->inner < b->inner ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static int heavy_first(const void *left, const void *right)
{
	const struct blocked *a = left, *b = right;
	return a->samples != b->samples ? (a->samples > b->samples ? -1 : 1) : same_place_first(left, right);
}

static size_t join_blocked(struct blocked *blocked, size_t n)
{
	size_t left = 0;
	if (!n)
		return 0;
	qsort(blocked, n, sizeof *blocked, same_place_first);
	for (size_t i = 1; i < n; i++) {
		if (same_place_first(&blocked[left], &blocked[i]) == 0)
			blocked[left].samples += blocked[i].samples;
		else
			blocked[++left] = blocked[i];
	}
	qsort(blocked, left + 1, sizeof *blocked, heavy_first);
	return left + 1;
}

static void put_blocked(const struct samples *samples, const struct blocked *blocked)
{
	char text[2048], call[SHOWN_SIZE(CALL_WIDTH)];
	size_t columns = samples_shown(blocked->call, CALL_WIDTH, call, sizeof call);
	samples_put_share(samples->file, blocked->samples, samples->weight);
	file_format(samples->file, "  %s%*s  ", call, (int)(CALL_WIDTH - columns), "");
	const struct sampled_function *inner = blocked->inner == NO_STACK ? NULL : &samples->function[blocked->inner];
	const struct sampled_function *caller = blocked->caller == NO_STACK ? NULL : &samples->function[blocked->caller];
	if (!inner) {
		file_text(samples->file, "(no stack)\n");
		return;
	}
	columns = samples_shown(inner->label, caller ? 34 : TEXT_WIDTH - 30, text, sizeof text);
	file_text(samples->file, text);
	if (caller) {
		file_text(samples->file, " for ");
		samples_put(samples->file, caller->label, TEXT_WIDTH - 30 - columns - 5);
	}
	file_text(samples->file, "\n");
}

static int put_all_blocked(struct samples *samples, const struct sampled_stack *stack, size_t n, struct err *err)
{
	struct blocked *blocked = samples_array(n, sizeof *blocked, err);
	size_t left = 0;
	if (!blocked)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!stack[i].blocked)
			continue;
		bool has = stack[i].path != NO_STACK;
		blocked[left++] = (struct blocked){ stack[i].blocked, has ? samples->path[stack[i].path].function : NO_STACK,
			has ? caller_of(samples, stack[i].path) : NO_STACK, stack[i].samples };
	}
	left = join_blocked(blocked, left);
	if (left)
		file_format(samples->file, "\n%8s  %-*s  %s\n", "share", (int)CALL_WIDTH, "blocked in", "function");
	for (size_t i = 0; i < left && i < BLOCKED_MOST; i++)
		put_blocked(samples, &blocked[i]);
	if (left > BLOCKED_MOST)
		file_format(samples->file, "%8s  and %zu more\n", "", left - BLOCKED_MOST);
	free(blocked);
	return 0;
}

static void put_stack(const struct samples *samples, const struct sampled_stack *stack)
{
	size_t frames = 0;
	file_text(samples->file, "\n");
	samples_put_share(samples->file, stack->samples, samples->weight);
	file_format(samples->file, "  %" PRIu64 " sample%s, ", stack->samples, stack->samples == 1 ? "" : "s");
	samples_put(samples->file, stack->blocked ? stack->blocked : task_state_text(TASK_RUNNING), 40);
	file_text(samples->file, "\n");
	for (uint32_t at = stack->path; at != NO_STACK; at = samples->path[at].parent, frames++) {
		const struct sampled_function *function = &samples->function[samples->path[at].function];
		char module[SHOWN_SIZE(28)];
		size_t columns = samples_shown(function->module, 28, module, sizeof module);
		if (frames >= FRAMES_MOST)
			continue;
		file_text(samples->file, "            ");
		samples_put(samples->file, function->label, TEXT_WIDTH - 12 - columns - 3);
		if (columns)
			file_format(samples->file, " (%s)", module);
		file_text(samples->file, "\n");
	}
	if (frames > FRAMES_MOST)
		file_format(samples->file, "            and %zu more\n", frames - FRAMES_MOST);
}

static void put_stacks(const struct samples *samples, const struct sampled_stack *stack, size_t n)
{
	size_t told = 0;
	uint64_t without = 0;
	for (size_t i = 0; i < n; i++)
		without += stack[i].path == NO_STACK ? stack[i].samples : 0;
	if (without && samples->weight) {
		file_text(samples->file, "\n");
		samples_put_share(samples->file, without, samples->weight);
		file_format(samples->file, "  %" PRIu64 " sample%s without a stack\n", without, without == 1 ? "" : "s");
	}
	for (size_t i = 0; i < n && told < STACKS_MOST; i++) {
		if (stack[i].path == NO_STACK)
			continue;
		if (!told++)
			file_text(samples->file, "\nstacks that were seen most, innermost first\n");
		put_stack(samples, &stack[i]);
	}
}

int samples_text_stacks(struct samples *samples, struct err *err)
{
	struct sampled_stack *stack = samples_array(samples->stacks, sizeof *stack, err);
	if (!stack)
		return -1;
	memcpy(stack, samples->stack, samples->stacks * sizeof *stack);
	size_t n = samples_join(stack, samples->stacks, true);
	int rc = put_all_blocked(samples, stack, n, err);
	if (rc == 0)
		put_stacks(samples, stack, n);
	free(stack);
	return rc;
}
