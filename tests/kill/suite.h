/* SPDX-License-Identifier: MIT */
/* Every system call of roclatch, killed or failed, and what its target makes of it. */
#ifndef ROCLATCH_TESTS_KILL_SUITE_H
#define ROCLATCH_TESTS_KILL_SUITE_H

#include <stdbool.h>

struct suite {
	const char *roclatch;   /* the program */
	const char *fixtures;   /* the folder with root-bookworm/kill-victim */
	unsigned rounds;
	unsigned first;         /* round: the work can be shared among machines and nights */
	unsigned every;         /* 1: at every system call; n: at every n-th, another one each round */
	unsigned within_s;      /* 0, or: leave out points so that all sweeps take about that long */
	unsigned jobs;          /* so many sweeps at a time: they mostly wait */
	bool thorough;          /* also what differs little from the rest */
	unsigned enough;        /* 0, or: a sweep ends with so many bad points */
	const char *only;       /* NULL, or a part of the names to run */
};

/* Prints "ok NAME" or "not ok NAME" for each sweep; 0 if all were ok. */
int suite_run(const struct suite *suite);

#endif
