/* SPDX-License-Identifier: MIT */
/* The sample ROCm program (tests/rocm/app.h) with the tool library in it, and the folder that its logs are in. */
#ifndef ROCLATCH_TESTS_TOOL_APP_H
#define ROCLATCH_TESTS_TOOL_APP_H

#include <stdbool.h>
#include <sys/types.h>

#include "fixtures/record.h"
#include "rocp/tool_abi.h"

struct app {
	pid_t pid;
	int wake;
	struct record *record;
	char folder[64];
};
extern const char *fixtures;

/* libraries: LD_LIBRARY_PATH in root-rocm, "lib" or another SDK before it.  more: a variable, or NULL. */
struct app app_start(const char *libraries, bool for_attach, const char *more);
/* An order and its answer. */
const char *app_ask(const struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same; the answer must be this. */
void app_does(const struct app *app, const char *answer, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void app_order(const struct app *app, const char *order);      /* without waiting for the answer */
const char *app_answer(const struct app *app);
/* Everything the tool can record, and more variables; the log is folder/NAME. */
void app_attach(const struct app *app, const char *name, const char *variables);
/* Still computing, rightly. */
void app_is_well(const struct app *app);
void app_end(struct app *app);
void nap_ms(long ms);

/* The tool's status, read from outside. */
struct tool_status status_of(pid_t pid);
/* How many threads of this name there are; NULL: all. */
unsigned threads_of(pid_t pid, const char *name);
/* How many descriptors of the process are files with this ending. */
unsigned open_files(pid_t pid, const char *ending);

/* truth.c: every log of the folder (comma-separated names) together has what the stand-in delivered, all of it
 * and nothing else.  Answers the number of events. */
unsigned long same_as_truth(const struct app *app, const char *logs);

#endif
