/* SPDX-License-Identifier: MIT */
/* The files of the SDK stand-in among each other. */
#ifndef ROCLATCH_TESTS_SDK_H
#define ROCLATCH_TESTS_SDK_H

#include <stdbool.h>

#include "sdk_abi.h"

#define CONTEXTS 16

struct context {
	unsigned client;
	_Atomic bool active;
	callback_function *hip;         /* NULL: not asked for */
	void *argument;
};

/* sdk_context.c */
extern struct context contexts[CONTEXTS];
extern _Atomic unsigned context_count;
extern int initializing;                /* -1 while tools may configure, 1 after that, 0 before */
extern unsigned configuring;            /* the client whose turn it is */
unsigned contexts_of(unsigned client, struct handle *list);
void stop_contexts(unsigned client);

/* sdk_tables.c */
void wrap_hip(void *table);
void pass_once(const char *name, const void *table);

/* sdk_thread.c: ends the callback threads */
void end_threads(void);

#endif
