// SPDX-License-Identifier: MIT
/* From a stack's number to functions. */
#include <stdio.h>
#include <string.h>

#include "collect.h"

#define LONGEST 2000    /* batches */

struct stack {
	unsigned n, ends;
	char functions[4096];   /* " inner middle outer " */
	char top_module[64], top_path[256];
	bool has_build_id;
	unsigned until;         /* end it after so many; 0: never */
};

static int add(void *ctx, const struct roclatch_frame *frame)
{
	struct stack *stack = ctx;
	size_t used = strlen(stack->functions);

	snprintf(stack->functions + used, sizeof(stack->functions) - used, "%s ", frame->function);
	stack->ends += frame->how == ROCLATCH_FRAME_END;
	stack->has_build_id |= frame->build_id[0] != 0;
	if (!stack->n++) {
		snprintf(stack->top_module, sizeof(stack->top_module), "%s", frame->module);
		snprintf(stack->top_path, sizeof(stack->top_path), "%s", frame->path);
		check(frame->how == ROCLATCH_FRAME_TOP, "the first frame is of kind %d", frame->how);
	}
	return stack->n == stack->until ? 9 : 0;
}

static void sample(pid_t pid, int stacks, const char *name, struct roclatch_sampler **sampler, struct collected *collected,
		   uint32_t *stack)
{
	const struct roclatch_sampler_options options = {
		.size = sizeof(options), .rate = 100, .stacks = stacks, .batch = collect_batch, .ended = collect_end, .ctx = collected };
	struct roclatch_error error;

	*stack = ROCLATCH_NO_STACK;
	*sampler = roclatch_sampler_open(pid, &options, &error);
	works(*sampler ? 0 : -1);
	/* one that waits for a CPU may not stop in time: until it does once */
	for (unsigned n = 5; n < LONGEST && *stack == ROCLATCH_NO_STACK; n += 5) {
		works(roclatch_sampler_start(*sampler, &error));
		if (collected_batches(collected, n) < n)
			break;
		works(roclatch_sampler_stop(*sampler, &error));
		for (size_t i = 0; i < collected->n; i++)
			if (!strcmp(collected->sample[i].name, name) && collected->sample[i].stack != ROCLATCH_NO_STACK)
				*stack = collected->sample[i].stack;
	}
	check(*stack != ROCLATCH_NO_STACK, "%s has no stack", name);
}

static void of_a_blocked_one(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler;
	struct roclatch_error error;
	struct stack all = { .n = 0 }, two = { .until = 2 };
	uint32_t stack;

	sample(app.pid, ROCLATCH_STACKS_BLOCKED, "reader", &sampler, collected, &stack);
	works(roclatch_sampler_frames(sampler, stack, add, &all, &error));
	check(strstr(all.functions, "watched_inner watched_middle watched_outer "), "its functions are %s", all.functions);
	check(strstr(all.top_module, is_for_musl() ? "musl" : "libc.so.6"), "its top is in %s", all.top_module);
	check(strstr(all.top_path, all.top_module), "the path is %s", all.top_path);
	equal(9, roclatch_sampler_frames(sampler, stack, add, &two, &error));
	equal(2, two.n);
	fails(ROCLATCH_USAGE, roclatch_sampler_frames(sampler, ROCLATCH_NO_STACK, add, &two, &error));
	fails(ROCLATCH_USAGE, roclatch_sampler_frames(sampler, 0x7fffffff, add, &two, &error));
	app_is_well(&app);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

static void of_a_running_one(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler;
	struct roclatch_counts counts = { .size = sizeof(counts) };
	struct roclatch_error error;
	struct stack all = { .n = 0 };
	uint32_t stack;

	sample(app.pid, ROCLATCH_STACKS_ALL, "spinner", &sampler, collected, &stack);
	works(roclatch_sampler_frames(sampler, stack, add, &all, &error));
	check(strstr(all.functions, "watched_spins "), "its functions are %s", all.functions);
	works(roclatch_sampler_count(sampler, &counts, &error));
	check(counts.by_stop + counts.by_perf, "none was taken of a running thread");
	app_is_well(&app);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

static void none(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	const struct roclatch_sampler_options options = {
		.size = sizeof(options), .rate = 100, .stacks = ROCLATCH_STACKS_NONE, .batch = collect_batch, .ctx = collected };
	struct roclatch_error error;
	struct roclatch_sampler *sampler = roclatch_sampler_open(app.pid, &options, &error);

	works(sampler ? 0 : -1);
	works(roclatch_sampler_start(sampler, &error));
	collected_batches(collected, 5);
	sampler_gone(sampler);
	check(collected->n, "no samples came");
	for (size_t i = 0; i < collected->n; i++)
		check(collected->sample[i].stack == ROCLATCH_NO_STACK, "there is a stack");
	collected_free(collected);
	app_end(&app);
}

void test_frames(void)
{
	test("the stack of a blocked thread has its functions", of_a_blocked_one);
	test("the stack of a running thread has its functions, if that is asked for", of_a_running_one);
	test("no stacks are taken if none are asked for", none);
}
