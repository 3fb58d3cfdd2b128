/* SPDX-License-Identifier: MIT */
#include "rocp/formats/json_text.h"

#include <math.h>
#include <string.h>

#include "rocp/formats/number.h"
#include "rocp/formats/utf8.h"

#define LINES_DEPTH 3           /* members of a process each begin a line */

static void put_escaped(struct file *file, unsigned char c)
{
	static const char named[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = memchr(named, c, sizeof named - 1);
	if (at)
		file_format(file, "\\%c", letter[at - named]);
	else
		file_format(file, "\\u%04x", c);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_string(struct file *file, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	file_put(file, "\"", 1);
	while (at < end) {
		const unsigned char *from = at;
		while (at < end && is_plain(*at))
			at++;
		file_put(file, from, (size_t)(at - from));
		if (at == end)
			break;
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		if (!length)
			file_text(file, "\\ufffd");
		else if (length == 1 || utf8_control(at, length))
			put_escaped(file, at[length - 1]);      /* U+0080 to U+009F: the second byte is the number */
		else
			file_put(file, at, length);
		at += length ? length : skip;
	}
	file_put(file, "\"", 1);
}

static void begin_value(struct json_text *json, const char *key, bool on_a_line)
{
	if (json->comma)
		file_put(json->file, ",", 1);
	json->comma = true;
	if (json->depth && (on_a_line || json->depth <= (json->dense ? 1 : LINES_DEPTH)))
		file_put(json->file, "\n", 1);
	if (key) {
		put_string(json->file, key);
		file_put(json->file, ":", 1);
	}
}

static void open_value(struct json_text *json, const char *key, bool array)
{
	begin_value(json, key, !key);
	file_put(json->file, array ? "[" : "{", 1);
	json->depth++;
	json->arrays &= ~((uint64_t)1 << json->depth % 64);
	json->arrays |= (uint64_t)array << json->depth % 64;
	json->comma = false;
}

void member_object(struct json_text *json, const char *key)
{
	open_value(json, key, false);
}

void member_array(struct json_text *json, const char *key)
{
	open_value(json, key, true);
}

void member_end(struct json_text *json)
{
	file_put(json->file, json->arrays >> json->depth % 64 & 1 ? "]" : "}", 1);
	json->depth--;
	json->comma = true;
	if (!json->depth)
		file_put(json->file, "\n", 1);
}

void member_text(struct json_text *json, const char *key, const char *text)
{
	begin_value(json, key, false);
	put_string(json->file, text ? text : "");
}

void member_unsigned(struct json_text *json, const char *key, uint64_t value)
{
	begin_value(json, key, false);
	file_unsigned(json->file, value);
}

void member_signed(struct json_text *json, const char *key, int64_t value)
{
	begin_value(json, key, false);
	file_signed(json->file, value);
}

void member_real(struct json_text *json, const char *key, double value)
{
	char text[32];
	begin_value(json, key, false);
	if (!isfinite(value)) {
		file_text(json->file, "null");
		return;
	}
	number_text(value, text);
	file_text(json->file, text);
	/* Readers that tell integers from others are to see that it is none. */
	if (!strpbrk(text, ".e"))
		file_text(json->file, ".0");
}

void member_bool(struct json_text *json, const char *key, bool value)
{
	begin_value(json, key, false);
	file_text(json->file, value ? "true" : "false");
}

void member_handle(struct json_text *json, const char *key, uint64_t value)
{
	begin_value(json, key, false);
	file_text(json->file, "{\"handle\":");
	file_unsigned(json->file, value);
	file_put(json->file, "}", 1);
}
