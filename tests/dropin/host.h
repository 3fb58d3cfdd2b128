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

#include "report.h"
#include "rocprofiler-sdk-rocattach/rocattach.h"
#include "target.h"

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

/* A copy of this program, run by another user with the rights of ours, and one test of it; its exit status. */
int run_set_user_id(const char *sentence);

void test_interface(void);
void test_refusals(void);
void test_manners(void);
void test_attachment(void);
void test_many(void);
void test_rights(void);

#endif
