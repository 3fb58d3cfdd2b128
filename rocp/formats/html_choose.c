/* SPDX-License-Identifier: MIT */
/*
 * Which events are drawn when there are more than a page should hold: the
 * longest of all, and of each lane as many as is fair, evenly over its length.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_parts.h"

#define HOUR 3600000000000u

/* The logarithm of the duration, with sixteen steps between powers of two. */
static unsigned class_of(uint64_t duration)
{
	if (duration < 16)
		return (unsigned)duration;
	unsigned log = 63u - (unsigned)__builtin_clzll(duration);
	return log * 16 + (unsigned)(duration >> (log - 4) & 15);
}

/* The SDK gives 0 for what it could not measure; one such event would make the page span years.  So would one that
 * ends long after the recording: that is impossible too. */
static bool is_odd(const struct trace *trace, const struct event *event)
{
	return !event->start || event->end < event->start || (trace->start && event->start + HOUR < trace->start) ||
	       (trace->end >= trace->start && event->end > trace->end && event->end - trace->end > HOUR);
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

/* How far what is chosen of a lane may be from an even share at any time.  Few sequences of correlations come that far. */
static uint64_t slack_of(uint64_t quota)
{
	uint64_t slack = (uint64_t)(2 * sqrt((double)quota));
	return slack < quota / 6 ? slack : quota / 6;
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
	for (size_t i = 0; i < page->lane_keys.n && left; i++) {
		struct lane *lane = &page->lane[i];
		if (lane->quota || !lane->all)
			continue;
		/* So that there is room for what comes on top. */
		lane->slack = slack_of(budget / left);
		lane->quota = budget / left - lane->slack;
	}
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
	share_out(page, page->most - longest);
	page->kept_room = (size_t)(fit < page->most ? fit : page->most);
	page->kept = malloc((page->kept_room + 1) * sizeof *page->kept);
	return page->kept ? 0 : err_set(err, ERR_FAILED, 0, "out of memory for the page's events");
}

static void add_sizes(struct page *page, const struct event *event, struct shape *shape)
{
	struct shape with = *shape;
	with.workgroup = event->workgroup;
	with.grid = event->grid;
	with.private_segment = event->private_segment;
	with.group_segment = event->group_segment;
	if (page->shapes.n < HTML_SHAPES_MOST || html_set_has(&page->shapes, &with))
		*shape = with;
	else
		page->sizeless++;
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
		add_sizes(page, event, &shape);
	}
	return html_set_add(&page->shapes, &shape, number, err);
}

/* By multiples of the golden ratio, which numbers in a row spread over [0, 1) evenly.  Those of the correlation, so
 * that a kernel and the call that launched it are kept together; but the kernels of a graph all have that of its
 * launch.  However the numbers fall, what is chosen stays close to an even share. */
static bool is_sampled(struct lane *lane, uint64_t correlation)
{
	uint64_t number = correlation && correlation != lane->correlation ? correlation : lane->seen;
	uint64_t place = (number * 0x9e3779b97f4a7c15u) >> 32;
	lane->seen++;
	lane->correlation = correlation;
	double share = (double)lane->quota / (double)lane->all, even = share * (double)lane->seen;
	bool chosen = (double)place < share * 0x1p32;
	if ((double)lane->chosen > even + (double)lane->slack - 1)
		chosen = false;
	else if ((double)lane->chosen < even - (double)lane->slack)
		chosen = true;
	lane->chosen += chosen;
	return chosen;
}

static bool is_chosen(const struct page *page, struct lane *lane, const struct event *event)
{
	return class_of(event->end - event->start) >= page->least_class || lane->quota >= lane->all ||
	       is_sampled(lane, event->correlation);
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
