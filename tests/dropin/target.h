/* SPDX-License-Identifier: MIT */
/* Processes to attach to, and what can be seen of them. */
#ifndef ROCLATCH_TESTS_DROPIN_TARGET_H
#define ROCLATCH_TESTS_DROPIN_TARGET_H

#include <sys/types.h>

#include "fixtures/record.h"

/* The folder with all roots; to be set first. */
extern const char *fixtures;

struct app {
	pid_t pid;
	int wake;
	struct record *record;
	char output[64];        /* where the tool writes what it sees */
};
/* A program of a root that keeps such a record. */
struct app program_start(const char *root, char **argv, char **variables);
/* The sample ROCm program; NULL environment: started for attachment. */
struct app app_start(const char *environment);
/* Tell it something and read its answer. */
const char *app_ask(const struct app *app, const char *order);
/* It works, nobody traces it, and no check of its own has failed. */
void app_is_well(const struct app *app);
void app_end(struct app *app);
/* How often a line with this word is in what the tool wrote for a process. */
unsigned tool_saw(const struct app *app, pid_t pid, const char *word);
/* A program that knows nothing of ROCm. */
pid_t plain_start(void);
/* End and forget a child. */
void child_end(pid_t pid);

#endif
