/* SPDX-License-Identifier: MIT */
/*
 * What the SDK stand-in has really delivered, for tests to compare every output with.
 * SDK_TRUTH=FILE in the environment of the program: FILE gets a line for each thing below, appended;
 * a %p in FILE is the pid.  With SDK_TRUTH_COUNTS=1 it gets the lines "count" alone.  Lines are there
 * when a detach or a flush order has returned, and at exit.
 *
 * A line is a type and fields, separated by tabs.  Numbers are decimal, doubles are as %.17g, and a
 * tab, a new line, a carriage return and a backslash in a text are \t \n \r \\.  CONTEXT is the handle
 * of the context it was delivered to.  Lines of records come when their buffer is delivered.
 *
 *   sdk          VERSION PID
 *   kind         KIND NAME
 *   operation    KIND OPERATION NAME
 *   agent        ID TYPE and the other members in the order of struct agent_v0, those of two dims as X Y Z,
 *                without pointers, up to runtime_visibility: ..., NODE_ID LOGICAL_NODE_ID
 *                LOGICAL_NODE_TYPE_ID RUNTIME_VISIBILITY, then NAME VENDOR PRODUCT MODEL
 *   counter      ID AGENT NAME DESCRIPTION BLOCK EXPRESSION IS_CONSTANT IS_DERIVED
 *
 *   api          CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL ANCESTOR START END THREAD KIND_NAME OPERATION_NAME
 *                (also of the *_EXT kinds and of OMPT, by what they have in common)
 *   dispatch     CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL THREAD START END AGENT QUEUE KERNEL DISPATCH
 *                PRIVATE GROUP WORKGROUP_X _Y _Z GRID_X _Y _Z PIPE (0 where the version has none)
 *   copy         CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL THREAD START END TO_AGENT FROM_AGENT BYTES
 *                TO_ADDRESS FROM_ADDRESS
 *   allocation   CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL ANCESTOR THREAD START END AGENT ADDRESS BYTES
 *   scratch      CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL ANCESTOR AGENT QUEUE THREAD START END FLAGS BYTES
 *                (0 where the version has none)
 *   graph        CONTEXT SIZE KIND OPERATION INTERNAL EXTERNAL ANCESTOR THREAD START END AGENT QUEUE GRAPH DISPATCHES
 *   initialization  CONTEXT SIZE KIND OPERATION THREAD TIME VERSION INSTANCE
 *   retirement   CONTEXT SIZE KIND TIME INTERNAL
 *   counted      CONTEXT INTERNAL EXTERNAL START END AGENT QUEUE KERNEL DISPATCH N
 *   value        CONTEXT DISPATCH AGENT COUNTER INSTANCE VALUE
 *
 *   marker       CONTEXT PHASE KIND OPERATION INTERNAL EXTERNAL ANCESTOR THREAD TEXT
 *                (KIND is that of callbacks; TEXT is empty where the operation has none)
 *   code_object  CONTEXT PHASE ID AGENT LOAD_BASE LOAD_SIZE LOAD_DELTA STORAGE MEMORY_BASE MEMORY_SIZE URI
 *   kernel       CONTEXT PHASE ID CODE_OBJECT OBJECT KERNARG_SIZE KERNARG_ALIGNMENT GROUP PRIVATE SGPRS ARCH_VGPRS
 *                ACCUM_VGPRS ENTRY_OFFSET ADDRESS NAME
 *   stream       CONTEXT PHASE OPERATION THREAD ID VALUE
 *
 *   count        NAME N      at the end: how many records of a kind, COUNTED and VALUE were delivered
 */
#ifndef ROCLATCH_TESTS_TRUTH_H
#define ROCLATCH_TESTS_TRUTH_H

#include <stdio.h>

#include "sdk_abi.h"

void truth_open(void);
void truth_flush(void);
void truth_close(void);
void truth_records(struct handle context, struct record_header **headers, size_t n);
void truth_callback(const struct callback_tracing_record *record);
void truth_counted(struct handle context, const struct dispatch_counting_service_data *data,
	const struct counter_record *values, size_t n);
void truth_counts(char *text, size_t size);     /* NAME=N ..., those that are not 0 */

/* sdk_truth_lines.c, sdk_truth_callbacks.c: into out, by one thread at a time */
void put_escaped(FILE *out, const char *text);
void put_circumstances(FILE *out);
void put_record(FILE *out, struct handle context, const struct record_header *header);
void put_callback(FILE *out, const struct callback_tracing_record *record);
void put_counted(FILE *out, struct handle context, const struct dispatch_counting_service_data *data, uint64_t n);
void put_value(FILE *out, struct handle context, const struct counter_record *value);

#endif
