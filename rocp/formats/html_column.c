/* SPDX-License-Identifier: MIT */
#include "rocp/formats/html_text.h"

struct column column_begin(struct file *out, const char *name)
{
	file_format(out, "<script type=\"application/octet-stream;base64\" id=\"column-%s\">", name);
	return (struct column){ .out = out };
}

void column_put(struct column *column, const void *data, size_t n)
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

void column_number(struct column *column, uint64_t number)
{
	unsigned char bytes[10];
	size_t n = 0;
	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (unsigned char)(number | 0x80);
	bytes[n++] = (unsigned char)number;
	column_put(column, bytes, n);
}

void column_end(struct column *column)
{
	html_base64(column->out, column->part, column->used);
	file_text(column->out, "</script>\n");
}
