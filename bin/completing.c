/* SPDX-License-Identifier: MIT */
#include "bin/completing.h"

#include <string.h>
#include <unistd.h>

#include "bin/command.h"
#include "bin/shown.h"
#include "rocp/processes.h"

#define PF_KTHREAD 0x200000     /* include/linux/sched.h */

/* The word that is being written: before is not to be changed, as "--on=" and "csv,". */
struct cursor {
	const char *before;
	size_t kept;
	const char *begun;
};

/* What stands up to here stays as it is. */
static void keep(struct cursor *cursor, const char *end)
{
	if (end)
		cursor->begun = end + 1;
	cursor->kept = (size_t)(cursor->begun - cursor->before);
}

static bool fits(const struct cursor *cursor, const char *dashes, const char *text, size_t length)
{
	size_t dash = strlen(dashes), n = strlen(cursor->begun);
	if (n <= dash)
		return !strncmp(cursor->begun, dashes, n);
	return !strncmp(cursor->begun, dashes, dash) && n - dash <= length && !strncmp(cursor->begun + dash, text, n - dash);
}

static void offer(const struct cursor *cursor, const char *dashes, const char *text, size_t length, const char *help)
{
	if (!fits(cursor, dashes, text, length))
		return;
	printf("%.*s%s%.*s", (int)cursor->kept, cursor->before, dashes, (int)length, text);
	if (help)
		putchar('\t');
	for (; help && *help && *help != '\n'; help++)
		putchar(*help);
	putchar('\n');
}

static void offer_commands(const struct cursor *cursor)
{
	for (const struct command *command = commands; command->name; command++)
		offer(cursor, "", command->name, strlen(command->name), command->summary);
}

static void offer_options(const struct cursor *cursor, struct showing showing)
{
	struct shown shown;
	while (shown_next(&showing, &shown)) {
		offer(cursor, "--", shown.name, strlen(shown.name), shown.help);
		if (shown.second)
			offer(cursor, "--", shown.second, strlen(shown.second), shown.help);
	}
}

/* "a|b|c" */
static void offer_choices(const struct cursor *cursor, const char *choices)
{
	for (size_t n; n = strcspn(choices, "| ]"), n; choices += n + (choices[n] == '|'))
		offer(cursor, "", choices, n, NULL);
}

/* Those that use a GPU, or all that are programs where there is none. */
static int offer_processes(const struct cursor *cursor, struct err *err)
{
	struct processes processes = { .proc = "/proc", .kfd = KFD_SYSTEM, .passwd = USERS_FILE };
	int rc = processes_look(&processes, err);
	if (rc == 0 && !processes.rows) {
		processes.all = true;
		rc = processes_look(&processes, err);
	}
	for (size_t i = 0; rc == 0 && i < processes.rows; i++) {
		const struct proc_stat *stat = &processes.row[i]->stat;
		char pid[16];
		int length = snprintf(pid, sizeof pid, "%d", (int)stat->pid);
		if (stat->flags & PF_KTHREAD || stat->pid == getpid() || !fits(cursor, "", pid, (size_t)length))
			continue;
		printf("%.*s%s\t", (int)cursor->kept, cursor->before, pid);
		output_safe(stdout, stat->name);
		putchar('\n');
	}
	processes_free(&processes);
	return rc;
}

/* By what the help calls it. */
static int offer_value(const struct cursor *cursor, const char *value, struct err *err)
{
	static const struct { char name[8], kind[9]; } places[] = {
		{ "FILE", "files" }, { "PATH", "files" }, { "FOLDER", "folders" } };
	value += *value == '[';
	if (!strncmp(value, "PID", 3))
		return offer_processes(cursor, err);
	if (!strncmp(value, "COMMAND", 7))
		offer_commands(cursor);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strncmp(value, places[i].name, strlen(places[i].name)))
			printf(":%s\n", places[i].kind);
	if (value[strcspn(value, "| ")] == '|')
		offer_choices(cursor, value);
	return 0;
}

/* The option that a word is, as far as '='. */
static bool option_of(struct showing showing, const char *word, struct shown *shown)
{
	size_t n = strcspn(word, "=");
	while (word[0] == '-' && shown_next(&showing, shown)) {
		if (word[1] != '-' && shown->letter && word[1] == shown->letter && n == 2)
			return true;
		for (const char *name = shown->name; name; name = name == shown->second ? NULL : shown->second)
			if (word[1] == '-' && strlen(name) == n - 2 && !strncmp(name, word + 2, n - 2))
				return true;
	}
	return false;
}

/* Where a command line is, read up to the word that is being written. */
struct line {
	const struct command *command;
	struct showing showing;
	bool waits;             /* the option below takes the next word */
	struct shown option;
	bool ended;             /* by "--" */
	bool has_pid;
	int operands;
};

static void step(struct line *line, const char *word)
{
	if (line->waits && !(line->option.several && word[0] == '-')) {
		line->waits = line->option.several;
		return;
	}
	line->waits = false;
	if (!line->ended && !strcmp(word, "--")) {
		line->ended = true;
	} else if (!line->ended && word[0] == '-' && word[1]) {
		if (!line->command)
			line->showing.groups = NULL;   /* options without a command mean attach */
		line->waits = option_of(line->showing, word, &line->option) && line->option.value && !strchr(word, '=');
		line->has_pid = line->has_pid || !strcmp(word, "-p") || !strcmp(word, "--pid") || !strncmp(word, "--pid=", 6);
	} else if (!line->command && (line->command = command_find(word, NULL))) {
		line->showing = (struct showing){ .groups = line->command->options };
	} else {
		line->operands++;
	}
}

/* The operand that is due, by its name in the usage; "" for none. */
static const char *operand_due(const struct line *line)
{
	const char *name = line->command->operands;
	int due = line->operands + (line->command->takes_pid && line->has_pid);
	for (; due > 0 && *name; due--) {
		const char *next = name + strcspn(name, " ");
		next += *next == ' ';
		if (!*next)
			return strstr(name, "...") ? name : "";
		name = next;
	}
	return name;
}

static int answer(const struct line *line, struct cursor *cursor, struct err *err)
{
	const char *equals = strchr(cursor->begun, '=');
	struct shown option = line->option;
	bool value = line->waits;
	if (!line->ended && !strncmp(cursor->begun, "--", 2) && equals) {
		if (!option_of(line->showing, cursor->begun, &option))
			return 0;
		keep(cursor, equals);
		value = true;
	}
	if (value && option.commas)
		keep(cursor, strrchr(cursor->begun, ','));
	if (value && !(option.several && cursor->begun[0] == '-'))
		return offer_value(cursor, option.yes_no ? "yes|no" : option.value ? option.value : "", err);
	bool dash = !line->ended && cursor->begun[0] == '-';
	if (!dash && !line->command && line->showing.groups)
		offer_commands(cursor);
	else if (!dash && line->command && line->command->operands[0] != '-')
		return offer_value(cursor, operand_due(line), err);
	else
		offer_options(cursor, line->showing);
	return 0;
}

int complete_words(char **word, int n, struct err *err)
{
	struct line line = { .showing = { .groups = options_general } };
	const char *last = "";
	for (int i = 0; i < n; i++) {
		last = word[i];
		if (!strcmp(last, "=")) {       /* bash takes "--on=fresh" for three words */
			line.waits = line.option.name;
			last = "";
		} else if (i + 1 < n) {
			step(&line, last);
		}
	}
	struct cursor cursor = { .before = last, .begun = last };
	return answer(&line, &cursor, err);
}
