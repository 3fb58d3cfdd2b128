/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocp/formats/settings.h"

static const struct refused {
	const char *variable, *what;
	bool is_switch;         /* else it is refused with any word but "none" */
} refused[] = {
	{ "ROCPROF_PC_SAMPLING_METHOD", "PC sampling", false },
	{ "ROCPROF_PC_SAMPLING_UNIT", "PC sampling", false },
	{ "ROCPROF_PC_SAMPLING_INTERVAL", "PC sampling", false },
	{ "ROCPROF_ADVANCED_THREAD_TRACE", "thread trace", true },
	{ "ROCPROF_SPM_COUNTER_COLLECTION", "streaming of counters (SPM)", true },
	{ "ROCPROF_SPM_COUNTERS", "streaming of counters (SPM)", false },
	{ "ROCPROF_KERNEL_REPLAY", "kernel replay", true },
};

static int refuse(const char *what, const char *variable, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "%s (%s) is not done by roclatch's tool", what, variable);
	return err_remedy(err, "attach with AMD's tool: -t librocprofiler-sdk-tool.so");
}

int settings_refuse(const struct settings *settings, const struct env *env, struct err *err)
{
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		const char *text = env_get(env, refused[i].variable);
		bool on = text && *text && strcmp(text, "none") != 0;
		if (refused[i].is_switch) {
			on = false;
			if (setting_switch(env, refused[i].variable, &on, err) < 0)
				return -1;
		}
		if (on)
			return refuse(refused[i].what, refused[i].variable, err);
	}
	const char *backend = env_get(env, "ROCPROF_PERFETTO_BACKEND");
	if ((settings->formats & FORMAT_PFTRACE) && backend && !strcmp(backend, "system"))
		return refuse("a system-wide Perfetto session", "ROCPROF_PERFETTO_BACKEND", err);
	return 0;
}
