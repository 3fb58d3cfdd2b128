/* SPDX-License-Identifier: MIT */
/*
 * JSON written as it comes into a file.  A key is given in objects and NULL in
 * arrays.  Text may be any bytes: what is not valid UTF-8 becomes U+FFFD, so
 * that the output is always valid JSON.
 */
#ifndef ROCLATCH_ROCP_FORMATS_JSON_TEXT_H
#define ROCLATCH_ROCP_FORMATS_JSON_TEXT_H

#include "rocp/formats/file.h"

struct json_text {
	struct file *file;
	unsigned depth;
	uint64_t arrays;        /* bit n: what is open at depth n is an array */
	bool comma;             /* something stands before at this depth */
	bool dense;             /* an element of an array is one line */
};

void member_object(struct json_text *json, const char *key);
void member_array(struct json_text *json, const char *key);
void member_end(struct json_text *json);       /* of the innermost object or array */

void member_text(struct json_text *json, const char *key, const char *text);
void member_unsigned(struct json_text *json, const char *key, uint64_t value);
void member_signed(struct json_text *json, const char *key, int64_t value);
/* As many digits as it takes; null for what is not finite, which JSON cannot say. */
void member_real(struct json_text *json, const char *key, double value);
void member_bool(struct json_text *json, const char *key, bool value);
/* An id of the SDK: {"handle":value} */
void member_handle(struct json_text *json, const char *key, uint64_t value);

#endif
