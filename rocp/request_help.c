/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocp/options.h"

#define COLUMN 34

static const char *const titles[AREA_COUNT] = {
	[AREA_TARGET] = "target", [AREA_PLACE] = "containers and clusters", [AREA_GENERAL] = "general options",
	[AREA_IO] = "input and output",
	[AREA_TRACE] = "tracing (each takes yes or no, and is yes without a word)",
	[AREA_COUNTERS] = "counters and sampling", [AREA_POST] = "summaries and names", [AREA_FILTER] = "filters",
	[AREA_PERFETTO] = "Perfetto", [AREA_ADVANCED] = "advanced", [AREA_THREAD_TRACE] = "thread trace",
};

static void show(enum request_style style, enum option_id id, FILE *out)
{
	const struct request_option *option = &request_options[id];
	char left[192], letter = option->letter;
	if (style == STYLE_ROCPROF_ATTACH && id == OPT_DURATION)
		letter = 'd';
	int used = letter ? snprintf(left, sizeof left, "-%c, --%s", letter, option->name) :
		snprintf(left, sizeof left, "    --%s", option->name);
	if (option->second && used > 0 && (size_t)used < sizeof left)
		used += snprintf(left + used, sizeof left - (size_t)used, ", --%s", option->second);
	if (option->value && used > 0 && (size_t)used < sizeof left)
		used += snprintf(left + used, sizeof left - (size_t)used, " %s", option->value);
	if (used >= COLUMN)
		fprintf(out, "  %s\n  %-*s %s\n", left, COLUMN, "", option->help);
	else
		fprintf(out, "  %-*s %s\n", COLUMN, left, option->help);
}

void request_help(enum request_style style, FILE *out)
{
	static const char *const programs[] = { "roclatch attach", "rocprofv3", "rocprof-attach" };
	fprintf(out, "usage: %s -p PID [OPTION...]\n\n"
		"Attaches ROCprofiler's tool to a process that runs, and detaches it again on Enter,\n"
		"Ctrl-C, or after a time.\n", programs[style]);
	for (int area = 0; area < AREA_COUNT; area++) {
		bool titled = false;
		for (enum option_id id = 0; id < OPT_COUNT; id++) {
			if (request_options[id].area != area || !options_in_style(style, id))
				continue;
			if (!titled)
				fprintf(out, "\n%s:\n", titles[area]);
			titled = true;
			show(style, id, out);
		}
	}
}
