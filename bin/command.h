/* SPDX-License-Identifier: MIT */
/* What a command of roclatch is made of.  The table of them is in main.c. */
#ifndef ROCLATCH_BIN_COMMAND_H
#define ROCLATCH_BIN_COMMAND_H

#include "bin/options.h"
#include "bin/output.h"
#include "inject/call.h"
#include "version.h"

#define PID_HIGHEST 0x400000    /* PID_MAX_LIMIT, include/linux/threads.h */

/* What the options say. */
struct settings {
	bool help, version, json, verbose;      /* as in struct general */
	bool man;
	uint64_t pid;           /* 0: not given */
	uint64_t thread;        /* 0: chosen by rule */
	uint64_t timeout_msec;  /* 0: not given */
	unsigned on;            /* enum call_on */
	bool dry_run, trust_seccomp;
	bool late;
	bool keep_log;
	const char *tool, *output, *stage, *collect;    /* NULL: not given */
	/* seeing without attaching */
	bool all, watch;
	uint64_t rate, duration_msec;   /* 0: not given */
	uint64_t depth;         /* frames of a stack; 0: not given */
	unsigned stacks;        /* enum sample_stacks */
	unsigned format;        /* enum samples_format */
	uint64_t stops;         /* per tick; 0: not given */
	bool no_perf;
	struct option_list debug_dirs;
	/* whom to wait for, as roclatch attach takes it */
	const char *name, *pid_file, *with_env, *cgroup, *slurm_job, *limit;
	/* a program to try it with */
	const char *hipcc, *program;
};

extern const struct option_group options_general[];     /* --help and such, for all */
extern const struct option_group options_help[], options_completion[];
extern const struct option_group options_call[];        /* for commands that call into a target */
extern const struct option_group options_check[];
extern const struct option_group options_detach[];
extern const struct option_group options_list[];
extern const struct option_group options_threads[];
extern const struct option_group options_stack[];
extern const struct option_group options_sample[];
extern const struct option_group options_top[];
extern const struct option_group options_symbolize[];
extern const struct option_group options_wait[];
extern const struct option_group options_selftest[];

struct command {
	const char *name;       /* NULL ends the table */
	const char *operands;   /* "PID LIBRARY SYMBOL [ARG...]" */
	const char *summary;    /* one line */
	const char *text;       /* the rest of its help: bin/help.h says how it is written */
	int min, max;           /* operands, with the PID where there is one */
	bool takes_pid;         /* the first operand, unless --pid was given */
	const struct option_group *options;     /* NULL: those of an attachment */
	/* 0, or -1 with err; err->code is the exit status.  NULL: reads its own command line (run_own). */
	int (*run)(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err);
};

extern const struct command commands[];
/* NULL: there is none, and err says which may have been meant. */
const struct command *command_find(const char *name, struct err *err);

int command_list(const struct settings *settings, char **operands, int n,
		 struct output *out, struct err *err);
int command_call(const struct settings *settings, char **operands, int n,
		 struct output *out, struct err *err);
int command_inject(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err);
int command_eject(const struct settings *settings, char **operands, int n,
		  struct output *out, struct err *err);
int command_detach(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err);
int command_check(const struct settings *settings, char **operands, int n,
		  struct output *out, struct err *err);
int command_threads(const struct settings *settings, char **operands, int n,
		    struct output *out, struct err *err);
int command_stack(const struct settings *settings, char **operands, int n,
		  struct output *out, struct err *err);
int command_sample(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err);
int command_symbolize(const struct settings *settings, char **operands, int n,
		      struct output *out, struct err *err);
int command_wait(const struct settings *settings, char **operands, int n,
		 struct output *out, struct err *err);
int command_install(const struct settings *settings, char **operands, int n,
		    struct output *out, struct err *err);
int command_selftest(const struct settings *settings, char **operands, int n,
		     struct output *out, struct err *err);
int command_top(const struct settings *settings, char **operands, int n,
		struct output *out, struct err *err);
int command_help(const struct settings *settings, char **operands, int n,
		 struct output *out, struct err *err);
int command_completion(const struct settings *settings, char **operands, int n,
		       struct output *out, struct err *err);

extern const char attach_text[], help_text[], completion_text[];
extern const char list_text[], call_text[], inject_text[], eject_text[], detach_text[], check_text[];
extern const char threads_text[], stack_text[], sample_text[], top_text[], symbolize_text[], wait_text[], install_text[];
extern const char selftest_text[];

#define STACK_TIDS_MAX 1024     /* that can be named at once */

/* A target and what is mapped in it, as every command that calls needs them. */
struct session {
	struct target target;
	struct images images;
	struct call call;
};

int session_open(struct session *session, const struct settings *settings,
		 struct output *out, struct err *err);
void session_close(struct session *session);
/* And say why it failed, where the process is no more; returns answer. */
int session_end(struct session *session, int answer, struct err *err);
/* Plan and, unless it is a dry run, do the call; its report goes to out. */
int session_run(struct session *session, const struct settings *settings,
		struct output *out, struct err *err);

#endif
