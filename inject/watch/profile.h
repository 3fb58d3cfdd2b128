/* SPDX-License-Identifier: MIT */
/*
 * What was sampled: stacks, each kept once, and for each thread how often it was seen in which state
 * with which stack, and its states over time.  Memory grows with what is different, not with time.
 */
#ifndef ROCLATCH_INJECT_WATCH_PROFILE_H
#define ROCLATCH_INJECT_WATCH_PROFILE_H

#include "inject/watch/naming.h"
#include "inject/watch/tasks.h"
#include "inject/watch/unwind.h"

#define NO_STACK UINT32_MAX

/* One call path node: its caller and an address.  A stack is the index of its innermost node. */
struct stack_node {
	uint32_t parent;        /* NO_STACK at the outermost */
	uint32_t place;         /* in places: an address of code */
	uint8_t how;            /* enum frame_how */
};

struct place {
	raddr pc;
	bool exact;
	uint8_t end;            /* enum unwind_end + 1: not code but the reason why a stack goes no further; 0: code */
	/* told by profile_name */
	const char *function;   /* mangled; NULL: not known */
	const char *module, *path, *build_id;
	uint64_t offset, vaddr;
};

/* A stretch of time in which a thread did the same. */
struct stretch {
	uint64_t from_ns, to_ns;        /* since the profile's begin; to: when it was last seen so */
	uint32_t thread;
	uint32_t stack;         /* NO_STACK: none was taken */
	uint8_t state;          /* enum task_state */
	int32_t call;           /* system call number, -1 none or not known */
	uint32_t samples;       /* how often it was looked at meanwhile */
};

struct watched_thread {
	pid_t tid;
	char name[32];
	uint64_t first_ns, last_ns;
	uint64_t in_state[TASK_STATES];         /* samples */
	uint64_t run_ns;        /* CPU time from the first to the last look */
};

/* Samples of one thread with one stack, state and call, summed up. */
struct bucket {
	uint32_t thread, stack;
	uint8_t state;
	int32_t call;
	uint64_t samples;       /* 0: all were moved */
};

struct profile {
	pid_t pid;
	char name[64];
	char command[256];      /* its command line, cut */
	double rate;            /* asked for, per second */
	uint64_t began_real_ns; /* CLOCK_REALTIME at the begin */
	uint64_t duration_ns;
	uint64_t ticks, late, dropped;  /* ticks taken; taken later than half a period; left out */
	uint64_t samples;       /* of threads, all ticks; a tick counts once more for each one left out before it */
	uint64_t stacks_taken;
	uint64_t stacks_missed; /* samples without one: it ran meanwhile, or did not stop in time */
	uint64_t by_outside, by_stop, by_perf;
	uint64_t stop_longest_ns;
	bool stretches_cut;     /* more than could be kept: states over time end there */
	char why_no_stacks[256];        /* "" or why none were taken (permission) */

	struct stack_node *nodes; size_t nodes_n, nodes_room;
	struct place *places; size_t places_n, places_room;
	struct watched_thread *threads; size_t threads_n, threads_room;
	struct bucket *buckets; size_t buckets_n, buckets_room;
	struct stretch *stretches; size_t stretches_n, stretches_room;
	struct profile_index *index;    /* finds nodes, places and buckets again */
};

#define PROFILE_STRETCHES_MAX (1u << 20)
#define PROFILE_NODES_MAX (1u << 22)

int profile_init(struct profile *profile, struct err *err);
void profile_free(struct profile *profile);

/* A stack of frames (innermost first) as an index; NO_STACK if memory or PROFILE_NODES_MAX is out.
 * A stack that ends for another reason than END_OUTERMOST gets a place that tells it. */
uint32_t profile_stack(struct profile *profile, const struct frames *frames);
uint32_t profile_thread(struct profile *profile, pid_t tid, const char *name);
/* `weight` samples (1) of a thread at time_ns since the begin.  -1: no memory. */
int profile_add(struct profile *profile, uint32_t thread, enum task_state state, int32_t call,
		uint32_t stack, uint64_t time_ns, uint64_t weight);

/* Samples turn out to be of another kind (stack, state, call of the same thread) than when they were added: up to
 * from->samples of them.  How many were moved. */
uint64_t profile_move(struct profile *profile, const struct bucket *from, const struct bucket *to);

/* Names for all places, by a naming that must outlive the profile. */
void profile_name(struct profile *profile, struct naming *naming);

#endif
