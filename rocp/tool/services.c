/* SPDX-License-Identifier: MIT */
#include "rocp/tool/services.h"

#include <stdlib.h>

#include "rocp/tool/counters.h"
#include "rocp/tool/futex.h"
#include "rocp/tool/kinds.h"
#include "rocp/tool/markers.h"
#include "rocp/tool/objects.h"
#include "rocp/tool/records.h"
#include "rocp/tool/remembered.h"

#define BUFFER_SIZE (64u << 10)
#define BUFFER_MARK (60u << 10)
#define FORK_WAIT (200 * MS)
#define STOP_WAIT (2000 * MS)

/* names: always on, as the SDK tells of code objects once.  control: on while we record, to hear of pauses. */
static struct sdk_handle names, recording, control;
static struct sdk_handle buffer[BUFFERS], callback_thread;
static bool marks, counts;      /* such services are configured */
static futex word;              /* of what follows, and held whenever we start or stop a context */
static bool by_regions, regions_counted;
static unsigned regions;        /* resumed and not paused */
static bool is_on;              /* between services_start and services_stop */

static int make_buffer(enum buffer which)
{
	int status = SDK_SUCCESS;
	if (buffer[which].handle)
		return status;
	if (!callback_thread.handle)
		status = sdk.create_callback_thread(&callback_thread);
	if (status == SDK_SUCCESS)
		status = sdk.create_buffer(recording, BUFFER_SIZE, BUFFER_MARK, POLICY_LOSSLESS, records_take, NULL, &buffer[which]);
	if (status == SDK_SUCCESS)
		status = sdk.assign_callback_thread(buffer[which], callback_thread);
	return status;
}

static void trace_kind(const struct kind *kind)
{
	int number = kind_in_buffers(kind->name);
	if (number < 0) {
		remember_note("%s is not recorded: this SDK does not know it", kind->name);
		return;
	}
	int status = records_expect(number, kind->type) < 0 ? -1 : make_buffer(kind->buffer);
	if (status == SDK_SUCCESS)
		status = sdk.configure_buffer_tracing_service(recording, number, NULL, 0, buffer[kind->buffer]);
	if (status == SDK_SUCCESS)
		kind_remember(number);
	else
		remember_note("%s is not recorded: %s", kind->name, sdk_words(status));
}

static int trace_calls(struct sdk_handle context, const char *kind, sdk_tracing_callback *callback)
{
	int number = kind_in_callbacks(kind);
	int status = number < 0 ? -1 : sdk.configure_callback_tracing_service(context, number, NULL, 0, callback, NULL);
	if (status != SDK_SUCCESS)
		remember_note("%s is not followed: %s", kind, number < 0 ? "this SDK does not know it" : sdk_words(status));
	return status;
}

/* Dispatches and copies carry the stream and the range they are made in. */
static void configure_external(bool rename)
{
	static const int request[] = { REQUEST_MEMORY_COPY, REQUEST_KERNEL_DISPATCH };
	markers_rename = rename;
	trace_calls(recording, "HIP_STREAM", streams_called);
	int status = sdk.configure_external_correlation_id_request_service ?
		     sdk.configure_external_correlation_id_request_service(recording, request, 2, external_wanted, NULL) : -1;
	if (status != SDK_SUCCESS)
		remember_note("streams are not recorded: %s", sdk_words(status));
}

static bool region_ends(void) { return !regions_counted || (regions && !--regions); }
static bool region_begins(void) { return !regions_counted || !regions++; }

static void switch_to(bool on)
{
	int active = 0;
	sdk.context_is_active(recording, &active);
	if (on && !active)
		sdk.start_context(recording);
	else if (!on && active)
		sdk.stop_context(recording);
}

/* roctxProfilerPause and Resume. */
static void controlled(struct sdk_callback record, uint64_t *user, void *data)
{
	(void)user, (void)data;
	lock_take(&word);
	if (is_on && record.operation == CONTROL_PAUSE && record.phase == PHASE_ENTER && region_ends())
		switch_to(false);
	else if (is_on && record.operation == CONTROL_RESUME && record.phase == PHASE_EXIT && region_begins())
		switch_to(true);
	lock_give(&word);
}

