/* SPDX-License-Identifier: MIT */
#include "rocp/trace/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/texts.h"

#define RECENT 1024

struct slot { uint32_t hash, row /* + 1; 0: free */; };

struct table {
	struct slot *slot;
	size_t room;
};

struct counting {
	struct stats *stats;
	struct table table[DOMAINS];
	/* names are mostly the same pointers again: those need not be read */
	struct { const char *name; size_t row; enum domain domain; } recent[RECENT];
};

const char *stats_name(const struct event *event)
{
	if (event->text)
		return event->text;
	if (event->domain == DOMAIN_KERNEL || event->domain == DOMAIN_COUNTERS)
		return event->rename ? event->rename : event->kernel->formatted;
	return event->operation_name;
}

double stat_deviation(const struct stat_row *row)
{
	return row->calls > 1 ? sqrt(row->m2 / (double)(row->calls - 1)) : 0;
}

static int grow(struct table *table, struct err *err)
{
	size_t room = table->room ? 2 * table->room : 256;
	struct slot *slot = room <= UINT32_MAX ? calloc(room, sizeof *slot) : NULL;
	if (!slot)
		return err_set(err, ERR_FAILED, ENOMEM, "count events by name");
	for (size_t i = 0; i < table->room; i++) {
		if (!table->slot[i].row)
			continue;
		size_t at = table->slot[i].hash & (room - 1);
		while (slot[at].row)
			at = (at + 1) & (room - 1);
		slot[at] = table->slot[i];
	}
	free(table->slot);
	*table = (struct table){ slot, room };
	return 0;
}

/* Its row + 1; 0 with err. */
static size_t find(struct counting *counting, enum domain domain, const char *name, struct err *err)
{
	struct stats *stats = counting->stats;
	struct table *table = &counting->table[domain];
	if (stats->rows[domain] + 1 > table->room / 4 * 3 && grow(table, err) < 0)
		return 0;
	uint32_t hash = (uint32_t)text_hash(name, strlen(name));
	size_t at = hash & (table->room - 1);
	for (; table->slot[at].row; at = (at + 1) & (table->room - 1))
		if (table->slot[at].hash == hash && !strcmp(stats->row[domain][table->slot[at].row - 1].name, name))
			return table->slot[at].row;
	struct stat_row *row = array_add(&stats->row[domain], &stats->rows[domain], sizeof *row, err);
	if (!row)
		return 0;
	*row = (struct stat_row){ .name = name, .least = UINT64_MAX };
	table->slot[at] = (struct slot){ hash, (uint32_t)stats->rows[domain] };
	return stats->rows[domain];
}

static int count(void *ctx, const struct event *event, struct err *err)
{
	struct counting *counting = ctx;
	struct stats *stats = counting->stats;
	enum domain domain = event->domain;
	const char *name = stats_name(event);
	size_t recent = ((uintptr_t)name >> 3 ^ domain * 97u) % RECENT;
	if (counting->recent[recent].name != name || counting->recent[recent].domain != domain) {
		size_t row = find(counting, domain, name, err);
		if (!row)
			return -1;
		counting->recent[recent].name = name;
		counting->recent[recent].domain = domain;
		counting->recent[recent].row = row;
	}
	struct stat_row *row = &stats->row[domain][counting->recent[recent].row - 1];
	uint64_t time = event->end > event->start ? event->end - event->start : 0;
	double from_mean = (double)time - row->mean;
	row->calls++;
	row->total += time;
	row->least = time < row->least ? time : row->least;
	row->most = time > row->most ? time : row->most;
	row->mean += from_mean / (double)row->calls;
	row->m2 += from_mean * ((double)time - row->mean);
	stats->calls[domain]++;
	stats->total[domain] += time;
	return 0;
}

static int by_total(const void *left, const void *right)
{
	const struct stat_row *a = left, *b = right;
	return a->total > b->total ? -1 : a->total < b->total ? 1 : strcmp(a->name, b->name);
}

int stats_read(struct stats *stats, struct trace *trace, struct err *err)
{
	*stats = (struct stats){ .rows = { 0 } };
	struct counting *counting = calloc(1, sizeof *counting);
	if (!counting)
		return err_set(err, ERR_FAILED, ENOMEM, "count events by name");
	counting->stats = stats;
	int rc = trace_each(trace, DOMAINS_ALL, count, counting, err);
	for (size_t i = 0; i < DOMAINS; i++) {
		free(counting->table[i].slot);
		if (stats->rows[i])
			qsort(stats->row[i], stats->rows[i], sizeof *stats->row[i], by_total);
	}
	free(counting);
	if (rc)
		stats_free(stats);
	return rc;
}

void stats_free(struct stats *stats)
{
	for (size_t i = 0; i < DOMAINS; i++)
		free(stats->row[i]);
	*stats = (struct stats){ .rows = { 0 } };
}
