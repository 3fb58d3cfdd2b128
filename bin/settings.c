/* SPDX-License-Identifier: MIT */
/* The options that commands share. */
#include "bin/command.h"

#define AT(member) offsetof(struct settings, member)

_Static_assert(AT(help) == offsetof(struct general, help) && AT(version) == offsetof(struct general, version) &&
	       AT(json) == offsetof(struct general, json) && AT(verbose) == offsetof(struct general, verbose), "one table for all");

/* The last two are all that help and completion have of them. */
const struct option general_options[] = {
	{ "json", 0, OPTION_FLAG, AT(json), NULL, 0, 0, "print one JSON object on stdout, also for errors" },
	{ "verbose", 0, OPTION_FLAG, AT(verbose), NULL, 0, 0, "explain on stderr what is done and why" },
	{ "help", 'h', OPTION_FLAG, AT(help), NULL, 0, 0, "show help and exit" },
	{ "version", 'v', OPTION_FLAG, AT(version), NULL, 0, 0, "show the version and exit" },
	{ .name = NULL },
};

static const struct option helping[] = {
	{ "man", 0, OPTION_FLAG, AT(man), NULL, 0, 0, "as a man page, for man -l -" },
	{ .name = NULL },
};

static const struct option target[] = {
	{ "pid", 'p', OPTION_NUMBER, AT(pid), "PID", 1, PID_HIGHEST,
	  "the process, instead of the first operand" },
	{ .name = NULL },
};

/* The first is not for detach, whose call sleeps. */
static const struct option calling[] = {
	{ "on", 0, OPTION_CHOICE, AT(on), "fresh|borrowed", 0, 0,
	  "call on a fresh thread (the default), or on the\n"
	  "borrowed one: for short functions that do not sleep" },
	{ "thread", 0, OPTION_NUMBER, AT(thread), "TID", 1, PID_HIGHEST,
	  "borrow this thread; by default roclatch chooses one" },
	{ "timeout-msec", 0, OPTION_TIME, AT(timeout_msec), "TIME", 1, 86400000,
	  "limit for the whole call: 5000, 10s, 500ms, 2m; default\n"
	  "30s (detach: 2m)" },
	{ "dry-run", 0, OPTION_FLAG, AT(dry_run), NULL, 0, 0,
	  "only check, and print what would be done" },
	{ "trust-seccomp", 0, OPTION_FLAG, AT(trust_seccomp), NULL, 0, 0,
	  "go on although the seccomp filters of the process cannot\n"
	  "be read; one that kills would kill the process" },
	{ .name = NULL },
};

static const struct option checking[] = {
	{ "late", 0, OPTION_FLAG, AT(late), NULL, 0, 0,
	  "would roclatch attach --late be possible?" },
	{ "attach-tool-library", 't', OPTION_TEXT, AT(tool), "PATH", 0, 0,
	  "the tool that would be attached, as the process sees it,\n"
	  "or a list separated by ':'. Default: that of its own ROCm" },
	{ "output-directory", 'd', OPTION_TEXT, AT(output), "FOLDER", 0, 0,
	  "where the process would write, default: the current folder" },
	{ "stage", 0, OPTION_TEXT, AT(stage), "memfd|file|none", 0, 0,
	  "how to pass a tool to a process that does not see its file" },
	{ "trust-seccomp", 0, OPTION_FLAG, AT(trust_seccomp), NULL, 0, 0,
	  "assume that seccomp filters that cannot be read are harmless" },
	{ .name = NULL },
};

static const struct option detaching[] = {
	{ "keep-log", 0, OPTION_FLAG, AT(keep_log), NULL, 0, 0,
	  "roclatch's own tool: keep the log after the conversion" },
	{ "collect", 0, OPTION_TEXT, AT(collect), "FOLDER", 0, 0,
	  "copy what the tool wrote into this folder of ours, also\n"
	  "what an earlier run has not copied, or only in part" },
	{ .name = NULL },
};

static const struct option listing[] = {
	{ "all", 'a', OPTION_FLAG, AT(all), NULL, 0, 0, "every process, not only those that use a GPU" },
	{ "watch", 'w', OPTION_FLAG, AT(watch), NULL, 0, 0, "again every second, until Ctrl-C" },
	{ .name = NULL },
};

static const struct option stacking[] = {
	{ "depth", 0, OPTION_NUMBER, AT(depth), "N", 1, 1024, "at most N frames of a stack, default 256" },
	{ .name = NULL },
};

static const struct option naming[] = {
	{ "debug-dir", 0, OPTION_LIST, AT(debug_dirs), "FOLDER", 0, 0,
	  "look for debug files here too (as in /usr/lib/debug, by\n"
	  "build id); may be given several times" },
	{ .name = NULL },
};

