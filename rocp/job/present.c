/* SPDX-License-Identifier: MIT */
/* Are all ranks there, each once, and did none of them fail? */
#include <stdio.h>
#include <string.h>

#include "rocp/job/report.h"

#define REASONS_MOST 64

const char *job_who(const struct job_rank *rank, char text[320])
{
	if (rank->rank >= 0)
		snprintf(text, 320, "rank %lld on %s", (long long)rank->rank, rank->host);
	else if (!rank->pid)    /* nobody was found there */
		snprintf(text, 320, "the attachment on %s", rank->host);
	else
		snprintf(text, 320, "process %lld on %s", (long long)rank->pid, rank->host);
	return text;
}

/* "3, 7-9, 12 and 88 more" */
struct ranges { char text[512]; size_t used, named; uint64_t unnamed; };

static void add_range(struct ranges *ranges, int64_t from, int64_t to)
{
	char one[64];
	int n = snprintf(one, sizeof one, from == to ? "%s%lld" : "%s%lld-%lld", ranges->used ? ", " : "", (long long)from, (long long)to);
	if (ranges->named == JOB_TELL_MOST || ranges->used + (size_t)n >= sizeof ranges->text) {
		ranges->unnamed += (uint64_t)(to - from) + 1;
		return;
	}
	strcpy(ranges->text + ranges->used, one);
	ranges->used += (size_t)n;
	ranges->named++;
}

static const char *ranges_end(struct ranges *ranges)
{
	if (ranges->unnamed)
		snprintf(ranges->text + ranges->used, sizeof ranges->text - ranges->used, " and %llu more", (unsigned long long)ranges->unnamed);
	return ranges->text;
}

static int find_missing(struct job_report *report, struct err *err)
{
	struct ranges ranges = { .used = 0 };
	int64_t next = 0;
	for (size_t i = 0; i < report->ranks && report->rank[i].rank >= 0 && report->rank[i].rank < report->expected; i++) {
		int64_t rank = report->rank[i].rank;
		if (rank > next)
			add_range(&ranges, next, rank - 1);
		report->missing += rank > next ? (uint64_t)(rank - next) : 0;
		next = rank >= next ? rank + 1 : next;
	}
	if (next < report->expected)
		add_range(&ranges, next, report->expected - 1);
	report->missing += next < report->expected ? (uint64_t)(report->expected - next) : 0;
	size_t ranked = report->ranks;
	while (ranked && report->rank[ranked - 1].rank < 0)
		ranked--;
	int64_t last = report->rank[ranked - 1].rank;
	if (last >= report->expected && job_problem(report, err, "there is a rank %lld, and only %lld were expected", (long long)last,
						    (long long)report->expected) < 0)
		return -1;
	return !report->missing ? 0 : job_problem(report, err, "%llu of %lld ranks left no status: %s", (unsigned long long)report->missing,
			   (long long)report->expected, ranges_end(&ranges));
}

static int find_twice(struct job_report *report, struct err *err)
{
	for (size_t i = 1; i < report->ranks; i++) {
		const struct job_rank *before = &report->rank[i - 1], *rank = before + 1;
		if (rank->rank < 0 || rank->rank != before->rank)
			continue;
		report->twice++;
		if (job_problem(report, err, "rank %lld is there twice: process %lld on %s and process %lld on %s", (long long)rank->rank,
				(long long)before->pid, before->host, (long long)rank->pid, rank->host) < 0)
			return -1;
	}
	return 0;
}

static bool has_failed(const struct job_rank *rank)
{
	return rank->status != 0 || !rank->attached;
}

/* One sentence for each reason.  Reasons are kept once, so that their addresses tell them apart. */
static int find_failed(struct job_report *report, struct err *err)
{
	struct index told = { .n = 0 };
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < report->ranks; i++) {
		const struct job_rank *first = &report->rank[i];
		report->failed += has_failed(first);
		if (!has_failed(first) || told.n > REASONS_MOST || index_get(&told, (uintptr_t)first->why) != INDEX_NONE)
			continue;
		struct ranges ranges = { .used = 0 };
		uint64_t n = 0, unranked = 0;
		char who[320];
		for (size_t k = i; k < report->ranks; k++) {
			const struct job_rank *rank = &report->rank[k];
			if (!has_failed(rank) || rank->why != first->why)
				continue;
			n++;
			if (rank->rank < 0)
				unranked++;
			else
				add_range(&ranges, rank->rank, rank->rank);
		}
		rc = index_put(&told, (uintptr_t)first->why, 1, err);
		if (rc == 0 && n == 1)
			rc = job_problem(report, err, "%s failed with status %d: %s", job_who(first, who), first->status,
					 first->why[0] ? first->why : "no reason was given");
		else if (rc == 0)
			rc = job_problem(report, err, "%llu failed%s%s, the first with status %d on %s: %s", (unsigned long long)n,
					 unranked == n ? "" : ", ranks ", unranked == n ? "" : ranges_end(&ranges), first->status, first->host,
					 first->why[0] ? first->why : "no reason was given");
	}
	index_free(&told);
	return rc;
}

int job_present(struct job_report *report, uint64_t expect, struct err *err)
{
	int64_t least = -1, most = -1;
	size_t ranked = 0;
	for (size_t i = 0; i < report->ranks; i++) {
		int64_t ranks = report->rank[i].ranks;
		ranked += report->rank[i].rank >= 0;
		most = ranks > most ? ranks : most;
		least = ranks >= 0 && (least < 0 || ranks < least) ? ranks : least;
	}
	report->expected = expect ? (int64_t)expect : most;
	if (least != most && job_problem(report, err, "some statuses tell of %lld ranks, others of %lld: they are of different jobs",
					 (long long)least, (long long)most) < 0)
		return -1;
	if (report->expected >= 0 && !ranked && report->ranks != (size_t)report->expected) {
		report->missing = report->ranks < (size_t)report->expected ? (uint64_t)report->expected - report->ranks : 0;
		return job_problem(report, err, "%zu of %lld processes left a status", report->ranks, (long long)report->expected);
	}
	if (ranked && report->expected >= 0 && find_missing(report, err) < 0)
		return -1;
	return find_twice(report, err) < 0 ? -1 : find_failed(report, err);
}
