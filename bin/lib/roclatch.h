/* SPDX-License-Identifier: MIT */
/*
 * roclatch as a library: which processes use a GPU, can they be attached, attach a profiling tool
 * and detach it, and look at the threads of a process again and again without stopping it.
 *
 *     cc program.c -lroclatch             (shared)
 *     cc program.c libroclatch.a -pthread (static)
 *
 * Common to all functions:
 *  - Those that return int return 0, or -1 with *err filled in, unless they say otherwise.  err may be
 *    NULL.  Nothing is printed, nothing exits.
 *  - Any thread may call them, several at once, also for the same handle.  Only the closing of a
 *    handle must be the last call that is made with it.
 *  - Work is done on threads of the library, in which all signals but those of a crash are blocked.
 *    Signal handlers, dispositions and masks of the program are not changed, nor is its environment,
 *    which roclatch_list alone reads.  While a thread of the process is stopped (attach,
 *    detach, and ROCLATCH_STACKS_ALL where perf events are not allowed), the kernel sends SIGCHLD to a program
 *    that handles it without SA_NOCLDSTOP, and tells of the stop who waits for any child with __WALL.
 *  - Two handles share nothing.  For the whole machine there is one lock for each process that is
 *    attached, so that only one attaches it at a time: another handle, or the program roclatch.
 *  - After fork() a child must not use the handles of its parent.
 *  - Texts are UTF-8 as far as the process looked at has them so; control characters are replaced by '?'.
 *  - Structures that may grow begin with their size.  The caller sets it to sizeof the structure, in those that
 *    it fills in and in those to be filled in (0 is ROCLATCH_USAGE), and everything that is not wanted to 0.
 *    In those that the library passes to a callback it is the size as the library knows it: look at it before
 *    members of later versions.
 */
#ifndef ROCLATCH_H
#define ROCLATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__GNUC__)
#define ROCLATCH_API __attribute__((visibility("default")))
#else
#define ROCLATCH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors --------------------------------------------------------------------------------- */

/* The exit statuses of the program roclatch. */
enum roclatch_status {
	ROCLATCH_OK = 0,
	ROCLATCH_FAILED = 1,            /* failed; the process is untouched */
	ROCLATCH_USAGE = 2,             /* what was asked for is wrong */
	ROCLATCH_NOT_POSSIBLE = 3,      /* not with this process */
	ROCLATCH_TARGET_EXITED = 4,     /* it ended, or became another program, meanwhile */
	ROCLATCH_CALLED_CODE = 5,       /* what was called in it failed or crashed */
	ROCLATCH_TIMEOUT = 6,
	ROCLATCH_RESIDUE = 7            /* done, but something was left behind */
};

struct roclatch_error {
	int status;                     /* enum roclatch_status */
	char text[512];                 /* what and why, one line */
	char remedy[256];               /* what can be done about it, or "" */
};

/* As "1.2.3": of the library that runs.  Never NULL. */
ROCLATCH_API const char *roclatch_version(void);

/* ---- which processes -------------------------------------------------------------------------- */

enum roclatch_list_flags {
	ROCLATCH_LIST_ALL = 1,          /* all processes; without it those that use a GPU */
	ROCLATCH_LIST_ASK = 2           /* of those that use a GPU, whether they can be attached: takes longer */
};

enum roclatch_runtimes {
	ROCLATCH_HIP = 1,               /* libamdhip64 is loaded */
	ROCLATCH_HSA = 2,               /* libhsa-runtime64 is loaded */
	ROCLATCH_KFD = 4,               /* /dev/kfd is open */
	ROCLATCH_REGISTER = 8           /* librocprofiler-register is loaded */
};

enum roclatch_attachable {
	ROCLATCH_ATTACH_UNKNOWN = 0,    /* not asked */
	ROCLATCH_ATTACH_NO = 1,
	ROCLATCH_ATTACH_NOW = 2,
	ROCLATCH_ATTACH_LATE = 3        /* with the option --late only */
};

