/* SPDX-License-Identifier: MIT */
/*
 * A program that loads the drop-in libraries as others would, built for each C
 * library: dropin-host LIBRARIES FIXTURES LABEL.  Every test prints a line.
 */
#ifndef ROCLATCH_TESTS_DROPIN_HOST_H
#define ROCLATCH_TESTS_DROPIN_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fixtures/record.h"
#include "rocprofiler-sdk-rocattach/rocattach.h"

/* ---- host.c ---- */
/* The functions, as dlsym finds them. */
extern struct functions {
	rocattach_status_t (*get_version)(uint32_t *, uint32_t *, uint32_t *);
	rocattach_status_t (*get_version_triplet)(rocattach_version_triplet_t *);
	const char *(*get_status_name)(rocattach_status_t);
	const char *(*get_status_string)(rocattach_status_t);
	rocattach_status_t (*attach)(int), (*detach)(int), (*attach_tree)(int), (*detach_tree)(int);
	int (*old_attach)(uint32_t), (*old_detach)(int);
} api;
extern const char *fixtures;

void test(const char *sentence, void (*run)(void));
/* Not possible here, for this reason. */
void skip(const char *why);
bool is_for_musl(void);
/* A copy of this program, run by another user with the rights of ours, and one test of it; its exit status. */
int run_set_user_id(const char *sentence);
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define check(condition, ...) do { if (!(condition)) fail(__VA_ARGS__); } while (0)
#define equal(expected, got) expect_number(__FILE__, __LINE__, #got, expected, (long)(got))
void expect_number(const char *file, int line, const char *what, long expected, long got);

/* ---- target.c: processes to attach to ---- */
struct app {
	pid_t pid;
	int wake;
	struct record *record;
	char output[64];        /* where the tool writes what it sees */
};
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

void test_interface(void);
void test_refusals(void);
void test_manners(void);
void test_attachment(void);
void test_many(void);
void test_rights(void);

#endif
