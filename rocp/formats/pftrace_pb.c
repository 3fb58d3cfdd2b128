/* SPDX-License-Identifier: MIT */
#include "rocp/formats/pftrace_pb.h"

#include <stdlib.h>
#include <string.h>

#include "rocp/formats/utf8.h"

enum wire { WIRE_NUMBER = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
#define VARINT_MOST 10

static bool has_room(struct pb *pb, size_t more)
{
	if (pb->failed)
		return false;
	if (pb->n + more <= pb->room)
		return true;
	size_t room = 2 * (pb->n + more) + 256;
	unsigned char *data = realloc(pb->data, room);
	pb->failed = !data;
	if (!data)
		return false;
	pb->data = data;
	pb->room = room;
	return true;
}

static size_t varint(unsigned char *out, uint64_t value)
{
	size_t n = 0;
	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

static void put(struct pb *pb, const void *data, size_t n)
{
	if (!has_room(pb, n))
		return;
	memcpy(pb->data + pb->n, data, n);
	pb->n += n;
}

static void put_varint(struct pb *pb, uint64_t value)
{
	if (has_room(pb, VARINT_MOST))
		pb->n += varint(pb->data + pb->n, value);
}

void pb_number(struct pb *pb, unsigned field, uint64_t value)
{
	put_varint(pb, (uint64_t)field << 3 | WIRE_NUMBER);
	put_varint(pb, value);
}

/* Both CPUs are little-endian, as the format is. */
void pb_fixed64(struct pb *pb, unsigned field, uint64_t value)
{
	put_varint(pb, (uint64_t)field << 3 | WIRE_FIXED64);
	if (!has_room(pb, sizeof value))
		return;
	memcpy(pb->data + pb->n, &value, sizeof value);
	pb->n += sizeof value;
}

void pb_double(struct pb *pb, unsigned field, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	pb_fixed64(pb, field, bits);
}

/* Two bytes are left for the length: a shorter one is written longer than it need be, as the format allows,
 * so that almost nothing is moved. */
size_t pb_open(struct pb *pb, unsigned field)
{
	put_varint(pb, (uint64_t)field << 3 | WIRE_BYTES);
	if (has_room(pb, 2))
		pb->n += 2;
	return pb->n;
}

void pb_close(struct pb *pb, size_t opened)
{
	unsigned char length[VARINT_MOST];
	if (pb->failed || !has_room(pb, VARINT_MOST))
		return;
	size_t size = pb->n - opened;
	if (size < 1 << 14) {
		pb->data[opened - 2] = (unsigned char)(size | 0x80);
		pb->data[opened - 1] = (unsigned char)(size >> 7);
		return;
	}
	size_t n = varint(length, size);
	memmove(pb->data + opened - 2 + n, pb->data + opened, size);
	memcpy(pb->data + opened - 2, length, n);
	pb->n += n - 2;
}

void pb_pair(struct pb *pb, unsigned field, unsigned first, uint64_t small, unsigned second, uint64_t value)
{
	if (!has_room(pb, 5 + VARINT_MOST))
		return;
	unsigned char *at = pb->data + pb->n;
	at[0] = (unsigned char)(field << 3 | WIRE_BYTES);
	at[2] = (unsigned char)(first << 3 | WIRE_NUMBER);
	at[3] = (unsigned char)small;
	at[4] = (unsigned char)(second << 3 | WIRE_NUMBER);
	size_t n = varint(at + 5, value);
	at[1] = (unsigned char)(3 + n);
	pb->n += 5 + n;
}

void pb_bytes(struct pb *pb, unsigned field, const void *data, size_t n)
{
	size_t opened = pb_open(pb, field);
	put(pb, data, n);
	pb_close(pb, opened);
}

void pb_text(struct pb *pb, unsigned field, const char *text)
{
	size_t opened = pb_open(pb, field);
	const char *end = text + strlen(text);
	while (text < end) {
		size_t n = 0, length, skip = 1;
		while (text + n < end && (length = utf8_length((const unsigned char *)text + n, (size_t)(end - text) - n, &skip)) != 0)
			n += length;
		put(pb, text, n);
		text += n;
		if (text < end) {
			put(pb, UTF8_INSTEAD, 3);
			text += skip;
		}
	}
	pb_close(pb, opened);
}

void pb_free(struct pb *pb)
{
	free(pb->data);
	*pb = (struct pb){ .data = NULL };
}
