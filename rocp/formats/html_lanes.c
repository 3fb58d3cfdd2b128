/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_parts.h"

/* What the GPUs do, then copies, memory, threads. */
static unsigned place(const struct lane *lane)
{
	static const unsigned places[] = {
		[LANE_KERNELS] = 0, [LANE_COPIES] = 1, [LANE_ALLOCATIONS] = 2, [LANE_SCRATCH] = 3, [LANE_MARKERS] = 4, [LANE_CALLS] = 4,
	};
	return lane->key.others ? 5 : places[lane->key.kind];
}

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int as_shown(const void *a, const void *b)
{
	const struct lane *x = *(const struct lane *const *)a, *y = *(const struct lane *const *)b;
	int by = compare(place(x), place(y));
	by = by ? by : compare(x->agent, y->agent);
	by = by ? by : compare(x->agent2, y->agent2);
	by = by ? by : compare(x->key.stream, y->key.stream);
	by = by ? by : compare(x->key.queue, y->key.queue);
	by = by ? by : compare(x->key.thread, y->key.thread);
	by = by ? by : compare(x->key.kind, y->key.kind);
	return by ? by : compare(x->key.agent, y->key.agent);
}

/* By lane and time, the longer first: what encloses comes before what is in it. */
static int by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	int by = compare(x->lane, y->lane);
	by = by ? by : compare(x->start, y->start);
	by = by ? by : compare(y->duration, x->duration);
	return by ? by : compare(x->order, y->order);
}

static int keep_rows(struct lane *lane, const uint32_t *count, struct err *err)
{
	lane->row = malloc((lane->rows + 1) * sizeof *lane->row);
	if (!lane->row)
		return err_set(err, ERR_FAILED, 0, "out of memory for the page's lanes");
	memcpy(lane->row, count, lane->rows * sizeof *count);
	return 0;
}

/* The first row that is free; calls that nest come below each other by that alone.  Those that find one move up. */
static int rows_of(struct lane *lane, struct kept *kept, size_t *n, struct err *err)
{
	uint64_t until[HTML_ROWS_MOST];
	uint32_t count[HTML_ROWS_MOST] = { 0 };
	size_t to = 0;
	lane->rows = 0;
	for (size_t i = 0; i < *n; i++) {
		uint32_t row = 0;
		while (row < lane->rows && until[row] > kept[i].start)
			row++;
		if (row == HTML_ROWS_MOST)
			continue;
		lane->rows += row == lane->rows;
		/* An instant takes its place too, or what begins with it would cover it. */
		until[row] = kept[i].start + (kept[i].duration ? kept[i].duration : 1);
		kept[i].row = row;
		count[row]++;
		kept[to++] = kept[i];
	}
	*n = to;
	return keep_rows(lane, count, err);
}

/* Where each event of a lane goes in the sequence: by row; in a row they are in order already. */
static void sequence(struct page *page, const struct lane *lane, size_t first, size_t n, size_t to)
{
	size_t next[HTML_ROWS_MOST];
	for (uint32_t row = 0; row < lane->rows; row++) {
		next[row] = to;
		to += lane->row[row];
	}
	for (size_t i = first; i < first + n; i++)
		page->sequence[next[page->kept[i].row]++] = (uint32_t)i;
}

static uint32_t agent_place(const struct page *page, uint64_t id)
{
	const struct agent *agent = id ? trace_agent(page->conversion->trace, id) : NULL;
	return agent ? (uint32_t)(agent - page->conversion->trace->agent) + 1 : 0;
}

static size_t count_of(const struct page *page, size_t first)
{
	size_t n = first;
	while (n < page->kept_n && page->kept[n].lane == page->kept[first].lane)
		n++;
	return n - first;
}

/* Gives every lane its rows; first and count: where its events are then. */
static int lay_rows(struct page *page, size_t *first, size_t *count, struct err *err)
{
	size_t to = 0;
	for (size_t i = 0, n; i < page->kept_n; i += n) {
		uint32_t lane = page->kept[i].lane;
		first[lane] = to;
		count[lane] = n = count_of(page, i);
		if (rows_of(&page->lane[lane], page->kept + i, &count[lane], err) < 0)
			return -1;
		memmove(page->kept + to, page->kept + i, count[lane] * sizeof *page->kept);
		to += count[lane];
	}
	page->crowded = page->kept_n - to;
	page->kept_n = to;
	return 0;
}

