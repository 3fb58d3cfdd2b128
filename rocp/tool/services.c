/* SPDX-License-Identifier: MIT */
#include "rocp/tool/services.h"

#include "rocp/tool/counters.h"
#include "rocp/tool/futex.h"
#include "rocp/tool/kinds.h"
#include "rocp/tool/markers.h"
#include "rocp/tool/objects.h"
#include "rocp/tool/records.h"
#include "rocp/tool/remembered.h"

#define BUFFER_SIZE (64u << 10)
#define BUFFER_MARK (60u << 10)

/* names: always on, as the SDK tells of code objects once.  control: on while we record, to hear of pauses. */
static struct sdk_handle names, recording, control;
static struct sdk_handle buffer[BUFFERS], callback_thread;
static bool by_regions, regions_counted;
static futex word;              /* of what follows */
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
	by_regions = settings->selected_regions;
	regions_counted = settings->regions_counted;
	if (settings->service[SERVICE_MARKER] || by_regions) {
		if (sdk.create_context(&control) != SDK_SUCCESS || trace_calls(control, "MARKER_CONTROL_API", controlled))
			control.handle = 0;
	}
	return SDK_SUCCESS;
}

/* A context that is active already is as good: so in a forked child. */
static int start(struct sdk_handle context)
{
	int active = 0, status = sdk.start_context(context);
	if (status != SDK_SUCCESS && sdk.context_is_active(context, &active) == SDK_SUCCESS && active)
		status = SDK_SUCCESS;
	return status;
}

int services_start(void)
{
	int active = 0, status;
	/* the SDK stops all of a tool's contexts when it is detached */
	if (sdk.context_is_active(names, &active) == SDK_SUCCESS && !active)
		sdk.start_context(names);
	lock_take(&word);
	regions = 0;
	is_on = true;
	status = by_regions ? SDK_SUCCESS : start(recording);
	if (status == SDK_SUCCESS && control.handle)
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

void services_stop(void)
{
	lock_take(&word);
	is_on = false;
	lock_give(&word);
	stop(control);
	stop(recording);
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
