/* SPDX-License-Identifier: MIT */
/* What the parts of the sampler share. */
#ifndef ROCLATCH_INJECT_WATCH_SAMPLER_INSIDE_H
#define ROCLATCH_INJECT_WATCH_SAMPLER_INSIDE_H

#include "inject/watch/perf.h"
#include "inject/watch/sampler.h"

#define SAMPLER_STOPS 8                 /* per tick, unless told otherwise */
#define SAMPLER_PERF 2                  /* samples of perf in a period: the nearest is a quarter of it away at most */

/* What is remembered of one thread from tick to tick (task.user). */
struct followed {
	uint32_t thread;        /* in the profile */
	uint32_t stack;         /* its last one */
	raddr stack_end;        /* where it was found when the mappings did not tell */
	bool never_stop;        /* it might notice */
	uint64_t first_run_ns;
	struct sample last;     /* what the last tick saw; TASK_GONE: nothing yet */
	struct sample blocked;  /* when it was last blocked; TASK_GONE: never */
	int64_t woken_ns;       /* time that it waited for a CPU when woken, less what was seen of that */
	/* of the present stretch of running */
	uint32_t running;       /* the last stack in it, and when that was taken */
	uint64_t running_ns;
	bool open;              /* this tick's sample gets the next one */
	uint64_t owed;          /* samples that wait for it */
	bool stop_tried;        /* in this tick */
	bool was_woken;         /* at the last tick */
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
	uint64_t weight;        /* of this tick's samples: itself and what was left out just before */
	uint64_t weight_before; /* what was left out just behind the tick before */
	unsigned renewed;       /* how often they were */
	size_t turn[2];         /* where the next round of stops begins */
	unsigned refusals;      /* of stops, one behind another */
	struct sample *samples;
	size_t samples_room;
};

/* What is left out before a thread's first look has no other to stand for it. */
static inline uint64_t sampler_weight(const struct sampler *sampler, const struct task *task)
{
	return task->is_new ? 1 : sampler->weight;
}

/* Stacks of one tick, after tasks_tick: brings `stack` of all that are followed up to date. */
void sampler_stacks(struct sampler *sampler);

/* The samples of the tick before go on for what was left out behind it; after tasks_tick. */
int sampler_go_on(struct sampler *sampler, struct err *err);
/* Those of this tick. */
int sampler_record(struct sampler *sampler, uint64_t time_ns, struct err *err);

#endif
