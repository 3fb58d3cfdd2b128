/* SPDX-License-Identifier: MIT */
/* Profiles made by hand: a small one of which every value is known, and a large one. */
#ifndef ROCLATCH_TESTS_MADE_PROFILE_H
#define ROCLATCH_TESTS_MADE_PROFILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "rocp/formats/samples.h"

#define MADE_HOSTILE "</script><script>document.title='broken'</script><!--\"'&;\n\x1b[2J\x01\xff \xe2\x80\xae" "evil"
#define MADE_BUILD_ID "00112233445566778899aabbccddeeff01234567"

struct made {
	struct profile profile;
	char (*text)[64];       /* names that were made */
};

static inline void *made_more(void *array, size_t *n, size_t *room, size_t size)
{
	char **at = array;
	if (*n == *room) {
		*room = *room ? 2 * *room : 64;
		*at = realloc(*at, *room * size);
		if (!*at)
			abort();
	}
	memset(*at + *n * size, 0, size);
	return *at + (*n)++ * size;
}
#define MADE_MORE(made, what) made_more(&(made)->profile.what, &(made)->profile.what##_n, &(made)->profile.what##_room, sizeof *(made)->profile.what)

static inline uint32_t made_thread(struct made *made, pid_t tid, const char *name)
{
	struct watched_thread *thread = MADE_MORE(made, threads);
	thread->tid = tid;
	snprintf(thread->name, sizeof thread->name, "%s", name);
	return (uint32_t)made->profile.threads_n - 1;
}

/* A place: with a function, or without one, or, for an end, neither. */
static inline uint32_t made_place(struct made *made, const char *function, const char *module, uint64_t vaddr, int end)
{
	struct place *place = MADE_MORE(made, places);
	*place = (struct place){ .pc = 0x7f0000000000u + vaddr, .function = function, .module = module, .path = module[0] == '[' ? "" : "/usr/lib/made.so",
		.build_id = module[0] && module[0] != '[' ? MADE_BUILD_ID : "", .vaddr = vaddr, .offset = function ? vaddr & 0xff : vaddr,
		.end = (uint8_t)(end < 0 ? 0 : end + 1) };
	return (uint32_t)made->profile.places_n - 1;
}

static inline uint32_t made_node(struct made *made, uint32_t parent, uint32_t place, enum frame_how how)
{
	struct stack_node *node = MADE_MORE(made, nodes);
	*node = (struct stack_node){ parent, place, (uint8_t)how };
	return (uint32_t)made->profile.nodes_n - 1;
}

static inline void made_bucket(struct made *made, uint32_t thread, enum task_state state, int32_t call, uint32_t stack, uint64_t samples)
{
	struct bucket *bucket = MADE_MORE(made, buckets);
	*bucket = (struct bucket){ thread, stack, (uint8_t)state, call, samples };
	made->profile.threads[thread].in_state[state] += samples;
	made->profile.samples += samples;
	if (stack != NO_STACK) {
		made->profile.stacks_taken += samples;
		made->profile.by_outside += samples;
	}
}

static inline void made_stretch(struct made *made, uint32_t thread, uint64_t from, uint64_t to, enum task_state state, int32_t call,
				uint32_t stack, uint32_t samples)
{
	struct stretch *stretch = MADE_MORE(made, stretches);
	*stretch = (struct stretch){ from, to, thread, stack, (uint8_t)state, call, samples };
}

static inline void made_head(struct made *made, const char *name)
{
	*made = (struct made){ .profile = { .pid = 4711, .rate = 10, .began_real_ns = 1700000000000000000u, .duration_ns = 1000000000u,
					    .ticks = 10, .late = 1 } };
	snprintf(made->profile.name, sizeof made->profile.name, "%s", name);
	snprintf(made->profile.command, sizeof made->profile.command, "./%s --steps 5", name);
}

static inline void made_free(struct made *made)
{
	free(made->profile.nodes);
	free(made->profile.places);
	free(made->profile.threads);
	free(made->profile.buckets);
	free(made->profile.stretches);
	free(made->text);
}

/* Two threads, ten ticks:
 *   solver  main > solve(int) > solve(int) running 4, main > solve(int) running 2, and without a stack running 1;
 *           blocked in futex in main > libc's wait 3
 *   worker  a stack that ends without a table, in a function without a name, blocked in read: 10 */