static void configure_recording(const struct settings *settings)
{
	const bool *service = settings->service;
	for (unsigned i = 0; i < kind_count; i++)
		if (service[kinds[i].service])
			trace_kind(&kinds[i]);
	if (service[SERVICE_MARKER] || settings->kernel_rename) {
		markers_recorded = service[SERVICE_MARKER];
		trace_calls(recording, "MARKER_CORE_RANGE_API", markers_called);
	}
	if (service[SERVICE_COUNTERS])
		counters_configure(recording, settings);
	if (service[SERVICE_KERNEL] || service[SERVICE_COPY] || service[SERVICE_COUNTERS])
		configure_external(settings->kernel_rename);
}

int services_configure(const struct settings *settings)
{
	int status = sdk.create_context(&names);
	if (status == SDK_SUCCESS)
		status = sdk.create_context(&recording);
	if (status != SDK_SUCCESS)
		return status;
	agents_remember();
	if (trace_calls(names, "CODE_OBJECT", objects_loaded) == SDK_SUCCESS)
		sdk.start_context(names);
	configure_recording(settings);
	marks = settings->service[SERVICE_MARKER];
	counts = settings->service[SERVICE_COUNTERS];
	/* the next recording may be by regions if this one is not */
	if (sdk.create_context(&control) != SDK_SUCCESS || trace_calls(control, "MARKER_CONTROL_API", controlled))
		control.handle = 0;
	return SDK_SUCCESS;
}

/* A context that is active already is as good. */
static int start(struct sdk_handle context)
{
	int active = 0, status = sdk.start_context(context);
	if (status != SDK_SUCCESS && sdk.context_is_active(context, &active) == SDK_SUCCESS && active)
		status = SDK_SUCCESS;
	return status;
}

/* What of the settings can be another at each start. */
static void read_settings(void)
{
	by_regions = settings_are_true(getenv("ROCPROF_SELECTED_REGIONS"));
	regions_counted = settings_are_true(getenv("ROCPROF_SELECTED_REGIONS_REF_COUNT"));
	regions = 0;
}

int services_start(void)
{
	int status;
	counters_begin();
	lock_take(&word);
	/* the SDK stops all of a tool's contexts when it is detached */
	start(names);
	read_settings();
	is_on = true;
	status = by_regions ? SDK_SUCCESS : start(recording);
	if (status == SDK_SUCCESS && control.handle && (marks || by_regions))
		status = start(control);
	is_on = status == SDK_SUCCESS;
	lock_give(&word);
	return status;
}

static void stop(struct sdk_handle context)
{
	int active = 0;
	if (context.handle && sdk.context_is_active(context, &active) == SDK_SUCCESS && active)
		sdk.stop_context(context);
}

int services_stop(void)
{
	if (!lock_try(&word, STOP_WAIT))
		return -1;
	is_on = false;
	stop(control);
	stop(recording);
	lock_give(&word);
	return 0;
}

/* A signal handler may fork on a thread that has the lock: then the fork goes on without. */
static __thread bool fork_has_word;

void services_before_fork(void)
{
	fork_has_word = lock_try(&word, FORK_WAIT);
}

void services_after_fork(void)
{
	if (fork_has_word)
		lock_give(&word);
}

/* A thread of the parent may have been in one of the SDK's buffers, which stays locked then: a traced call of the
 * child would wait for it for ever.  To stop a context takes the SDK's lock of contexts, which is free as nobody of
 * us had it; one that counts takes more locks, and a child that only wants to exec must not wait for those. */
void services_forked(void)
{
	bool free = fork_has_word;
	atomic_store(&word, 0);
	is_on = fork_has_word = false;
	counters_forked();
	if (!free)
		return;
	if (control.handle)
		sdk.stop_context(control);
	if (!counts)
		sdk.stop_context(recording);
}

void services_flush(void)
{
	for (unsigned i = 0; i < BUFFERS; i++)
		for (unsigned tries = 0; buffer[i].handle && tries < 200; tries++) {
			if (sdk.flush_buffer(buffer[i]) != SDK_BUFFER_BUSY)
				break;
			usleep(5000);
		}
}
