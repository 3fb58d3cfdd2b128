/* SPDX-License-Identifier: MIT */
#include "bin/help.h"

#include <stdio.h>

#include "bin/command.h"

static const char statuses[] =
	"\nexit status:\n"
	"  0      done and verified\n"
	"  1      failed, target untouched\n"
	"  2      wrong usage\n"
	"  3      not possible with this target; reason and remedy are given\n"
	"  4      the target exited\n"
	"  5      the called code failed or crashed\n"
	"  6      time-out\n"
	"  7      done, but something was left behind, is not whole, or could not be looked at or printed\n"
	"  128+n  ended by signal n\n"
	"The cause comes first: 5 and 6 also report what was left behind.\n";

void help_statuses(void)
{
	fputs(statuses, stdout);
}

int help_all(const struct command *commands)
{
	printf("usage: roclatch COMMAND [OPTION...] OPERAND...\n\n"
	       "Attaches profiling tools to live processes and leaves no trace.\n\ncommands:\n");
	for (const struct command *command = commands; command->name; command++) {
		char left[64];
		snprintf(left, sizeof left, "%s %s", command->name, command->operands);
		printf("  %-34s %s\n", left, command->summary);
	}
	printf("\nroclatch COMMAND --help explains a command.\n");
	options_help(options_general, stdout);
	help_statuses();
	return 0;
}

int help_command(const struct command *command)
{
	printf("usage: roclatch %s [OPTION...]%s%s\n\n%s", command->name, command->operands[0] ? " " : "",
	       command->operands, command->text);
	options_help(command->options, stdout);
	help_statuses();
	return 0;
}

int help_version(void)
{
	printf("roclatch " ROCLATCH_VERSION "\n");
	return 0;
}
