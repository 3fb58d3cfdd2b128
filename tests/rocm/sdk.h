/* SPDX-License-Identifier: MIT */
/* The files of the SDK stand-in among each other. */
#ifndef ROCLATCH_TESTS_SDK_H
#define ROCLATCH_TESTS_SDK_H

#include <stdbool.h>

#include "sdk_abi.h"

#define CONTEXTS 16
#define OPERATIONS_MOST 512

/* Handles begin somewhere, as upstream's do: they are no indices for a tool. */
#define CONTEXT_BASE 0x3107
#define BUFFER_BASE 0x52f3
#define CONTEXT(i) ((struct handle){ CONTEXT_BASE + (i) })

struct service {
	bool asked;
	uint64_t buffer;                /* its handle, of buffer tracing */
	callback_function *callback;    /* of callback tracing */
	void *argument;
	uint64_t operations[OPERATIONS_MOST / 64];
};

/* Which counters a context wants is asked for at each dispatch. */
struct counting {
	dispatch_function *ask;
	void *ask_data;
	uint64_t buffer;                /* this or that */
	counters_function *take;
	void *take_data;
};

struct context {
	unsigned client;
	_Atomic bool active;
	struct service buffer[BUFFER_KINDS_MOST], callback[CALLBACK_KINDS_MOST];
	external_function *external;
	void *external_data;
	uint32_t external_kinds;        /* a bit each */
	struct counting counting;
};

/* sdk_context.c */
extern struct context contexts[CONTEXTS];
extern _Atomic unsigned context_count;
extern int initializing;                /* -1 while tools may configure, 1 after that, 0 before */
extern unsigned configuring;            /* the client whose turn it is */
struct context *find_context(struct handle handle);
unsigned contexts_of(unsigned client, struct handle *list);
void stop_contexts(unsigned client);
uint64_t sdk_now(void);
void sdk_fatal(const char *what, const char *why) __attribute__((noreturn));

/* sdk_kinds.c: what the kinds are, by number of the buffer tracing kinds */
enum shape {
	SHAPE_NONE, SHAPE_API, SHAPE_EXT, SHAPE_OMPT, SHAPE_COPY, SHAPE_DISPATCH, SHAPE_SCRATCH, SHAPE_RETIREMENT,
	SHAPE_ALLOCATION, SHAPE_INITIALIZATION, SHAPE_GRAPH, SHAPE_KFD
};
int buffer_kinds(void);                 /* how many the version has */
int callback_kinds(void);
enum shape kind_shape(int kind);
int kind_operations(int kind);          /* how many */
int callback_operations(int kind);
int callback_kind(int kind);            /* the callback tracing kind of a buffer tracing kind, or 0 */
const char *kind_name(int kind);
const char *operation_name(int kind, int operation);
const char *callback_operation_name(int kind, int operation);
int kind_by_name(const char *name);     /* or -1 */
int operation_by_name(int kind, const char *name);

/* sdk_buffer.c; false: the record is lost */
bool buffer_exists(uint64_t buffer);
bool buffer_put(uint64_t buffer, uint32_t category, uint32_t kind, const void *payload, size_t size);
void buffers_of_thread(unsigned thread);        /* deliver what is handed over */
bool buffer_assign(uint64_t buffer, unsigned thread);
void buffers_after_fork(void);
void buffers_drop(uint64_t n);          /* the next callback is told that so many were dropped */
bool buffers_want_default_thread(void);

/* sdk_thread.c */
void start_default_thread(void);
void wake_thread(unsigned thread);
void end_threads(void);

/* sdk_activity.c: something happens, and some contexts want to know */
struct activity {
	int kind;                       /* of buffer tracing */
	int callback;                   /* of callback tracing, or 0 */
	int32_t operation;
	uint64_t internal, ancestor;
	unsigned n;
	struct wanting {
		unsigned context;
		bool by_buffer, by_callback;
		uint64_t external, user;
	} who[CONTEXTS];
};

bool activity_begin(struct activity *activity, int kind, int32_t operation);    /* false: nobody wants it */
bool activity_begin_as(struct activity *activity, int kind, int32_t operation, uint64_t internal);      /* 0: a new one */
void activity_tell(struct activity *activity, int phase, void *payload);
unsigned activity_record(struct activity *activity, void *record, size_t size); /* into how many buffers */
void tell_api(struct activity *activity);        /* enter and exit */
uint64_t activity_new(void);                    /* a correlation id */
uint64_t activity_external(const struct activity *activity, unsigned context);
void activity_push(uint64_t internal);          /* what this thread does belongs to it, */
void activity_pop(void);                        /* until then */
uint64_t activity_top(void);

/* sdk_code_objects.c */
void load_all_code_objects(void);
void unload_code_objects(void);
uint64_t kernel_of(const void *function);       /* or 0 */
uint64_t kernel_count(void);

/* sdk_agents.c */
#define AGENTS 4
const struct agent_v0 *agent_at(unsigned i);
const struct agent_v0 *gpu_at(unsigned i);      /* wraps around */
const struct agent_v0 *agent_of(struct handle id);

/* sdk_counters.c: the counters of a dispatch, for the contexts that count */
bool counting_conflicts(const struct context *context);
void count_dispatch(const struct activity *activity, const struct buffer_tracing_kernel_dispatch_record *dispatch);

/* sdk_completion.c */
void completion_start(void);
void completion_add(unsigned context, const struct dispatch_counting_service_data *data,
	const struct counter_record *records, size_t n, uint64_t user);
void completion_wait(void);             /* until all are told that are to be told */
void completion_end(void);

/* sdk_markers.c */
bool marker_has_text(int kind, int operation);  /* a kind of callbacks */
void tell_marker(struct activity *activity, const char *text);
bool marker_order(const char *line, char *answer, size_t size);

/* sdk_streams.c */
bool stream_order(const char *line, char *answer, size_t size);

/* sdk_make.c: records whose fields are functions of kind, index and seed */
uint64_t mix(uint64_t kind, uint64_t index, uint64_t seed, uint64_t field);
union any_record {
	struct buffer_tracing_api_record api;
	struct buffer_tracing_api_ext_record ext;
	struct buffer_tracing_ompt_record ompt;
	struct buffer_tracing_kernel_dispatch_record dispatch;
	struct buffer_tracing_memory_copy_record copy;
	struct buffer_tracing_memory_allocation_record allocation;
	struct buffer_tracing_scratch_memory_record scratch;
	struct buffer_tracing_runtime_initialization_record initialization;
	struct buffer_tracing_correlation_id_retirement_record retirement;
	struct buffer_tracing_hip_graph_record graph;
};
int32_t make_operation(int kind, uint64_t index, uint64_t seed);
size_t make_record(union any_record *record, int kind, int32_t operation, uint64_t index, uint64_t seed);
const char *make_text(uint64_t index, uint64_t seed);   /* until the thread's next */
void make_begin(void);                  /* times are from now on, where the seed is even */

/* sdk_emit.c */
bool emit_order(const char *line, char *answer, size_t size);

/* sdk_tables.c */
void wait_for_device(void);
void wrap_hip(void *table);
void pass_once(const char *name, const void *table);

#endif