struct roclatch_process {
	size_t size;
	pid_t pid, parent;
	pid_t inside;                   /* its id in its own pid namespace */
	uid_t uid;                      /* effective */
	unsigned threads;
	unsigned depth;                 /* how many of those listed are above it: children follow their parent */
	double cpu_percent;             /* of one CPU, since its start */
	const char *name;
	const char *user;               /* "" if it is not known */
	const char *container;          /* "docker", "podman", ...; "" if it is in none */
	const char *container_id;       /* or "" */
	unsigned runtimes;              /* enum roclatch_runtimes */
	int readable;                   /* 0: its libraries may not be looked at, runtimes may be more */
	const char *register_version;   /* "0.6.0", or "" */
	int attachable;                 /* enum roclatch_attachable */
	const char *attach_brief;       /* "now", "no: it is traced"; "" if it was not asked */
	const char *attach_summary;     /* the same in a sentence */
	const char *attach_remedy;      /* or "" */
};

/* Called on the thread that asked; the structure and its texts live until it returns.  Another value
 * than 0 ends the list. */
typedef int roclatch_process_callback(void *ctx, const struct roclatch_process *process);

/* List processes.  Reads only.  0; the callback's value if that ended the list; -1. */
ROCLATCH_API int roclatch_list(unsigned flags, roclatch_process_callback *callback, void *ctx,
			       struct roclatch_error *err);

/* ---- check, attach, detach ----------------------------------------------------------------------- */

struct roclatch_attach_options {
	size_t size;
	/* what roclatch attach takes, a word each: "--kernel-trace", "-d", "/tmp/out", "-t", "roclatch",
	 * "--late", ...  NULL: none.  Not: -p and others that choose processes, durations, what prints. */
	const char *const *arguments;
	size_t arguments_n;
	/* variables as for roclatch attach, "ROCPROF_KERNEL_TRACE=1", ended by NULL.  environ: the program's
	 * own; NULL: none.  A set-user-id program's are not looked at. */
	const char *const *environment;
};

enum roclatch_verdict {
	ROCLATCH_VERDICT_OK = 0,
	ROCLATCH_VERDICT_NOTE = 1,      /* works; somebody should know */
	ROCLATCH_VERDICT_NO = 2,        /* an attachment would fail or harm the process: it would be refused */
	ROCLATCH_VERDICT_UNKNOWN = 3    /* could not be looked at, for a reason that stands before */
};

/* One thing that was looked at. */
struct roclatch_check_line {
	size_t size;
	const char *name;               /* "process", "permission", "register", ...: stable */
	int verdict;                    /* enum roclatch_verdict */
	const char *text;
	const char *remedy;             /* or "" */
};

/* Called on the thread that asked; texts live until it returns.  Another value than 0: no more of them. */
typedef int roclatch_check_callback(void *ctx, const struct roclatch_check_line *line);

struct roclatch_check_result {
	size_t size;
	int can_attach;                 /* by the SDK's own attach support */
	int can_late;                   /* by --late */
	int as_asked;                   /* by what the options say */
	int reattach;                   /* a tool is loaded: it must be the same, with the same services */
	int orphaned;                   /* attached by a roclatch that is gone: an attach begins with its detach */
	char summary[640];              /* "can be attached now", "cannot be attached: ..." */
	char remedy[256];               /* or "" */
	char tool[4096];                /* that would be loaded, or "" */
};

/*
 * Can this process be attached?  Reads only.  0 with an answer, whatever it is, also if there is no such
 * process; -1 if the options are wrong (ROCLATCH_USAGE), or it could not be found out.  options and
 * callback may be NULL.
 */
ROCLATCH_API int roclatch_check(pid_t pid, const struct roclatch_attach_options *options,
				roclatch_check_callback *callback, void *ctx,
				struct roclatch_check_result *result, struct roclatch_error *err);

/* One process with a tool attached. */
struct roclatch_attachment;

/*
 * Attach.  Returns when the tool records; nothing traces the process from then on.  Takes as long as the
 * tool takes to load, at most as --timeout-msec says.  After -1 the process is as before, except with
 * ROCLATCH_RESIDUE, and *attachment is NULL.
 */
ROCLATCH_API int roclatch_attach(pid_t pid, const struct roclatch_attach_options *options,
				 struct roclatch_attachment **attachment, struct roclatch_error *err);

struct roclatch_detached {
	size_t size;
	/* with roclatch's own tool (-t roclatch): its log, as the process sees it, for roclatch convert; else "" */
	char log[1024];
	uint64_t records, lost;         /* that the log has, and has not */
	char stays[1024];               /* what stays in the process, a line each: libraries cannot be unloaded */
};

