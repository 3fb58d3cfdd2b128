/* SPDX-License-Identifier: MIT */
/*
 * The .xz container: streams of blocks, an index of them and a footer (xz-file-format.txt of XZ Utils).
 * Of the index only its checksum and the number of blocks are compared: the blocks have been read
 * by then, each with its own sizes and checksum.
 */
#include "elf/xz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/crc.h"
#include "elf/lzma.h"

#define HEADER_SIZE 12          /* of a stream; its footer has the same */
#define FILTER_LZMA2 0x21
#define DICTIONARY_BITS_MAX 40

enum check { CHECK_NONE = 0, CHECK_CRC32 = 1, CHECK_CRC64 = 4, CHECK_SHA256 = 10 };

struct xz {
	const uint8_t *in;      /* what is left */
	size_t size;
	size_t whole;           /* of the input: places are multiples of four from its start */
	uint8_t flags[2];       /* of the stream */
	size_t check_size;
	uint64_t blocks;
	struct unpacked out;
};

static int damaged(struct err *err, const char *what)
{
	return err_set(err, ERR_FAILED, 0, "xz: damaged: %s", what);
}

static uint64_t little(const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;
	for (unsigned i = n; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

static bool crc32_holds(const uint8_t *data, size_t size, const uint8_t *crc)
{
	return crc32(data, size) == little(crc, 4);
}

static void take(struct xz *xz, size_t n)
{
	xz->in += n;
	xz->size -= n;
}

/* 7 bits in each byte, the lowest first, nine bytes at most. */
static bool number(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte != 0 || shift == 0;
	}
	return false;
}

static const char *filter_name(uint64_t id)
{
	static const char *const names[] = {
		[3] = "delta", [4] = "x86 (BCJ)", [5] = "PowerPC (BCJ)", [6] = "IA-64 (BCJ)", [7] = "ARM (BCJ)",
		[8] = "ARM Thumb (BCJ)", [9] = "SPARC (BCJ)", [10] = "ARM64 (BCJ)", [11] = "RISC-V (BCJ)",
	};
	return id < sizeof names / sizeof *names && names[id] ? names[id] : "one that is not known";
}

static int stream_header(struct xz *xz, struct err *err)
{
	static const uint8_t magic[6] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

	if (xz->size < HEADER_SIZE || memcmp(xz->in, magic, sizeof magic))
		return err_set(err, ERR_FAILED, 0, "xz: it is not in the .xz format");
	if (!crc32_holds(xz->in + 6, 2, xz->in + 8))
		return damaged(err, "the checksum of the stream header");
	memcpy(xz->flags, xz->in + 6, 2);
	switch (xz->flags[0] ? UINT8_MAX : xz->flags[1]) {
	case CHECK_NONE: xz->check_size = 0; break;
	case CHECK_CRC32: xz->check_size = 4; break;
	case CHECK_CRC64: xz->check_size = 8; break;
	case CHECK_SHA256:
		return err_set(err, ERR_FAILED, 0, "xz: checked by SHA-256, only CRC32 and CRC64 are supported");
	default:
		return err_set(err, ERR_FAILED, 0, "xz: checked in a way that is not known (%u)", xz->flags[1]);
	}
	xz->blocks = 0;
	take(xz, HEADER_SIZE);
	return 0;
}

/* What a block's header says: sizes (UINT64_MAX: it does not), and that LZMA2 is its only filter. */
static int block_header(struct xz *xz, size_t size, uint64_t *packed, uint64_t *unpacked, struct err *err)
{
	const uint8_t *at = xz->in + 2, *end = xz->in + size - 4;
	uint8_t flags = xz->in[1];
	uint64_t id, properties;

	*packed = *unpacked = UINT64_MAX;
	if (!crc32_holds(xz->in, size - 4, end))
		return damaged(err, "the checksum of a block header");
	if (flags & 0x3c)
		return err_set(err, ERR_FAILED, 0, "xz: a block of a newer kind (flags %#x)", flags);
	if ((flags & 0x40 && !number(&at, end, packed)) || (flags & 0x80 && !number(&at, end, unpacked)) ||
	    !number(&at, end, &id) || !number(&at, end, &properties))
		return damaged(err, "a block header");
	if (id != FILTER_LZMA2 || flags & 3)
		return err_set(err, ERR_FAILED, 0, "xz: filter %s (%#llx) is not supported, only LZMA2",
			       filter_name(id), (unsigned long long)id);
	if (properties != 1 || at == end || *at++ > DICTIONARY_BITS_MAX)
		return damaged(err, "the properties of LZMA2");
	while (at < end)
		if (*at++)
			return damaged(err, "a block header is longer than what it says");
	return 0;
}

static bool check_holds(const struct xz *xz, const uint8_t *data, size_t size)
{
	switch (xz->flags[1]) {
	case CHECK_CRC32: return crc32(data, size) == little(xz->in, 4);
	case CHECK_CRC64: return crc64(data, size) == little(xz->in, 8);
	default: return true;
	}
}

/* Zeros up to a multiple of four, counted from the start of the input. */
static int padding(struct xz *xz, struct err *err)
{
	while ((xz->whole - xz->size) % 4) {
		if (!xz->size || *xz->in)
			return damaged(err, "padding");
		take(xz, 1);
	}
	return 0;
}

static int block(struct xz *xz, struct err *err)
{
	uint64_t packed, unpacked;
	size_t header = ((size_t)xz->in[0] + 1) * 4, used, before = xz->out.size;

	if (xz->size < header)
		return damaged(err, "it ends in a block header");
	if (block_header(xz, header, &packed, &unpacked, err))
		return -1;
	take(xz, header);
	xz->out.dictionary = before;
	if (lzma2_unpack(xz->in, xz->size, &used, &xz->out, err))
		return -1;
	take(xz, used);
	if ((packed != UINT64_MAX && packed != used) ||
	    (unpacked != UINT64_MAX && unpacked != xz->out.size - before))
		return damaged(err, "a block is not as long as it says");
	if (padding(xz, err))
		return -1;
	if (xz->size < xz->check_size)
		return damaged(err, "it ends in a checksum");
	if (!check_holds(xz, xz->out.data + before, xz->out.size - before))
		return damaged(err, "the checksum of a block");
	take(xz, xz->check_size);
	xz->blocks++;
	return 0;
}

/* The index begins with 0, where a block would have the size of its header. */
static int stream_index(struct xz *xz, size_t *size, struct err *err)
{
	const uint8_t *start = xz->in, *at = start + 1, *end = start + xz->size;
	uint64_t records, ignored;

	if (!number(&at, end, &records) || records != xz->blocks)
		return damaged(err, "the number of blocks in the index");
	for (uint64_t i = 0; i < 2 * records; i++)
		if (!number(&at, end, &ignored))
			return damaged(err, "the index");
	take(xz, (size_t)(at - start));
	if (padding(xz, err))
		return -1;
	*size = (size_t)(xz->in - start) + 4;
	if (xz->size < 4 || !crc32_holds(start, *size - 4, xz->in))
		return damaged(err, "the checksum of the index");
	take(xz, 4);
	return 0;
}

static int stream_footer(struct xz *xz, size_t index_size, struct err *err)
{
	if (xz->size < HEADER_SIZE || memcmp(xz->in + 10, "YZ", 2))
		return damaged(err, "it ends without a footer");
	if (!crc32_holds(xz->in + 4, 6, xz->in) || memcmp(xz->in + 8, xz->flags, 2) ||
	    (little(xz->in + 4, 4) + 1) * 4 != index_size)
		return damaged(err, "the footer");
	take(xz, HEADER_SIZE);
	return 0;
}

static int stream(struct xz *xz, struct err *err)
{
	size_t index_size = 0;

	if (stream_header(xz, err))
		return -1;
	while (xz->size && *xz->in)
		if (block(xz, err))
			return -1;
	if (!xz->size)
		return damaged(err, "it ends without an index");
	if (stream_index(xz, &index_size, err) || stream_footer(xz, index_size, err))
		return -1;
	/* Between streams there may be zeros, four at a time. */
	while (xz->size >= 4 && little(xz->in, 4) == 0)
		take(xz, 4);
	return 0;
}

int xz_unpack(const void *data, size_t size, size_t limit, void **out, size_t *out_size, struct err *err)
{
	/* A byte of room from the start: who packed nothing still gets a pointer that can be freed. */
	struct xz xz = { .in = data, .size = size, .whole = size, .out = { .data = malloc(1), .limit = limit } };
	int rc;

	*out = NULL;
	*out_size = 0;
	if (!xz.out.data)
		return err_set(err, ERR_FAILED, 0, "out of memory for unpacking");
	do
		rc = stream(&xz, err);
	while (!rc && xz.size);
	if (rc) {
		free(xz.out.data);
		return -1;
	}
	*out = xz.out.data;
	*out_size = xz.out.size;
	return 0;
}
