/* SPDX-License-Identifier: MIT */
#include "bin/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "rocp/nearest.h"
#include "rocp/options.h"

bool options_number(const char *text, uint64_t *value)
{
	unsigned base = 10;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	uint64_t sum = 0;
	const char *at = text;
	for (; isxdigit((unsigned char)*at); at++) {
		unsigned digit = isdigit((unsigned char)*at) ? (unsigned)(*at - '0')
							     : (unsigned)((*at | 0x20) - 'a' + 10);
		if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	if (at == text || *at)
		return false;
	*value = sum;
	return true;
}

#define WORD_MAX 48

struct names {
	const struct option_group *group;
	const struct option *option;
};

static const struct option *next_option(struct names *names)
{
	while (names->group->options) {
		if (!names->option)
			names->option = names->group->options;
		if (names->option->name)
			return names->option++;
		names->group++;
		names->option = NULL;
	}
	return NULL;
}

static const char *next_name(void *ctx)
{
	const struct option *option = next_option(ctx);
	return option ? option->name : NULL;
}

/* What one word of the command line asks for. */
struct asked {
	const struct option *option;
	size_t base;
	const char *value;      /* written in the same word, or NULL */
	char shown[WORD_MAX];   /* "--json", "-p": for messages */
};

static int unknown(const struct option_group *groups, const char *name, const char *shown,
		   struct err *err)
{
	struct names names = { .group = groups };
	const char *meant = name ? nearest(name, next_name, &names) : NULL;
	err_set(err, ERR_USAGE, 0, "there is no option %s", shown);
	if (meant)
		err_remedy(err, "did you mean --%s?", meant);
	return -1;
}

static int find_long(const struct option_group *groups, const char *word, struct asked *asked,
		     struct err *err)
{
	char name[WORD_MAX];
	const char *equals = strchr(word, '=');
	int length = equals ? (int)(equals - word) : (int)strnlen(word, WORD_MAX);
	snprintf(name, sizeof name, "%.*s", length, word);
	snprintf(asked->shown, sizeof asked->shown, "--%.*s", (int)sizeof name - 3, name);

	struct names names = { .group = groups };
	while ((asked->option = next_option(&names)))
		if (!strcmp(asked->option->name, name))
			break;
	if (!asked->option)
		return unknown(groups, name, asked->shown, err);
	asked->base = names.group->base;
	asked->value = equals ? equals + 1 : NULL;
	return 0;
}

static int find_short(const struct option_group *groups, const char *word, struct asked *asked,
		      struct err *err)
{
	snprintf(asked->shown, sizeof asked->shown, "-%c", *word);
	struct names names = { .group = groups };
	while ((asked->option = next_option(&names)))
		if (asked->option->letter == *word)
			break;
	if (!asked->option)
		return unknown(groups, NULL, asked->shown, err);
	asked->base = names.group->base;
	asked->value = word[1] ? word + 1 : NULL;
	return 0;
}

/* The place of value in "a|b|c", or -1. */
static int choice(const char *words, const char *value)
{
	size_t length = strlen(value);
	for (int place = 0;; place++) {
		size_t word = strcspn(words, "|");
		if (word == length && !memcmp(words, value, length))
			return place;
		if (!words[word])
			return -1;
		words += word + 1;
	}
}

static int store_list(const struct asked *asked, const char *value, struct option_list *list, struct err *err)
{
	if (list->n == OPTION_LIST_MAX)
		return err_set(err, ERR_USAGE, 0, "%s is given more than %d times", asked->shown, OPTION_LIST_MAX);
	list->v[list->n++] = value;
	return 0;
}

static int store(const struct asked *asked, const char *value, void *into, struct err *err)
{
	const struct option *option = asked->option;
	void *place = (char *)into + asked->base + option->offset;
	uint64_t number;
	int word;
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)place = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)place = value;
		return 0;
	case OPTION_LIST:
		return store_list(asked, value, place, err);
	case OPTION_NUMBER:
		if (!options_number(value, &number) || number < option->min || number > option->max)
			return err_set(err, ERR_USAGE, 0, "%s takes a number from %" PRIu64
				       " to %" PRIu64 ", not '%s'", asked->shown,
				       option->min, option->max, value);
		*(uint64_t *)place = number;
		return 0;
	case OPTION_TIME:
		if ((options_number(value, &number) || time_word(value, &number)) && number >= option->min && number <= option->max) {
			*(uint64_t *)place = number;
			return 0;
		}
		err_set(err, ERR_USAGE, 0, "%s takes a time from %" PRIu64 " to %" PRIu64 " ms, not '%s'", asked->shown, option->min,
			option->max, value);
		return err_remedy(err, "a number is milliseconds; 10s, 500ms and 2m are understood");
	case OPTION_CHOICE:
		word = choice(option->value, value);
		if (word < 0)
			return err_set(err, ERR_USAGE, 0, "%s takes %s, not '%s'", asked->shown,
				       option->value, value);
		*(unsigned *)place = (unsigned)word;
		return 0;
	}
	return -1;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]);
}

/* Take the option in argv[at] and the value behind it (into may be NULL: look
 * only).  Returns how many words that were, or -1. */
static int take(const struct option_group *groups, void *into, int argc, char **argv, int at,
		struct err *err)
{
	struct asked asked = { .option = NULL };
	const char *word = argv[at] + 1;
	bool is_long = *word == '-';
	for (;;) {
		if ((is_long ? find_long(groups, word + 1, &asked, err)
			     : find_short(groups, word, &asked, err)) < 0)
			return -1;
		if (asked.option->kind != OPTION_FLAG)
			break;
		if (is_long && asked.value)
			return err_set(err, ERR_USAGE, 0, "%s takes no value", asked.shown);
		if (into && store(&asked, NULL, into, err) < 0)
			return -1;
		if (!asked.value)
			return 1;
		word = asked.value;     /* "-hv" is "-h -v" */
	}
	int words = 1;
	if (!asked.value) {
		if (at + 1 >= argc)
			return err_set(err, ERR_USAGE, 0, "%s needs a value: %s", asked.shown,
				       asked.option->value);
		asked.value = argv[at + 1];
		words = 2;
	}
	return into && store(&asked, asked.value, into, err) < 0 ? -1 : words;
}

int options_parse(const struct option_group *groups, void *into, int argc, char **argv,
		  struct err *err)
{
	int operands = 0;
	for (int at = 0; at < argc;) {
		if (!strcmp(argv[at], "--")) {
			while (++at < argc)
				argv[operands++] = argv[at];
			break;
		}
		if (!is_option(argv[at])) {
			argv[operands++] = argv[at++];
			continue;
		}
		int words = take(groups, into, argc, argv, at, err);
		if (words < 0)
			return -1;
		at += words;
	}
	return operands;
}

int options_first_operand(const struct option_group *groups, int argc, char **argv,
			  struct err *err)
{
	int at = 0;
	while (at < argc && is_option(argv[at])) {
		if (!strcmp(argv[at], "--"))
			return at + 1 < argc ? at + 1 : argc;
		int words = take(groups, NULL, argc, argv, at, err);
		if (words < 0)
			return -1;
		at += words;
	}
	return at < argc ? at : argc;
}