static inline void made_small(struct made *made, const char *solver, const char *worker)
{
	made_head(made, "solver");
	uint32_t one = made_thread(made, 4711, solver), two = made_thread(made, 4712, worker);
	uint32_t main_at = made_place(made, "main", "solver", 0x1010, -1), solve = made_place(made, "_Z5solvei", "solver", 0x2020, -1);
	uint32_t deeper = made_place(made, "_Z5solvei", "solver", 0x2040, -1), wait = made_place(made, "__futex_wait", "libc.so.6", 0x3030, -1);
	uint32_t unnamed = made_place(made, NULL, "libx.so", 0x1a2b, -1), end = made_place(made, NULL, "", 0, END_NO_TABLE);
	uint32_t root = made_node(made, NO_STACK, main_at, FRAME_CFI), outer = made_node(made, root, solve, FRAME_CFI);
	uint32_t inner = made_node(made, outer, deeper, FRAME_TOP), waits = made_node(made, root, wait, FRAME_TOP);
	uint32_t no_table = made_node(made, NO_STACK, end, FRAME_TOP), reads = made_node(made, no_table, unnamed, FRAME_TOP);
	made_bucket(made, one, TASK_RUNNING, -1, inner, 4);
	made_bucket(made, one, TASK_RUNNING, -1, outer, 2);
	made_bucket(made, one, TASK_RUNNING, -1, NO_STACK, 1);
	made_bucket(made, one, TASK_SLEEPING, SYS_futex, waits, 3);
	made_bucket(made, two, TASK_WAITING, SYS_read, reads, 10);
	made_stretch(made, two, 0, 900000000u, TASK_WAITING, SYS_read, reads, 10);
	made_stretch(made, one, 0, 300000000u, TASK_RUNNING, -1, inner, 4);
	made_stretch(made, one, 400000000u, 500000000u, TASK_RUNNING, -1, outer, 2);
	made_stretch(made, one, 600000000u, 600000000u, TASK_RUNNING, -1, NO_STACK, 1);
	made_stretch(made, one, 700000000u, 900000000u, TASK_SLEEPING, SYS_futex, waits, 3);
	made->profile.threads[one].run_ns = 650000000u;
	made->profile.threads[one].last_ns = made->profile.threads[two].last_ns = 900000000u;
}

/* Many threads and stacks, always the same: each thread goes through stacks of its own and of others. */
static inline void made_large(struct made *made, unsigned threads, unsigned stacks)
{
	enum { FUNCTIONS = 600, DEEP = 24 };
	uint32_t *stack = calloc(stacks + 1, sizeof *stack), seed = 12345;
	made_head(made, "large");
	made->text = calloc(FUNCTIONS, sizeof *made->text);
	if (!stack || !made->text)
		abort();
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		snprintf(made->text[i], sizeof made->text[i], "_ZN6solver4grid9step%05uISt6vectorIdSaIdEEEEvRT_i", i % 100000);
		made_place(made, i % 17 ? made->text[i] : NULL, i % 3 ? "large" : i % 2 ? "libc.so.6" : "libcompute.so.2", 0x1000 + 0x40 * i, -1);
	}
	for (unsigned s = 0; s < stacks; s++) {
		uint32_t node = NO_STACK;
		unsigned depth = 4 + s % DEEP;
		for (unsigned d = 0; d < depth; d++) {
			seed = seed * 1664525u + 1013904223u;
			node = made_node(made, node, d < 3 ? d : (seed >> 8) % FUNCTIONS, d + 1 < depth ? FRAME_CFI : FRAME_TOP);
		}
		stack[s] = node;
	}
	for (unsigned t = 0; t < threads; t++) {
		char name[32];
		snprintf(name, sizeof name, "worker %u", t);
		uint32_t thread = made_thread(made, (pid_t)(5000 + t), name);
		made->profile.threads[thread].run_ns = t * 1000000u;
		for (unsigned k = 0; k < 20; k++) {
			seed = seed * 1664525u + 1013904223u;
			bool runs = (seed >> 9) % 5 == 0;
			uint32_t at = stacks ? stack[(t * 7 + k * 131) % stacks] : NO_STACK;
			enum task_state state = runs ? TASK_RUNNING : (seed >> 12) % 8 ? TASK_SLEEPING : TASK_WAITING;
			int32_t call = runs ? -1 : (seed >> 15) % 2 ? SYS_futex : SYS_read;
			made_bucket(made, thread, state, call, at, 1 + k % 3);
			made_stretch(made, thread, k * 50000000u, k * 50000000u + 40000000u, state, call, at, 1 + k % 3);
		}
	}
	free(stack);
}

#endif
