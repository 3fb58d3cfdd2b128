/* SPDX-License-Identifier: MIT */
/* The table of commands, and the way from the command line to one of them. */
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "bin/attach.h"
#include "bin/command.h"
#include "bin/convert.h"
#include "bin/help.h"
#include "bin/job.h"
#include "bin/remedy.h"
#include "rocp/nearest.h"
#include "rocp/advice.h"

const struct command commands[] = {
	{ "list", "", "which processes use a GPU, and can they be attached",
	  list_text, 0, 0, false, options_list, command_list },
	{ "check", "PID", "can the process be attached, and if not, why",
	  check_text, 1, 1, true, options_check, command_check },
	{ "wait", "", "wait until a process is there and can be attached",
	  wait_text, 0, 0, false, options_wait, command_wait },
	{ .name = "attach", .operands = "-p PID", .summary = "attach a profiling tool, record, detach",
	  .text = attach_text },
	{ "detach", "PID", "stop the tool that is attached to the process",
	  detach_text, 1, 1, true, options_detach, command_detach },
	{ "threads", "PID", "what its threads do: state, CPU, system call, function",
	  threads_text, 1, 1, true, options_threads, command_threads },
	{ "stack", "PID [TID...]", "the stacks of its threads, once",
	  stack_text, 1, 1 + STACK_TIDS_MAX, true, options_stack, command_stack },
	{ "sample", "PID", "look again and again: where does the time go?",
	  sample_text, 1, 1, true, options_sample, command_sample },
	{ "top", "[PID]", "watch its threads on the terminal",
	  top_text, 0, 1, true, options_top, command_top },
	{ .name = "convert", .operands = "FILE...", .summary = "turn recordings into csv, json, pftrace, rocpd, html",
	  .text = convert_text, .options = options_convert },
	{ .name = "report", .operands = "FOLDER", .summary = "put a job's results together, and say which rank is slow",
	  .text = report_text, .options = options_report },
	{ "symbolize", "FILE", "put names in place of addresses, by debug files",
	  symbolize_text, 1, 1, false, options_symbolize, command_symbolize },
	{ "call", "PID LIBRARY SYMBOL [ARG...]", "call a function and print what it returns",
	  call_text, 3, 3 + CALL_ARGS_MAX, true, options_call, command_call },
	{ "inject", "PID FILE", "load a shared library into the process",
	  inject_text, 2, 2, true, options_call, command_inject },
	{ "eject", "PID FILE", "unload a library again",
	  eject_text, 2, 2, true, options_call, command_eject },
	{ "install", "FOLDER", "copy roclatch and its tool into a folder",
	  install_text, 1, 1, false, options_general, command_install },
	{ "selftest", "", "does it work on this machine? Writes a report",
	  selftest_text, 0, 0, false, options_selftest, command_selftest },
	{ "completion", "bash|zsh|fish", "what makes the shell complete its words",
	  completion_text, 1, INT_MAX, false, options_completion, command_completion },
	{ "help", "[COMMAND]", "explain roclatch or a command, also as a man page",
	  help_text, 0, 1, false, options_help, command_help },
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

/* What other programs call it: to the letter some of these are nearer to what is not meant. */
static const char *other_word(const char *name)
{
	static const char *const words[][2] = {
		{ "record", "attach" }, { "trace", "attach" }, { "profile", "attach" }, { "run", "attach" }, { "ps", "list" },
		{ "diagnose", "check" }, { "bt", "stack" }, { "backtrace", "stack" }, { "version", "--version" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i][0], name))
			return words[i][1];
	return NULL;
}

const struct command *command_find(const char *name, struct err *err)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	const struct command *at = commands;
	const char *meant = other_word(name);
	if (!meant)
		meant = nearest(name, next_command, &at);
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
static int run_own(const struct command *command, int argc, char **argv, struct output *out, struct err *err)
{
	if (!strcmp(command->name, "convert"))
		return convert_main(argc, argv, out, err);
	if (!strcmp(command->name, "report"))
		return report_main(argc, argv, out, err);
	return attach_main(STYLE_ROCLATCH, argc, argv, out, err);
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
	const struct command *command = NULL;
	if (at < argc) {
		command = command_find(argv[at], err);
		if (!command)
			return -1;
		memmove(argv + at, argv + at + 1, (size_t)(argc - at - 1) * sizeof *argv);
		argc--;
		if (!command->run)
			return run_own(command, argc, argv, out, err);
	}
	int n = options_parse(command ? command->options : options_call, settings, argc, argv, err);
	if (n < 0)
		return command ? err_wrap(err, "%s", command->name) : -1;
	if (settings->version)
		return help_version();
	if (settings->help)
		return command ? help_command(command) : help_all();
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

/* Whose help explains what was wrong; NULL: nobody's. */
static const char *command_meant(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (command_find(argv[i], NULL))
			return argv[i];
	return argc > 1 && means_attach(argc - 1, argv + 1) ? "attach" : NULL;
}

int main(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct output out = { .begun = false };
	struct err err = { .code = ERR_NONE };
	bool json = wants_json(argc, argv);
	const char *meant = command_meant(argc, argv);  /* argv is in another order afterwards */
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
		remedy_by_cause(theirs ? "attach" : meant, &err);
		if (!out.begun)
			output_begin(&out, NULL, json, false, false);
	} else {
		err.code = ERR_NONE;    /* what was tried in vain on the way does not count */
	}
	int status = output_end(&out, &err);
	/* upstream knows only these */
	return !theirs || status <= ERR_USAGE || status >= ERR_SIGNAL ? status : ERR_FAILED;
}
