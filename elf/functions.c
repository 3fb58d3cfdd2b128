/* SPDX-License-Identifier: MIT */
/* The table of functions: put together, put in order, asked. */
#include "elf/functions.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
/* Functions lie in one another rarely and not deep (code that was moved out of its function). */
#define NESTED_MAX 64

char *functions_names(struct functions *functions, size_t size, uint32_t *offset, struct err *err)
{
	size_t need;

	if (__builtin_add_overflow(functions->names_size, size, &need) || ++need > UINT32_MAX) {
		err_set(err, ERR_FAILED, 0, "too many bytes of names");
		return NULL;
	}
	if (need > functions->names_room) {
		size_t room = functions->names_size ? need + need / 4 : need;
		char *names = realloc(functions->names, room);
		if (!names) {
			err_set(err, ERR_FAILED, 0, "out of memory for %zu bytes of names", room);
			return NULL;
		}
		functions->names = names;
		functions->names_room = room;
	}
	char *at = functions->names + functions->names_size;
	*offset = (uint32_t)functions->names_size;
	functions->names_size = need;
	at[size] = '\0';
	return at;
}

int functions_add(struct functions *functions, const struct function *function, struct err *err)
{
	if (functions->n == functions->room) {
		size_t room = functions->room ? functions->room * 2 : 64;
		struct function *v = realloc(functions->v, room * sizeof *v);
		if (!v)
			return err_set(err, ERR_FAILED, 0, "out of memory for %zu functions", room);
		functions->v = v;
		functions->room = room;
	}
	functions->v[functions->n++] = *function;
	functions->sorted = false;
	return 0;
}

/* By one digit of the start; what is equal stays in its order.  False: all are equal, nothing was done. */
static bool sort_by_digit(const struct function *from, struct function *to, size_t n, unsigned shift)
{
	size_t place[DIGITS] = { 0 }, next = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i].start >> shift & (DIGITS - 1)]++;
	if (place[from[0].start >> shift & (DIGITS - 1)] == n)
		return false;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = place[i];
		place[i] = next;
		next += here;
	}
	for (size_t i = 0; i < n; i++)
		to[place[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

static bool sort_by_start(struct functions *functions)
{
	struct function *other = malloc(functions->n * sizeof *other);

	if (!other)
		return false;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct function *from = functions->v;
		if (!sort_by_digit(from, other, functions->n, shift))
			continue;
		functions->v = other;
		other = from;
		functions->room = functions->n;
	}
	free(other);
	return true;
}

/* Of aliases the name for people has fewer underscores before it. */
static bool is_better(const struct functions *functions, const struct function *a, const struct function *b)
{
	const char *x = functions->names + a->name, *y = functions->names + b->name;

	if (functions->last_counts)
		return true;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	return strspn(x, "_") < strspn(y, "_");
}

static void fold(const struct functions *functions, struct function *into, const struct function *same)
{
	bool sized = into->rank & FUNCTION_SIZED & same->rank;
	uint64_t longest = into->size > same->size ? into->size : same->size;

	if (is_better(functions, same, into))
		*into = *same;
	if (sized && !functions->last_counts)
		into->size = longest;
}

/* One for each start; and none without a size in the middle of one that has. */
static void keep_best(struct functions *functions)
{
	struct function *v = functions->v;
	uint64_t covered = 0;
	size_t kept = 0;

	for (size_t i = 0, next; i < functions->n; i = next) {
		struct function best = v[i];
		for (next = i + 1; next < functions->n && v[next].start == best.start; next++)
			fold(functions, &best, &v[next]);
		if (!(best.rank & FUNCTION_SIZED) && best.start < covered)
			continue;
		if (best.rank & FUNCTION_SIZED && best.start + best.size > covered)
			covered = best.start + best.size;
		v[kept++] = best;
	}
	functions->n = kept;
}

static void cut_at_next(struct functions *functions)
{
	for (size_t i = 0; i + 1 < functions->n; i++) {
		struct function *function = &functions->v[i];
		uint64_t room = function[1].start - function->start;
		if (!(function->rank & FUNCTION_SIZED) && function->size > room)
			function->size = room;
	}
}

static bool put_in_order(struct functions *functions)
{
	if (functions->sorted || functions->n == 0)
		return true;
	if (!sort_by_start(functions))
		return false;
	keep_best(functions);
	cut_at_next(functions);
	functions->sorted = true;
	return true;
}

const struct function *functions_find(struct functions *functions, uint64_t vaddr)
{
	if (!put_in_order(functions))
		return NULL;
	size_t low = 0, high = functions->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (functions->v[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t back = 0; back < NESTED_MAX && back < low; back++) {
		const struct function *function = &functions->v[low - 1 - back];
		if (vaddr - function->start < function->size)
			return function;
	}
	return NULL;
}

const char *functions_at(struct functions *functions, uint64_t vaddr, uint64_t *offset)
{
	const struct function *function = functions_find(functions, vaddr);

	*offset = function ? vaddr - function->start : 0;
	return function ? functions->names + function->name : NULL;
}

void functions_free(struct functions *functions)
{
	free(functions->v);
	free(functions->names);
	memset(functions, 0, sizeof *functions);
}
