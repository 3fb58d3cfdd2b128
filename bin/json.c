/* SPDX-License-Identifier: MIT */
#include "bin/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_escaped(FILE *out, unsigned char c)
{
	static const char named[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = memchr(named, c, sizeof named - 1);
	if (at)
		fprintf(out, "\\%c", letter[at - named]);
	else
		fprintf(out, "\\u%04x", c);
}

static void put_string(FILE *out, const char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + size;
	putc('"', out);
	while (at < end) {
		size_t skip, length = utf8_length(at, (size_t)(end - at), &skip);
		if (!length) {
			fputs("\\ufffd", out);
			at += skip;
		} else if (utf8_control(at, length) || *at == '"' || *at == '\\') {
			put_escaped(out, at[length - 1]);       /* U+0080 to U+009F: the second byte is the number */
			at += length;
		} else {
			fwrite(at, 1, length, out);
			at += length;
		}
	}
	putc('"', out);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->comma)
		putc(',', json->out);
	json->comma = true;
	if (key) {
		put_string(json->out, key, strlen(key));
		putc(':', json->out);
	}
}

static void open_value(struct json *json, const char *key, char opening, char closing)
{
	begin_value(json, key);
	putc(opening, json->out);
	if (json->depth < JSON_DEPTH_MAX)
		json->close[json->depth] = closing;
	json->depth++;
	json->comma = false;
}

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

void json_object(struct json *json, const char *key)
{
	open_value(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
	open_value(json, key, '[', ']');
}

void json_end(struct json *json)
{
	if (!json->depth)
		return;
	json->depth--;
	if (json->depth < JSON_DEPTH_MAX)
		putc(json->close[json->depth], json->out);
	json->comma = true;
	if (!json->depth) {
		putc('\n', json->out);
		json->comma = false;
	}
}

void json_text_n(struct json *json, const char *key, const char *text, size_t size)
{
	begin_value(json, key);
	put_string(json->out, text, size);
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_text_n(json, key, text, strlen(text));
	else
		json_null(json, key);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_number(struct json *json, const char *key, double value)
{
	begin_value(json, key);
	if (isfinite(value))
		fprintf(json->out, "%.3f", value);
	else
		fputs("null", json->out);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}

void json_lines(struct json *json, const char *key, const char *text)
{
	json_array(json, key);
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length)
			json_text_n(json, NULL, text, length);
		text += length + (text[length] == '\n');
	}
	json_end(json);
}
