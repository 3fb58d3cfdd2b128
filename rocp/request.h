/* SPDX-License-Identifier: MIT */
/*
 * What the user asks for: rocprofv3's command line, its variables and input
 * files, rocprof-compute's live attach and our own options, turned into the
 * environment that is to arrive in the target and the way to get it there.
 * Nothing here knows of processes.
 */
#ifndef ROCLATCH_ROCP_REQUEST_H
#define ROCLATCH_ROCP_REQUEST_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "rocp/env.h"

/* By the name that the program was called with. */
enum request_style {
	STYLE_ROCLATCH,         /* roclatch attach, or roclatch with options only */
	STYLE_ROCPROFV3,        /* rocprofv3: also upstream's messages and statuses */
	STYLE_ROCPROF_ATTACH,   /* rocprof-attach, rocprofv3-attach: -d is the duration */
};

struct words { char **v; size_t n; };

/* How a tool comes to a process that does not see its file. */
enum stage_how {
	STAGE_AUTO,             /* in memory, else as a file */
	STAGE_MEMFD,            /* as a file in memory that has no name */
	STAGE_FILE,             /* as a file in a folder of the process's own, until the detach */
	STAGE_NONE,             /* not at all */
};

struct request {
	enum request_style style;
	/* all that is to arrive: the caller's own forwarded variables, then the options */
	struct env env;
	struct words warnings;  /* options without effect, in sentences, for the user to see */
	bool brief;             /* of preflight_look: nothing behind what settles that a process has no ROCm */
	struct words implied;   /* variables that only an aggregate such as --sys-trace has set */

	/* whom */
	pid_t *pid;             /* in the order given, each once */
	size_t pids;
	const char *name;       /* --name REGEX (extended, of comm or argv[0]'s basename) or NULL */
	bool all;               /* --all: every process that can be attached */
	bool children;          /* --attach-children, default true */
	const char *pid_file;   /* --pid-file, or NULL */
	const char *with_env;   /* --env NAME=VALUE, or NULL */
	const char *cgroup;     /* --cgroup, or NULL */
	const char *slurm_job;  /* --slurm-job JOB[.STEP], or NULL */
	bool follow;            /* --follow: children that are born meanwhile */

	/* when */
	bool wait;              /* --wait: until such a process is there and can be attached */
	uint64_t wait_ms;       /* --wait-timeout; 0: for ever */
	int64_t at_ns;          /* --at, CLOCK_REALTIME; 0: at once */

	/* how long */
	bool has_duration;
	uint64_t duration_ms;   /* "5000", "10s", "500ms", "2m"; 0 is refused */
	bool keep;              /* --keep: attach and return; roclatch detach ends it later */
	uint64_t timeout_ms;    /* --timeout-msec: of each call in the target, default 120000 */

	/* with what */
	const char *tool;       /* -t, else $ROCPROF_ATTACH_TOOL_LIBRARY; NULL: the target's own */
	bool own_tool;          /* -t roclatch, --own-tool: roclatch's own; tool is NULL then */
	const char *own_tool_file;      /* $ROCLATCH_TOOL: where that is, or NULL */
	bool keep_log;          /* --keep-log */
	const char *fallback_tool, *attach_library, *rocm_root;
	bool late;              /* --late */
	const char *sdk;        /* --sdk PATH: the SDK library for --late; NULL: by the target's loader */
	bool html;              /* -f html was among the formats */
	bool csv_or_json;       /* so were csv or json */

	/* where */
	enum stage_how stage;   /* --stage */
	const char *collect;    /* --collect: our folder for what the tool writes; NULL: see rocp/collect.h */

	/* rocprof-compute */
	const char *set;        /* --set */
	struct words blocks;    /* --block */
	const char *arch;       /* --arch gfxNNN; NULL: the GPU in use */

	bool announce, dry_run, json, verbose, help, version, echo, list_avail, trust_seccomp;
	pid_t thread;           /* --thread TID: borrow this one */
	void *owned;            /* what all the texts above lie in; request_free */
};

/*
 * Read argv[0..argc) (without the program's name and the word attach) and the
 * caller's environment.  secure: setuid or file capabilities; the environment
 * is then ignored.  0, or -1: ERR_USAGE with what and remedy; also for values
 * that would kill or stop the target, and for options that cannot work with an
 * attachment.  The request must be freed in either case.
 */
int request_read(struct request *request, enum request_style style, int argc, char **argv,
		 char *const *environment, bool secure, struct err *err);
void request_free(struct request *request);

/*
 * What arrives in one target: the request's environment, ROCPROF_ATTACH_PID for
 * this pid and, if tool is not NULL, ROCPROF_ATTACH_TOOL_LIBRARY, which
 * rocprof-attach exports before it attaches.  (request.env has the pid only if
 * there is just one.)  out is made anew and the caller's to free.
 */
int request_env_for(const struct request *request, pid_t pid, const char *tool, struct env *out, struct err *err);

/*
 * The tool string for rocprofiler_register_attach from -t's list.  One path
 * stays as it is; a list gets what makes the SDK see all of it, always the same
 * for the same list, as a re-attach must bring an equal string.
 */
int request_tool_string(const char *list, char *out, size_t size, struct err *err);

/*
 * Can roclatch's own tool do what is asked for?  0, or -1 with ERR_USAGE: what was
 * named and only AMD's tool can, or a regular expression that POSIX does not
 * know.  left_out receives what only an aggregate has asked for and what has no
 * effect, "kfd-trace, ompt-trace"; "" if there is nothing.
 */
int request_own_tool(const struct request *request, char *left_out, size_t size, struct err *err);
/* Do these variables ask for any trace or counter? */
bool request_records(const struct env *env);

/* Once the GPU is known (--set, --block): put ROCPROF_COUNTERS and what goes with
 * it into the request's environment.  ERR_USAGE names the counters that do not
 * fit into one pass, unknown sets and the known ones. */
int request_counters(struct request *request, const char *arch, struct err *err);
/* The same for --arch, or for the GPU of this machine; 0 also if no counters were asked for so. */
int request_counters_here(struct request *request, struct err *err);

/*
 * Is this request a valid second one for a tool that was attached with `before`?
 * What configures the tool's services (traces, counters, filters, thread trace,
 * PC sampling) must be the same and be given both times.  0, or -1 with
 * ERR_NOT_POSSIBLE that names the variable, what it was and what it would be.
 */
int request_same_services(const struct env *before, const struct env *now, struct err *err);
/* The same of what roclatch's own tool, beyond that, reads once alone. */
int request_same_for_own(const struct env *before, const struct env *now, struct err *err);

#endif
