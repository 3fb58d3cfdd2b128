/* SPDX-License-Identifier: MIT */
/* The variables that AMD's tool reads for its output, read the same way. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rocp/arena.h"
#include "rocp/formats/settings.h"

#define GROUP_END "##@@##"

/* Digits are a number, a few words mean no, all others yes: so does the SDK. */
int setting_switch(const struct env *env, const char *name, bool *value, struct err *err)
{
	static const char *const no[] = { "off", "false", "no", "n", "f" };
	const char *text = env_get(env, name);
	if (!text)
		return 0;
	if (!*text) {
		err_set(err, ERR_USAGE, 0, "%s is empty", name);
		return err_remedy(err, "set it to 1 or 0, or unset it");
	}
	*value = true;
	if (!text[strspn(text, "0123456789")])
		*value = text[strspn(text, "0")] != '\0';
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		if (!strcasecmp(text, no[i]))
			*value = false;
	return 0;
}

static int read_format(unsigned *formats, const char *word, size_t length, struct err *err)
{
	static const struct { const char *name; enum format format; } known[] = {
		{ "csv", FORMAT_CSV }, { "json", FORMAT_JSON }, { "pftrace", FORMAT_PFTRACE },
		{ "rocpd", FORMAT_ROCPD }, { "html", FORMAT_HTML },
	};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].name) == length && !strncasecmp(word, known[i].name, length)) {
			*formats |= known[i].format;
			return 0;
		}
	if (length == 4 && !strncasecmp(word, "otf2", 4)) {
		err_set(err, ERR_USAGE, 0, "otf2 is not written by roclatch's tool");
		return err_remedy(err, "use -f rocpd and convert the database with AMD's rocpd2otf2, or attach with AMD's tool: "
				       "-t librocprofiler-sdk-tool.so");
	}
	err_set(err, ERR_USAGE, 0, "'%.*s' in ROCPROF_OUTPUT_FORMAT is no format", (int)(length < 40 ? length : 40), word);
	return err_remedy(err, "use csv, json, pftrace, rocpd or html");
}

static int read_formats(struct settings *settings, const struct env *env, struct err *err)
{
	const char *at = env_get(env, "ROCPROF_OUTPUT_FORMAT");
	while (at && *at) {
		size_t length = strcspn(at, " \t\n,;:");
		if (length && read_format(&settings->formats, at, length, err) < 0)
			return -1;
		at += length + (at[length] != '\0');
	}
	if (!settings->formats)
		settings->formats = FORMAT_ROCPD;
	return 0;
}

static int read_groups(struct settings *settings, const struct env *env, struct err *err)
{
	const char *at = env_get(env, "ROCPROF_STATS_SUMMARY_GROUPS");
	struct words groups = { 0 };
	while (at && *at) {
		const char *stop = strstr(at, GROUP_END);
		size_t length = stop ? (size_t)(stop - at) : strlen(at);
		char *group = arena_text(&settings->owned, at, length, err);
		if (!group || (*group && (summary_group_check(group, err) < 0 ||
					  words_add(&settings->owned, &groups, group, err) < 0)))
			return -1;
		at += length + (stop ? strlen(GROUP_END) : 0);
	}
	settings->summary_group = (const char **)groups.v;
	settings->summary_groups = groups.n;
	return 0;
}

static int read_text(struct settings *settings, const struct env *env, const char *name, const char *otherwise,
		     const char **out, struct err *err)
{
	const char *text = env_get(env, name);
	if (!text || !*text)
		text = otherwise;
	*out = arena_text(&settings->owned, text, strlen(text), err);
	return *out ? 0 : -1;
}

static int read_summary(struct settings *settings, const struct env *env, struct err *err)
{
	static const char *const units[] = { "sec", "msec", "usec", "nsec" };
	if (setting_switch(env, "ROCPROF_STATS_SUMMARY", &settings->summary, err) < 0 ||
	    setting_switch(env, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", &settings->summary_per_domain, err) < 0 ||
	    read_groups(settings, env, err) < 0 ||
	    read_text(settings, env, "ROCPROF_STATS_SUMMARY_OUTPUT", "stderr", &settings->summary_output, err) < 0 ||
	    read_text(settings, env, "ROCPROF_STATS_SUMMARY_UNITS", "nsec", &settings->summary_unit, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(settings->summary_unit, units[i]))
			return 0;
	err_set(err, ERR_USAGE, 0, "'%.40s' in ROCPROF_STATS_SUMMARY_UNITS is no unit", settings->summary_unit);
	return err_remedy(err, "use sec, msec, usec or nsec");
}

static int read_naming(struct settings *settings, const struct env *env, struct err *err)
{
	bool demangle = true, truncate = false;
	if (setting_switch(env, "ROCPROF_DEMANGLE_KERNELS", &demangle, err) < 0 ||
	    setting_switch(env, "ROCPROF_TRUNCATE_KERNELS", &truncate, err) < 0 ||
	    setting_switch(env, "ROCPROF_KERNEL_RENAME", &settings->kernel_rename, err) < 0)
		return -1;
	settings->naming = truncate ? NAMING_TRUNCATED : demangle ? NAMING_DEMANGLED : NAMING_MANGLED;

	const char *index = env_get(env, "ROCPROF_AGENT_INDEX");
	if (!index || !*index || !strcmp(index, "relative"))
		settings->agent_index = AGENT_RELATIVE;
	else if (!strcmp(index, "absolute"))
		settings->agent_index = AGENT_ABSOLUTE;
	else if (!strcmp(index, "type-relative"))
		settings->agent_index = AGENT_TYPE_RELATIVE;
	else {
		err_set(err, ERR_USAGE, 0, "'%.40s' in ROCPROF_AGENT_INDEX is no way to count agents", index);
		return err_remedy(err, "use relative, absolute or type-relative");
	}
	return 0;
}

static int read_bytes(struct settings *settings, const struct env *env, struct err *err)
{
	const char *text = env_get(env, "ROCPROF_MINIMUM_OUTPUT_BYTES");
	if (!text)
		return 0;
	char *end;
	errno = 0;
	settings->least_bytes = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && !errno)
		return 0;
	err_set(err, ERR_USAGE, 0, "ROCPROF_MINIMUM_OUTPUT_BYTES is '%.40s', not a number of bytes", text);
	return err_remedy(err, "give --minimum-output-data a number of KiB");
}

static int read_all(struct settings *settings, const struct env *env, struct err *err)
{
	if (read_formats(settings, env, err) < 0 || settings_refuse(settings, env, err) < 0 ||
	    setting_switch(env, "ROCPROF_STATS", &settings->stats, err) < 0 ||
	    read_summary(settings, env, err) < 0 || read_naming(settings, env, err) < 0 ||
	    setting_switch(env, "ROCPROF_GROUP_BY_QUEUE", &settings->group_by_queue, err) < 0 ||
	    setting_switch(env, "ROCPROF_OUTPUT_CONFIG_FILE", &settings->output_config, err) < 0)
		return -1;
	return read_bytes(settings, env, err);
}

int settings_from(struct settings *settings, const struct env *env, struct err *err)
{
	*settings = (struct settings){ 0 };
	if (read_all(settings, env, err) == 0)
		return 0;
	settings_free(settings);
	return -1;
}

void settings_free(struct settings *settings)
{
	arena_free(&settings->owned);
	*settings = (struct settings){ 0 };
}
