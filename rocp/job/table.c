/* SPDX-License-Identifier: MIT */
/* The table of a job, for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/job/report.h"

#define ROWS_MOST 40            /* of a short table; behind that, those at both ends stand for all */
#define ENDS 8

static void put_time(struct file *out, double ns, int width)
{
	char text[32];
	double size = ns < 0 ? -ns : ns;
	if (size >= 1e9)
		snprintf(text, sizeof text, "%.3f s", ns / 1e9);
	else
		snprintf(text, sizeof text, size >= 1e6 || !size ? "%.1f ms" : "%.3f ms", ns / 1e6);
	file_format(out, " %*s", width, text);
}

static void put_head(struct file *out, int host, int kernel)
{
	file_format(out, "  %6s  %-*s %8s %10s %9s %11s  %-*s %11s %11s %11s  %-18s  %s\n", "rank", host, "host", "pid", "records",
		    "kernels", "kernel time", kernel, "busiest kernel", "API time", "wait", "start", "clock", "status");
}

static void put_row(const struct job_report *report, const struct job_rank *rank, struct file *out, int host, int kernel)
{
	const struct job_host *clock = &report->clock[rank->clock];
	char number[24] = "-", off[32] = "not known";
	if (rank->rank >= 0)
		snprintf(number, sizeof number, "%lld", (long long)rank->rank);
	if (clock->known)
		snprintf(off, sizeof off, "%+.3f s \302\261 %.3g ms", (double)clock->ahead / 1e9, (double)clock->error / 1e6);
	file_format(out, "%c %6s  %-*.*s %8lld %10llu %9llu", rank->slow ? '*' : ' ', number, host, host, rank->host, (long long)rank->pid,
		    (unsigned long long)rank->records, (unsigned long long)rank->dispatches);
	put_time(out, (double)rank->kernel_ns, 11);
	file_format(out, "  %-*.*s", kernel, kernel, rank->busiest ? rank->busiest : "-");
	put_time(out, (double)rank->api_ns, 11);
	put_time(out, (double)(rank->wait_ns + rank->together_ns), 11);
	if (rank->first)
		put_time(out, (double)(rank->first - report->first), 11);
	else
		file_format(out, " %11s", "-");
	file_format(out, "  %-*s", 18 + (clock->known ? 1 : 0), off);       /* the sign has two bytes */
	if (rank->status || !rank->attached)
		file_format(out, "  failed (%d)\n", rank->status);
	else
		file_format(out, "  %s\n", rank->slow ? "slow" : rank->merged ? "ok" : "nothing read");
}

static int longest(const struct job_report *report, bool kernels, int least, int most)
{
	int n = least;
	for (size_t i = 0; i < report->ranks; i++) {
		const char *text = kernels ? report->rank[i].busiest : report->rank[i].host;
		int length = text ? (int)strnlen(text, (size_t)most) : 0;
		n = length > n ? length : n;
	}
	return n;
}

/* Those that failed or are slow, and both ends of the kernel time. */
static bool *stand_for_all(const struct job_report *report)
{
	bool *shown = calloc(report->ranks + 1, sizeof *shown);
	uint32_t *place = job_by_work(report, NULL);
	size_t slow = 0, failed = 0;
	for (size_t i = 0; shown && place && i < report->ranks; i++) {
		const struct job_rank *rank = &report->rank[place[i]];
		if (i < ENDS || i >= report->ranks - ENDS || (rank->slow && slow++ < JOB_TELL_MOST) || (rank->status && failed++ < ENDS))
			shown[place[i]] = true;
	}
	free(place);
	return shown;
}

void job_report_table(const struct job_report *report, struct file *out, bool all)
{
	int host = longest(report, false, 4, 24), kernel = longest(report, true, 14, 32);
	bool *shown = all || report->ranks <= ROWS_MOST ? NULL : stand_for_all(report);
	size_t rows = 0;
	file_format(out, "%zu status%s", report->ranks, report->ranks == 1 ? "" : "es");
	if (report->expected >= 0)
		file_format(out, " of %lld ranks", (long long)report->expected);
	file_format(out, ", %zu host%s%s%s\n", report->clocks, report->clocks == 1 ? "" : "s", report->rank[0].job[0] ? ", job " : "",
		    report->rank[0].job);
	file_format(out, "%s\n", report->verdict);
	for (size_t i = 1; i < report->slow_whys; i++)
		file_format(out, "%s\n", report->slow_why[i]);
	for (size_t i = 0; all && i < report->problems; i++)
		file_format(out, "%s\n", report->problem[i]);
	file_text(out, "\n");
	put_head(out, host, kernel);
	for (size_t i = 0; i < report->ranks; i++)
		if (!shown || shown[i]) {
			put_row(report, &report->rank[i], out, host, kernel);
			rows++;
		}
	if (rows < report->ranks)
		file_format(out, "  and %zu more between those with most and least kernel time\n", report->ranks - rows);
	free(shown);
}
