/* SPDX-License-Identifier: MIT */
/* What was sampled, in a few lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bin/sample.h"
#include "rocp/formats/samples.h"

#define HOTTEST 10

/* A function, as one of its places. */
struct heat {
	const struct place *place;
	uint64_t self, total;
	uint32_t counted;       /* the bucket that was counted last: recursion counts once */
};

struct heats {
	struct heat *v;
	size_t n;
	uint32_t *of_place;     /* + 1 */
	struct idmap by_name;
};

static uint64_t key_of(const struct profile *profile, uint32_t place)
{
	const struct place *p = &profile->places[place];
	return p->function ? (uintptr_t)p->function : idmap_mix(place, p->pc);
}

/* NULL: no memory. */
static struct heat *heat_of(struct heats *heats, const struct profile *profile, uint32_t place)
{
	uint64_t found, key = key_of(profile, place);
	if (heats->of_place[place])
		return &heats->v[heats->of_place[place] - 1];
	if (!idmap_get(&heats->by_name, key, &found)) {
		found = heats->n;
		if (idmap_set(&heats->by_name, key, found) < 0)
			return NULL;
		heats->v[heats->n++] = (struct heat){ .place = &profile->places[place], .counted = UINT32_MAX };
	}
	heats->of_place[place] = (uint32_t)found + 1;
	return &heats->v[found];
}

static void count(struct heats *heats, const struct profile *profile, uint32_t bucket)
{
	const struct bucket *b = &profile->buckets[bucket];
	for (uint32_t at = b->stack; at != NO_STACK && at < profile->nodes_n; at = profile->nodes[at].parent) {
		struct heat *heat = profile->places[profile->nodes[at].place].end ? NULL :
			heat_of(heats, profile, profile->nodes[at].place);
		if (!heat)
			continue;
		if (at == b->stack)
			heat->self += b->samples;
		if (heat->counted != bucket)
			heat->total += b->samples;
		heat->counted = bucket;
	}
}

static int hotter(const void *x, const void *y)
{
	const struct heat *a = x, *b = y;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return (a->total < b->total) - (a->total > b->total);
}

static void put_hottest(struct output *out, const struct profile *profile)
{
	struct heats heats = { .v = calloc(profile->places_n, sizeof *heats.v),
			       .of_place = calloc(profile->places_n, sizeof *heats.of_place) };
	for (size_t i = 0; heats.v && heats.of_place && i < profile->buckets_n; i++)
		count(&heats, profile, (uint32_t)i);
	if (heats.n) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): without memory nothing is counted */
		qsort(heats.v, heats.n, sizeof *heats.v, hotter);
		output_note(out, "  self   total  function");
	}
	for (size_t i = 0; i < heats.n && i < HOTTEST; i++) {
		char text[512];
		samples_place_text(heats.v[i].place, text, sizeof text);
		output_note(out, "%5.1f %%  %5.1f %%  %s", 100.0 * (double)heats.v[i].self / (double)profile->samples,
			    100.0 * (double)heats.v[i].total / (double)profile->samples, text);
	}
	free(heats.v);
	free(heats.of_place);
	idmap_free(&heats.by_name);
}

static void put_states(struct output *out, const struct profile *profile)
{
	uint64_t in_state[TASK_STATES] = { 0 };
	char text[256] = "";
	size_t used = 0;
	for (size_t i = 0; i < profile->threads_n; i++)
		for (unsigned state = 0; state < TASK_STATES; state++)
			in_state[state] += profile->threads[i].in_state[state];
	for (unsigned state = 0; state < TASK_STATES; state++)
		if (in_state[state] && used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1f %%", used ? ", " : "",
						 task_state_text((enum task_state)state),
						 100.0 * (double)in_state[state] / (double)profile->samples);
	output_note(out, "threads: %s", text);
}

static void put_stacks(struct output *out, const struct profile *profile)
{
	char stops[64] = "";
	if (profile->by_stop)
		snprintf(stops, sizeof stops, " (the longest %" PRIu64 " us)", (profile->stop_longest_ns + 999) / 1000);
	if (profile->stacks_taken || profile->stacks_missed)
		output_note(out, "stacks: %s from outside, %s by perf events, %s by stops%s; %s missed",
			    count_text(profile->by_outside), count_text(profile->by_perf), count_text(profile->by_stop), stops,
			    count_text(profile->stacks_missed));
	if (profile->why_no_stacks[0])
		output_note(out, "no stacks: %s", profile->why_no_stacks);
}

void sample_summary(struct output *out, struct watched *watched, const struct profile *profile)
{
	const struct target *target = &watched->target;
	output_note(out, "%d (%s): %s samples of %s thread%s in %.1f s, %s looks, %s of them late, %s left out", (int)target->pid,
		    target->status.name, count_text(profile->samples), count_text(profile->threads_n), profile->threads_n == 1 ? "" : "s",
		    (double)profile->duration_ns / 1e9, count_text(profile->ticks), count_text(profile->late),
		    count_text(profile->dropped));
	if (!profile->samples)
		return;
	put_states(out, profile);
	put_stacks(out, profile);
	if (profile->places_n)
		put_hottest(out, profile);
}
