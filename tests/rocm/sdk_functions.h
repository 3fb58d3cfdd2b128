/* SPDX-License-Identifier: MIT */
/* Part of sdk_abi.h: what the SDK exports for tools and for rocprofiler-register. */
#ifndef ROCLATCH_TESTS_SDK_FUNCTIONS_H
#define ROCLATCH_TESTS_SDK_FUNCTIONS_H

struct callback_tracing_record;
struct dispatch_counting_service_data;
struct counter_record;

typedef void buffer_function(struct handle context, struct handle buffer, struct record_header **headers, size_t n,
	void *data, uint64_t drop_count);
typedef void callback_function(struct callback_tracing_record, uint64_t *user, void *argument);
typedef int external_function(uint64_t thread, struct handle context, int kind, int32_t operation, uint64_t internal,
	uint64_t *external, void *data);
typedef void dispatch_function(struct dispatch_counting_service_data, struct handle *config, uint64_t *user, void *data);
typedef void counters_function(struct dispatch_counting_service_data, struct counter_record *records, size_t n,
	uint64_t user, void *data);
typedef int agents_function(int version, const void **agents, size_t n, void *data);
typedef int agent_counters_function(struct handle agent, struct handle *counters, size_t n, void *data);
typedef int kind_function(int kind, void *data);
typedef int operation_function(int kind, int32_t operation, void *data);
typedef int argument_function(int kind, int32_t operation, uint32_t number, const void *address, int32_t indirections,
	const char *type, const char *name, const char *value, void *data);
typedef int callback_argument_function(int kind, int32_t operation, uint32_t number, const void *address,
	int32_t indirections, const char *type, const char *name, const char *value, int32_t dereferenced, void *data);
typedef void thread_function(int library, void *data);

struct version_triplet { uint32_t major, minor, patch; };

int rocprofiler_create_context(struct handle *context);
int rocprofiler_start_context(struct handle context);
int rocprofiler_stop_context(struct handle context);
int rocprofiler_context_is_active(struct handle context, int *active);
int rocprofiler_context_is_valid(struct handle context, int *valid);
int rocprofiler_configure_callback_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, callback_function *callback, void *argument);
int rocprofiler_configure_buffer_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, struct handle buffer);
int rocprofiler_configure_external_correlation_id_request_service(struct handle context, const int *kinds, size_t n,
	external_function *callback, void *data);
int rocprofiler_push_external_correlation_id(struct handle context, uint64_t thread, uint64_t external);
int rocprofiler_pop_external_correlation_id(struct handle context, uint64_t thread, uint64_t *external);

int rocprofiler_create_buffer(struct handle context, size_t size, size_t watermark, int policy,
	buffer_function *callback, void *data, struct handle *buffer);
int rocprofiler_flush_buffer(struct handle buffer);
int rocprofiler_destroy_buffer(struct handle buffer);
int rocprofiler_create_callback_thread(struct handle *thread);
int rocprofiler_assign_callback_thread(struct handle buffer, struct handle thread);
int rocprofiler_at_internal_thread_create(thread_function *before, thread_function *after, int libraries, void *data);

int rocprofiler_iterate_buffer_tracing_kinds(kind_function *callback, void *data);
int rocprofiler_iterate_callback_tracing_kinds(kind_function *callback, void *data);
int rocprofiler_iterate_buffer_tracing_kind_operations(int kind, operation_function *callback, void *data);
int rocprofiler_iterate_callback_tracing_kind_operations(int kind, operation_function *callback, void *data);
int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length);
int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length);
int rocprofiler_query_buffer_tracing_kind_operation_name(int kind, int32_t operation, const char **name,
	uint64_t *length);
int rocprofiler_query_callback_tracing_kind_operation_name(int kind, int32_t operation, const char **name,
	uint64_t *length);
int rocprofiler_iterate_buffer_tracing_record_args(struct record_header record, argument_function *callback, void *data);

int rocprofiler_iterate_callback_tracing_kind_operation_args(struct callback_tracing_record record,
	callback_argument_function *callback, int32_t most_dereferenced, void *data);

int rocprofiler_query_available_agents(int version, agents_function *callback, size_t agent_size, void *data);
int rocprofiler_iterate_agent_supported_counters(struct handle agent, agent_counters_function *callback, void *data);
int rocprofiler_query_counter_info(struct handle counter, int version, void *info);
int rocprofiler_create_counter_config(struct handle agent, struct handle *counters, size_t n, struct handle *config);
int rocprofiler_destroy_counter_config(struct handle config);
int rocprofiler_configure_buffer_dispatch_counting_service(struct handle context, struct handle buffer,
	dispatch_function *callback, void *data);
int rocprofiler_configure_callback_dispatch_counting_service(struct handle context, dispatch_function *callback,
	void *data, counters_function *records, void *records_data);
int rocprofiler_query_record_counter_id(uint64_t id, struct handle *counter);
int rocprofiler_query_record_dimension_position(uint64_t id, uint64_t dimension, size_t *position);

int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch);
int rocprofiler_get_version_triplet(struct version_triplet *version);
int rocprofiler_get_timestamp(uint64_t *ns);
int rocprofiler_get_thread_id(uint64_t *thread);
int rocprofiler_is_initialized(int *status);
int rocprofiler_is_finalized(int *status);
const char *rocprofiler_get_status_name(int status);
const char *rocprofiler_get_status_string(int status);

/* and for rocprofiler-register */
int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t n);
int rocprofiler_attach(void);
int rocprofiler_detach(void);

#endif
