/* SPDX-License-Identifier: MIT */
/* The SDK's kinds of records, which have numbers of their own in every version: found by name. */
#ifndef ROCLATCH_ROCP_TOOL_KINDS_H
#define ROCLATCH_ROCP_TOOL_KINDS_H

#include <stdint.h>

#include "rocp/tool/settings.h"

/* Buffers are shared by what comes at similar rates. */
enum buffer { BUFFER_API, BUFFER_MARKER, BUFFER_DEVICE, BUFFER_MEMORY, BUFFERS };

struct kind {
	const char *name;
	enum service service;
	enum buffer buffer;
	uint16_t type;          /* of the log's record */
};
extern const struct kind kinds[];
extern const unsigned kind_count;

/* Numbers, or -1: this SDK has none of that name. */
int kind_in_buffers(const char *name);
int kind_in_callbacks(const char *name);

/* Remembers the names of a kind and its operations. */
void kind_remember(int number);

#endif
