/* SPDX-License-Identifier: MIT */
/* A profile while it is written; for rocp/formats/samples*.c alone. */
#ifndef ROCLATCH_ROCP_FORMATS_SAMPLES_PARTS_H
#define ROCLATCH_ROCP_FORMATS_SAMPLES_PARTS_H

#include "rocp/formats/samples.h"
#include "rocp/trace/texts.h"

/* What frames have in common that people take for one: a function of a module, or the reason of an end. */
struct sampled_function {
	const char *label;      /* as samples_place_text, but of any length */
	const char *module, *path;
	bool is_end;
	uint64_t self, total;   /* samples; a recursive function counts once */
};

/* A caller and a function: a stack by functions, whatever the addresses in them.  Callers come first. */
struct call_path { uint32_t parent, function; };

/* Samples of a thread in one stack by functions, blocked in the same or running. */
struct sampled_stack {
	uint32_t thread, path;          /* NO_STACK: none was taken */
	const char *blocked;            /* as samples_blocked, each text once; NULL: it runs */
	uint64_t samples;
};

struct samples {
	const struct profile *profile;
	struct file *file;
	struct texts texts;
	uint32_t *function_of;          /* by place */
	struct sampled_function *function;
	size_t functions;
	uint32_t *path_of;              /* by node */
	struct call_path *path;
	size_t paths;
	uint64_t weight;                /* samples of all buckets */
	struct sampled_stack *stack;    /* by thread, the heaviest first */
	size_t stacks;
	uint32_t *in_time;              /* stretches by thread and time */
};

int samples_open(struct samples *samples, const struct profile *profile, struct file *file, struct err *err);
void samples_close(struct samples *samples);
void *samples_array(size_t n, size_t size, struct err *err);   /* zeroed, never of nothing; NULL with err */

/* Those that are the same but for their threads (or not even for them) become one; the heaviest of each thread first.
 * Returns how many are left. */
size_t samples_join(struct sampled_stack *stack, size_t n, bool across_threads);

/* A thread of a bucket or stretch; never out of bounds. */
const struct watched_thread *samples_thread(const struct samples *samples, uint32_t thread);
uint32_t samples_path(const struct samples *samples, uint32_t stack);   /* NO_STACK: none */
/* "futex", "sleeping", ...: what a thread that does not run is blocked in; NULL: it runs. */
const char *samples_blocked(uint8_t state, int32_t call, char *text, size_t size);
/* Until when a stretch counts: one period after it was last seen, but not into the next one of its thread. */
uint64_t samples_until(const struct samples *samples, size_t in_time);
double samples_period(const struct profile *profile);   /* in seconds; 0: not known */

/* samples_shown.c: for a terminal and for lines of text: nothing in it steers, and it has at most `width` columns, of
 * which the last tell that it was cut.  Returns the columns. */
#define SHOWN_SIZE(width) (4 * (width) + 4)
size_t samples_shown(const char *text, size_t width, char *out, size_t size);

/* The parts of the text for people. */
#define TEXT_WIDTH 100u
void samples_put(struct file *file, const char *text, size_t width);    /* shown, cut to the width */
void samples_put_share(struct file *file, uint64_t part, uint64_t whole);        /* " 12.3 %", 8 columns */
int samples_text_stacks(struct samples *samples, struct err *err);

int samples_text(struct samples *samples, struct err *err);
int samples_json(struct samples *samples, struct err *err);
int samples_folded(struct samples *samples, struct err *err);
int samples_speedscope(struct samples *samples, struct err *err);
int samples_pftrace(struct samples *samples, struct err *err);
int samples_html(struct samples *samples, struct err *err);

#endif
