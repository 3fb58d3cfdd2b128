/* SPDX-License-Identifier: MIT */
/* The table of commands, and the way from the command line to one of them. */
#include <signal.h>
#include <string.h>

#include "bin/command.h"
#include "bin/help.h"
#include "rocp/nearest.h"

static const struct command commands[] = {
	{ "call", "PID LIBRARY SYMBOL [ARG...]", "call a function and print what it returns",
	  call_text, 3, 3 + CALL_ARGS_MAX, true, options_call, command_call },
	{ "inject", "PID FILE", "load a shared library into the process",
	  inject_text, 2, 2, true, options_call, command_inject },
	{ "eject", "PID FILE", "unload a library again",
	  eject_text, 2, 2, true, options_call, command_eject },
	{ .name = NULL },
};

static void on_signal(int signo)
{
	if (!call_stop_signal)
		call_stop_signal = signo;
}

/* No SA_RESTART: a wait must end.  What was ignored (nohup) stays ignored. */
static void catch_signals(void)
{
	static const int asks_to_stop[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < sizeof asks_to_stop / sizeof *asks_to_stop; i++) {
		struct sigaction action = { .sa_handler = on_signal }, old;
		if (sigaction(asks_to_stop[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(asks_to_stop[i], &action, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

static const char *next_command(void *ctx)
{
	const struct command **at = ctx;
	return (*at)->name ? (*at)++->name : NULL;
}

static const struct command *find_command(const char *name, struct err *err)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	const struct command *at = commands;
	const char *meant = nearest(name, next_command, &at);
	err_set(err, ERR_USAGE, 0, "there is no command '%s'", name);
	if (meant)
		err_remedy(err, "did you mean %s?", meant);
	else
		err_remedy(err, "roclatch --help lists the commands");
	return NULL;
}

static int take_operands(const struct command *command, struct settings *settings,
			 char ***operands, int n, struct err *err)
{
	int pid_given = command->takes_pid && settings->pid;
	if (n + pid_given < command->min || n + pid_given > command->max) {
		err_set(err, ERR_USAGE, 0, "%s: %s arguments", command->name,
			n + pid_given < command->min ? "missing" : "too many");
		return err_remedy(err, "usage: roclatch %s [OPTION...] %s", command->name,
				  command->operands);
	}
	if (!command->takes_pid || pid_given)
		return n;
	if (!options_number(**operands, &settings->pid) || !settings->pid ||
	    settings->pid > PID_HIGHEST)
		return err_set(err, ERR_USAGE, 0, "'%s' is not a process id", **operands);
	(*operands)++;
	return n - 1;
}

/* Find the command's word and take it out of argv, then read all options. */
static int run(int argc, char **argv, struct settings *settings, struct output *out,
	       struct err *err)
{
	int at = options_first_operand(options_call, argc, argv, err);
	if (at < 0)
		return -1;
	if (at < argc && !strcmp(argv[at], "help")) {
		memmove(argv + at, argv + at + 1, (size_t)(argc - at - 1) * sizeof *argv);
		settings->help = true;
		argc--;
	}
	const struct command *command = NULL;
	if (at < argc) {
		command = find_command(argv[at], err);
		if (!command)
			return -1;
		memmove(argv + at, argv + at + 1, (size_t)(argc - at - 1) * sizeof *argv);
		argc--;
	}
	int n = options_parse(command ? command->options : options_call, settings, argc, argv, err);
	if (n < 0)
		return command ? err_wrap(err, "%s", command->name) : -1;
	if (settings->version)
		return help_version();
	if (settings->help)
		return command ? help_command(command) : help_all(commands);
	if (!command) {
		err_set(err, ERR_USAGE, 0, "no command was given");
		return err_remedy(err, "roclatch --help lists the commands");
	}
	char **operands = argv;
	n = take_operands(command, settings, &operands, n, err);
	if (n < 0)
		return -1;
	output_begin(out, command->name, settings->json, settings->verbose, settings->dry_run);
	output_number(out, "pid", settings->pid);
	return command->run(settings, operands, n, out, err);
}

/* Known before the options are read, for errors in reading them. */
static bool wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct settings settings = { .timeout_msec = 30000 };
	struct output out = { .begun = false };
	struct err err = { .code = ERR_NONE };
	bool json = wants_json(argc, argv);
	static char line[4096];
	setvbuf(stderr, line, _IOLBF, sizeof line);     /* one write a line */
	catch_signals();
	if (run(argc - (argc > 0), argv + (argc > 0), &settings, &out, &err) < 0) {
		if (!out.begun)
			output_begin(&out, NULL, json, false, false);
	} else {
		err.code = ERR_NONE;    /* what was tried in vain on the way does not count */
	}
	return output_end(&out, &err);
}
