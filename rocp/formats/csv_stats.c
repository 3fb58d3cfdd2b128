/* SPDX-License-Identifier: MIT */
/* --stats: how often and how long, by name in each domain and by domain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/csv.h"
#include "rocp/formats/label.h"
#include "rocp/formats/totals.h"

#define COLUMNS "Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev"

static void real_cell(struct row *row, double value)
{
	csv_format(row, value > 0.01 ? "%.6f" : "%.8e", value);
}

static void percent_cell(struct row *row, double value)
{
	csv_format(row, value >= 1 ? "%.2f" : value > 0.01 ? "%.4f" : "%.3e", value);
}

static void stat_cells(struct file *file, const struct stat_row *stat, uint64_t whole)
{
	struct row row = { file, false };
	csv_text(&row, stat->name);
	csv_number(&row, stat->calls);
	csv_number(&row, stat->total);
	real_cell(&row, stat->calls ? (double)stat->total / (double)stat->calls : 0);
	percent_cell(&row, stat_percent(stat->total, whole));
	csv_number(&row, stat->least);
	csv_number(&row, stat->most);
	real_cell(&row, stat_deviation(stat));
	csv_end(&row);
}

static int write_table(const struct conversion *conversion, const char *stem, const struct stat_row *stat, size_t n,
		       struct err *err)
{
	struct file file;
	char ending[64];
	uint64_t whole = 0;
	snprintf(ending, sizeof ending, "_%s_stats.csv", stem);
	if (file_create(&file, conversion->base, ending, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		whole += stat[i].total;
	csv_heading(&file, COLUMNS);
	for (size_t i = 0; i < n; i++)
		stat_cells(&file, &stat[i], whole);
	return csv_finish(conversion, &file, err);
}

static int by_total(const void *a, const void *b)
{
	const struct stat_row *left = a, *right = b;
	return left->total > right->total ? -1 : left->total < right->total ? 1 : strcmp(left->name, right->name);
}

int csv_stats(const struct conversion *conversion, struct err *err)
{
	struct stat_row total[DOMAINS];
	char label[DOMAINS][32];
	size_t n = 0;
	for (size_t i = 0; i < DOMAINS; i++) {
		enum domain domain = domain_order[i];
		if (!stat_shown(conversion->stats, domain))
			continue;
		if (write_table(conversion, csv_stem(domain), conversion->stats->row[domain],
				conversion->stats->rows[domain], err) < 0)
			return -1;
		total[n] = stat_total(conversion->stats, domain);
		domain_label(domain, label[n]);
		total[n].name = label[n];
		n++;
	}
	if (!n)
		return 0;
	qsort(total, n, sizeof *total, by_total);
	return write_table(conversion, "domain", total, n, err);
}
