/* SPDX-License-Identifier: MIT */
/* Attaching, from the command line to the verdict: one target or many, the wait between attach
 * and detach, and what is told. */
#ifndef ROCLATCH_BIN_RECORDING_H
#define ROCLATCH_BIN_RECORDING_H

#include "bin/converting.h"
#include "bin/output.h"
#include "bin/wait.h"
#include "rocp/attach.h"
#include "rocp/collect.h"
#include "rocp/own_tool.h"
#include "rocp/request.h"

/* What was brought from the target's file system into a folder of ours. */
struct fetched {
	char folder[1024];      /* "": nothing was to be */
	bool by_default;        /* --collect was not given */
	size_t files, before, same;     /* all; those there from an earlier run; those that the process wrote there itself */
	uint64_t bytes;
	char names[sizeof((struct collection *)0)->names];      /* below the folder, a line each, as many as fit */
	char notes[sizeof((struct collection *)0)->notes];
	char why[512];          /* why not all is there, or "" */
	bool told;              /* that is the error of the outcome */
};

/* How it went with one target.  Plain data: it also comes from a worker process. */
struct outcome {
	pid_t pid, root;        /* root: through which it came in */
	pid_t inside;           /* its id as it sees itself; 0: not known */
	char name[32];
	bool required;          /* false: found as somebody's child */
	bool alone;             /* the only one: its error is the run's */
	bool followed;          /* it was born meanwhile (--follow) */
	bool launcher;          /* there is no ROCm in it, or none that it could use */
	bool ready;             /* looked at; waits for the word */
	bool late;              /* it was not ready when the word was given */
	bool replaced;          /* it became another program */
	int64_t rank, ranks;    /* -1: not known */
	char job[64];           /* of Slurm, or "" */
	int64_t began_at_ns, attached_at_ns, detached_at_ns;    /* CLOCK_REALTIME; 0: never */
	bool attached, detached, kept, skipped;
	struct err err;
	unsigned status;        /* what the register or the tool answered last */
	bool answered;
	struct preflight preflight;
	struct call_report attach, detach;
	bool attach_called, detach_called;
	char stays[1024];
	uint64_t recorded_ns;
	/* with roclatch's own tool */
	bool own;
	uint64_t records, bytes, lost;          /* as the tool counted them */
	char log[sizeof((struct tool_status *)0)->log];        /* as the process sees it; "": it made none */
	bool log_stays;         /* it was not removed */
	char earlier_log[sizeof((struct attachment *)0)->earlier_log];
	bool was_converted;
	struct converted converted;
	struct fetched fetched;
};

/* One target, from its opening on. */
struct recording {
	struct attachment attachment;
	struct own_log log;     /* .status is 0 if the tool is not ours */
	char output[PATH_MAX];  /* what another tool was told to call its files, as the target sees it; "" */
	int64_t began;          /* CLOCK_REALTIME in seconds */
	uint64_t looked_ns;     /* when it was opened */
	bool replaced;          /* by exec: what was attached is gone */
	struct written written; /* .root is -1 if nothing is to be fetched */
};

/* --- bin/record.c: one target --- */
/* Open and look: all that is slow and changes nothing.  The outcome tells; 0 when it can be attached. */
int record_look(struct recording *recording, struct outcome *outcome, const struct request *request, const struct say *say);
/* Attach what was looked at. */
int record_begin(struct recording *recording, struct outcome *outcome, const struct request *request);
/* Has it ended, or become another program, while it was attached? */
bool record_is_over(struct recording *recording);
int record_end(struct recording *recording, struct outcome *outcome, const struct request *request);
/* It ended by itself meanwhile. */
void record_gone(struct recording *recording, struct outcome *outcome, const struct request *request);
void recording_close(struct recording *recording);

