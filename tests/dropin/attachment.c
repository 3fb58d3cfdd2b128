// SPDX-License-Identifier: MIT
/* One process: attached, detached, attached again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static struct app started(void)
{
	struct app app = app_start(NULL);

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	return app;
}

static void once(void)
{
	struct app app = started();

	equal(0, api.attach(app.pid));
	equal(1, tool_saw(&app, app.pid, " init "));
	equal(1, tool_saw(&app, app.pid, " attach "));
	equal(0, tool_saw(&app, app.pid, " detach "));
	app_is_well(&app);
	equal(2, api.attach(app.pid));
	equal(0, api.detach(app.pid));
	equal(1, tool_saw(&app, app.pid, " detach "));
	equal(2, api.detach(app.pid));
	app_is_well(&app);
	app_end(&app);
}

static void again(void)
{
	struct app app = started();

	for (unsigned i = 1; i <= 5; i++) {
		equal(0, api.attach(app.pid));
		equal(0, api.detach(app.pid));
		equal(1, tool_saw(&app, app.pid, " init "));
		equal(i, tool_saw(&app, app.pid, " attach "));
		equal(i, tool_saw(&app, app.pid, " detach "));
	}
	app_is_well(&app);
	app_end(&app);
}

/* Names that begin with ROCP, but for two; and the tool's own name is no tool. */
static void variables(void)
{
	struct app app = started();

	setenv("ROCPROF_KERNEL_TRACE", "1", 1);
	setenv("ROCPROFILER_METRICS_PATH", "/somewhere", 1);
	setenv("ROCPROFILER_REGISTER_LIBRARY", "/host/libsdk.so", 1);
	setenv("ROCP_TOOL_LIBRARIES", "/host/libtool.so", 1);
	setenv("XROCPROF", "1", 1);
	setenv("ROCPROF_ATTACH_TOOL_LIBRARY", "/opt/rocm/lib/rocprofiler-sdk/librocprofv3-attach.so", 1);
	equal(0, api.attach(app.pid));
	check(tool_saw(&app, app.pid, "\tROCPROF_KERNEL_TRACE=1\n"), "ROCPROF_KERNEL_TRACE did not arrive");
	check(tool_saw(&app, app.pid, "\tROCPROFILER_METRICS_PATH=/somewhere\n"), "ROCPROFILER_METRICS_PATH did not arrive");
	equal(0, tool_saw(&app, app.pid, "/host/"));
	equal(0, tool_saw(&app, app.pid, "librocprofv3-attach"));
	equal(0, api.detach(app.pid));
	check(!strcmp(app_ask(&app, "env XROCPROF"), "(null)"), "XROCPROF arrived");
	unsetenv("ROCPROF_KERNEL_TRACE");
	unsetenv("ROCPROFILER_METRICS_PATH");
	unsetenv("ROCPROFILER_REGISTER_LIBRARY");
	unsetenv("ROCP_TOOL_LIBRARIES");
	unsetenv("XROCPROF");
	unsetenv("ROCPROF_ATTACH_TOOL_LIBRARY");
	app_is_well(&app);
	app_end(&app);
}

static void own_tool(void)
{
	struct app app = started();
	char path[4096], line[4200];

	snprintf(path, sizeof(path), "%s/root-rocm/tools/libsecond.so", fixtures);
	snprintf(line, sizeof(line), "\tROCPROF_ATTACH_TOOL_LIBRARY=%s\n", path);
	setenv("ROCPROF_ATTACH_TOOL_LIBRARY", path, 1);
	equal(0, api.attach(app.pid));
	check(tool_saw(&app, app.pid, line), "the tool was not told its name");
	equal(0, api.detach(app.pid));
	unsetenv("ROCPROF_ATTACH_TOOL_LIBRARY");
	app_is_well(&app);
	app_end(&app);
}

static void changed_services(void)
{
	struct app app = started();

	setenv("ROCPROF_KERNEL_TRACE", "1", 1);
	equal(0, api.attach(app.pid));
	equal(0, api.detach(app.pid));
	unsetenv("ROCPROF_KERNEL_TRACE");
	setenv("ROCPROF_HIP_RUNTIME_API_TRACE", "1", 1);
	equal(1, api.attach(app.pid));
	equal(2, api.detach(app.pid));
	unsetenv("ROCPROF_HIP_RUNTIME_API_TRACE");
	setenv("ROCPROF_KERNEL_TRACE", "1", 1);
	equal(0, api.attach(app.pid));
	equal(0, api.detach(app.pid));
	unsetenv("ROCPROF_KERNEL_TRACE");
	app_is_well(&app);
	app_end(&app);
}

static void signals(void)
{
	struct app app = started();
	uint32_t before = atomic_load(&app.record->handled);

	equal(0, api.attach(app.pid));
	for (unsigned i = 1; i <= 50; i++) {
		kill(app.pid, SIGWINCH);
		for (int t = 0; t < 2000 && atomic_load(&app.record->handled) < before + i; t++)
			usleep(1000);
	}
	equal(before + 50, atomic_load(&app.record->handled));
	equal(0, api.detach(app.pid));
	app_end(&app);
}

static void killed_while_attached(void)
{
	struct app app = started(), next;

	equal(0, api.attach(app.pid));
	child_end(app.pid);
	equal(6, api.detach(app.pid));
	equal(2, api.detach(app.pid));
	equal(6, api.attach(app.pid));
	app_end(&app);
	next = started();
	equal(0, api.old_attach((uint32_t)next.pid));
	child_end(next.pid);
	equal(6, api.old_detach(0));
	app_end(&next);
}

static void old_interface(void)
{
	struct app app = started(), other = app_start(NULL);

	equal(0, api.old_attach((uint32_t)app.pid));
	equal(1, tool_saw(&app, app.pid, " attach "));
	equal(2, api.old_attach((uint32_t)app.pid));
	equal(2, api.old_attach((uint32_t)other.pid));
	equal(0, api.old_detach(app.pid));
	equal(1, tool_saw(&app, app.pid, " detach "));
	equal(2, api.old_detach(app.pid));
	equal(0, api.old_attach((uint32_t)other.pid));
	child_end(other.pid);
	equal(0, api.old_attach((uint32_t)app.pid));
	equal(0, api.old_detach(0));
	app_is_well(&app);
	app_end(&app);
	app_end(&other);
}

/* Loaded both, as some programs do: one attachment at a time, whoever made it. */
static void both_interfaces(void)
{
	struct app app = started();

	equal(0, api.attach(app.pid));
	equal(1, api.old_attach((uint32_t)app.pid));
	equal(0, api.detach(app.pid));
	equal(0, api.old_attach((uint32_t)app.pid));
	equal(1, api.attach(app.pid));
	equal(0, api.old_detach(0));
	app_is_well(&app);
	app_end(&app);
}

void test_attachment(void)
{
	test("a process is attached, not twice, and detached, not twice", once);
	test("a process can be attached again and again", again);
	test("the caller's variables arrive, those that would do harm do not", variables);
	test("the tool can be named", own_tool);
	test("changed services are refused, the same are not", changed_services);
	test("signals reach the process while it is attached", signals);
	test("a process that was killed is not found, and no longer known", killed_while_attached);
	test("attach and detach of the older library", old_interface);
	test("both libraries in one program do not cross each other", both_interfaces);
}
