/* SPDX-License-Identifier: MIT */
#include "rocp/formats/summary_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/label.h"
#include "rocp/formats/number.h"
#include "rocp/formats/totals.h"
#include "rocp/formats/utf8.h"

#define NAME_WIDTH 40
#define DOMAIN_WIDTH 12

struct line { struct stat_row stat; size_t place; enum domain domain; };

struct table {
	struct file *out;
	const char *indent, *unit;
	double divisor;         /* of nanoseconds */
	struct line *line;
	size_t lines, name_width, domain_width;
	uint64_t whole;
};

/* In columns of a terminal, so far as code points are that. */
static size_t width_of(const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	size_t n = 0;
	for (; at < end; n++) {
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		at += length ? length : skip;
	}
	return n;
}

static void put_times(struct file *out, char c, size_t n)
{
	while (n-- > 0)
		file_put(out, &c, 1);
}

/* Names come from the target and go to a terminal: what could steer it is not shown. */
static void put_shown(struct file *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	while (at < end) {
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		bool steers = *at < 0x20 || *at == 0x7f || (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
		if (!length || steers)
			file_put(out, "?", 1);
		else
			file_put(out, at, length);
		at += length ? length : skip;
	}
}

static void put_left(struct file *out, const char *text, size_t width)
{
	size_t n = width_of(text);
	put_shown(out, text);
	put_times(out, ' ', n < width ? width - n : 0);
}

static void put_centred(struct file *out, const char *text, size_t width)
{
	size_t n = width_of(text), space = n < width ? width - n : 0;
	put_times(out, ' ', space / 2);
	file_text(out, text);
	put_times(out, ' ', space - space / 2);
}

static int by_name(const void *a, const void *b)
{
	const struct line *left = a, *right = b;
	int order = strcmp(left->stat.name, right->stat.name);
	return order ? order : left->place < right->place ? -1 : left->place > right->place;
}

static int by_total(const void *a, const void *b)
{
	const struct line *left = a, *right = b;
	if (left->stat.total != right->stat.total)
		return left->stat.total > right->stat.total ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

/* A name that several domains have is one line, with the first of them. */
static void merge(struct table *table)
{
	size_t n = 0;
	qsort(table->line, table->lines, sizeof *table->line, by_name);
	for (size_t i = 0; i < table->lines; i++) {
		if (n && !strcmp(table->line[n - 1].stat.name, table->line[i].stat.name))
			stat_add(&table->line[n - 1].stat, &table->line[i].stat);
		else
			table->line[n++] = table->line[i];
	}
	table->lines = n;
	qsort(table->line, table->lines, sizeof *table->line, by_total);
}

static int gather(struct table *table, const struct stats *stats, unsigned domains, struct err *err)
{
	size_t rows = 0;
	for (enum domain domain = 0; domain < DOMAINS; domain++)
		if ((domains & DOMAIN_BIT(domain)) && stat_shown(stats, domain))
			rows += stats->rows[domain];
	if (!rows)
		return 0;
	table->line = malloc(rows * sizeof *table->line);
	if (!table->line)
		return err_set(err, ERR_FAILED, ENOMEM, "make a summary");
	table->name_width = NAME_WIDTH;
	table->domain_width = DOMAIN_WIDTH;
	for (size_t i = 0; i < DOMAINS; i++) {
		enum domain domain = domain_order[i];
		if (!(domains & DOMAIN_BIT(domain)) || !stat_shown(stats, domain))
			continue;
		size_t width = strlen(domain_key(domain));
		table->domain_width = width > table->domain_width ? width : table->domain_width;
		for (size_t j = 0; j < stats->rows[domain]; j++) {
			const struct stat_row *stat = &stats->row[domain][j];
			width = width_of(stat->name);
			table->name_width = width > table->name_width ? width : table->name_width;
			table->whole += stat->total;
			table->line[table->lines] = (struct line){ *stat, table->lines, domain };
			table->lines++;
		}
	}
	merge(table);
	return 0;
}

static void put_heading(const struct table *table)
{
	static const struct { const char *name; bool has_unit; size_t width; } columns[] = {
		{ "CALLS", false, 15 }, { "DURATION", true, 15 }, { "AVERAGE", true, 15 }, { "PERCENT (INC)", false, 13 },
		{ "MIN", true, 15 }, { "MAX", true, 15 }, { "STDDEV", false, 15 },
	};
	struct file *out = table->out;
	char text[32];
	file_format(out, "%s| ", table->indent);
	put_centred(out, "NAME", table->name_width);
	file_text(out, " | ");
	put_centred(out, "DOMAIN", table->domain_width);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		snprintf(text, sizeof text, columns[i].has_unit ? "%s (%s)" : "%s", columns[i].name, table->unit);
		file_text(out, " | ");
		put_centred(out, text, columns[i].width);
	}
	file_format(out, " |\n%s|-", table->indent);
	put_times(out, '-', table->name_width);
	file_text(out, "-|-");
	put_times(out, '-', table->domain_width);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		file_text(out, "-|-");
		put_times(out, '-', columns[i].width);
	}
	file_text(out, "-|\n");
}

static void put_time(const struct table *table, uint64_t ns)
{
	char text[32];
	if (table->divisor > 1)
		number_text((double)ns / table->divisor, text);
	else
		snprintf(text, sizeof text, "%" PRIu64, ns);
	file_format(table->out, " | %15s", text);
}

static void put_line(const struct table *table, const struct line *line)
{
	const struct stat_row *stat = &line->stat;
	struct file *out = table->out;
	char label[32];
	domain_label(line->domain, label);
	file_format(out, "%s| ", table->indent);
	put_left(out, stat->name, table->name_width);
	file_text(out, " | ");
	put_left(out, label, table->domain_width);
	file_format(out, " | %15" PRIu64, stat->calls);
	put_time(table, stat->total);
	file_format(out, " | %15.3e | %13.6f", (double)stat->total / (double)stat->calls / table->divisor,
		    stat_percent(stat->total, table->whole));
	put_time(table, stat->least);
	put_time(table, stat->most);
	file_format(out, " | %15.3e |\n", stat_deviation(stat) / table->divisor);
}

static double divisor_of(const char *unit)
{
	return !strcmp(unit, "sec") ? 1e9 : !strcmp(unit, "msec") ? 1e6 : !strcmp(unit, "usec") ? 1e3 : 1;
}

int summary_table(const struct conversion *conversion, unsigned domains, const char *title, struct file *out, struct err *err)
{
	const char *unit = conversion->settings->summary_unit;
	struct table table = {
		.out = out, .indent = out->borrowed ? "    " : "", .unit = unit, .divisor = divisor_of(unit),
	};
	if (gather(&table, conversion->stats, domains, err) < 0)
		return -1;
	if (table.lines) {
		file_format(out, "\n%sROCPROFV3 %s:\n\n", table.indent, title);
		put_heading(&table);
		for (size_t i = 0; i < table.lines; i++)
			put_line(&table, &table.line[i]);
		file_text(out, "\n");
	}
	free(table.line);
	return 0;
}
