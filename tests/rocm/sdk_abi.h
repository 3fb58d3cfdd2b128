/* SPDX-License-Identifier: MIT */
/* Stands in for the headers of AMD's ROCprofiler-SDK 1.x: the part of its ABI that the stand-ins use. */
#ifndef ROCLATCH_TESTS_SDK_ABI_H
#define ROCLATCH_TESTS_SDK_ABI_H

#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

enum sdk_status {
	SDK_SUCCESS = 0, SDK_ERROR = 1, SDK_CONTEXT_NOT_FOUND = 2, SDK_BUFFER_NOT_FOUND = 3, SDK_KIND_NOT_FOUND = 4,
	SDK_CONTEXT_ID_NOT_ZERO = 13, SDK_SERVICE_ALREADY_CONFIGURED = 15, SDK_CONFIGURATION_LOCKED = 16,
	SDK_NOT_IMPLEMENTED = 17, SDK_INVALID_ARGUMENT = 19, SDK_OUT_OF_RESOURCES = 29, SDK_NOT_AVAILABLE = 37,
};

enum { CALLBACK_HIP_RUNTIME_API = 5 };          /* of the callback tracing kinds */
enum { PHASE_ENTER = 1, PHASE_EXIT = 2 };

struct client_id {
	size_t size;
	const char *name;
	const uint32_t handle;
};
_Static_assert(sizeof(struct client_id) == 24 && offsetof(struct client_id, name) == 8 &&
	       offsetof(struct client_id, handle) == 16, "rocprofiler_client_id_t");

struct handle { uint64_t handle; };     /* of contexts, buffers and callback threads */

/* rocprofiler_tool_configure_result_t */
struct configure_result {
	size_t size;
	int (*initialize)(void (*finalize)(struct client_id), void *tool_data);
	void (*finalize)(void *tool_data);
	void *tool_data;
};
_Static_assert(sizeof(struct configure_result) == 32 && offsetof(struct configure_result, initialize) == 8 &&
	       offsetof(struct configure_result, finalize) == 16, "rocprofiler_tool_configure_result_t");

/* rocprofiler_tool_configure_attach_result_t */
struct attach_result {
	size_t size;
	int (*attach)(void (*detach)(struct client_id), struct handle *contexts, uint64_t n, void *tool_data);
	void (*detach)(void *tool_data);
	void *tool_data;
};
_Static_assert(sizeof(struct attach_result) == 32 && offsetof(struct attach_result, attach) == 8 &&
	       offsetof(struct attach_result, detach) == 16, "rocprofiler_tool_configure_attach_result_t");

typedef struct configure_result *configure_function(uint32_t, const char *, uint32_t, struct client_id *);
typedef struct attach_result *configure_attach_function(uint32_t, const char *, uint32_t, struct client_id *);

/* rocprofiler_callback_tracing_record_t, passed by value */
struct callback_record {
	struct handle context;
	uint64_t thread;
	uint64_t correlation[3];
	int32_t kind, operation, phase;
	void *payload;
};
_Static_assert(sizeof(struct callback_record) == 64 && offsetof(struct callback_record, kind) == 40 &&
	       offsetof(struct callback_record, phase) == 48 && offsetof(struct callback_record, payload) == 56,
	       "rocprofiler_callback_tracing_record_t");
typedef void callback_function(struct callback_record, uint64_t *user, void *argument);

/* what an SDK exports, for tools */
int rocprofiler_create_context(struct handle *context);
int rocprofiler_start_context(struct handle context);
int rocprofiler_stop_context(struct handle context);
int rocprofiler_context_is_active(struct handle context, int *active);
int rocprofiler_configure_callback_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, callback_function *callback, void *argument);
int rocprofiler_create_callback_thread(struct handle *thread);
int rocprofiler_create_buffer(struct handle context, size_t size, size_t watermark, int policy, void *callback,
	void *data, struct handle *buffer);
int rocprofiler_assign_callback_thread(struct handle buffer, struct handle thread);
int rocprofiler_flush_buffer(struct handle buffer);
int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch);
int rocprofiler_get_timestamp(uint64_t *ns);
int rocprofiler_is_initialized(int *status);
int rocprofiler_is_finalized(int *status);

/* and for rocprofiler-register */
int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t n);
int rocprofiler_attach(void);
int rocprofiler_detach(void);

#endif
