/* SPDX-License-Identifier: MIT */
/* The table of commands, and the way from the command line to one of them. */
#include <signal.h>
#include <string.h>

#include "bin/attach.h"
#include "bin/command.h"
#include "bin/convert.h"
#include "bin/help.h"
#include "bin/job.h"
#include "rocp/nearest.h"
#include "rocp/advice.h"

static const struct command commands[] = {
	{ "list", "", "which processes use a GPU, and can they be attached",
	  list_text, 0, 0, false, options_list, command_list },
	/* reads its own command line, which is rocprofv3's */
	{ .name = "attach", .operands = "-p PID [OPTION...]", .summary = "attach a profiling tool, record, detach" },
	/* so does this one: its operands are files */
	{ .name = "convert", .operands = "FILE...", .summary = "turn recordings into csv, json, pftrace, rocpd, html" },
	{ .name = "report", .operands = "DIR", .summary = "put a job's results together, and say which rank is slow" },
	{ "detach", "PID", "stop the tool that is attached to the process",
	  detach_text, 1, 1, true, options_detach, command_detach },
	{ "check", "PID", "can the process be attached, and if not, why",
	  check_text, 1, 1, true, options_check, command_check },
	{ "wait", "", "wait until a process is there and can be attached",
	  wait_text, 0, 0, false, options_wait, command_wait },
	{ "install", "FOLDER", "copy roclatch and its tool into a folder",
	  install_text, 1, 1, false, options_general, command_install },
	{ "threads", "PID", "what its threads do: state, CPU, system call, function",
	  threads_text, 1, 1, true, options_threads, command_threads },
	{ "stack", "PID [TID...]", "the stacks of its threads, once",
	  stack_text, 1, 1 + STACK_TIDS_MAX, true, options_stack, command_stack },
	{ "sample", "PID", "look again and again: where does the time go?",
	  sample_text, 1, 1, true, options_sample, command_sample },
	{ "top", "[PID]", "watch its threads on the terminal",
	  top_text, 0, 1, true, options_top, command_top },
	{ "call", "PID LIBRARY SYMBOL [ARG...]", "call a function and print what it returns",
	  call_text, 3, 3 + CALL_ARGS_MAX, true, options_call, command_call },
	{ "inject", "PID FILE", "load a shared library into the process",
	  inject_text, 2, 2, true, options_call, command_inject },
	{ "eject", "PID FILE", "unload a library again",
	  eject_text, 2, 2, true, options_call, command_eject },
	{ "symbolize", "FILE", "put names in place of addresses, by debug files",
	  symbolize_text, 1, 1, false, options_symbolize, command_symbolize },
	{ "selftest", "", "does it work on this machine? Writes a report",
	  selftest_text, 0, 0, false, options_selftest, command_selftest },
	{ .name = NULL },
};

static const struct { const char *name; enum request_style style; } upstream[] = {
	{ "rocprofv3", STYLE_ROCPROFV3 },
	{ "rocprof-attach", STYLE_ROCPROF_ATTACH },
	{ "rocprofv3-attach", STYLE_ROCPROF_ATTACH },
};

/* Under a name of upstream's, all of the command line is rocprofv3's. */
static bool called_as_upstream(const char *program, enum request_style *style)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	for (size_t i = 0; i < sizeof upstream / sizeof *upstream; i++)
		if (!strcmp(upstream[i].name, name)) {
			*style = upstream[i].style;
			return true;
		}
	return false;
}

/* "roclatch -p 4711 --sys-trace": options only, and more than those that all commands have. */
static bool means_attach(int argc, char **argv)
{
	if (argc == 0 || argv[0][0] != '-')
		return false;
	for (int i = 0; i < argc; i++)
		for (const struct command *command = commands; command->name; command++)
			if (!strcmp(command->name, argv[i]))
				return false;
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--version") || !strcmp(argv[i], "-v"))
			return false;
	return true;
}

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
	signal(SIGXFSZ, SIG_IGN);       /* a file that may not grow: told as an error, and removed */
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
		return err_remedy(err, "usage: roclatch %s [OPTION...]%s%s", command->name, command->operands[0] ? " " : "",
				  command->operands);
	}
	if (!command->takes_pid || pid_given || !n)
		return n;
	if (!options_number(**operands, &settings->pid) || !settings->pid ||
	    settings->pid > PID_HIGHEST)
		return err_set(err, ERR_USAGE, 0, "'%s' is not a process id", **operands);
	(*operands)++;
	return n - 1;
}

/* Commands that read their own command line. */
static int run_own(const struct command *command, bool help, int argc, char **argv, struct output *out, struct err *err)
{
	if (!strcmp(command->name, "convert"))
		return help ? convert_help() : convert_main(argc, argv, out, err);
	if (!strcmp(command->name, "report"))
		return help ? report_help() : report_main(argc, argv, out, err);
	if (!help)
		return attach_main(STYLE_ROCLATCH, argc, argv, out, err);
	request_help(STYLE_ROCLATCH, stdout);
	return 0;
}

/* Find the command's word and take it out of argv, then read all options. */
static int run(int argc, char **argv, struct settings *settings, struct output *out,
	       struct err *err)
{
	if (means_attach(argc, argv))
		return attach_main(STYLE_ROCLATCH, argc, argv, out, err);
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
		if (!command->run)
			return run_own(command, settings->help, argc, argv, out, err);
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
	if (command->takes_pid)
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
	struct settings settings = { 0 };
	struct output out = { .begun = false };
	struct err err = { .code = ERR_NONE };
	bool json = wants_json(argc, argv);
	static char line[4096];
	setvbuf(stderr, line, _IOLBF, sizeof line);     /* one write a line */
	catch_signals();
	enum request_style style;
	bool theirs = argc > 0 && called_as_upstream(argv[0], &style);
	int rc = surroundings_unprivileged(&err);
	if (rc == 0)
		rc = theirs ? attach_main(style, argc - 1, argv + 1, &out, &err) :
			      run(argc - (argc > 0), argv + (argc > 0), &settings, &out, &err);
	if (rc < 0) {
		if (!out.begun)
			output_begin(&out, NULL, json, false, false);
	} else {
		err.code = ERR_NONE;    /* what was tried in vain on the way does not count */
	}
	int status = output_end(&out, &err);
	/* upstream knows only these */
	return !theirs || status <= ERR_USAGE || status >= ERR_SIGNAL ? status : ERR_FAILED;
}
