/* SPDX-License-Identifier: MIT */
/*
 * Looking at a process again and again.  One object, one loop in the caller's hands: sampler_wait says
 * when the next look is due, sampler_tick takes it; what was seen goes to the profile, and each tick to
 * a callback for those who want it raw.
 */
#ifndef ROCLATCH_INJECT_WATCH_SAMPLER_H
#define ROCLATCH_INJECT_WATCH_SAMPLER_H

#include "inject/watch/profile.h"

enum sample_stacks {
	STACKS_BLOCKED,         /* of blocked threads, from outside: nothing is ever stopped */
	STACKS_ALL,             /* and of running ones: perf, else short stops */
	STACKS_NONE,
};

/* One thread in one tick, for the callback. */
struct sample {
	uint64_t time_ns;       /* since the begin */
	uint32_t thread, stack; /* in the profile */
	enum task_state state;
	int32_t call;
	bool changed;           /* since the tick before */
};

struct sampler_options {
	double rate;            /* per second: 0.1 to 1000 */
	enum sample_stacks stacks;
	unsigned stops_max;     /* per tick, for STACKS_ALL without perf; 0: the default */
	bool no_perf;           /* STACKS_ALL by stops alone */
	bool no_profile;        /* the callback only */
	void (*batch)(void *ctx, const struct sample *samples, size_t n);       /* each tick; may be NULL */
	void *ctx;
};

struct sampler;

/* Reads only.  A process that may be listed but not read (another user's) is sampled without system calls
 * and stacks: the profile says why.  images may be NULL then; else they outlive the sampler. */
struct sampler *sampler_open(pid_t pid, struct images *images, const struct sampler_options *options,
			     struct err *err);
void sampler_close(struct sampler *sampler);

/* From now on at another rate, or at the same after a pause: the next tick is due at once, and none was
 * dropped until then. */
int sampler_set_rate(struct sampler *sampler, double rate, struct err *err);

/* The calling thread is to tick: it asks the scheduler for short turns, which come sooner after it wakes (Linux 6.12 and
 * newer), and to come before others, which only the privileged get.  A look that is late sees too much of the moment when
 * a CPU became free. */
void sampler_short_turns(void);
/* When the next tick is due (CLOCK_MONOTONIC). */
uint64_t sampler_next_ns(const struct sampler *sampler);
/* Take it.  Ticks that passed meanwhile are dropped and counted.  0, or -1: ERR_TARGET_EXITED (it has
 * exited, or become another program by exec), ERR_FAILED. */
int sampler_tick(struct sampler *sampler, struct err *err);
/* How running threads' stacks are had: "perf", "stops", "" */
const char *sampler_way(const struct sampler *sampler);
/* How often the images have been opened anew, as code was met that was not there before: what was learned
 * of them (a naming) is void then. */
unsigned sampler_renewed(const struct sampler *sampler);
struct profile *sampler_profile(struct sampler *sampler);
const struct tasks *sampler_tasks(const struct sampler *sampler);

#endif
