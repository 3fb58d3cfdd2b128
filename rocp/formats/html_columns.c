/* SPDX-License-Identifier: MIT */
/* The events, a column after the other: base-128 numbers, or 8-byte words. */
#include <string.h>

#include "rocp/formats/html_parts.h"

static void put_double(struct column *column, double value) { column_put(column, &value, sizeof value); }

/* Small numbers for small differences in either direction. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

enum what { START, DURATION, NAME, SHAPE, CORRELATION, ANCESTOR, EXTERNAL, BYTES, ADDRESS, ADDRESS2, COLUMNS };
static const char *const names[COLUMNS] = {
	"start", "duration", "name", "shape", "correlation", "ancestor", "external", "bytes", "address", "address2",
};

static uint32_t domain_of(const struct page *page, const struct kept *kept)
{
	const struct shape *shape = (const struct shape *)(const void *)page->shapes.item;
	return shape[kept->shape].domain;
}

static bool has_addresses(const struct page *page, const struct kept *kept)
{
	uint32_t domain = domain_of(page, kept);
	return domain == DOMAIN_COPY || domain == DOMAIN_ALLOCATION;
}

static bool has_bytes(const struct page *page, const struct kept *kept)
{
	uint32_t domain = domain_of(page, kept);
	return domain == DOMAIN_KERNEL || domain == DOMAIN_SCRATCH || has_addresses(page, kept);
}

static void put_event(struct column *column, const struct page *page, enum what what, const struct kept *kept,
		      const struct kept *before)
{
	switch (what) {
	case START: column_number(column, kept->start - (before ? before->start : 0)); break;
	case DURATION: column_number(column, kept->duration); break;
	case NAME: column_number(column, kept->name); break;
	case SHAPE: column_number(column, kept->shape); break;
	case CORRELATION: column_number(column, zigzag(kept->correlation - (before ? before->correlation : 0))); break;
	case ANCESTOR: column_number(column, kept->ancestor); break;
	case EXTERNAL: column_number(column, kept->external); break;
	case BYTES:
		if (has_bytes(page, kept))
			column_number(column, kept->bytes);
		break;
	default:
		if (has_addresses(page, kept))
			column_put(column, what == ADDRESS ? &kept->address : &kept->address2, sizeof kept->address);
	}
}

static void events(const struct page *page, enum what what, struct file *out)
{
	struct column column = column_begin(out, names[what]);
	size_t at = 0;
	for (size_t i = 0; i < page->lane_keys.n; i++) {
		const struct lane *lane = page->shown[i];
		for (uint32_t row = 0; row < lane->rows; row++) {
			const struct kept *before = NULL;
			for (uint32_t k = 0; k < lane->row[row]; k++) {
				const struct kept *kept = &page->kept[page->sequence[at++]];
				put_event(&column, page, what, kept, before);
				before = kept;
			}
		}
	}
	column_end(&column);
}

enum part { POINT_START, POINT_LENGTH, POINT_OF, POINT_VALUE, POINT_PEAK, PARTS };

static void points(const struct page *page, enum part part, struct file *out)
{
	static const char *const parts[PARTS] = { "point-start", "point-length", "point-of", "point-value", "point-peak" };
	struct column column = column_begin(out, parts[part]);
	for (size_t i = 0; i < page->series.n; i++) {
		const struct point *point = &page->series.point[i];
		bool first = !i || point[-1].series != point->series;
		switch (part) {
		case POINT_START: column_number(&column, point->start - (first ? page->origin : point[-1].start)); break;
		case POINT_LENGTH: column_number(&column, point->end - point->start); break;
		case POINT_OF: column_number(&column, point->of); break;
		case POINT_VALUE: put_double(&column, point->value); break;
		default: put_double(&column, point->peak);
		}
	}
	column_end(&column);
}

void page_columns(const struct page *page, struct file *out)
{
	for (enum what what = START; what < COLUMNS; what++)
		events(page, what, out);
	for (enum part part = POINT_START; part < PARTS; part++)
		points(page, part, out);
}