/* --- bin/recorded.c: roclatch's own tool --- */
/* Before anything is done: could what is asked for be made of a log? */
int recorded_check(const struct request *request, struct err *err);
/* Right after the attach: does it record?  0 also for another tool. */
int recorded_begin(struct recording *recording, struct outcome *outcome);
/* How much it has so far; false if that is not known. */
bool recorded_so_far(struct recording *recording, uint64_t *records, uint64_t *bytes);
/* Why the tool has stopped by itself; NULL: it has not. */
const char *recorded_stopped(struct recording *recording);
/* After the end: make of its log what was asked for; what the log itself says if the request has no variables. */
void recorded_end(struct recording *recording, struct outcome *outcome, const struct request *request);
/* What is made of this log, or of a database in its place; st says which file it was. */
int recorded_convert(const struct own_log *log, struct outcome *outcome, const struct request *request, struct stat *st,
		     struct err *err);

/* --- bin/recorded_page.c: -f rocpd html with another tool --- */
/* Before the attach: where will its database be? */
void recorded_expect(struct recording *recording, const struct request *request);
/* After the end: a page of it. */
void recorded_page(struct recording *recording, struct outcome *outcome, const struct request *request);

/* --- bin/collecting.c: --collect --- */
/* Before the attach, or at a later detach: is something to be fetched, where is it to be and where does it go?  sent: the
 * variables that the tool has got; look: what is there already is not of this time. */
int collecting_begin(struct recording *recording, struct outcome *outcome, const struct request *request,
		     const struct env *sent, bool look);
/* After the end, also the target's. */
void collecting_end(struct recording *recording, struct outcome *outcome, const struct request *request);
void report_collected(const struct outcome *outcome, struct output *out);
void json_collected(struct json *json, const struct outcome *outcome);

struct outcomes {
	struct outcome *v;
	size_t n, room;                 /* room: for those that are born meanwhile */
	bool name_each;                 /* their files would have the same names: each gets its id */
	size_t born, without_rocm;      /* with --follow: how many came, and in how many there was never anything of ROCm */
};

/* --- bin/many.c: several targets at once, each in a worker process --- */
/* All outcomes are filled in, and those of --follow put behind them.  How the wait ended. */
enum wait_end record_many(struct outcomes *outcomes, const struct request *request, struct output *out, bool *waited);

/* --- bin/announce.c --- */
/* One line on the terminal of the process, if it has one. */
void announce(pid_t pid, const char *text);

/* --- bin/recording_report.c --- */
void report_begin(const struct outcome *outcome, const struct request *request, struct output *out);
/* What of all that was asked for roclatch's own tool does not record, as it was told at the begin; NULL: nothing was told. */
const char *left_out(const struct outcome *outcome);
void report_waiting(const struct request *request, size_t attached, struct output *out);
void report_ending(const struct request *request, enum wait_end end, struct output *out);
void report_end(const struct outcome *outcome, const struct request *request, struct output *out);
/* What roclatch's own tool has recorded and what was made of it. */
void report_recorded(const struct outcome *outcome, struct output *out);
void json_recorded(struct json *json, const struct outcome *outcome);
/* The lines of a pre-flight, as an array. */
void json_checks(struct json *json, const struct preflight *preflight);
/* All of it as JSON. */
void report_json(const struct outcome *outcomes, size_t n, struct output *out);

/* --- bin/many_report.c: of all of them together --- */
/* --at: when it will be, and, of those that are attached, how much later it was. */
void report_at(const struct request *request, struct output *out);
/* How far apart they were attached. */
void report_together(const struct outcomes *outcomes, const struct request *request, struct output *out);
/* At the end: how many, what they recorded, and what went wrong, each reason once. */
void report_summary(const struct outcomes *outcomes, const struct request *request, struct output *out);

/* --- bin/statuses.c: one file for each process in the folder of --collect --- */
/* The verdict that the run comes to is in rc and err; it may become one of failure. */
int statuses_write(const struct outcomes *outcomes, const struct request *request, int rc, struct err *err);

#endif
