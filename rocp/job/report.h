/* SPDX-License-Identifier: MIT */
/*
 * A job, put together from what each attachment left in a shared folder: who is there,
 * what each did, which of them is slow; one database, one page, one table.
 * A row for each rank stays in memory; databases are opened one at a time.
 */
#ifndef ROCLATCH_ROCP_JOB_REPORT_H
#define ROCLATCH_ROCP_JOB_REPORT_H

#include "rocp/formats/file.h"
#include "rocp/job/status.h"
#include "rocp/trace/texts.h"
#include "rocp/trace/trace.h"

#define JOB_RANKS_MOST 1000000
#define JOB_TELL_MOST 24        /* of many things of one kind, so many are named */

struct job_file { const char *name; int64_t size; };

/* A host's clocks.  Records have its CLOCK_BOOTTIME; the job's time is that of the first host. */
struct job_host {
	const char *host;
	bool known;             /* it told its clocks */
	bool wrong;             /* its wall clock is not that of the others, by the folder's clock */
	bool synchronised;
	int64_t offset;         /* wall clock less CLOCK_BOOTTIME */
	int64_t folder;         /* wall clock less the folder's */
	int64_t ahead;          /* wall clock less that of the others; taken out */
	int64_t error;          /* what is not known of it, as +- */
	int64_t shift;          /* to be added to its records' times */
};

struct job_rank {
	const char *host, *name, *job, *folder, *why;   /* kept once; the folder is where its files are */
	int64_t pid, rank, ranks;
	int status;
	bool attached;
	uint32_t clock;         /* place of its host */
	int64_t attached_at;
	uint64_t lost;
	size_t file, files;     /* places in the report's */
	/* what its databases have */
	unsigned merged;        /* so many of them */
	uint64_t records, dispatches, kernel_ns, busiest_ns, together_ns, api_ns, wait_ns;
	const char *busiest;    /* kernel without arguments, or NULL */
	uint64_t first, last;   /* record, in the job's time; 0: none */
	uint64_t first_dispatch, last_dispatch;         /* when they began */
	bool slow;
};

/* Measures by which a rank can be slow, in the order in which they are asked. */
enum job_measure { SLOW_KERNELS, SLOW_BUSY, SLOW_PACE, SLOW_WAIT, SLOW_MEASURES };

struct job_report {
	char folder[4096];
	struct texts texts;
	struct job_rank *rank;  size_t ranks;   /* by rank, host and pid */
	struct job_file *file;  size_t files;
	struct job_host *clock; size_t clocks;
	struct index hosts;     /* addresses of boot ids to places of clocks */
	const char **problem;   size_t problems;        /* what is missing or damaged: sentences */
	uint64_t problems_left; /* more of them, not kept */
	int64_t expected;       /* ranks; -1: not known */
	uint64_t missing, failed, twice;        /* ranks */
	uint64_t first;         /* of all records; 0: none */
	/* what came of the measures */
	bool judged;            /* there were enough to compare */
	enum job_measure measure;
	double median, mad, limit;
	size_t slow;            /* how many */
	const char *verdict;    /* a sentence */
	const char **slow_why;  /* a sentence for each that is named */
	size_t slow_whys;
	/* files made; "" if not */
	char database[4096], page[4096];
	uint64_t database_bytes, page_bytes;
};

/* Every status in the folder and in those directly below it; expect: how many ranks there must be (0: as they say).
 * 0, or -1 with err: ERR_NOT_POSSIBLE where there is none. */
int job_report_open(struct job_report *report, const char *folder, uint64_t expect, struct err *err);
void job_report_close(struct job_report *report);
int job_problem(struct job_report *report, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A text that came from elsewhere, kept once, without what a terminal would obey: that is shown as \xNN. */
const char *job_keep(struct job_report *report, const char *text, struct err *err);

/* Reads every database, and writes them as one: base_results.db (base NULL: only read).  Then it is known who is slow.
 * progress may be NULL; other than 0 stops. */
typedef int job_progress(void *ctx, double part);
int job_report_merge(struct job_report *report, const char *base, job_progress *progress, void *ctx, struct err *err);
/* base_results.html */
int job_report_page(struct job_report *report, const char *base, struct err *err);
/* The table, for people: all ranks, or those that stand for them. */
void job_report_table(const struct job_report *report, struct file *out, bool all);

/* ---- parts --------------------------------------------------------------------------------------- */
/* clocks.c: finds the host's entry and makes it better known; the shifts, when all are there. */
int job_clock_add(struct job_report *report, const struct job_status *status, uint32_t *place, struct err *err);
int job_clocks_settle(struct job_report *report, struct err *err);
/* present.c: ranks that are missing, there twice, failed. */
int job_present(struct job_report *report, uint64_t expect, struct err *err);
/* A file of a rank, open to be read; -1 with err.  Links are not followed. */
int job_file_open(const struct job_rank *rank, const struct job_file *file, struct err *err);
bool job_file_is_database(const struct job_file *file);
const char *job_who(const struct job_rank *rank, char text[320]);      /* "rank 5 on n2", "process 4711 on n2" */
/* measure.c: what a recording adds to a rank. */
int job_measure_add(struct job_report *report, struct job_rank *rank, struct trace *trace, struct err *err);
/* slow.c */
int job_find_slow(struct job_report *report, struct err *err);
/* Time that its kernels took, without those in which ranks wait for each other. */
static inline uint64_t job_work(const struct job_rank *rank)
{
	return rank->kernel_ns - rank->together_ns;
}
/* Places of ranks from the one with most kernel time to the one with least; those that were not read come last. */
uint32_t *job_by_work(const struct job_report *report, struct err *err);

#endif
