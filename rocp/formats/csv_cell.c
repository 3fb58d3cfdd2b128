/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "rocp/formats/csv.h"
#include "rocp/formats/utf8.h"

static void begin(struct row *row)
{
	if (row->begun)
		file_put(row->file, ",", 1);
	row->begun = true;
}

static bool is_plain(unsigned char c)
{
	return c < 0x80 && c != '"';
}

void csv_text(struct row *row, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	begin(row);
	file_put(row->file, "\"", 1);
	while (at < end) {
		const unsigned char *from = at;
		while (at < end && is_plain(*at))
			at++;
		file_put(row->file, from, (size_t)(at - from));
		if (at == end)
			break;
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		if (!length)
			file_text(row->file, "\xef\xbf\xbd");
		else if (*at == '"')
			file_text(row->file, "\"\"");
		else
			file_put(row->file, at, length);
		at += length ? length : skip;
	}
	file_put(row->file, "\"", 1);
}

void csv_number(struct row *row, uint64_t value)
{
	begin(row);
	file_unsigned(row->file, value);
}

void csv_signed(struct row *row, int64_t value)
{
	begin(row);
	file_signed(row->file, value);
}

void csv_format(struct row *row, const char *fmt, ...)
{
	char text[400];         /* the longest double has 309 digits before the point */
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	begin(row);
	file_text(row->file, text);
}

void csv_end(struct row *row)
{
	file_put(row->file, "\n", 1);
	row->begun = false;
}

void csv_heading(struct file *file, const char *names)
{
	char name[64];
	struct row row = { file, false };
	while (*names) {
		size_t length = strcspn(names, ",");
		snprintf(name, sizeof name, "%.*s", (int)length, names);
		csv_text(&row, name);
		names += length + (names[length] == ',');
	}
	csv_end(&row);
}
