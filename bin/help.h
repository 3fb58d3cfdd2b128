/* SPDX-License-Identifier: MIT */
/* --help and --version, made from the tables.  All return 0. */
#ifndef ROCLATCH_BIN_HELP_H
#define ROCLATCH_BIN_HELP_H

struct command;

int help_all(const struct command *commands);
int help_command(const struct command *command);
int help_version(void);
/* The list of exit statuses, as it stands below each help. */
void help_statuses(void);

#endif
