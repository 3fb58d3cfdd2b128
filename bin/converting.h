/* SPDX-License-Identifier: MIT */
/* One recording into files: for roclatch convert, and for what was recorded by an attachment. */
#ifndef ROCLATCH_BIN_CONVERTING_H
#define ROCLATCH_BIN_CONVERTING_H

#include <limits.h>

#include "bin/amounts.h"
#include "bin/output.h"
#include "rocp/env.h"
#include "rocp/trace/trace.h"

#define MADE_MAX 48

struct made { char path[1024]; uint64_t bytes; };       /* path "": it is longer than that */

/* What came of it.  Plain data: it also comes from a worker process. */
struct converted {
	bool opened, is_rocpd, closed;
	bool too_small;         /* --minimum-output-data: nothing was to be written */
	uint32_t pid, session;
	uint64_t events[DOMAINS], lost, missing, recorded_ns;
	uint64_t input_bytes;
	char why[256];          /* what stopped the recording early, or "" */
	char damage[256];       /* where reading had to end, or "" */
	char notes[1024];       /* the recording's own and ours about it, a line each */
	struct made file[MADE_MAX];
	size_t files;           /* may be more than MADE_MAX: the rest is not listed */
};

struct order {
	const char *input;      /* a log or a database */
	bool has_fd;            /* it is open already: the path only says where it lies and what it is called */
	int fd;                 /* taken over */
	/* NULL: what the recording itself says; else all ROCPROF_* variables that count */
	const struct env *settings;
	const struct env *over; /* those that count before the above; may be NULL */
	const char *folder;     /* where to; keys in it are filled in.  NULL: that of the input */
	const char *name;       /* of the files, with keys.  NULL: that of the input without its ending */
	const char *shown;      /* how the input's folder is called in front of the user; NULL: as it is */
	bool progress;          /* on a terminal, when it takes long */
	bool quiet_stdout;      /* a summary for stdout goes to stderr, as stdout has JSON */
};

/* 0: everything was written (look at .damage); -1 with err: what was written of it is removed again. */
int convert_recording(const struct order *order, struct converted *converted, struct err *err);

/* Are these variables such that a recording could be converted by them?  ERR_USAGE if not. */
int convert_check(const struct env *settings, struct err *err);

/* bin/converting_settings.c: the variables that count for this order.  What comes from the recording itself names no
 * file elsewhere and costs no memory without end. */
int converting_variables(struct env *env, const struct order *order, const struct trace *trace, struct converted *converted,
			 struct err *err);

/* Texts of a recording go to a terminal: they move no cursor. */
void plain_text(char *text);
void converted_note(struct converted *converted, const char *text);
/* Records of all domains. */
uint64_t converted_records(const struct converted *converted);
/* What of it is not there, for people; "" if nothing is known to be. */
const char *missing_text(const struct converted *converted);
/* The members about a recording and its files, in an object that is open. */
void json_converted(struct json *json, const struct converted *converted);

/* bin/converting_base.c: a path to which nothing that could be written is there yet: folder/name, or with
 * _1, _2, ... behind it, from *suffix on.  Folders are made. */
int free_base(const char *folder, const char *name, unsigned formats, unsigned *suffix, char *base, size_t size,
	      struct err *err);
/* Remove what an attempt that failed has left. */
void remove_made(struct converted *converted);

#endif
