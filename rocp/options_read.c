/* SPDX-License-Identifier: MIT */
/* The command line as Python's argparse reads it, as that is what scripts were written for. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "rocp/options.h"

/* "-5" and "-.5" are values; so is a word with a blank in it. */
static bool is_option(const char *word)
{
	if (word[0] != '-' || !word[1])
		return false;
	const char *at = word + 1;
	at += strspn(at, "0123456789");
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	if (!*at && isdigit((unsigned char)at[-1]))
		return false;
	return !strchr(word, ' ') || strchr(word, '=');
}

static int store_number(const struct request_option *option, struct option_value *value, const char *shown,
			struct err *err)
{
	uint64_t low = 0, high = INT64_MAX;
	enum option_id id = (enum option_id)(option - request_options);
	if (id == OPT_BUFFER) {
		low = 1;
		high = 4194303;
	} else if (id == OPT_THREAD || id == OPT_TIMEOUT || id == OPT_PC_INTERVAL) {
		low = 1;
		high = id == OPT_PC_INTERVAL ? INT64_MAX : id == OPT_THREAD ? INT_MAX : 86400000;
	} else if (id == OPT_MINIMUM) {
		high = INT64_MAX / 1024;
	}
	const char *word = value->words.v[0];
	bool known = number_word(word, option->takes == TAKES_AUTO, &value->number) || (id == OPT_TIMEOUT && time_word(word, &value->number));
	if (known && value->number >= low && value->number <= high)
		return 0;
	if (id == OPT_TIMEOUT) {
		err_set(err, ERR_USAGE, 0, "%s takes a time from %" PRIu64 " to %" PRIu64 " ms, not '%s'", shown, low, high, word);
		return err_remedy(err, "a number is milliseconds; 10s, 500ms and 2m are understood");
	}
	return err_set(err, ERR_USAGE, 0, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", shown, low,
		       high, word);
}

/* Formats in any case, each known. */
static int store_formats(struct reading *reading, const struct request_option *option, struct option_value *value,
			 const char *shown, struct err *err)
{
	struct words folded = { .n = 0 };
	for (size_t i = 0; i < value->words.n; i++) {
		const char *word = choice_word(&reading->request->owned, option->value, value->words.v[i], true);
		if (!word) {
			err_set(err, ERR_USAGE, 0, "%s: '%s' is no output format", shown, value->words.v[i]);
			return err_remedy(err, "use one or more of csv json pftrace otf2 rocpd html");
		}
		if (words_add(&reading->request->owned, &folded, word, err) < 0)
			return -1;
	}
	value->words = folded;
	return 0;
}

/* Parts of OpenMP, or one word for yes or no; value->words keeps the parts alone. */
static int store_ompt(struct reading *reading, const struct request_option *option, struct option_value *value,
		      const char *shown, struct err *err)
{
	struct words given = value->words, parts = { .n = 0 };
	value->words = parts;
	value->truth = true;
	if (!given.n || (given.n == 1 && !bool_word(given.v[0], &value->truth)))
		return 0;
	bool all = false;
	for (size_t i = 0; i < given.n; i++) {
		const char *part = choice_word(&reading->request->owned, option->value, given.v[i], true);
		if (!part) {
			err_set(err, ERR_USAGE, 0, "%s: '%s' is no part of OpenMP", shown, given.v[i]);
			return err_remedy(err, strchr(given.v[i], ',') ? "put blanks between the parts, not commas" :
				"use yes, no, or some of all thread parallel task sync mutex target device error");
		}
		all = all || !strcmp(part, "all");
		if (words_add(&reading->request->owned, &parts, part, err) < 0)
			return -1;
	}
	if (!all)
		value->words = parts;
	return 0;
}

static int store_pid(struct reading *reading, struct said *said, const char *shown, const char *word, struct err *err)
{
	uint64_t pid;
	if (!number_word(word, false, &pid) || !pid || pid > INT_MAX) {
		err_set(err, ERR_USAGE, 0, "%s takes a process id, not '%s'", shown, word);
		return err_remedy(err, "use --name REGEX to find processes by name");
	}
	for (size_t i = 0; i < said->pids.n; i++)
		if (!strcmp(said->pids.v[i], word))
			return 0;
	return words_add(&reading->request->owned, &said->pids, word, err);
}

