/* SPDX-License-Identifier: MIT */
/*
 * The SDK and its tool abort, throw or never end on some values.  They do so in
 * the target, so that such a value must not get there, whether an option or the
 * caller's environment brought it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rocp/options.h"

/* Each number of a range becomes an entry of a set in the target. */
#define RANGE_MOST 1000000u

enum value_kind { VALUE_WORD, VALUE_WORDS, VALUE_NUMBER, VALUE_RANGE, VALUE_REGEX, VALUE_TEXT, VALUE_NONE };

static const struct value_rule {
	const char *variable;
	enum value_kind kind;
	const char *words;
} rules[] = {
	{ "ROCPROF_OUTPUT_FORMAT", VALUE_WORDS, "csv|json|pftrace|otf2|rocpd" },
	{ "ROCPROF_OMPT_TRACE_OPERATIONS", VALUE_WORDS, "all|thread|parallel|task|sync|mutex|target|device|error" },
	{ "ROCPROF_STATS_SUMMARY_UNITS", VALUE_WORD, "sec|msec|usec|nsec" },
	{ "ROCPROF_PERFETTO_BACKEND", VALUE_WORD, "inprocess|system" },
	{ "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", VALUE_WORD, "discard|ring_buffer" },
	{ "ROCPROF_BENCHMARK_MODE", VALUE_WORD, "disabled-sdk-contexts|sdk-buffer-overhead|sdk-callback-overhead|"
	  "tool-runtime-overhead|execution-profile" },
	{ "ROCPROF_PC_SAMPLING_METHOD", VALUE_WORD, "stochastic|host_trap" },
	{ "ROCPROF_PC_SAMPLING_UNIT", VALUE_WORD, "instructions|cycles|time" },
	{ "ROCPROF_AGENT_INDEX", VALUE_WORD, "absolute|relative|type-relative" },
	{ "ROCPROF_ATT_PARAM_RESOURCE_MODE", VALUE_WORD, "default|hsa|code-object" },
	{ "ROCPROF_SPM_SAMPLE_INTERVAL_UNIT", VALUE_WORD, "sclk_cycles" },
	{ "ROCPROF_PC_SAMPLING_INTERVAL", VALUE_NUMBER, NULL },
	{ "ROCPROF_PERFETTO_BUFFER_SIZE_KB", VALUE_NUMBER, NULL },
	{ "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB", VALUE_NUMBER, NULL },
	{ "ROCPROF_MINIMUM_OUTPUT_BYTES", VALUE_NUMBER, NULL },
	{ "ROCPROF_SPM_SAMPLE_INTERVAL", VALUE_NUMBER, NULL },
	{ "ROCPROF_COUNTER_GROUPS_INTERVAL", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_PARAM_TARGET_CU", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_PARAM_SIMD_SELECT", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_CONSECUTIVE_KERNELS", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_PARAM_BUFFER_SIZE", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK", VALUE_NUMBER, NULL },
	{ "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", VALUE_NUMBER, NULL },
	{ "ROCPROF_KERNEL_FILTER_RANGE", VALUE_RANGE, NULL },
	{ "ROCPROF_COLLECTION_PERIOD", VALUE_NONE, NULL },
	{ "ROCPROF_OUTPUT_PATH", VALUE_TEXT, NULL },
	{ "ROCPROF_OUTPUT_FILE_NAME", VALUE_TEXT, NULL },
	{ "ROCPROF_TMPDIR", VALUE_TEXT, NULL },
	{ "ROCPROF_COUNTERS", VALUE_TEXT, NULL },
	{ "ROCPROF_COUNTER_GROUPS", VALUE_TEXT, NULL },
	{ "ROCPROF_SPM_COUNTERS", VALUE_TEXT, NULL },
	{ "ROCPROF_EXTRA_COUNTERS_CONTENTS", VALUE_TEXT, NULL },
	{ "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", VALUE_REGEX, NULL },
	{ "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", VALUE_REGEX, NULL },
	{ "ROCPROF_STATS_SUMMARY_OUTPUT", VALUE_TEXT, NULL },
	{ "ROCPROF_STATS_SUMMARY_GROUPS", VALUE_REGEX, NULL },
	{ "ROCPROF_ATT_LIBRARY_PATH", VALUE_TEXT, NULL },
	{ "ROCPROF_ATT_PARAM_GPU_INDEX", VALUE_TEXT, NULL },
	{ "ROCPROF_ATT_PARAM_PERFCOUNTERS", VALUE_TEXT, NULL },
	{ "ROCPROF_MPI_RANK_VAR", VALUE_TEXT, NULL },
	{ "ROCPROF_MPI_SIZE_VAR", VALUE_TEXT, NULL },
	{ "ROCPROF_MPI_RANKS", VALUE_TEXT, NULL },
	{ "ROCPROF_PRELOAD", VALUE_TEXT, NULL },
	{ "ROCPROF_TIME_FORMAT", VALUE_TEXT, NULL },
	{ "ROCPROF_DATE_FORMAT", VALUE_TEXT, NULL },
	{ "ROCPROFILER_METRICS_PATH", VALUE_TEXT, NULL },
	/* Read by the attaching side alone. */
	{ "ROCPROF_ATTACH_PID", VALUE_TEXT, NULL },
	{ "ROCPROF_ATTACH_DURATION", VALUE_TEXT, NULL },
	{ "ROCPROF_ATTACH_CHILDREN", VALUE_TEXT, NULL },
	{ "ROCPROF_ATTACH_LIBRARY", VALUE_TEXT, NULL },
	{ "ROCPROF_ATTACH_TOOL_LIBRARY", VALUE_TEXT, NULL },
};

/* " (--kernel-include-regex)", where an option brings the variable, too. */
static const char *option_of(const char *variable, char *text, size_t size)
{
	text[0] = '\0';
	for (enum option_id id = 0; id < OPT_COUNT && !text[0]; id++)
		if (request_options[id].variable && !strcmp(request_options[id].variable, variable))
			snprintf(text, size, " (--%s)", request_options[id].name);
	return text;
}

static int bad(const struct env_var *var, const char *why, const char *use, struct err *err)
{
	char option[64];
	err_set(err, ERR_USAGE, 0, "%s=%.80s%s %s: the tool would end the target", var->name, var->value,
		option_of(var->name, option, sizeof option), why);
	return use ? err_remedy(err, "use %s, or unset the variable", use) : err_remedy(err, "unset it, or give it a right value");
}

static bool is_among(const char *words, const char *word, size_t length, bool fold)
{
	for (;;) {
		size_t size = strcspn(words, "|");
		if (size == length && !(fold ? strncasecmp(words, word, size) : strncmp(words, word, size)))
			return true;
		if (!words[size])
			return false;
		words += size + 1;
	}
}

static int check_words(const struct env_var *var, const char *words, struct err *err)
{
	bool some = false;
	for (const char *at = var->value; *at;) {
		size_t length = strcspn(at, " \t\n,;:");
		if (length && !is_among(words, at, length, true)) {
			bad(var, "has an unknown word", words, err);
			if (length == 4 && !strncasecmp(at, "html", 4))
				err_remedy(err, "html is roclatch's own: use -f html, and unset the variable");
			return -1;
		}
		some = some || length;
		at += length + (at[length] != '\0');
	}
	return some ? 0 : bad(var, "is empty", words, err);
}

/* Reads digits up to `stop`; older tools keep 32 bits and count until they have passed the end. */
static bool range_end(const char **at, const char *stop, uint64_t *value)
{
	const char *begin = *at;
	for (*value = 0; *at < stop && **at >= '0' && **at <= '9' && *value < UINT32_MAX; ++*at)
		*value = *value * 10 + (uint64_t)(**at - '0');
	return *at > begin && *value < UINT32_MAX;
}

/* "[1-3], [7], 9-12" */
static int check_range(const struct env_var *var, struct err *err)
{
	static const char between[] = "[], ";
	const char *at = var->value + strspn(var->value, between);
	uint64_t all = 0;
	while (*at) {
		const char *stop = at + strcspn(at, between);
		uint64_t low, high;
		if (!range_end(&at, stop, &low))
			return bad(var, "is no list of runs", "numbers and ranges as in [1-3],[7]", err);
		high = low;
		if (at < stop && *at == '-') {
			at++;
			if (!range_end(&at, stop, &high) || high < low)
				return bad(var, "is no list of runs", "numbers and ranges as in [1-3],[7]", err);
		}
		if (at != stop)
			return bad(var, "is no list of runs", "numbers and ranges as in [1-3],[7]", err);
		all += high - low + 1;
		if (all > RANGE_MOST)
			return bad(var, "has more than a million runs", "a smaller range", err);
		at = stop + strspn(stop, between);
	}
	return 0;
}

/* The tool's function for numbers throws if there is none or it is too large; what follows it does not matter. */
static bool is_read(const char *value)
{
	char *end;
	errno = 0;
	(void)strtoll(value, &end, 10);
	return end != value && !errno;
}

/* One, or several with "##@@##" between them, as the groups of a summary have. */
static bool are_regexes(const char *value)
{
	char one[4097];
	for (;;) {
		const char *stop = strstr(value, "##@@##");
		size_t length = stop ? (size_t)(stop - value) : strlen(value);
		if (length >= sizeof one)
			return false;
		memcpy(one, value, length);
		one[length] = '\0';
		if (!is_regex(one))
			return false;
		if (!stop)
			return true;
		value = stop + 6;
	}
}

static bool is_switch(const char *name)
{
	static const char *const others[] = {
		"ROCPROFILER_LIBRARY_CTOR", "ROCPROF_COUNTER_COLLECTION", "ROCPROF_SPM_COUNTER_COLLECTION",
		"ROCPROF_KERNEL_REPLAY", "ROCPROF_OMPT_TRACE", "ROCPROFILER_PC_SAMPLING_BETA_ENABLED",
		"ROCPROFILER_SPM_BETA_ENABLED", "ROCP_TOOL_ATTACH", "ROCPROFILER_REGISTER_ENABLED",
		"ROCPROFILER_REGISTER_SECURE", "ROCPROFILER_REGISTER_FORCE_LOAD", "ROCPROFILER_REGISTER_TOOL_ATTACHED",
		"ROCPROF_HIP_API_TRACE", "ROCPROF_HSA_API_TRACE",
	};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(name, others[i]))
			return true;
	for (enum option_id id = 0; id < OPT_COUNT; id++)
		if (request_options[id].takes == TAKES_BOOL && request_options[id].variable &&
		    !strcmp(name, request_options[id].variable))
			return true;
	return false;
}

