/* SPDX-License-Identifier: MIT */
/*
 * What people open: a recording written as rocprofv3 writes it (csv, json,
 * pftrace, rocpd) and as a page (html).  Files are made new and never written
 * over; what could not be finished is removed.
 */
#ifndef ROCLATCH_ROCP_FORMATS_FORMATS_H
#define ROCLATCH_ROCP_FORMATS_FORMATS_H

#include "rocp/trace/stats.h"
#include "rocp/trace/trace.h"

enum format { FORMAT_CSV = 1, FORMAT_JSON = 2, FORMAT_PFTRACE = 4, FORMAT_ROCPD = 8, FORMAT_HTML = 16 };
enum agent_index { AGENT_RELATIVE, AGENT_ABSOLUTE, AGENT_TYPE_RELATIVE };

struct settings {
	unsigned formats;               /* enum format */
	bool stats;                     /* --stats: *_stats.csv, summary in json */
	bool summary, summary_per_domain;
	const char **summary_group;     /* regular expressions */
	size_t summary_groups;
	const char *summary_output;     /* "stderr", "stdout" or a file's name */
	const char *summary_unit;       /* sec msec usec nsec */
	enum naming naming;             /* -M, -T */
	bool kernel_rename, group_by_queue, output_config;
	enum agent_index agent_index;   /* -A */
	uint64_t least_bytes;           /* --minimum-output-data: for the caller, who tells the user that there are no files */
	void *owned;
};

/* From ROCPROF_* variables, as AMD's tool reads them.  ERR_USAGE: a format or word that cannot be had here
 * (otf2 and whatever AMD's tool alone can do), with what to use instead. */
int settings_from(struct settings *settings, const struct env *env, struct err *err);
void settings_free(struct settings *settings);

/* One conversion: everything goes to files whose paths begin with base ("/x/out" gives "/x/out_results.json"). */
struct conversion {
	struct trace *trace;
	struct stats *stats;            /* of this trace */
	const struct settings *settings;
	const char *base;
	/* told about every file that was written, and about progress (0..1) in between; either may be NULL */
	void (*wrote)(void *ctx, const char *path, uint64_t bytes);
	void (*progress)(void *ctx, const char *what, double part);
	void *ctx;
};

int csv_write(const struct conversion *conversion, struct err *err);
int json_write(const struct conversion *conversion, struct err *err);
int pftrace_write(const struct conversion *conversion, struct err *err);
int rocpd_write(const struct conversion *conversion, struct err *err);
int html_write(const struct conversion *conversion, struct err *err);
/* --summary: the text; where it goes (stdout, stderr, file) is the caller's. */
struct file;
int summary_write(const struct conversion *conversion, struct file *out, struct err *err);

/* All that the settings ask for, one after the other. */
int formats_write(const struct conversion *conversion, struct err *err);

/* "Agent 1", "GPU 0": how -A wants it; "" for no agent. */
void agent_label(const struct conversion *conversion, uint64_t id, char out[32]);

#endif