static const struct option sampling[] = {
	{ "rate", 'r', OPTION_NUMBER, AT(rate), "HZ", 1, 1000, "looks per second, default 100" },
	{ "duration-msec", 0, OPTION_TIME, AT(duration_msec), "TIME", 1, 86400000,
	  "end after 5000, 10s, 500ms, 2m; default: on Enter or Ctrl-C" },
	{ "stacks", 's', OPTION_CHOICE, AT(stacks), "blocked|all|none", 0, 0,
	  "blocked (the default): stacks of blocked threads, taken\n"
	  "from outside, nothing is stopped; all: of running threads\n"
	  "too, by perf events or by stopping one thread at a time\n"
	  "for an instant; none: no stacks" },
	{ "no-perf", 0, OPTION_FLAG, AT(no_perf), NULL, 0, 0, "with --stacks all: stop threads, use no perf events" },
	{ "stops", 0, OPTION_NUMBER, AT(stops), "N", 1, 1000,
	  "with --stacks all: at most N stops per look, default 8" },
	{ "format", 'f', OPTION_CHOICE, AT(format), "text|json|folded|speedscope|pftrace|html", 0, 0,
	  "the output format, default text" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE", 0, 0,
	  "the output file; default: stdout, or for pftrace and html\n"
	  "a file in the current folder" },
	{ .name = NULL },
};

static const struct option refreshing[] = {
	{ "rate", 'r', OPTION_NUMBER, AT(rate), "HZ", 1, 50, "looks per second, default 10" },
	{ "stacks", 's', OPTION_CHOICE, AT(stacks), "blocked|all|none", 0, 0,
	  "whose stacks are taken, as for roclatch sample" },
	{ .name = NULL },
};

static const struct option rewriting[] = {
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE", 0, 0, "the output file, default: stdout" },
	{ .name = NULL },
};

static const struct option awaiting[] = {
	{ "name", 0, OPTION_TEXT, AT(name), "REGEX", 0, 0, "every process whose name matches" },
	{ "pid-file", 0, OPTION_TEXT, AT(pid_file), "FILE", 0, 0,
	  "the process whose id this file holds, once it is there" },
	{ "env", 0, OPTION_TEXT, AT(with_env), "NAME[=VALUE]", 0, 0,
	  "every process that was started with this variable" },
	{ "cgroup", 0, OPTION_TEXT, AT(cgroup), "PATH", 0, 0, "every process in this control group and below" },
	{ "slurm-job", 0, OPTION_TEXT, AT(slurm_job), "JOB[.STEP]", 0, 0,
	  "every process of this Slurm job on this node" },
	{ "timeout", 0, OPTION_TEXT, AT(limit), "TIME", 0, 0,
	  "wait at most 5000, 10s, 500ms, 2m; default: for ever" },
	{ "late", 0, OPTION_FLAG, AT(late), NULL, 0, 0, "until roclatch attach --late would be possible" },
	{ "trust-seccomp", 0, OPTION_FLAG, AT(trust_seccomp), NULL, 0, 0,
	  "assume that seccomp filters that cannot be read are harmless" },
	{ "pid", 'p', OPTION_NUMBER, AT(pid), "PID", 1, PID_HIGHEST, "this process, which runs already" },
	{ .name = NULL },
};

static const struct option trying[] = {
	{ "hipcc", 0, OPTION_TEXT, AT(hipcc), "PATH", 0, 0, "the compiler; default: that of ROCm, or in PATH" },
	{ "timeout-msec", 0, OPTION_TIME, AT(timeout_msec), "TIME", 1, 86400000, "limit for the compiler, default 3m" },
	{ "program", 0, OPTION_TEXT, AT(program), "CMD", 0, 0,
	  "attach to what this shell command starts, instead of the\n"
	  "sample program; it is ended by SIGTERM" },
	{ "pid", 'p', OPTION_NUMBER, AT(pid), "N", 1, PID_HIGHEST, "attach to this process instead, with roclatch's own tool" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE", 0, 0,
	  "the report; default roclatch-selftest-HOST-DATE.txt" },
	{ .name = NULL },
};

_Static_assert(CALL_ON_FRESH == 0 && CALL_ON_BORROWED == 1, "the order of --on's words");

const struct option_group options_general[] = {
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_help[] = {
	{ "options", helping, 0 },
	{ "general options", general_options + 2, 0 },
	{ .options = NULL },
};

const struct option_group options_completion[] = {
	{ "general options", general_options + 2, 0 },
	{ .options = NULL },
};

const struct option_group options_call[] = {
	{ "options", calling, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_detach[] = {
	{ "recording", detaching, 0 },
	{ "options", calling + 1, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_check[] = {
	{ "options", checking, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_list[] = {
	{ "options", listing, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_threads[] = {
	{ "names", naming, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_stack[] = {
	{ "options", stacking, 0 },
	{ "names", naming, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_sample[] = {
	{ "options", sampling, 0 },
	{ "names", naming, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_top[] = {
	{ "options", refreshing, 0 },
	{ "names", naming, 0 },
	{ "target", target, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_symbolize[] = {
	{ "options", rewriting, 0 },
	{ "names", naming, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_wait[] = {
	{ "options", awaiting, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};

const struct option_group options_selftest[] = {
	{ "options", trying, 0 },
	{ "general options", general_options, 0 },
	{ .options = NULL },
};
