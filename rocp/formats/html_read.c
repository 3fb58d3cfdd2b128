/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "rocp/formats/html_parts.h"

#define DRAWN (DOMAINS_ALL & ~DOMAIN_BIT(DOMAIN_COUNTERS))

static void tell(struct page *page, double before, uint64_t done)
{
	const struct conversion *conversion = page->conversion;
	uint64_t all = 0;
	for (int i = 0; i < DOMAINS; i++)
		all += conversion->trace->events[i];
	if (conversion->progress && all && !(done & 0xffff))
		conversion->progress(conversion->ctx, "html", before + 0.4 * (double)done / (double)all);
}

static int survey(void *ctx, const struct event *event, struct err *err)
{
	struct page *page = ctx;
	tell(page, 0, page->all);
	return page_survey(page, event, err);
}

static int keep(void *ctx, const struct event *event, struct err *err)
{
	struct page *page = ctx;
	tell(page, 0.4, page->visited);
	if (event->domain == DOMAIN_COUNTERS)
		return counters_event(&page->counters, event, &page->series, err);
	if (event->domain == DOMAIN_ALLOCATION && memory_event(&page->memory, event, &page->series, err) < 0)
		return -1;
	return page_keep(page, event, err);
}

/* Charts have no events of their own here that could make the page's time begin too late. */
static void span_charts(struct page *page)
{
	for (size_t i = 0; i < page->series.n; i++) {
		struct point *point = &page->series.point[i];
		point->start = point->start < page->origin ? page->origin : point->start;
		point->end = point->end < point->start ? point->start : point->end;
	}
}

int page_read(struct page *page, const struct conversion *conversion, uint64_t most, struct err *err)
{
	struct trace *trace = conversion->trace;
	*page = (struct page){
		.conversion = conversion, .most = most, .origin = trace->start ? trace->start : UINT64_MAX, .extent = trace->end,
		.lane_keys.size = sizeof(struct lane_key), .shapes.size = sizeof(struct shape),
		.kernels.size = sizeof(struct kernel_symbol *), .series.keys.size = sizeof(struct series_key),
		.counters.keys.size = sizeof(struct counter_key),
	};
	if (trace_each(trace, DRAWN, survey, page, err) < 0 || page_choose(page, err) < 0)
		return -1;
	if (page->origin == UINT64_MAX)
		page->origin = 0;
	page->extent = page->extent > page->origin ? page->extent - page->origin : 0;
	if (trace_each(trace, DOMAINS_ALL, keep, page, err) < 0 || counters_end(&page->counters, &page->series, err) < 0)
		return -1;
	series_sort(&page->series);
	span_charts(page);
	return page_lay_out(page, err);
}

void page_free(struct page *page)
{
	for (size_t i = 0; i < page->lane_keys.n && page->lane; i++)
		free(page->lane[i].row);
	free(page->lane);
	free(page->shown);
	free(page->kept);
	free(page->sequence);
	html_set_free(&page->lane_keys);
	html_set_free(&page->names);
	html_set_free(&page->shapes);
	html_set_free(&page->kernels);
	series_free(&page->series);
	memory_free(&page->memory);
	counters_free(&page->counters);
}
