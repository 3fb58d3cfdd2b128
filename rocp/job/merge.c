/* SPDX-License-Identifier: MIT */
/* Every database of a job is opened, measured, and its rows go into the one that is made; one after the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/job/rows.h"

/* Told of a file; merged nonetheless as far as it goes. */
static int check_size(struct job_report *report, const struct job_rank *rank, const struct job_file *file, int fd, struct err *err)
{
	struct stat stat;
	char who[320];
	if (fstat(fd, &stat) < 0 || stat.st_size == file->size)
		return 0;
	return job_problem(report, err, "%s of %s has %lld bytes; by its status it had %lld", file->name, job_who(rank, who),
			   (long long)stat.st_size, (long long)file->size);
}

static int take_database(struct job_report *report, struct job_rank *rank, const struct job_file *file, int fd, struct rows *rows,
			 struct err *err)
{
	struct trace trace;
	struct err wrong = { .code = ERR_NONE };
	char who[320];
	uint64_t left = 0;
	if (trace_open_fd(&trace, fd, file->name, &wrong) < 0)
		return job_problem(report, err, "a database of %s is not merged: %s", job_who(rank, who), wrong.text);
	int rc = job_measure_add(report, rank, &trace, &wrong);
	if (rc == 0 && rows && trace.is_rocpd)
		rc = rows_add(rows, rank, &report->clock[rank->clock], &trace, &left, &wrong);
	rank->merged += rc == 0;
	left = left > trace.missing ? left : trace.missing;
	bool ours = rows && rows->failed;
	if (rc < 0 && !ours)
		rc = job_problem(report, err, "a database of %s is damaged and was merged up to there: %s", job_who(rank, who), wrong.text);
	else if (rc < 0)
		*err = wrong;
	else if (left)
		rc = job_problem(report, err, "%llu rows of %s of %s lead nowhere and were left out", (unsigned long long)left, file->name,
				 job_who(rank, who));
	trace_close(&trace);
	return rc;
}

static int take_file(struct job_report *report, struct job_rank *rank, const struct job_file *file, struct rows *rows, struct err *err)
{
	struct err wrong = { .code = ERR_NONE };
	char who[320];
	int fd = job_file_open(rank, file, &wrong);
	if (fd < 0)
		return job_problem(report, err, "%s of %s is missing: %s", file->name, job_who(rank, who), wrong.text);
	int rc = check_size(report, rank, file, fd, err);
	if (rc == 0 && job_file_is_database(file))
		return take_database(report, rank, file, fd, rows, err);
	close(fd);
	return rc;
}

static int take_rank(struct job_report *report, struct job_rank *rank, struct rows *rows, struct err *err)
{
	bool has_database = false;
	char who[320];
	for (size_t i = 0; i < rank->files; i++) {
		has_database |= job_file_is_database(&report->file[rank->file + i]);
		if (take_file(report, rank, &report->file[rank->file + i], rows, err) < 0)
			return -1;
	}
	/* Why there is none of one that failed is told already. */
	if (has_database || rank->status)
		return 0;
	return job_problem(report, err, "%s made no rocpd database: there is nothing of it to merge (attach with -f rocpd)", job_who(rank, who));
}

static int take_all(struct job_report *report, struct rows *rows, job_progress *progress, void *ctx, struct err *err)
{
	for (size_t i = 0; i < report->ranks; i++)
		if ((progress && progress(ctx, (double)i / (double)report->ranks)) || take_rank(report, &report->rank[i], rows, err) < 0)
			return err->code ? -1 : err_set(err, ERR_FAILED, 0, "stopped");
	return 0;
}

static int64_t earliest(const struct job_report *report)
{
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < report->ranks; i++)
		if (report->rank[i].attached_at > 0 && report->rank[i].attached_at < first)
			first = report->rank[i].attached_at;
	return first == INT64_MAX ? 0 : first;
}

int job_report_merge(struct job_report *report, const char *base, job_progress *progress, void *ctx, struct err *err)
{
	struct rows *rows = NULL;
	uint64_t id[2] = { 0 };
	rocpd_limit_memory();
	if (base) {
		rows = calloc(1, sizeof *rows);
		if (!rows || getrandom(id, sizeof id, 0) < 0) {
			free(rows);
			return err_set(err, ERR_FAILED, errno, "make %s", base);
		}
		rocpd_name(&rows->rocpd, (uint64_t)earliest(report), id);
	}
	int rc = rows ? rows_begin(rows, base, report, err) : 0;
	if (rc == 0)
		rc = take_all(report, rows, progress, ctx, err);
	if (rows) {
		rc = rows_end(rows, rc, &report->database_bytes, err);
		if (rc == 0)
			snprintf(report->database, sizeof report->database, "%s", rows->rocpd.path);
		free(rows);
	}
	return rc < 0 ? -1 : job_find_slow(report, err);
}
