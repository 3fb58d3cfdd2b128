/* SPDX-License-Identifier: MIT */
#include "rocp/options.h"

#include <string.h>
#include <strings.h>

#include "rocp/nearest.h"

const struct request_option request_options[OPT_COUNT] = {
/* NOLINTBEGIN(bugprone-macro-parentheses): initializers, each behind its own comma */
#define O(id, name_, letter_, second_, takes_, rule_, area_, styles_, variable_, value_, help_) \
	[OPT_##id] = { .name = name_, .second = second_, .variable = variable_, .value = value_, .help = help_, \
		       .letter = letter_, .takes = TAKES_##takes_, .rule = RULE_##rule_, .area = AREA_##area_, \
		       .styles = STYLES_##styles_ },
	OPTIONS
#undef O
/* NOLINTEND(bugprone-macro-parentheses) */
};

bool options_in_style(enum request_style style, enum option_id id)
{
	return style != STYLE_ROCPROF_ATTACH || request_options[id].styles == STYLES_ALL;
}

static bool is_called(const char *called, const char *name, size_t length)
{
	return called && strlen(called) == length && !memcmp(called, name, length);
}

enum option_id options_by_name(enum request_style style, const char *name, size_t length)
{
	for (enum option_id id = 0; id < OPT_COUNT; id++)
		if (options_in_style(style, id) && (is_called(request_options[id].name, name, length) ||
						    is_called(request_options[id].second, name, length)))
			return id;
	return OPT_COUNT;
}

struct names { enum request_style style; unsigned id; };

static const char *next_name(void *ctx)
{
	struct names *names = ctx;
	while (names->id < OPT_COUNT && !options_in_style(names->style, names->id))
		names->id++;
	return names->id < OPT_COUNT ? request_options[names->id++].name : NULL;
}

const char *options_nearest_name(enum request_style style, const char *name)
{
	struct names names = { style, 0 };
	return nearest(name, next_name, &names);
}

int bool_word(const char *word, bool *truth)
{
	static const char *const words[2][6] = { { "n", "no", "f", "false", "off", "0" },
						 { "y", "yes", "t", "true", "on", "1" } };
	for (int yes = 0; yes < 2; yes++)
		for (int i = 0; i < 6; i++)
			if (!strcasecmp(word, words[yes][i])) {
				*truth = yes;
				return 0;
			}
	return -1;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool number_word(const char *word, bool hex, uint64_t *number)
{
	int base = 10;
	if (hex && word[0] == '0' && (word[1] | 0x20) == 'x') {
		base = 16;
		word += 2;
	}
	uint64_t sum = 0;
	if (!*word)
		return false;
	for (; *word; word++) {
		int digit = digit_of(*word);
		if (digit >= base || sum > (INT64_MAX - (uint64_t)digit) / (uint64_t)base)
			return false;
		sum = sum * (uint64_t)base + (uint64_t)digit;
	}
	*number = sum;
	return true;
}

bool time_word(const char *word, uint64_t *ms)
{
	static const struct { const char *unit; uint64_t ms; } units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 } };
	char digits[20];
	size_t length = strspn(word, "0123456789");
	if (!length || length >= sizeof digits)
		return false;
	memcpy(digits, word, length);
	digits[length] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(word + length, units[i].unit))
			return number_word(digits, false, ms) && *ms && !__builtin_mul_overflow(*ms, units[i].ms, ms) &&
			       *ms <= INT32_MAX * (uint64_t)1000;
	return false;
}

int time_of(const char *shown, const char *word, uint64_t *ms, struct err *err)
{
	if (time_word(word, ms))
		return 0;
	err_set(err, ERR_USAGE, 0, "%s takes a time of more than 0, not '%s'", shown, word);
	return err_remedy(err, "a number is milliseconds; 10s, 500ms and 2m are understood");
}

const char *choice_word(void **arena, const char *choices, const char *word, bool fold)
{
	size_t length = strlen(word);
	for (;;) {
		size_t size = strcspn(choices, "|");
		if (size == length && !(fold ? strncasecmp(choices, word, size) : strncmp(choices, word, size)))
			return arena_text(arena, choices, size, NULL);
		if (!choices[size])
			return NULL;
		choices += size + 1;
	}
}
