/* SPDX-License-Identifier: MIT */
/*
 * Records have their host's CLOCK_BOOTTIME.  Wall clocks lead from host to host; where one is
 * far from the others by the clock of the folder that all of them share, that is taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/job/report.h"

#define MS 1000000
#define FOLDER_ERROR (20 * MS)  /* of the folder's clock: a tick of up to 10 ms, and the way there */

/* Statuses may tell any times. */
static int64_t less(int64_t a, int64_t b)
{
	int64_t difference;
	return __builtin_sub_overflow(a, b, &difference) || difference == INT64_MIN ? (a < b ? -INT64_MAX : INT64_MAX) : difference;
}

int job_clock_add(struct job_report *report, const struct job_status *status, uint32_t *place, struct err *err)
{
	const struct job_clock *told = &status->clock;
	const char *name = job_keep(report, status->host, err);
	const char *boot = job_keep(report, status->boot_id, err);
	if (!name || !boot)
		return -1;
	uint64_t key = (uintptr_t)(boot[0] ? boot : name);
	size_t at = index_get(&report->hosts, key);
	*place = (uint32_t)(at == INDEX_NONE ? report->clocks : at);
	if (at == INDEX_NONE) {
		struct job_host *fresh = array_add(&report->clock, &report->clocks, sizeof *fresh, err);
		if (!fresh || index_put(&report->hosts, key, *place, err) < 0)
			return -1;
		fresh->host = name;
	}
	struct job_host *host = &report->clock[*place];
	if (!told->realtime_ns)
		return 0;
	int64_t offset = less(told->realtime_ns, told->boottime_ns);
	int64_t error = told->synchronised && told->max_error_us >= 0 ? told->max_error_us * 1000 : FOLDER_ERROR;
	/* All ranks of a host are moved by the same; what it told at other times says how far that may be wrong. */
	if (host->known) {
		int64_t apart = llabs(less(offset, host->offset));
		host->error = apart > host->error ? apart : host->error;
		return 0;
	}
	*host = (struct job_host){ .host = host->host, .known = true, .synchronised = told->synchronised,
				   .offset = offset, .folder = told->folder_offset_ns, .error = error };
	return 0;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int usual_folder_offset(const struct job_report *report, int64_t *usual, struct err *err)
{
	int64_t *all = malloc((report->clocks + 1) * sizeof *all);
	size_t n = 0;
	if (!all)
		return err_set(err, ERR_FAILED, 0, "out of memory for the clocks of %zu hosts", report->clocks);
	for (size_t i = 0; i < report->clocks; i++)
		if (report->clock[i].known)
			all[n++] = report->clock[i].folder;
	qsort(all, n, sizeof *all, by_size);
	*usual = n ? all[(n - 1) / 2] : 0;
	free(all);
	return 0;
}

static int tell(struct job_report *report, const struct job_host *host, struct err *err)
{
	if (!host->known)
		return job_problem(report, err, "%s did not tell its clocks: its times are not moved to those of the others", host->host);
	return host->wrong ? job_problem(report, err, "the wall clock of %s is %.3f s %s that of the others, by the clock of the shared folder; "
		"its times were moved by that, give or take %.0f ms", host->host, (double)llabs(host->ahead) / 1e9,
		host->ahead > 0 ? "ahead of" : "behind", (double)host->error / 1e6) : 0;
}

int job_clocks_settle(struct job_report *report, struct err *err)
{
	int64_t usual = 0, base = 0;
	bool based = false;
	if (usual_folder_offset(report, &usual, err) < 0)
		return -1;
	for (size_t i = 0; i < report->clocks; i++) {
		struct job_host *host = &report->clock[i];
		int64_t ahead = less(host->folder, usual);
		host->wrong = host->known && llabs(ahead) > (host->error > FOLDER_ERROR ? host->error : FOLDER_ERROR);
		host->ahead = host->wrong ? ahead : 0;
		if (host->wrong)
			host->error = FOLDER_ERROR;
	}
	/* The job's time is that of the first rank whose host told. */
	for (size_t i = 0; i < report->ranks && !based; i++) {
		const struct job_host *host = &report->clock[report->rank[i].clock];
		based = host->known;
		base = less(host->offset, host->ahead);
	}
	for (size_t i = 0; i < report->clocks; i++) {
		struct job_host *host = &report->clock[i];
		host->shift = host->known ? less(less(host->offset, host->ahead), base) : 0;
		if (report->clocks > 1 && tell(report, host, err) < 0)
			return -1;
	}
	return 0;
}