int page_lay_out(struct page *page, struct err *err)
{
	size_t lanes = page->lane_keys.n, to = 0;
	size_t *first = calloc(lanes + 1, sizeof *first), *count = calloc(lanes + 1, sizeof *count);
	page->shown = calloc(lanes + 1, sizeof *page->shown);
	page->sequence = calloc(page->kept_n + 1, sizeof *page->sequence);
	int rc = first && count && page->shown && page->sequence ? 0 : err_set(err, ERR_FAILED, 0, "out of memory for the page's lanes");
	if (!rc && page->kept_n)
		qsort(page->kept, page->kept_n, sizeof *page->kept, by_time);
	if (!rc)
		rc = lay_rows(page, first, count, err);
	for (size_t i = 0; !rc && i < lanes; i++) {
		page->shown[i] = &page->lane[i];
		page->lane[i].agent = agent_place(page, page->lane[i].key.agent);
		page->lane[i].agent2 = agent_place(page, page->lane[i].key.agent2);
	}
	if (!rc && lanes)
		qsort(page->shown, lanes, sizeof *page->shown, as_shown);
	for (size_t i = 0; !rc && i < lanes; i++) {
		size_t lane = (size_t)(page->shown[i] - page->lane);
		sequence(page, page->shown[i], first[lane], count[lane], to);
		to += count[lane];
	}
	free(first);
	free(count);
	return rc;
}

static void agent_title(const struct page *page, uint64_t id, char title[128])
{
	const struct agent *agent = trace_agent(page->conversion->trace, id);
	char label[32];
	agent_label(page->conversion, id, label);
	if (!agent)
		snprintf(title, 128, "%s", label[0] ? label : "no agent");
	else if (page->conversion->trace->ranks)
		snprintf(title, 128, "%.120s", agent->name);
	else
		snprintf(title, 128, "%s  %.80s", label, agent->name ? agent->name : "");
}

/* Handles of queues are addresses to some SDKs: which of this agent's it is says more. */
static unsigned queue_number(const struct page *page, const struct lane *lane)
{
	unsigned number = 0;
	for (size_t i = 0; i < page->lane_keys.n; i++)
		number += page->lane[i].key.kind == LANE_KERNELS && page->lane[i].key.agent == lane->key.agent &&
			  page->lane[i].key.queue < lane->key.queue;
	return number;
}

void page_lane_label(const struct page *page, const struct lane *lane, char group[256], char label[256])
{
	static const char *const others[] = { "kernels", "copies", "scratch", "allocations", "markers", "calls" };
	const struct lane_key *key = &lane->key;
	if (key->others) {
		snprintf(group, 256, "All others");
		snprintf(label, 256, "%s", others[key->kind]);
		return;
	}
	const char *name = trace_thread_name(page->conversion->trace, key->thread);
	char one[128], two[32];
	agent_title(page, key->agent, one);
	switch (key->kind) {
	case LANE_KERNELS:
		snprintf(group, 256, "%s", one);
		if (key->stream)
			snprintf(label, 256, "stream %llu", (unsigned long long)key->stream - 1);
		else
			snprintf(label, 256, "queue %u", queue_number(page, lane));
		break;
	case LANE_COPIES:
		agent_label(page->conversion, key->agent2, two);
		agent_label(page->conversion, key->agent, one);
		snprintf(group, 256, "Copies");
		snprintf(label, 256, "%s \xe2\x86\x92 %s", two, one);
		break;
	case LANE_SCRATCH:
	case LANE_ALLOCATIONS:
		snprintf(group, 256, "Memory");
		snprintf(label, 256, "%s%s", key->kind == LANE_SCRATCH ? "scratch, " : "allocations", key->kind == LANE_SCRATCH ? one : "");
		break;
	default:
		if (page->conversion->trace->ranks)
			snprintf(group, 256, "%.200s", name ? name : "");
		else
			snprintf(group, 256, "Thread %llu%s%.128s", (unsigned long long)key->thread, name ? "  " : "", name ? name : "");
		snprintf(label, 256, "%s", key->kind == LANE_MARKERS ? "markers" : "calls");
	}
}