/*
 * Detach.  Returns when the tool has stopped.  After -1 it may be tried again: is it still attached?
 * roclatch_check tells.  ROCLATCH_TARGET_EXITED: the process ended by itself; detached is filled in as far
 * as it is known.  detached may be NULL.
 */
ROCLATCH_API int roclatch_detach(struct roclatch_attachment *attachment, struct roclatch_detached *detached,
				 struct roclatch_error *err);
/* Give the handle back.  What is still attached stays so, as with roclatch attach --keep: roclatch_detach_pid or
 * the program roclatch can end it.  NULL is allowed. */
ROCLATCH_API void roclatch_attachment_close(struct roclatch_attachment *attachment);
/* Detach what a roclatch has attached that is gone, or has given back its handle. */
ROCLATCH_API int roclatch_detach_pid(pid_t pid, struct roclatch_detached *detached, struct roclatch_error *err);

/* ---- looking at threads --------------------------------------------------------------------------- */

struct roclatch_sampler;

enum roclatch_stacks {
	ROCLATCH_STACKS_BLOCKED = 0,    /* of blocked threads, copied from outside: nothing is ever stopped */
	ROCLATCH_STACKS_ALL = 1,        /* and of running ones: by perf events, else by short stops, one at a time */
	ROCLATCH_STACKS_NONE = 2
};

enum roclatch_thread_state {
	ROCLATCH_RUNNING = 0,           /* on a CPU or waiting for one */
	ROCLATCH_SLEEPING = 1,          /* blocked, a signal would wake it */
	ROCLATCH_WAITING = 2,           /* blocked in the kernel, not even a signal would */
	ROCLATCH_STOPPED = 3            /* stopped or traced */
};

#define ROCLATCH_NO_STACK 0xffffffffu

/* One thread at one look.  This structure does not grow: it comes in arrays. */
struct roclatch_sample {
	uint64_t time_ns;               /* CLOCK_MONOTONIC */
	int32_t tid;
	int32_t state;                  /* enum roclatch_thread_state */
	int32_t system_call;            /* its number while it is blocked in one; -1: none, or not known */
	uint32_t stack;                 /* for roclatch_sampler_frames; equal stacks have equal numbers */
	uint32_t changed;               /* 1: it has run since the look before, or is new */
	uint32_t reserved;
	char name[32];
};

/*
 * All threads at one look.  On the sampler's thread; the samples live until it returns.  As long as it
 * takes no look is taken.  It may call every function of its sampler but start and close, which answer
 * ROCLATCH_USAGE; roclatch_sampler_stop makes this batch the last one.
 */
typedef void roclatch_batch_callback(void *ctx, const struct roclatch_sample *samples, size_t n);
/* Sampling has ended by itself, with why: ROCLATCH_TARGET_EXITED, or ROCLATCH_FAILED.  On the sampler's thread, once,
 * after the last batch. */
typedef void roclatch_ended_callback(void *ctx, const struct roclatch_error *why);

struct roclatch_sampler_options {
	size_t size;
	double rate;                    /* looks a second, 0.1 to 1000; 0: 10 */
	int stacks;                     /* enum roclatch_stacks */
	unsigned stops;                 /* at most so many short stops a look, with ROCLATCH_STACKS_ALL; 0: 8 */
	int no_perf;                    /* 1: no perf events */
	size_t ring;                    /* how many samples roclatch_sampler_last can give, 64 bytes each; 0: none */
	const char *const *debug_dirs;  /* where debug files are, beside the usual places; ended by NULL, or NULL */
	roclatch_batch_callback *batch; /* may be NULL, */
	roclatch_ended_callback *ended; /* so may this */
	void *ctx;
};

/*
 * Open a process to look at; it does not begin yet.  options may be NULL.  NULL with *err: no such process, or the
 * program itself, no memory, wrong options.  One that may not be read (another user's) is looked at without system calls and
 * stacks; roclatch_sampler_count says why.
 */
ROCLATCH_API struct roclatch_sampler *roclatch_sampler_open(pid_t pid, const struct roclatch_sampler_options *options,
							    struct roclatch_error *err);
