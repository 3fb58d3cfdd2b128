/* SPDX-License-Identifier: MIT */
/* Protocol buffers' wire format, as far as it is written here. */
#ifndef ROCLATCH_ROCP_FORMATS_PFTRACE_PB_H
#define ROCLATCH_ROCP_FORMATS_PFTRACE_PB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb {
	unsigned char *data;
	size_t n, room;
	bool failed;            /* out of memory: what was put since is not there */
};

void pb_number(struct pb *pb, unsigned field, uint64_t value);
void pb_fixed64(struct pb *pb, unsigned field, uint64_t value);
void pb_double(struct pb *pb, unsigned field, double value);
void pb_bytes(struct pb *pb, unsigned field, const void *data, size_t n);
void pb_text(struct pb *pb, unsigned field, const char *text);  /* made valid UTF-8 */
/* A message within: what is put between the two. */
size_t pb_open(struct pb *pb, unsigned field);
void pb_close(struct pb *pb, size_t opened);
/* A message of two numbers at once; fields are below 16 and the first number below 128. */
void pb_pair(struct pb *pb, unsigned field, unsigned first, uint64_t small, unsigned second, uint64_t value);
void pb_free(struct pb *pb);

#endif
