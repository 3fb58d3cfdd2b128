/* SPDX-License-Identifier: MIT */
/*
 * Which events are drawn when there are more than a page should hold: the
 * longest of all, and of each lane as many as is fair, evenly over its length.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_parts.h"

#define HOUR 3600000000000u
#define SHAPES_MOST 100000u

/* The logarithm of the duration, with sixteen steps between powers of two. */
static unsigned class_of(uint64_t duration)
{
	if (duration < 16)
		return (unsigned)duration;
	unsigned log = 63u - (unsigned)__builtin_clzll(duration);
	return log * 16 + (unsigned)(duration >> (log - 4) & 15);
}

/* The SDK gives 0 for what it could not measure; one such event would make the page span years. */
static bool is_odd(const struct trace *trace, const struct event *event)
{
	return !event->start || event->end < event->start || (trace->start && event->start + HOUR < trace->start) ||
	       (trace->closed && trace->end >= trace->start && event->start > trace->end + HOUR);
}

static struct lane_key key_of(const struct page *page, const struct event *event)
{
	const struct conversion *conversion = page->conversion;
	bool queues = conversion->settings->group_by_queue || !conversion->trace->streams;
	switch (event->domain) {
	case DOMAIN_KERNEL:
		return (struct lane_key){ .kind = LANE_KERNELS, .agent = event->agent, .queue = queues ? event->queue : 0,
					  .stream = queues ? 0 : event->stream + 1 };
	case DOMAIN_COPY:
		return (struct lane_key){ .kind = LANE_COPIES, .agent = event->agent, .agent2 = event->agent2 };
	case DOMAIN_SCRATCH:
		return (struct lane_key){ .kind = LANE_SCRATCH, .agent = event->agent };
	case DOMAIN_ALLOCATION:
		return (struct lane_key){ .kind = LANE_ALLOCATIONS };
	default:
		return (struct lane_key){ .kind = event->domain == DOMAIN_MARKER ? LANE_MARKERS : LANE_CALLS,
					  .thread = event->thread };
	}
}

static struct lane *lane_of(struct page *page, const struct event *event, struct err *err)
{
	struct lane_key key = key_of(page, event);
	uint32_t number;
	/* A server may have had very many threads, one after the other. */
	if (page->lane_keys.n >= HTML_LANES_MOST && !html_set_has(&page->lane_keys, &key))
		key = (struct lane_key){ .kind = key.kind, .others = true };
	if (html_set_add(&page->lane_keys, &key, &number, err) < 0)
		return NULL;
	if (number >= page->lane_room) {
		size_t room = page->lane_room ? 2 * page->lane_room : 64;
		struct lane *lane = realloc(page->lane, room * sizeof *lane);
		if (!lane) {
			err_set(err, ERR_FAILED, 0, "out of memory for the page's lanes");
			return NULL;
		}
		memset(lane + page->lane_room, 0, (room - page->lane_room) * sizeof *lane);
		page->lane = lane;
		page->lane_room = room;
	}
	page->lane[number].key = key;
	return &page->lane[number];
}

int page_survey(struct page *page, const struct event *event, struct err *err)
{
	page->all++;
	if (is_odd(page->conversion->trace, event)) {
		page->odd++;
		return 0;
	}
	struct lane *lane = lane_of(page, event, err);
	if (!lane)
		return -1;
	lane->all++;
	page->longest[class_of(event->end - event->start)]++;
	page->origin = event->start < page->origin ? event->start : page->origin;
	page->extent = event->end > page->extent ? event->end : page->extent;
	return 0;
}

static void share_out(struct page *page, uint64_t budget)
{
	size_t left = page->lane_keys.n;
	bool changed = true;
	while (changed && left) {
		uint64_t fair = budget / left;
		changed = false;
		for (size_t i = 0; i < page->lane_keys.n; i++) {
			struct lane *lane = &page->lane[i];
			if (lane->quota || !lane->all || lane->all > fair)
				continue;
			lane->quota = lane->all;
			budget -= lane->all;
			left--;
			changed = true;
		}
	}
	for (size_t i = 0; i < page->lane_keys.n && left; i++)
		if (!page->lane[i].quota)
			page->lane[i].quota = budget / left;
}

