/* SPDX-License-Identifier: MIT */
#include "bin/shown.h"

#include <string.h>

#include "rocp/options.h"

#define WIDTH 79
#define COLUMN 30

static bool next_of_attach(struct showing *at, struct shown *shown)
{
	static const char titles[AREA_COUNT][58] = {
		[AREA_TARGET] = "target", [AREA_PLACE] = "containers and clusters", [AREA_GENERAL] = "general options",
		[AREA_IO] = "input and output",
		[AREA_TRACE] = "tracing (each takes yes or no, and is yes without a word)",
		[AREA_COUNTERS] = "counters and sampling", [AREA_POST] = "summaries and names", [AREA_FILTER] = "filters",
		[AREA_PERFETTO] = "Perfetto", [AREA_ADVANCED] = "advanced", [AREA_THREAD_TRACE] = "thread trace",
	};
	bool begins = at->place == 0;
	for (; at->group < AREA_COUNT; at->group++, at->place = 0, begins = true)
		while (at->place < OPT_COUNT) {
			enum option_id id = (enum option_id)at->place++;
			const struct request_option *option = &request_options[id];
			if (option->area != at->group || !options_in_style(at->style, id))
				continue;
			*shown = (struct shown){
				.title = begins ? titles[at->group] : NULL, .name = option->name, .second = option->second,
				.value = option->value, .help = option->help, .letter = option->letter,
				.yes_no = option->takes == TAKES_BOOL,
				.several = option->takes == TAKES_LIST || option->takes == TAKES_LIST0 };
			if (at->style == STYLE_ROCPROF_ATTACH && id == OPT_DURATION)
				shown->letter = 'd';
			return true;
		}
	return false;
}

bool shown_next(struct showing *at, struct shown *shown)
{
	if (!at->groups)
		return next_of_attach(at, shown);
	for (const struct option_group *group; (group = &at->groups[at->group])->options; at->group++, at->place = 0) {
		const struct option *option = &group->options[at->place];
		if (!option->name)
			continue;
		*shown = (struct shown){
			.title = at->place ? NULL : group->title, .name = option->name, .help = option->help,
			.value = option->kind == OPTION_FLAG ? NULL : option->value, .letter = option->letter,
			.commas = option->kind == OPTION_LIST };
		at->place++;
		return true;
	}
	return false;
}

void wrap(FILE *out, int column, const char *text, size_t length)
{
	const char *end = text + length, *blank = text;
	int at = column;
	while (text < end) {
		const char *word = text + strspn(text, " \n");
		size_t n = strcspn(word, " \n");
		if (word + n > end)
			n = word < end ? (size_t)(end - word) : 0;
		int gap = !n || at == column ? 0 : (int)(word - blank);
		gap += gap == 1 && *blank == '\n' && blank[-1] == '.';  /* as between sentences of a line */
		if (gap && at + gap + (int)n > WIDTH) {
			fprintf(out, "\n%*s", column, "");
			at = column;
			gap = 0;
		}
		at += fprintf(out, "%*s%.*s", gap, "", (int)n, word);
		text = blank = word + n;
	}
	putc('\n', out);
}

/* "a|b|c", in more than one line where it is long.  How far that is from `at`. */
static int show_value(FILE *out, int at, const char *value)
{
	int begin = at;
	at += fprintf(out, " ");
	for (size_t n; n = strcspn(value, "|"), n += value[n] == '|', n; value += n) {
		if (at + (int)n > WIDTH)
			at = fprintf(out, "\n%*s", COLUMN / 3, "") - 1;
		at += fprintf(out, "%.*s", (int)n, value);
	}
	return at - begin;
}

void shown_help(struct showing showing, FILE *out)
{
	struct shown shown;
	while (shown_next(&showing, &shown)) {
		if (shown.title)
			fprintf(out, "\n%s:\n", shown.title);
		int at = fprintf(out, shown.letter ? "  -%c, --%s" : "   %c  --%s", shown.letter ? shown.letter : ' ', shown.name);
		if (shown.second)
			at += fprintf(out, ", --%s", shown.second);
		if (shown.value)
			at += show_value(out, at, shown.value);
		if (at >= COLUMN) {
			putc('\n', out);
			at = 0;
		}
		fprintf(out, "%*s", COLUMN - at, "");
		wrap(out, COLUMN, shown.help, strlen(shown.help));
	}
}
