/* SPDX-License-Identifier: MIT */
/* What roclatch's own tool cannot do of all that rocprofv3's options ask for. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "rocp/options.h"

/* REFUSED: the records would be missing.  IGNORED: it is done in another way, and nothing is missing. */
static const struct { const char *variable; enum { REFUSED, IGNORED } how; } others[] = {
	{ "ROCPROF_OMPT_TRACE", REFUSED }, { "ROCPROF_HIP_GRAPH_TRACE", REFUSED }, { "ROCPROF_HIP_EVENT_TRACE", REFUSED },
	{ "ROCPROF_KFD_PAGE_MIGRATION_TRACE", REFUSED }, { "ROCPROF_KFD_PAGE_MAPPING_TRACE", REFUSED },
	{ "ROCPROF_KFD_QUEUE_TRACE", REFUSED }, { "ROCPROF_KFD_DROPPED_EVENTS_TRACE", REFUSED },
	{ "ROCPROF_ATT_NO_INTERCEPT", REFUSED }, { "ROCPROF_ADVANCED_THREAD_TRACE", REFUSED },
	{ "ROCPROF_SPM_COUNTERS", REFUSED }, { "ROCPROF_SPM_COUNTER_COLLECTION", REFUSED }, { "ROCPROF_PC_SAMPLING_UNIT", REFUSED },
	{ "ROCPROF_PC_SAMPLING_METHOD", REFUSED }, { "ROCPROF_PC_SAMPLING_INTERVAL", REFUSED },
	{ "ROCPROF_KERNEL_REPLAY", REFUSED }, { "ROCPROF_COUNTER_GROUPS", REFUSED }, { "ROCPROF_BENCHMARK_MODE", REFUSED },
	{ "ROCPROF_PERFETTO_BACKEND", REFUSED }, { "ROCPROF_PERFETTO_BUFFER_SIZE_KB", IGNORED },
	{ "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", IGNORED }, { "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB", IGNORED },
};
#define OTHERS (sizeof others / sizeof *others)

/* "--kfd-queue-trace", or the variable where no option brings it. */
static void shown(const char *variable, char *text, size_t size)
{
	for (enum option_id id = 0; id < OPT_COUNT; id++)
		if (request_options[id].variable && !strcmp(request_options[id].variable, variable)) {
			snprintf(text, size, "--%s", request_options[id].name);
			return;
		}
	snprintf(text, size, "%s", variable);
}

static bool is_implied(const struct request *request, const char *variable)
{
	for (size_t i = 0; i < request->implied.n; i++)
		if (!strcmp(request->implied.v[i], variable))
			return true;
	return false;
}

static bool is_asked(const char *value)
{
	bool truth = true;
	return value && value[strspn(value, "0")] && (bool_word(value, &truth) < 0 || truth);
}

/* The in-process backend is what our pftrace comes from too. */
static bool is_harmless(const char *variable, const char *value)
{
	return !strcmp(variable, "ROCPROF_PERFETTO_BACKEND") && !strcmp(value, "inprocess");
}

static int refuse(const char *what, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "roclatch's own tool does not do %s", what);
	return err_remedy(err, "leave it away, or attach AMD's tool, which can: -t PATH of librocprofiler-sdk-tool.so");
}

/* The tool puts ECMAScript's expressions into POSIX's words.  What has none there; NULL if all has. */
static const char *foreign(const char *at)
{
	for (bool set = false; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			if (set ? strchr("DWSbxuc0", *at) != NULL : *at == '0' || (isalpha((unsigned char)*at) && !strchr("dDwWsSbBtnrfv", *at)))
				return set ? "a class such as \\D in brackets" : "a character such as \\x41";
		} else if (set) {
			set = *at != ']';
		} else if (*at == '[') {
			set = true;
			at += at[1] == '^';
		} else if (*at == '(' && at[1] == '?' && at[2] != ':') {
			return "a group that looks ahead";
		}
	}
	return NULL;
}

static int check_regexes(const struct request *request, struct err *err)
{
	static const char *const variables[] = { "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = env_get(&request->env, variables[i]), *odd = value ? foreign(value) : NULL;
		char name[64];
		if (!odd)
			continue;
		shown(variables[i], name, sizeof name);
		err_set(err, ERR_USAGE, 0, "%s: '%.120s' has %s, which POSIX's regular expressions cannot say, and roclatch's own tool uses those",
			name, value, odd);
		return err_remedy(err, "write it another way (regex(7)), or attach AMD's tool");
	}
	return 0;
}

int request_own_tool(const struct request *request, char *left_out, size_t size, struct err *err)
{
	static const char *const otf2[] = { "otf2" };
	size_t used = 0;
	left_out[0] = '\0';
	if (request_has_format(&request->env, otf2, 1))
		return refuse("-f otf2", err);
	for (size_t i = 0; i < OTHERS; i++) {
		const char *variable = others[i].variable, *value = env_get(&request->env, variable);
		char name[64];
		if (!is_asked(value) || is_harmless(variable, value))
			continue;
		shown(variable, name, sizeof name);
		if (others[i].how == REFUSED && !is_implied(request, variable))
			return refuse(name, err);
		if (used < size)
			used += (size_t)snprintf(left_out + used, size - used, "%s%s", used ? ", " : "", name);
	}
	return check_regexes(request, err);
}

bool request_records(const struct env *env)
{
	static const char ending[] = "_TRACE";
	for (size_t i = 0; i < env->n; i++) {
		const char *name = env->v[i].name;
		size_t length = strlen(name);
		bool trace = length >= sizeof ending && !strcmp(name + length + 1 - sizeof ending, ending);
		if (!strncmp(name, "ROCPROF_", 8) && (trace || !strcmp(name, "ROCPROF_COUNTER_COLLECTION")) && is_asked(env->v[i].value))
			return true;
	}
	return false;
}