int page_choose(struct page *page, struct err *err)
{
	uint64_t fit = page->all - page->odd, longest = 0;
	unsigned class = sizeof page->longest / sizeof page->longest[0];
	if (fit <= page->most)
		class = 0;
	while (class && longest + page->longest[class - 1] <= page->most / 2)
		longest += page->longest[--class];
	page->least_class = class;
	/* The sample is even, not exact to the last one. */
	share_out(page, (page->most - longest) / 50 * 49);
	page->kept_room = (size_t)(fit < page->most ? fit : page->most);
	page->kept = malloc((page->kept_room + 1) * sizeof *page->kept);
	return page->kept ? 0 : err_set(err, ERR_FAILED, 0, "out of memory for the page's events");
}

static int shape_of(struct page *page, const struct event *event, uint32_t *number, struct err *err)
{
	struct shape shape = {
		.thread = event->thread, .stream = event->stream, .agent = event->agent, .queue = event->queue,
		.domain = event->domain,
	};
	const char *kind = event->kind_name ? event->kind_name : "";
	if (html_set_add(&page->names, &kind, &shape.kind, err) < 0 ||
	    html_set_add(&page->names, &event->operation_name, &shape.operation, err) < 0)
		return -1;
	if (event->domain == DOMAIN_COPY)
		shape.agent2 = event->agent2;
	if (event->domain == DOMAIN_SCRATCH)
		shape.flags = event->flags;
	if (event->domain == DOMAIN_KERNEL) {
		if (html_set_add(&page->kernels, &event->kernel, &shape.kernel, err) < 0)
			return -1;
		shape.kernel++;
		if (page->shapes.n < SHAPES_MOST) {
			shape.workgroup = event->workgroup;
			shape.grid = event->grid;
			shape.private_segment = event->private_segment;
			shape.group_segment = event->group_segment;
		}
	}
	return html_set_add(&page->shapes, &shape, number, err);
}

/* By multiples of the golden ratio, which numbers in a row spread over [0, 1) evenly.  Those of the correlation, so
 * that a kernel and the call that launched it are kept together. */
static bool is_sampled(const struct lane *lane, uint64_t number)
{
	uint64_t place = (number * 0x9e3779b97f4a7c15u) >> 32;
	return lane->quota >= lane->all || place * lane->all < lane->quota << 32;
}

static bool is_chosen(const struct page *page, struct lane *lane, const struct event *event)
{
	uint64_t at = lane->seen++;
	return class_of(event->end - event->start) >= page->least_class ||
	       is_sampled(lane, event->correlation ? event->correlation : at);
}

int page_keep(struct page *page, const struct event *event, struct err *err)
{
	page->visited++;
	if (is_odd(page->conversion->trace, event))
		return 0;
	struct lane *lane = lane_of(page, event, err);
	if (!lane)
		return -1;
	if (!lane->all || !is_chosen(page, lane, event) || page->kept_n == page->kept_room)
		return 0;
	const char *name = stats_name(event);
	struct kept *kept = &page->kept[page->kept_n];
	*kept = (struct kept){
		.start = event->start - page->origin, .duration = event->end - event->start,
		.correlation = event->correlation, .ancestor = event->ancestor, .external = event->external,
		.bytes = event->domain == DOMAIN_KERNEL ? event->dispatch : event->bytes,
		.address = event->address, .address2 = event->address2,
		.lane = (uint32_t)(lane - page->lane), .order = page->visited,
	};
	if (html_set_add(&page->names, &name, &kept->name, err) < 0 || shape_of(page, event, &kept->shape, err) < 0)
		return -1;
	page->kept_n++;
	return 0;
}