/* Looks a second from the next one on: 0.1 to 1000.  While it runs or not. */
ROCLATCH_API int roclatch_sampler_set_rate(struct roclatch_sampler *sampler, double rate, struct roclatch_error *err);
/* Other callbacks, from the next batch on.  A batch that is under way may still go to those before, except when
 * it returns on a thread other than the sampler's: then none does any more. */
ROCLATCH_API int roclatch_sampler_set_callback(struct roclatch_sampler *sampler, roclatch_batch_callback *batch,
					       roclatch_ended_callback *ended, void *ctx, struct roclatch_error *err);
/* Begin, or go on, on a thread of its own.  ROCLATCH_USAGE: it runs already.  After it has ended by itself: why it did. */
ROCLATCH_API int roclatch_sampler_start(struct roclatch_sampler *sampler, struct roclatch_error *err);
/* Stop.  No callback comes any more when it returns, unless it was called by one; 0 also if it does not run. */
ROCLATCH_API int roclatch_sampler_stop(struct roclatch_sampler *sampler, struct roclatch_error *err);
/* Stop and give back everything.  ROCLATCH_USAGE when called by a callback of this sampler: it stays open
 * then.  NULL is allowed. */
ROCLATCH_API int roclatch_sampler_close(struct roclatch_sampler *sampler, struct roclatch_error *err);

/* The last samples, at most n and as many as the ring has, the oldest first, into samples[].  How many; -1: no ring. */
ROCLATCH_API ssize_t roclatch_sampler_last(struct roclatch_sampler *sampler, struct roclatch_sample *samples, size_t n,
					   struct roclatch_error *err);

enum roclatch_frame_how {
	ROCLATCH_FRAME_TOP = 0,         /* where the thread is */
	ROCLATCH_FRAME_TABLE = 1,       /* found by unwind tables */
	ROCLATCH_FRAME_POINTER = 2,     /* by frame pointers */
	ROCLATCH_FRAME_SEARCH = 3,      /* by a search for the return address */
	ROCLATCH_FRAME_SIGNAL = 4,      /* interrupted here by a signal */
	ROCLATCH_FRAME_END = 5          /* no frame but why there is no further one: see `function` */
};

struct roclatch_frame {
	size_t size;
	uint64_t address;
	int how;                        /* enum roclatch_frame_how */
	const char *function;           /* as in the symbol table, C++ mangled; "" if it is not known */
	uint64_t offset;                /* in the function; in the module if that is not known */
	const char *module;             /* "libc.so.6", "[vdso]", "[jit]", or "" */
	const char *path;               /* of the module as the process sees it, or "" */
	const char *build_id;           /* in hex, or "" */
	uint64_t file_address;          /* virtual address in the module's file */
};

/* Called on the thread that asked; texts live until it returns.  Another value than 0: no further frames. */
typedef int roclatch_frame_callback(void *ctx, const struct roclatch_frame *frame);

/*
 * The frames of a stack, innermost first.  0; the callback's value if that ended it; -1.  Names are looked up now:
 * the first time that takes a while for each module, in which no look is taken.  After the end of the
 * process what has not been looked up before may have no names.
 */
ROCLATCH_API int roclatch_sampler_frames(struct roclatch_sampler *sampler, uint32_t stack,
					 roclatch_frame_callback *callback, void *ctx, struct roclatch_error *err);

struct roclatch_counts {
	size_t size;
	uint64_t ticks;                 /* looks taken */
	uint64_t late;                  /* of these, more than half a period late */
	uint64_t dropped;               /* left out, as their time was over */
	uint64_t samples;               /* of threads, all looks */
	uint64_t stacks_taken, stacks_missed;   /* missed: the thread ran meanwhile, or did not stop in time */
	uint64_t by_outside, by_stop, by_perf;  /* how they were taken */
	uint64_t longest_stop_ns;
	char why_no_stacks[256];        /* or "" */
};

ROCLATCH_API int roclatch_sampler_count(struct roclatch_sampler *sampler, struct roclatch_counts *counts,
					struct roclatch_error *err);

/* "futex", "read", ..., or "syscall 999", into text; returns text. */
ROCLATCH_API const char *roclatch_system_call_name(long number, char *text, size_t size);
/* "running", "sleeping", "waiting", "stopped", or "unknown".  Never NULL. */
ROCLATCH_API const char *roclatch_state_name(int state);

#ifdef __cplusplus
}
#endif

#endif
