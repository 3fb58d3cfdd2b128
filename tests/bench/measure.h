/* SPDX-License-Identifier: MIT */
/* What the programs of the bench have in common: clocks, middles, running other programs, and figures for the table. */
#ifndef ROCLATCH_TESTS_BENCH_MEASURE_H
#define ROCLATCH_TESTS_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t clock_ns(void);
void wait_ms(double ms);

/* How often to measure, if it is that often when there is time: fewer with BENCH_QUICK in the environment. */
unsigned times(unsigned often);

/* ---- figures ------------------------------------------------------------------------------------ */

/* A median with half of its 95 % confidence interval (by rank, whatever the distribution), or a mean with two standard
 * errors, or a number that is what it is, with 0. */
struct figure {
	double value, error;
	unsigned runs;
};

struct figure middle(double *values, unsigned n);       /* they are sorted */
struct figure mean(const double *values, unsigned n);
struct figure exactly(double value);

/* "@figure KEY WHO VALUE ERROR RUNS", into the file that BENCH_FIGURES names, else stdout.  Keys are in figures.tsv. */
__attribute__((format(printf, 3, 4)))
void figure_say(const char *who, struct figure figure, const char *key, ...);

/* ---- other programs ------------------------------------------------------------------------------ */

#define PROGRAM_WORDS 4

/*
 * The words to run a program by: its path in PATH, or, of one that was brought along with its libraries, their loader
 * (in the folder that BENCH_PEERS names).  How many; 0: it is not there.  They stay for good.
 */
unsigned program_find(const char *name, const char *words[PROGRAM_WORDS]);

struct ran {
	bool worked;            /* it ended with 0 */
	int status;             /* 128: by a signal */
	double wall_ms, cpu_ms, peak_kib;
	char said[1 << 20];     /* the begin of its stdout */
};

pid_t program_begin(const char *const argv[], int *out);        /* out: a file of no name for its stdout, or NULL */
bool program_finish(pid_t pid, int out, struct ran *ran);       /* wait for its end; wall_ms is the caller's */
bool program_run(const char *const argv[], struct ran *ran);

#endif
