/* SPDX-License-Identifier: MIT */
/*
 * The page of a recording, in parts; for rocp/formats/html*.c alone.
 *
 *   style, text          page/page.css and page/page.html, as they are
 *   facts                one JSON value: the run, lanes, names, tables
 *   columns              base64 of what there is of each event, a column after the other
 *   script               the .js files of page/, as they are
 */
#ifndef ROCLATCH_ROCP_FORMATS_HTML_PARTS_H
#define ROCLATCH_ROCP_FORMATS_HTML_PARTS_H

#include "rocp/formats/counter_sums.h"
#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"
#include "rocp/formats/html_text.h"

#define HTML_EVENTS_MOST 500000u        /* in the page; tables count all */
#define HTML_POINTS_MOST 200000u        /* of all charts together */
#define HTML_LANES_MOST 1000u           /* behind that, those of a kind share one */
#define HTML_ROWS_MOST 256u             /* of a lane */
#define HTML_SHAPES_MOST 100000u

/* Every different item once, numbered from 0 in the order of arrival. */
struct html_set {
	size_t size;            /* of an item; 0: the items are texts, const char * */
	unsigned char *item;
	size_t n, room;
	uint32_t *slot;
	size_t slots;
};
bool html_set_has(const struct html_set *set, const void *item);
int html_set_add(struct html_set *set, const void *item, uint32_t *number, struct err *err);
void html_set_free(struct html_set *set);

enum lane_kind { LANE_KERNELS, LANE_COPIES, LANE_SCRATCH, LANE_ALLOCATIONS, LANE_MARKERS, LANE_CALLS };
struct lane_key { uint64_t kind, thread, agent, agent2, queue, stream, others; };
struct lane {
	struct lane_key key;
	uint64_t all;           /* events of it in the recording */
	uint64_t quota, slack;  /* about how many of them are chosen, beside the longest */
	uint64_t seen, chosen;  /* so far, beside the longest */
	uint64_t correlation;   /* of the last one seen */
	uint32_t agent, agent2; /* which of the recording's they are, from 1 */
	uint32_t *row;          /* how many events each of its rows has */
	uint32_t rows;
};

/* What many events have in common. */
struct shape {
	uint64_t thread, stream, agent, queue, agent2;
	struct dim workgroup, grid;
	uint32_t private_segment, group_segment, domain;
	int32_t flags;
	uint32_t kind, operation;       /* numbers of names */
	uint32_t kernel;                /* number + 1 in kernels; 0: none */
	uint32_t unused;
};
_Static_assert(sizeof(struct shape) == 96, "shapes are compared as bytes");

struct kept {
	uint64_t start, duration;       /* from the page's origin */
	uint64_t correlation, ancestor, external;
	uint64_t bytes, address, address2;      /* a kernel has its dispatch's number in bytes */
	uint32_t lane, row, name, shape;
	uint64_t order;                 /* of arrival */
};

/* A piece of a chart.  Memory: value is how much it rises over the piece, peak how high it came in between.
 * Counters: value is the greatest of `of` dispatches. */
struct point { uint64_t start, end; double value, peak; uint32_t series, of; };
struct series_key { uint64_t is_counter, agent, counter; };
struct series {
	struct html_set keys;
	struct point *point;
	size_t n;
	uint64_t left_out;      /* for want of room for one more series */
};
int series_add(struct series *series, const struct series_key *key, struct point point, struct err *err);
void series_sort(struct series *series);
void series_free(struct series *series);

/* What is allocated where, while reading in order.  Times of points are still the recording's own. */
struct memory {
	struct live { uint64_t address, bytes, agent; } *live;
	size_t n, slots;
	uint64_t unknown;       /* frees of what was not seen allocated */
	uint64_t left_out;      /* allocations for which there was no room */
};
int memory_event(struct memory *memory, const struct event *event, struct series *series, struct err *err);
void memory_free(struct memory *memory);

/* Counters by kernel; the values of one dispatch may come in several events. */
struct counter_row { uint64_t dispatches; double sum, least, most; };
struct counter_key { const struct kernel_symbol *kernel; uint64_t counter; };
struct counters {
	struct html_set keys;           /* struct counter_key */
	struct counter_row *row;
	size_t room;
	uint64_t dispatch, start, end, agent;   /* of the one that is being read */
	const struct kernel_symbol *kernel;
	struct counter_sums sums;
	bool open;
};
int counters_event(struct counters *counters, const struct event *event, struct series *series, struct err *err);
int counters_end(struct counters *counters, struct series *series, struct err *err);
void counters_free(struct counters *counters);

struct page {
	const struct conversion *conversion;
	uint64_t origin;        /* when the page's time begins */
	uint64_t extent;        /* until the end of its last event */
	uint64_t all, odd;      /* events to draw; those of them that have impossible times */
	uint64_t crowded;       /* chosen ones that found all rows of their lane taken */
	uint64_t sizeless;      /* drawn kernels whose sizes are not told */
	struct html_set lane_keys, names, shapes, kernels;
	struct lane *lane;
	size_t lane_room;
	const struct lane **shown;      /* lanes in their order from the top */
	uint64_t longest[1024];         /* how many events there are of each class of durations */
	unsigned least_class;           /* events of this class and above are kept whatever their lane */
	uint64_t most;                  /* HTML_EVENTS_MOST, less in tests */
	struct kept *kept;
	size_t kept_n, kept_room;
	uint32_t *sequence;             /* of the kept: by lane as shown, row and time */
	struct series series;
	struct memory memory;
	struct counters counters;
	uint64_t visited;
};

/* html_choose.c: which lane an event is on, and which events are drawn. */
int page_survey(struct page *page, const struct event *event, struct err *err);        /* first reading */
int page_choose(struct page *page, struct err *err);                                   /* between them */
int page_keep(struct page *page, const struct event *event, struct err *err);          /* second reading */
/* html_lanes.c: sorted by lane, row and time; rows so that no two events of a row overlap.  What finds none is not kept. */
int page_lay_out(struct page *page, struct err *err);
void page_lane_label(const struct page *page, const struct lane *lane, char group[256], char label[256]);

/* html_read.c */
int page_read(struct page *page, const struct conversion *conversion, uint64_t most, struct err *err);
void page_free(struct page *page);

/* html_facts.c, html_tables.c, html_columns.c */
void page_facts(const struct page *page, struct file *out);
void page_tables(const struct page *page, struct file *out);
void page_columns(const struct page *page, struct file *out);

/* html.c, with another limit: for tests. */
int html_write_most(const struct conversion *conversion, uint64_t most, struct err *err);

#endif
