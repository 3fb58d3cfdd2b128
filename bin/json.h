/* SPDX-License-Identifier: MIT */
/*
 * JSON, written as it comes: one value on one line.  A key is given in objects
 * and NULL in arrays.  Text may be any bytes: what is not valid UTF-8 becomes
 * U+FFFD, so that the output is always valid JSON.
 */
#ifndef ROCLATCH_BIN_JSON_H
#define ROCLATCH_BIN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rocp/formats/utf8.h"

#define JSON_DEPTH_MAX 32

struct json {
	FILE *out;
	unsigned depth;
	char close[JSON_DEPTH_MAX];     /* what closes each open object or array */
	bool comma;                     /* something stands before at this depth */
};

void json_init(struct json *json, FILE *out);
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* Close the innermost object or array; a newline goes behind the last one. */
void json_end(struct json *json);

void json_text(struct json *json, const char *key, const char *text);
void json_text_n(struct json *json, const char *key, const char *text, size_t size);
void json_signed(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
/* With three digits behind the point; what is no number is null. */
void json_number(struct json *json, const char *key, double value);
/* As text, "0x2a": many readers lose the low bits of large numbers. */
void json_hex(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* An array of the lines of text; "" is []. */
void json_lines(struct json *json, const char *key, const char *text);

#endif
