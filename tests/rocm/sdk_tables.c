// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: tables of runtimes, wrapped once and never twice. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime.h"
#include "sdk.h"

#define TABLES 32

static struct hip_table real;

void pass_once(const char *name, const void *table)
{
	static const void *passed[TABLES];
	static unsigned n;

	for (unsigned i = 0; i < n; i++)
		if (passed[i] == table) {
			fprintf(stderr, "SDK stand-in: the table \"%s\" is wrapped already\n", name);
			abort();
		}
	if (n == TABLES)
		abort();
	passed[n++] = table;
}

static void tell(int operation, int phase)
{
	struct callback_record record = { .thread = (uint64_t)gettid(), .kind = CALLBACK_HIP_RUNTIME_API,
		.operation = operation, .phase = phase };
	uint64_t user = 0;

	for (unsigned i = 0; i < context_count; i++)
		if (contexts[i].active && contexts[i].hip) {
			record.context.handle = i + 1;
			contexts[i].hip(record, &user, contexts[i].argument);
		}
}

#define NUMBER(name, parameters, arguments) OP_##name,
enum { HIP_FUNCTIONS(NUMBER) OPERATIONS };

#define WRAPPER(name, parameters, arguments) \
	static int wrapped_##name parameters \
	{ \
		int result; \
		tell(OP_##name, PHASE_ENTER); \
		result = real.name arguments; \
		tell(OP_##name, PHASE_EXIT); \
		return result; \
	}
HIP_FUNCTIONS(WRAPPER)

#define REPLACE(name, parameters, arguments) __atomic_store_n(&table->name, wrapped_##name, __ATOMIC_RELEASE);

/* Other threads call through the table meanwhile.  Only what a tool has asked for is wrapped. */
void wrap_hip(void *given)
{
	struct hip_table *table = given;
	bool wanted = false;

	for (unsigned i = 0; i < context_count; i++)
		wanted |= contexts[i].hip != NULL;
	if (!wanted)
		return;
	real = *table;
	HIP_FUNCTIONS(REPLACE)
}
