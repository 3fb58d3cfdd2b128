/* SPDX-License-Identifier: MIT */
#include "rocp/formats/csv.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_EVERY 4096

int csv_finish(const struct conversion *conversion, struct file *file, struct err *err)
{
	if (file_finish(file, err) < 0)
		return -1;
	if (conversion->wrote)
		conversion->wrote(conversion->ctx, file->path, file->written);
	return 0;
}

static int make_table(struct csv *csv, enum domain domain, struct err *err)
{
	char ending[64];
	snprintf(ending, sizeof ending, domain == DOMAIN_COUNTERS ? "_%s.csv" : "_%s_trace.csv", csv_stem(domain));
	if (file_create(&csv->file[domain], csv->conversion->base, ending, err) < 0)
		return -1;
	csv->made[domain] = true;
	csv_heading(&csv->file[domain], csv_columns(domain));
	return 0;
}

static int take(void *ctx, const struct event *event, struct err *err)
{
	struct csv *csv = ctx;
	struct file *file = &csv->file[event->domain];
	const struct conversion *conversion = csv->conversion;
	if (!csv->made[event->domain] && make_table(csv, event->domain, err) < 0)
		return -1;
	if (file->sys) {        /* a full disk: the rest need not be read */
		csv->made[event->domain] = false;
		return file_finish(file, err);
	}
	if (event->domain == DOMAIN_COUNTERS) {
		if (csv_count(csv, file, event, err) < 0)
			return -1;
	} else {
		csv_row(csv, file, event);
	}
	if (conversion->progress && ++csv->seen % PROGRESS_EVERY == 0 && csv->seen <= csv->all)
		conversion->progress(conversion->ctx, "csv", (double)csv->seen / (double)csv->all);
	return 0;
}

static int write_tables(struct csv *csv, struct err *err)
{
	if (trace_each(csv->conversion->trace, DOMAINS_ALL, take, csv, err) != 0)
		return -1;
	for (enum domain domain = 0; domain < DOMAINS; domain++) {
		if (!csv->made[domain])
			continue;
		csv->made[domain] = false;
		if (csv_finish(csv->conversion, &csv->file[domain], err) < 0)
			return -1;
	}
	return 0;
}

int csv_write(const struct conversion *conversion, struct err *err)
{
	struct csv *csv = calloc(1, sizeof *csv);
	if (!csv)
		return err_set(err, ERR_FAILED, 0, "out of memory for csv");
	csv->conversion = conversion;
	for (enum domain domain = 0; domain < DOMAINS; domain++)
		csv->all += conversion->trace->events[domain];
	int rc = write_tables(csv, err);
	for (enum domain domain = 0; domain < DOMAINS; domain++)
		if (csv->made[domain])
			file_abandon(&csv->file[domain]);
	counter_sums_free(&csv->sums);
	free(csv);
	if (rc < 0 || csv_agents(conversion, err) < 0)
		return -1;
	return conversion->settings->stats ? csv_stats(conversion, err) : 0;
}