/*
 * The SDK throws on an empty switch, and reads digits by a function that throws
 * on too many; any other word it takes.  A variable that is not known here may
 * be a switch of a newer SDK, so that none of them may be empty.
 */
static int check_other(const struct env_var *var, struct err *err)
{
	if (strncmp(var->name, "ROCPROF", 7) && strncmp(var->name, "ROCP_", 5))
		return 0;
	if (!*var->value)
		return bad(var, "is empty", "0 or 1", err);
	if (is_switch(var->name) && !var->value[strspn(var->value, "0123456789")] && strlen(var->value) > 9)
		return bad(var, "is no yes or no", "0 or 1", err);
	return 0;
}

static int check_one(const struct env_var *var, const struct value_rule *rule, struct err *err)
{
	switch (rule->kind) {
	case VALUE_WORD:
		return is_among(rule->words, var->value, strlen(var->value), true) ? 0 : bad(var, "is an unknown word", rule->words, err);
	case VALUE_WORDS:
		return check_words(var, rule->words, err);
	case VALUE_NUMBER:
		return is_read(var->value) ? 0 : bad(var, "is no number", "a decimal number", err);
	case VALUE_RANGE:
		return check_range(var, err);
	case VALUE_REGEX:
		return are_regexes(var->value) ? 0 : bad(var, "is no regular expression", "one of ECMAScript's kind", err);
	case VALUE_NONE:
		err_set(err, ERR_USAGE, 0, "%s is not compatible with attach mode", var->name);
		return err_remedy(err, "unset it");
	case VALUE_TEXT:
		break;
	}
	return 0;
}

int request_check_values(const struct env *env, struct err *err)
{
	for (size_t i = 0; i < env->n; i++) {
		const struct value_rule *rule = NULL;
		for (size_t j = 0; !rule && j < sizeof rules / sizeof rules[0]; j++)
			if (!strcmp(rules[j].variable, env->v[i].name))
				rule = &rules[j];
		if ((rule ? check_one(&env->v[i], rule, err) : check_other(&env->v[i], err)) < 0)
			return -1;
	}
	return 0;
}
