// SPDX-License-Identifier: MIT
/* Stands in for a program that carries a tool of its own, as PyTorch does: a visible rocprofiler_configure. */
#include "sdk_abi.h"

static int initialize(void (*finalize)(struct client_id), void *data)
{
	(void)finalize, (void)data;
	return 0;
}

PUBLIC struct tool_configure_result *rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
	struct client_id *id)
{
	static struct tool_configure_result result = { sizeof(result), initialize, NULL, NULL };

	(void)version, (void)runtime_version, (void)priority;
	id->name = "start-up tool";
	return &result;
}
