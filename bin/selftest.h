/* SPDX-License-Identifier: MIT */
/* roclatch selftest: its steps, and what they share.  What a step finds out it asks this very program, as a user would. */
#ifndef ROCLATCH_BIN_SELFTEST_H
#define ROCLATCH_BIN_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "bin/command.h"
#include "rocp/input.h"

enum step_verdict { STEP_YES, STEP_NO, STEP_NOT_HERE };

struct step {
	const char *name;
	enum step_verdict verdict;
	struct err err;         /* its text is what the step says, also with YES */
	FILE *facts;            /* a line each */
	char *text;
	size_t size;
};

/* A process that we have started; it ends with us. */
struct child {
	pid_t pid;              /* 0: none */
	int in, out;            /* its stdin is a pipe that stays open; what it says is a file in memory */
	int status;             /* once it has ended: 128 + n by a signal */
	const char *mark;       /* to be set before: a variable that CHILD_ATTACHABLE adds, as NAME=VALUE */
};

struct selftest {
	const struct settings *settings;
	void *arena;            /* of answers */
	char folder[256];       /* for all that is made meanwhile; "": not there yet */
	bool gpu;               /* is there one that we may use? */
	char gfx[64];           /* its name, if all are of one kind */
	const char *command;    /* for the shell, or the sample's path; NULL: none */
	bool sample;            /* it is rocp/sample.hip, which counts */
	bool late;              /* it can be attached late only */
	struct child program;
	char mark[48];          /* by which it is found again behind a shell */
	pid_t pid;              /* to be attached; 0: not started yet */
	unsigned recordings;
};

/* --- bin/selftest_child.c --- */
#define CHILD_OWN 1             /* this program: what it says on stderr is dropped */
#define CHILD_ATTACHABLE 2      /* with what ROCm needs to be told at the start of a process that is to be attached */
/* words end with NULL, the first is a path.  0 when it has begun to be that program; -1 with err. */
int child_start(struct child *child, const char *const *words, unsigned how, struct err *err);
bool child_lives(struct child *child);
/* Until it has ended: its exit status (128 + n by a signal).  -1: not within the limit, or we are to stop. */
int child_wait(struct child *child, unsigned limit_ms, struct err *err);
/* Told to end, then made to. */
void child_end(struct child *child);
/* The last line that it has said and that begins so, without its end. */
void child_last(const struct child *child, const char *begin, char *line, size_t size);
/* Run this program with these words (the last one is NULL) and read its JSON.  *status is how it ended; err is what it
 * says.  NULL with err: it gave none, or not in time. */
const struct node *ask(struct selftest *selftest, int *status, struct err *err, const char *word, ...);
/* What is called so in it, a number counting from 0 in a list: "targets", "0", "attach".  NULL: none. */
const struct node *answer(const struct node *node, const char *key);
const char *answer_text(const struct node *node, const char *key);      /* "": none */
/* Sleep; false: we are to stop. */
bool pause_ms(unsigned ms);
int stopped(struct err *err);   /* by a signal; -1 */

/* --- the steps: each sets the verdict and what it says --- */
void step_machine(struct selftest *selftest, struct step *step);
void step_rocm(struct selftest *selftest, struct step *step);
void step_core(struct selftest *selftest, struct step *step);
void step_program(struct selftest *selftest, struct step *step);
void step_tool(struct selftest *selftest, struct step *step);
void step_own_tool(struct selftest *selftest, struct step *step);
void step_fact(struct step *step, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The verdict, with text; err must be set before by step_no. */
void step_yes(struct step *step, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void step_no(struct step *step);
void step_not_here(struct step *step, const char *text, const char *remedy);

/* --- bin/selftest_rocm.c --- */
/* The newest file in a folder whose name begins and ends so, by the version in it; false: none. */
bool newest(const char *folder, const char *begin, const char *ending, char *path, size_t size);
/* hipcc or another program of ROCm, or in PATH; false: nowhere. */
bool rocm_program(const char *name, char *path, size_t size);

/* --- bin/selftest_program.c --- */
int program_start(struct selftest *selftest, struct err *err);  /* started, and ready to be attached */
void program_end(struct selftest *selftest);
uint64_t program_count(const struct selftest *selftest);        /* launches so far, as it tells; 0 if it does not */
#define PROGRAM_EVERY 20        /* rocp/sample.hip tells every so many */
#define PROGRAM_KERNEL "roclatch_selftest"

/* --- bin/selftest_records.c --- */
struct records { uint64_t rows, named, odd, first, last; };
/* The table whose file name ends so in a folder, once it is whole: how many rows, how many of these with that kernel,
 * how many end before they begin, and the earliest and latest time.  -1: there is none, or it is no such table. */
int records_read(struct records *records, const char *folder, const char *ending, struct err *err);

#endif
