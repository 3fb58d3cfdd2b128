/* SPDX-License-Identifier: MIT */
/* A victim under watch. */
#ifndef ROCLATCH_TESTS_KILL_SUBJECT_H
#define ROCLATCH_TESTS_KILL_SUBJECT_H

#include "layout.h"
#include "victim.h"

#define SUBJECT_LIMIT_MS 10000          /* for all that should take milliseconds */
extern unsigned subject_patience;       /* so many times that: a thread naps a thousand times, in an emulated machine for long */

struct subject {
	pid_t pid;                      /* 0: there is none */
	const char *state;              /* "spinning" or "blocked" */
	struct victim *shown;
	struct layout before;
	uint64_t slowest_ns;            /* the longest recovery seen */
};

/* Starts folder/kill-victim.  0, or -1 with errno. */
int subject_start(struct subject *s, const char *folder, const char *state);
void subject_end(struct subject *s);

/* Take the present layout as the one to come back to. */
void subject_settle(struct subject *s);

/* Alive, no thread stopped or traced, every thread goes on, and none noticed
 * anything.  Waits for that; false with the reason. */
bool subject_unharmed(struct subject *s, char *why, size_t size);

/* The same without waiting: what can be seen at once. */
bool subject_quiet(struct subject *s, char *why, size_t size);

/* The layout is as it was; wait_ms is how long it may take to become so. */
bool subject_as_before(struct subject *s, unsigned wait_ms, char *why, size_t size);

/* Wait until no thread is there that was not before. */
bool subject_alone(struct subject *s, char *why, size_t size);

#endif
