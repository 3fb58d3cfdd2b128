/* SPDX-License-Identifier: MIT */
/*
 * libroclatch-tool.so: what ROCprofiler-SDK loads into the target.  It records
 * what rocprofv3's variables ask for into a log, and never harms its host: it
 * answers no to what it does not understand.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rocp/tool/recording.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/ring.h"
#include "rocp/tool/sdk.h"
#include "rocp/tool/services.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC struct sdk_configured *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
						    struct sdk_client *id);
PUBLIC struct sdk_attaching *rocprofiler_configure_attach(uint32_t version, const char *runtime_version, uint32_t priority,
							  struct sdk_client *id);
PUBLIC int roclatch_tool_state(void);
PUBLIC int roclatch_tool_start(void);
PUBLIC int roclatch_tool_stop(void);

/* In libc.so.6 of every glibc; pthread_atfork is a wrapper that is linked in.
 * NOLINTBEGIN(bugprone-reserved-identifier): theirs, as they are called */
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object);
extern void *__dso_handle;
/* NOLINTEND(bugprone-reserved-identifier) */

static const char *variable(const char *name)
{
	return getenv(name);
}

/* One note: --sys-trace alone asks for half a dozen. */
static void note_what_is_not_done(void)
{
	const char *name;
	char list[768] = "";
	size_t used = 0;
	for (size_t i = 0; (name = settings_not_done(i)) && used < sizeof list; i++)
		if (settings_are_true(variable(name)))
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
	if (used)
		remember_note(TOOL_LEAVES_OUT "%s", list);
}

static int initialize(void (*finalize)(struct sdk_client), void *data)
{
	struct settings settings;
	(void)finalize, (void)data;
	settings_read(&settings, variable);
	note_what_is_not_done();
	int status = services_configure(&settings);
	if (status != SDK_SUCCESS) {
		roclatch_tool_status.state = -status;
		return -1;
	}
	__register_atfork(recording_before_fork, recording_after_fork, recording_forked, &__dso_handle);
	roclatch_tool_status.state = 1;
	if (!variable("ROCPROFILER_REGISTER_TOOL_ATTACHED"))
		recording_start();      /* nobody will attach: launched, or loaded late */
	return 0;
}

static void finalize(void *data)
{
	(void)data;
	recording_finalize();
}

static int attach(void (*detach)(struct sdk_client), struct sdk_handle *contexts, uint64_t n, void *data)
{
	(void)detach, (void)contexts, (void)n, (void)data;
	return roclatch_tool_status.state > 0 ? recording_start() : -1;
}

static void detach(void *data)
{
	(void)data;
	if (roclatch_tool_status.state > 1)
		recording_stop();
}

struct sdk_configured *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
					     struct sdk_client *id)
{
	static struct sdk_configured result = { sizeof result, initialize, finalize, NULL };
	(void)runtime_version, (void)priority;
	if (version < SDK_VERSION_LEAST || sdk_find(__builtin_return_address(0), version) < 0)
		return NULL;
	if (id && id->size >= sizeof *id)
		id->name = "roclatch";
	return &result;
}

struct sdk_attaching *rocprofiler_configure_attach(uint32_t version, const char *runtime_version, uint32_t priority,
						   struct sdk_client *id)
{
	static struct sdk_attaching result = { sizeof result, attach, detach, NULL };
	(void)runtime_version, (void)priority, (void)id;
	return version < SDK_VERSION_LEAST ? NULL : &result;
}

int roclatch_tool_state(void)
{
	return roclatch_tool_status.state;
}

int roclatch_tool_start(void)
{
	return roclatch_tool_status.state < 1 ? EINVAL : recording_start();
}

int roclatch_tool_stop(void)
{
	return roclatch_tool_status.state < 1 ? EINVAL : recording_stop();
}
