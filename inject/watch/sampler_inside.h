/* SPDX-License-Identifier: MIT */
/* What the parts of the sampler share. */
#ifndef ROCLATCH_INJECT_WATCH_SAMPLER_INSIDE_H
#define ROCLATCH_INJECT_WATCH_SAMPLER_INSIDE_H

#include "inject/watch/perf.h"
#include "inject/watch/sampler.h"

#define SAMPLER_STOPS 8                 /* per tick, unless told otherwise */

/* What is remembered of one thread from tick to tick (task.user). */
struct followed {
	uint32_t thread;        /* in the profile */
	uint32_t stack;         /* its last one */
	raddr stack_end;        /* where it was found when the mappings did not tell */
	bool never_stop;        /* it might notice */
	uint64_t first_run_ns;
	struct perf_ring ring;
};

struct sampler {
	struct sampler_options options;
	pid_t pid;
	uint64_t start_time;
	struct tasks tasks;
	struct profile profile;
	struct images *images;  /* NULL: it may not be read */
	struct memory *memory;
	struct unwinder *unwinder;
	struct stack_copy copy;
	struct frame *frames;
	struct perf perf;
	bool by_perf;           /* else by stops */
	uint64_t period_ns, begin_ns, next_ns;
	uint64_t renew_from_ns; /* mappings may be read anew then */
	unsigned renewed;       /* how often they were */
	size_t turn;            /* where the next round of stops begins */
	unsigned refusals;      /* of stops, one behind another */
	struct sample *samples;
	size_t samples_room;
};

/* Stacks of one tick, after tasks_tick: brings `stack` of all that are followed up to date. */
void sampler_stacks(struct sampler *sampler);

#endif
