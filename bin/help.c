/* SPDX-License-Identifier: MIT */
#include "bin/help.h"

#include <string.h>

#include "bin/command.h"
#include "bin/shown.h"

const char help_text[] =
	"Explains roclatch as a whole, or one command: what it does, its options, examples and exit statuses.  roclatch COMMAND\n"
	"--help shows the same.\n"
	"\n"
	"examples:\n"
	"  roclatch help attach\n"
	"  roclatch help --man attach | man -l -\n";

const char help_summary[] = "attach profiling tools to live processes, leave no trace";

/* The rest of the man page of roclatch itself; --help shows the examples. */
const char help_about[] =
	"roclatch attaches ROCprofiler-SDK, or any tool library, to a running ROCm process, and detaches it again.  To do this it\n"
	"makes the process call a C function.  One thread of the process is borrowed, usually for less than a millisecond, to\n"
	"create a fresh thread with the process's own pthread_create; the fresh thread makes the call and ends.  Other threads\n"
	"are not stopped.  Afterwards roclatch compares the process with its state before, and reports one result.\n"
	"\n"
	"The process is also called the target.  Options may be given anywhere before --; a word such as -5 is an operand.\n"
	"Options without a command mean attach.  Called as rocprofv3, rocprof-attach or rocprofv3-attach, roclatch is roclatch\n"
	"attach.\n"
	"\n"
	"Only the result is written to stdout, everything else to stderr.  With --json, stdout has one object: command, pid,\n"
	"verdict, status, error (null, or code, name, text, remedy, errno), and what the command found; if a call was begun, also\n"
	"call (threads, times in nanoseconds, crash, what was verified), left (left behind) and kept (made by the called code,\n"
	"or a call of another roclatch that still goes on).\n"
	"\n"
	"SIGINT, SIGTERM and SIGHUP end a call safely: the borrowed thread is given back first.  This also works if roclatch is\n"
	"the first process of a pid namespace.  It never waits for children that it did not start.\n"
	"\n"
	"The caller must be allowed to trace the process: see ptrace(2), \"Ptrace access mode checking\".  roclatch check says\n"
	"whether this is so, and what to do if not.\n"
	"\n"
	"examples:\n"
	"  roclatch list\n"
	"  roclatch attach -p 4711 --own-tool -s -f html --attach-duration-msec 10s\n"
	"  roclatch sample 4711 --duration-msec 5000 -f html\n"
	"\n"
	"environment:\n"
	"  ROCLATCH_TOOL  the absolute path of roclatch's own tool library; default: the\n"
	"                 file beside the program, in its lib or in ../lib\n";

const char help_statuses[] =
	"exit status:\n"
	"  0      done and verified\n"
	"  1      failed; the process was not touched\n"
	"  2      wrong usage\n"
	"  3      not possible with this process; reason and remedy are given\n"
	"  4      the process exited\n"
	"  5      the called code failed or crashed\n"
	"  6      time-out\n"
	"  7      done, but something was left behind, is incomplete, or could not be\n"
	"         verified or written\n"
	"  128+n  ended by signal n\n"
	"\n"
	"If several apply, the status names the cause: with 5 and 6 the output also says\n"
	"what was left behind.\n";

bool block_next(const char **text, struct block *block)
{
	const char *at = *text + strspn(*text, "\n"), *end = strstr(at, "\n\n");
	if (!*at)
		return false;
	size_t line = strcspn(at, "\n");
	*block = (struct block){ .text = at, .length = end ? (size_t)(end - at) : strlen(at) };
	if (line && at[line - 1] == ':' && !strncmp(at + line, "\n  ", 3))
		block->rows = at + line + 1;
	*text = at + block->length;
	while (block->length && at[block->length - 1] == '\n')
		block->length--;
	return true;
}

bool block_is(const struct block *block, const char *title)
{
	size_t length = strlen(title);
	return block->rows && !strncmp(block->text, title, length) && block->text[length] == ':';
}

/* Blocks with an empty line before each but the first; only: the section of this title alone. */
static void show_text(const char *text, const char *only, bool first)
{
	struct block block;
	while (block_next(&text, &block)) {
		if (only && !block_is(&block, only))
			continue;
		if (!first)
			putchar('\n');
		first = false;
		if (block.rows)
			printf("%.*s\n", (int)block.length, block.text);
		else
			wrap(stdout, 0, block.text, block.length);
	}
}

/* What people do, and the commands for it; the last has all that are not named. */
static const char groups[] =
	"find a process and check it:,list,check,wait,\n"
	"attach and record:,attach,detach,\n"
	"look, without attaching:,threads,stack,sample,top,\n"
	"use what was recorded:,convert,report,symbolize,\n"
	"call into a process:,call,inject,eject,\n"
	"roclatch itself:";

bool group_next(struct group *group)
{
	if (group->title && !group->title[group->title_length + group->rest])
		return false;
	group->title = group->title ? group->title + group->title_length + group->rest + 1 : groups;
	group->title_length = strcspn(group->title, ":");
	group->rest = strcspn(group->title + group->title_length, "\n");
	return true;
}

bool group_has(const struct group *group, const struct command *command)
{
	char word[32];
	snprintf(word, sizeof word, ",%s,", command->name);
	const char *named = strstr(groups, word), *from = group->title + group->title_length;
	return group->rest == 1 ? !named : named && named >= from && named < from + group->rest;
}

int help_all(void)
{
	struct group group = { .title = NULL };
	printf("usage: roclatch COMMAND [OPTION...] OPERAND...\n\nroclatch - %s\n\n", help_summary);
	while (group_next(&group)) {
		printf("%.*s:\n", (int)group.title_length, group.title);
		for (const struct command *command = commands; command->name; command++)
			if (group_has(&group, command))
				printf("  %-11s %s\n", command->name, command->summary);
	}
	show_text(help_about, "examples", false);
	puts("\nroclatch help COMMAND explains a command, its options and the exit statuses.");
	return 0;
}

/* Upstream knows no others, and main() turns ours into these. */
static const char statuses_upstream[] =
	"exit status:\n"
	"  0      done\n"
	"  1      failed; stderr has the reason and the remedy\n"
	"  2      wrong usage\n"
	"  128+n  ended by signal n\n";

static void show_rest(struct showing showing, const char *statuses)
{
	shown_help(showing, stdout);
	show_text(statuses, NULL, false);
}

int help_command(const struct command *command)
{
	printf("usage: roclatch %s [OPTION...]%s%s\n\n", command->name, command->operands[0] ? " " : "", command->operands);
	show_text(command->text, NULL, true);
	show_rest((struct showing){ .groups = command->options }, help_statuses);
	return 0;
}

int help_named(const char *command)
{
	return help_command(command_find(command, NULL));
}

int help_attach(enum request_style style)
{
	if (style == STYLE_ROCLATCH)
		return help_named("attach");
	const char *text = attach_text;
	struct block block;
	printf("usage: %s [OPTION...] -p PID\n\n", style == STYLE_ROCPROFV3 ? "rocprofv3" : "rocprof-attach");
	if (block_next(&text, &block))
		wrap(stdout, 0, block.text, block.length);
	show_rest((struct showing){ .style = style }, statuses_upstream);
	return 0;
}

int help_version(void)
{
	printf("roclatch " ROCLATCH_VERSION "\n");
	return 0;
}

int command_help(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	const struct command *command = n ? command_find(operands[0], err) : NULL;
	(void)out;
	if (n && !command)
		return -1;
	if (settings->man)
		return help_man(command);
	return command ? help_command(command) : help_all();
}
