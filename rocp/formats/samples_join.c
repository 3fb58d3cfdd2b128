/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"

static int by_text(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int by_stack(const struct sampled_stack *a, const struct sampled_stack *b)
{
	return a->path != b->path ? (a->path < b->path ? -1 : 1) : by_text(a->blocked, b->blocked);
}

static int by_thread(const struct sampled_stack *a, const struct sampled_stack *b)
{
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int same_first(const void *left, const void *right)
{
	int order = by_thread(left, right);
	return order ? order : by_stack(left, right);
}

static int same_stack_first(const void *left, const void *right)
{
	int order = by_stack(left, right);
	return order ? order : by_thread(left, right);
}

static int heavy_first(const void *left, const void *right)
{
	const struct sampled_stack *a = left, *b = right;
	int order = by_thread(a, b);
	if (order)
		return order;
	return a->samples != b->samples ? (a->samples > b->samples ? -1 : 1) : by_stack(a, b);
}

size_t samples_join(struct sampled_stack *stack, size_t n, bool across_threads)
{
	size_t left = 0;
	if (!n)
		return 0;
	qsort(stack, n, sizeof *stack, across_threads ? same_stack_first : same_first);
	for (size_t i = 1; i < n; i++) {
		if (by_stack(&stack[left], &stack[i]) == 0 && (across_threads || stack[left].thread == stack[i].thread))
			stack[left].samples += stack[i].samples;
		else
			stack[++left] = stack[i];
	}
	for (size_t i = 0; across_threads && i <= left; i++)
		stack[i].thread = 0;
	qsort(stack, left + 1, sizeof *stack, heavy_first);
	return left + 1;
}
