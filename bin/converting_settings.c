/* SPDX-License-Identifier: MIT */
/* By which variables a recording is converted. */
#include <string.h>

#include "bin/converting.h"
#include "rocp/formats/formats.h"
#include "rocp/own_tool.h"

#define GROUPS "ROCPROF_STATS_SUMMARY_GROUPS"
#define GROUP_END "##@@##"
#define GROUP_MOST 256
#define SUMMARY "ROCPROF_STATS_SUMMARY_OUTPUT"

static int merge(struct env *into, const struct env *from, struct err *err)
{
	for (size_t i = 0; from && i < from->n; i++)
		if (env_set(into, from->v[i].name, from->v[i].value, err) < 0)
			return -1;
	return 0;
}

static int take_settings(struct env *env, const struct env *from, struct err *err)
{
	const char *all = env_get(from, OWN_FORMATS_VARIABLE);
	if (merge(env, from, err) < 0)
		return -1;
	return all ? env_set(env, "ROCPROF_OUTPUT_FORMAT", all, err) : 0;
}

int convert_check(const struct env *from, struct err *err)
{
	struct settings settings;
	struct env env = { 0 };
	int rc = take_settings(&env, from, err);
	if (rc == 0) {
		rc = settings_from(&settings, &env, err);
		settings_free(&settings);
	}
	env_free(&env);
	return rc;
}

/* A recording does not say where on this machine something is written: its summary is beside the other files. */
static int clean_summary(struct env *env, struct converted *converted, struct err *err)
{
	const char *output = env_get(env, SUMMARY), *slash = output ? strrchr(output, '/') : NULL;
	char name[NAME_MAX + 1];
	if (!slash)
		return 0;
	converted_note(converted, "the recording wants its summary in another folder: that is not done");
	snprintf(name, sizeof name, "%.200s", slash + 1);
	if (name[0])
		return env_set(env, SUMMARY, name, err);
	env_unset(env, SUMMARY);
	return 0;
}

/* A short expression can mean more than there is memory for: braces multiply. */
static bool is_modest(const char *group, size_t length)
{
	return length <= GROUP_MOST && !memchr(group, '{', length);
}

static int clean_groups(struct env *env, struct converted *converted, struct err *err)
{
	const char *at = env_get(env, GROUPS);
	char group[GROUP_MOST + 1];
	struct env kept = { 0 };
	int rc = 0;
	bool all = true;
	while (at && *at && rc == 0) {
		const char *stop = strstr(at, GROUP_END);
		size_t length = stop ? (size_t)(stop - at) : strlen(at);
		if (is_modest(at, length)) {
			snprintf(group, sizeof group, "%.*s", (int)length, at);
			rc = length ? env_append(&kept, GROUPS, group, GROUP_END, err) : 0;
		} else {
			all = false;
		}
		at += length + (stop ? strlen(GROUP_END) : 0);
	}
	if (!all) {
		converted_note(converted, "a group of the summary that the recording asks for is left out: the expression is too large");
		env_unset(env, GROUPS);
		rc = rc < 0 ? rc : merge(env, &kept, err);
	}
	env_free(&kept);
	return rc;
}

int converting_variables(struct env *env, const struct order *order, const struct trace *trace, struct converted *converted,
			 struct err *err)
{
	int rc = take_settings(env, order->settings ? order->settings : &trace->settings, err);
	if (rc == 0 && !order->settings && (clean_summary(env, converted, err) < 0 || clean_groups(env, converted, err) < 0))
		rc = -1;
	if (rc == 0 && trace->is_rocpd)
		rc = env_set(env, "ROCPROF_OUTPUT_FORMAT", "html", err);
	return rc == 0 ? merge(env, order->over, err) : rc;
}
