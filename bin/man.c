/* SPDX-License-Identifier: MIT */
/* The same words as roff, for man(1). */
#include <ctype.h>
#include <string.h>

#include "bin/command.h"
#include "bin/help.h"
#include "bin/shown.h"

/* One character of text, where a '-' is one to be typed. */
static void put(char c)
{
	static const char special[] = "-\\^~'`";
	static const char name[][6] = { "\\-", "\\e", "\\(ha", "\\(ti", "\\(aq", "\\(ga" };
	const char *at = c ? strchr(special, c) : NULL;
	if (at)
		fputs(name[at - special], stdout);
	else
		putchar(c);
}

static void put_all(const char *text, size_t length)
{
	while (length--)
		put(*text++);
}

/* Prose: every sentence on a line of its own, options in bold. */
static void prose(const char *text, size_t length)
{
	bool option = false, begins = true;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		if (begins && (c == '.' || c == '\''))
			fputs("\\&", stdout);
		begins = c == '\n';
		if (c == '-' && !option && (i == 0 || !isalnum((unsigned char)text[i - 1])) &&
		    (text[i + 1] == '-' || isalpha((unsigned char)text[i + 1]))) {
			option = true;
			fputs("\\fB", stdout);
		} else if (option && c != '-' && !isalnum((unsigned char)c)) {
			option = false;
			fputs("\\fR", stdout);
		}
		if (c == '.' && i + 2 < length && text[i + 1] == ' ' && text[i + 2] == ' ') {
			fputs(".\n", stdout);
			begins = true;
			i += 2;
		} else if (option || (c != '-' && c != '\'')) {
			put(c);
		} else {
			putchar(c);
		}
	}
	puts(option ? "\\fR" : "");
}

static void heading(const char *macro, const char *text, size_t length, bool all)
{
	printf(".%s ", macro);
	for (size_t i = 0; i < length; i++)
		put((char)(all || i == 0 ? toupper((unsigned char)text[i]) : text[i]));
	putchar('\n');
}

static void examples(const char *row, const char *end)
{
	puts(".nf");
	while (row < end) {
		size_t n = strcspn(row, "\n");
		put_all(row + 2, n - 2);
		putchar('\n');
		row += n + 1;
	}
	puts(".fi");
}

static void meanings(const char *row, const char *end)
{
	while (row < end) {
		size_t n = strcspn(row, "\n");
		const char *word = row + strspn(row, " "), *text = word;
		if (word - row == 2) {
			size_t length = strcspn(word, " ");
			fputs(".TP\n\\fB", stdout);
			put_all(word, length);
			puts("\\fR");
			text += length + strspn(word + length, " ");
		}
		prose(text, (size_t)(row + n - text));
		row += n + 1;
	}
}

static void paragraphs(const char *text)
{
	struct block block;
	for (bool first = true; block_next(&text, &block);) {
		if (block.rows)
			continue;
		if (!first)
			puts(".PP");
		first = false;
		prose(block.text, block.length);
	}
}

static void sections(const char *text)
{
	struct block block;
	while (block_next(&text, &block)) {
		if (!block.rows)
			continue;
		heading("SH", block.text, (size_t)(block.rows - block.text) - 2, true);
		(block_is(&block, "examples") ? examples : meanings)(block.rows, block.text + block.length);
	}
}

static void options(struct showing showing)
{
	struct shown shown;
	puts(".SH OPTIONS");
	while (shown_next(&showing, &shown)) {
		if (shown.title && (showing.group || strcmp(shown.title, "options")))
			heading("SS", shown.title, strlen(shown.title), false);
		puts(".TP");
		if (shown.letter)
			printf("\\fB\\-%c\\fR, ", shown.letter);
		for (const char *name = shown.name; name; name = name == shown.second ? NULL : shown.second) {
			fputs(name == shown.name ? "\\fB\\-\\-" : ", \\fB\\-\\-", stdout);
			put_all(name, strlen(name));
			fputs("\\fR", stdout);
		}
		if (shown.value) {
			fputs(" \\fI", stdout);
			put_all(shown.value, strlen(shown.value));
			fputs("\\fR", stdout);
		}
		putchar('\n');
		prose(shown.help, strlen(shown.help));
	}
}

static void list_commands(void)
{
	struct group group = { .title = NULL };
	puts(".SH COMMANDS");
	while (group_next(&group)) {
		heading("SS", group.title, group.title_length, false);
		for (const struct command *command = commands; command->name; command++)
			if (group_has(&group, command)) {
				printf(".TP\n.BR roclatch\\-%s (1)\n", command->name);
				prose(command->summary, strlen(command->summary));
			}
	}
}

static void see_also(const struct command *command)
{
	puts(".SH SEE ALSO");
	if (!command) {
		puts(".BR gdb (1),\n.BR ptrace (2)");
		return;
	}
	struct group group = { .title = NULL };
	while (group_next(&group) && !group_has(&group, command))
		;
	for (const struct command *other = commands; other->name; other++)
		if (other != command && group_has(&group, other))
			printf(".BR roclatch\\-%s (1),\n", other->name);
	puts(".BR roclatch (1)");
}

int help_man(const struct command *command)
{
	const char *name = command ? command->name : "";
	const char *summary = command ? command->summary : help_summary;
	const char *operands = command ? command->operands : "OPERAND...";
	const char *text = command ? command->text : help_about;
	puts(".\\\" SPDX-License-Identifier: MIT\n.\\\" Made by roclatch help --man: make man renews it.");
	fputs(".TH ROCLATCH", stdout);
	if (command)
		putchar('-');
	for (const char *c = name; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf(" 1 " ROCLATCH_DATE " \"roclatch " ROCLATCH_VERSION "\" \"User Commands\"\n"
	       ".SH NAME\nroclatch%s%s \\- ", command ? "\\-" : "", name);
	prose(summary, strlen(summary));
	printf(".SH SYNOPSIS\n\\fBroclatch%s%s\\fR%s [\\fIOPTION\\fR...]%s", command ? " " : "", name,
	       command ? "" : " \\fICOMMAND\\fR", *operands ? " \\fI" : "");
	put_all(operands, strlen(operands));
	puts(*operands ? "\\fR\n.SH DESCRIPTION" : "\n.SH DESCRIPTION");
	paragraphs(text);
	if (!command)
		list_commands();
	options((struct showing){ .groups = command ? command->options : options_general });
	sections(text);
	sections(help_statuses);
	puts(".PP");
	paragraphs(help_statuses);
	see_also(command);
	return 0;
}