static int store_group(struct reading *reading, struct said *said, const struct words *words, struct err *err)
{
	struct words *groups = arena_take(&reading->request->owned, (said->group_count + 1) * sizeof *groups, err);
	if (!groups)
		return -1;
	if (said->group_count)
		memcpy(groups, said->groups, said->group_count * sizeof *groups);
	groups[said->group_count++] = *words;
	said->groups = groups;
	return 0;
}

static int store_bool(struct option_value *value, const char *shown, struct err *err)
{
	if (!value->words.n) {
		value->truth = true;
		return 0;
	}
	if (!bool_word(value->words.v[0], &value->truth))
		return 0;
	err_set(err, ERR_USAGE, 0, "%s takes yes or no, not '%s'", shown, value->words.v[0]);
	return err_remedy(err, "yes, true, on, 1 or no, false, off, 0; without a word it is yes");
}

static int store_choice(struct reading *reading, const struct request_option *option, struct option_value *value,
			const char *shown, struct err *err)
{
	const char *word = choice_word(&reading->request->owned, option->value, value->words.v[0],
				       option->takes == TAKES_FOLDED);
	if (!word)
		return err_set(err, ERR_USAGE, 0, "%s takes %s, not '%s'", shown, option->value, value->words.v[0]);
	value->words = (struct words){ .n = 0 };
	return words_add(&reading->request->owned, &value->words, word, err);
}

int options_store(struct reading *reading, struct said *said, enum option_id id, const char *shown,
		  const struct words *words, struct err *err)
{
	const struct request_option *option = &request_options[id];
	struct option_value *value = &said->v[id];
	value->given = true;
	value->words = *words;
	switch (option->takes) {
	case TAKES_FLAG:
		value->truth = true;
		return 0;
	case TAKES_BOOL:
		return store_bool(value, shown, err);
	case TAKES_WORD:
	case TAKES_FOLDED:
		return store_choice(reading, option, value, shown, err);
	case TAKES_NUMBER:
	case TAKES_AUTO:
		return store_number(option, value, shown, err);
	default:
		break;
	}
	if (id == OPT_PID || id == OPT_ATTACH_PID)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a flag, which is done above, has no words */
		return store_pid(reading, said, shown, words->v[0], err);
	if (id == OPT_FORMAT)
		return store_formats(reading, option, value, shown, err);
	if (id == OPT_OMPT)
		return store_ompt(reading, option, value, shown, err);
	if (id == OPT_PMC)
		return store_group(reading, said, words, err);
	if (id == OPT_DURATION)
		return time_of(shown, words->v[0], &value->number, err);
	return 0;
}

/* One word of the command line that is an option. */
struct asked {
	enum option_id id;
	const char *value;      /* in the same word, or NULL */
	char shown[48];
};

/* A beginning that fits one option only. */
static enum option_id by_abbreviation(enum request_style style, const char *name, size_t length)
{
	enum option_id found = OPT_COUNT;
	for (enum option_id id = 0; style == STYLE_ROCPROF_ATTACH && id < OPT_COUNT; id++)
		if (options_in_style(style, id) && !strncmp(request_options[id].name, name, length)) {
			if (found != OPT_COUNT)
				return OPT_COUNT;
			found = id;
		}
	return found;
}

static int find_long(enum request_style style, const char *word, struct asked *asked, struct err *err)
{
	const char *name = word + 2;
	size_t length = strcspn(name, "=");
	snprintf(asked->shown, sizeof asked->shown, "--%.*s", (int)(length < 40 ? length : 40), name);
	asked->id = options_by_name(style, name, length);
	if (asked->id == OPT_COUNT && length)
		asked->id = by_abbreviation(style, name, length);
	asked->value = name[length] ? name + length + 1 : NULL;
	if (asked->id != OPT_COUNT)
		return 0;
	const char *meant = options_nearest_name(style, asked->shown + 2);
	err_set(err, ERR_USAGE, 0, "there is no option %s", asked->shown);
	if (meant)
		err_remedy(err, "did you mean --%s?", meant);
	return -1;
}

