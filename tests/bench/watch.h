/* SPDX-License-Identifier: MIT */
/* watch: what it costs to look at a process, beside other tools in the same run. */
#ifndef ROCLATCH_TESTS_BENCH_WATCH_H
#define ROCLATCH_TESTS_BENCH_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure.h"

#define WATCHED_MAX 64
#define WATCHED_DEPTH 12        /* calls between a thread's start and its work */

/* ---- watch_target.c: the process that is looked at, this program once more --------------------- */

enum watched_kind { WATCHED_BEATS, WATCHED_SLEEPS, WATCHED_COMPUTES };

/* What its threads show, in memory that both share; a cache line for each, so that they do not disturb each other. */
struct shown {
	_Atomic uint32_t ready;
	struct {
		_Alignas(64) _Atomic uint64_t work;
		_Atomic uint64_t longest_ns;    /* between two looks at the clock, since it was last set to 0 */
	} thread[WATCHED_MAX];
};

struct watched {
	pid_t pid;
	unsigned threads;
	struct shown *shown;
};

int watched_main(char **argv);          /* of the process itself */
int watched_start(struct watched *watched, enum watched_kind kind, unsigned threads);
void watched_end(struct watched *watched);
bool watched_spins(void);               /* have the threads that beat a CPU each? */
uint64_t watched_work(const struct watched *watched);
void watched_forget(struct watched *watched);
double watched_gap_us(const struct watched *watched);   /* the longest of all threads */

/* ---- watch_run.c: the tools -------------------------------------------------------------------- */

#define TOOL_WORDS 24
#define TOOL_PID "PID"

struct tool {
	const char *name;
	const char *who;        /* for the table; NULL: not there */
	const char *argv[TOOL_WORDS];   /* argv[0] is looked for; TOOL_PID becomes the target's */
	bool there;
};

extern const char *roclatch;    /* its path */

void tools_find(struct tool *tools, unsigned n);        /* says which are missing */
pid_t tool_begin(const struct tool *tool, pid_t target, int *out);
bool tool_run(const struct tool *tool, pid_t target, struct ran *ran);
double said_number(const char *said, const char *key);  /* of JSON; -1: not there */

/* ---- the parts --------------------------------------------------------------------------------- */

void bench_gaps(void);          /* watch_gaps.c */
void bench_slowdown(void);      /* watch_slowdown.c */
extern unsigned bench_pairs;    /* of windows that it compares */
void bench_cost(void);          /* watch_cost.c: CPU and memory of the sampler */
void bench_list(void);          /* watch_list.c */
void bench_stacks(void);        /* watch_stacks.c */
void bench_wait(void);          /* watch_wait.c */

#endif
