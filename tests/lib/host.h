/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the public library as others would, built for each C library:
 * lib-host LIBRARIES FIXTURES LABEL [FILTER].  Every test prints a line.
 */
#ifndef ROCLATCH_TESTS_LIB_HOST_H
#define ROCLATCH_TESTS_LIB_HOST_H

#include <roclatch.h>

#include "dropin/report.h"
#include "dropin/state.h"
#include "dropin/target.h"

/* The call must have worked, or failed with this status and a text; each call gets an error of its own. */
#define works(call) worked(__FILE__, __LINE__, #call, call, &error)
#define fails(expected, call) failed_with(__FILE__, __LINE__, #call, expected, call, &error)
void worked(const char *file, int line, const char *what, long answer, const struct roclatch_error *error);
void failed_with(const char *file, int line, const char *what, int expected, long answer, const struct roclatch_error *error);

/* tests/fixtures/watched.c: its threads do what their names say. */
#define WATCHED_THREADS 7
struct app watched_start(void);
/* One that becomes another program when its record says wake. */
struct app watched_start_to_exec(void);

void test_list(void);
void test_check(void);
void test_attachment(void);
void test_sampler(void);
void test_sampler_ends(void);
void test_sampler_threads(void);
void test_frames(void);
void test_ring(void);

#endif