static int find_short(enum request_style style, const char *word, struct asked *asked, struct err *err)
{
	snprintf(asked->shown, sizeof asked->shown, "-%c", word[0]);
	asked->id = style == STYLE_ROCPROF_ATTACH && word[0] == 'd' ? OPT_DURATION : OPT_COUNT;
	for (enum option_id id = 0; asked->id == OPT_COUNT && id < OPT_COUNT; id++)
		if (request_options[id].letter == word[0] && options_in_style(style, id)) {
			asked->id = id;
			break;
		}
	if (asked->id == OPT_COUNT) {
		err_set(err, ERR_USAGE, 0, "there is no option -%c", word[0]);
		return err_remedy(err, "--help lists the options");
	}
	asked->value = word[1] == '=' ? word + 2 : word[1] ? word + 1 : NULL;
	return 0;
}

/* The words that belong to an option; how many of them are argv's. */
static int collect(struct reading *reading, const struct asked *asked, int argc, char **argv, struct words *words,
		   struct err *err)
{
	int takes = request_options[asked->id].takes, taken = 0;
	int most = takes == TAKES_LIST || takes == TAKES_LIST0 ? INT_MAX : 1;
	void **arena = &reading->request->owned;
	if (asked->value)
		return words_add(arena, words, arena_text(arena, asked->value, strlen(asked->value), err), err);
	for (; taken < most && taken < argc && !is_option(argv[taken]); taken++)
		if (words_add(arena, words, arena_text(arena, argv[taken], strlen(argv[taken]), err), err) < 0)
			return -1;
	if (!words->n && takes != TAKES_BOOL && takes != TAKES_LIST0) {
		err_set(err, ERR_USAGE, 0, "%s needs a value: %s", asked->shown, request_options[asked->id].value);
		bool may_begin_so = taken < argc && takes != TAKES_NUMBER && asked->id != OPT_PID;
		return may_begin_so ? err_remedy(err, "write %s=VALUE if it begins with '-'", asked->shown) : -1;
	}
	return taken;
}

/* argv[0] is an option; how many words it is, with its values. */
static int take(struct reading *reading, int argc, char **argv, struct err *err)
{
	enum request_style style = reading->request->style;
	struct asked asked = { .id = OPT_COUNT };
	struct words words = { .n = 0 };
	bool is_long = argv[0][1] == '-';
	const char *letters = argv[0] + 1;
	for (;;) {
		if ((is_long ? find_long(style, argv[0], &asked, err) : find_short(style, letters, &asked, err)) < 0)
			return -1;
		if (request_options[asked.id].takes != TAKES_FLAG)
			break;
		if (asked.value && (is_long || letters[1] == '='))
			return err_set(err, ERR_USAGE, 0, "%s takes no value", asked.shown);
		if (options_store(reading, &reading->said, asked.id, asked.shown, &words, err) < 0)
			return -1;
		if (!asked.value)
			return 1;
		letters = asked.value;
	}
	int taken = collect(reading, &asked, argc - 1, argv + 1, &words, err);
	if (taken < 0 || options_store(reading, &reading->said, asked.id, asked.shown, &words, err) < 0)
		return -1;
	return 1 + taken;
}

static int stray(enum request_style style, const char *word, bool behind, struct err *err)
{
	uint64_t pid;
	err_set(err, ERR_USAGE, 0, behind ? "'%s': a program is not started here, roclatch attaches to one that runs" :
		"'%s' belongs to no option", word);
	if (!behind && number_word(word, false, &pid))
		return err_remedy(err, "did you mean -p %s?", word);
	return err_remedy(err, behind ? "start it, then use -p PID; to launch and profile use AMD's rocprofv3" :
			  style == STYLE_ROCPROF_ATTACH ? "--help lists the options" :
			  "-p PID names the process; --help lists the options");
}

int options_read(struct reading *reading, int argc, char **argv, struct err *err)
{
	for (int at = 0; at < argc;) {
		if (!strcmp(argv[at], "--"))
			return at + 1 < argc ? stray(reading->request->style, argv[at + 1], true, err) : 0;
		if (!is_option(argv[at]))
			return stray(reading->request->style, argv[at], false, err);
		int words = take(reading, argc - at, argv + at, err);
		if (words < 0)
			return -1;
		at += words;
	}
	return 0;
}
