/* SPDX-License-Identifier: MIT */
/*
 * The events, a column after the other, each in a script element that no
 * browser runs: base64 of little-endian base-128 numbers, or of 8-byte words.
 */
#include <string.h>

#include "rocp/formats/html_parts.h"

struct column { struct file *out; unsigned char part[3 * 1024]; size_t used; };

static void put(struct column *column, const void *data, size_t n)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < n; i++) {
		column->part[column->used++] = at[i];
		if (column->used == sizeof column->part) {
			html_base64(column->out, column->part, column->used);
			column->used = 0;
		}
	}
}

static void put_number(struct column *column, uint64_t number)
{
	unsigned char bytes[10];
	size_t n = 0;
	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (unsigned char)(number | 0x80);
	bytes[n++] = (unsigned char)number;
	put(column, bytes, n);
}

static void put_double(struct column *column, double value) { put(column, &value, sizeof value); }

static struct column begin(struct file *out, const char *name)
{
	file_format(out, "<script type=\"application/octet-stream;base64\" id=\"column-%s\">", name);
	return (struct column){ .out = out };
}

static void end(struct column *column)
{
	html_base64(column->out, column->part, column->used);
	file_text(column->out, "</script>\n");
}

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
	case START: put_number(column, kept->start - (before ? before->start : 0)); break;
	case DURATION: put_number(column, kept->duration); break;
	case NAME: put_number(column, kept->name); break;
	case SHAPE: put_number(column, kept->shape); break;
	case CORRELATION: put_number(column, zigzag(kept->correlation - (before ? before->correlation : 0))); break;
	case ANCESTOR: put_number(column, kept->ancestor); break;
	case EXTERNAL: put_number(column, kept->external); break;
	case BYTES:
		if (has_bytes(page, kept))
			put_number(column, kept->bytes);
		break;
	default:
		if (has_addresses(page, kept))
			put(column, what == ADDRESS ? &kept->address : &kept->address2, sizeof kept->address);
	}
}

static void events(const struct page *page, enum what what, struct file *out)
{
	struct column column = begin(out, names[what]);
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
	end(&column);
}

enum part { POINT_START, POINT_LENGTH, POINT_OF, POINT_VALUE, POINT_PEAK, PARTS };

static void points(const struct page *page, enum part part, struct file *out)
{
	static const char *const parts[PARTS] = { "point-start", "point-length", "point-of", "point-value", "point-peak" };
	struct column column = begin(out, parts[part]);
	for (size_t i = 0; i < page->series.n; i++) {
		const struct point *point = &page->series.point[i];
		bool first = !i || point[-1].series != point->series;
		switch (part) {
		case POINT_START: put_number(&column, point->start - (first ? page->origin : point[-1].start)); break;
		case POINT_LENGTH: put_number(&column, point->end - point->start); break;
		case POINT_OF: put_number(&column, point->of); break;
		case POINT_VALUE: put_double(&column, point->value); break;
		default: put_double(&column, point->peak);
		}
	}
	end(&column);
}

void page_columns(const struct page *page, struct file *out)
{
	for (enum what what = START; what < COLUMNS; what++)
		events(page, what, out);
	for (enum part part = POINT_START; part < PARTS; part++)
		points(page, part, out);
}
