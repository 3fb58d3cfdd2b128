/* SPDX-License-Identifier: MIT */
/* LZMA2: chunks of LZMA or plain bytes, each of which says what begins anew with it. */
#include <stdlib.h>
#include <string.h>

#include "elf/lzma.h"

enum control {
	CHUNK_END = 0,
	CHUNK_PLAIN_NEW = 1,            /* plain bytes, a new dictionary */
	CHUNK_PLAIN = 2,
	CHUNK_LZMA = 0x80,              /* bits 5 and 6: */
	RESET_STATE = 1, RESET_PROPERTIES = 2, RESET_ALL = 3,
};

struct chunks {
	const uint8_t *in, *end;
	struct lzma *lzma;
	bool dictionary, properties;    /* has been given so far */
};

int unpacked_grow(struct unpacked *out, size_t more, struct err *err)
{
	size_t need = out->size + more, room = 65536;

	if (more > out->limit - out->size)
		return err_set(err, ERR_FAILED, 0, "xz: it unpacks to more than %zu bytes", out->limit);
	if (need <= out->room)
		return 0;
	while (room < need)
		room *= 2;
	if (room > out->limit)
		room = out->limit;
	uint8_t *data = realloc(out->data, room);
	if (!data)
		return err_set(err, ERR_FAILED, 0, "out of memory for unpacking %zu bytes", room);
	out->data = data;
	out->room = room;
	return 0;
}

static int damaged(struct err *err, const char *what)
{
	return err_set(err, ERR_FAILED, 0, "xz: damaged: %s", what);
}

static int plain_chunk(struct chunks *c, uint8_t control, struct unpacked *out, struct err *err)
{
	if (c->end - c->in < 2)
		return damaged(err, "it ends in the middle of a chunk");
	size_t size = ((size_t)c->in[0] << 8 | c->in[1]) + 1;
	c->in += 2;
	if (control == CHUNK_PLAIN_NEW) {
		out->dictionary = out->size;
		c->dictionary = true;
		c->properties = false;  /* LZMA behind this must begin anew */
	}
	if (!c->dictionary)
		return damaged(err, "the first chunk has no dictionary");
	if ((size_t)(c->end - c->in) < size)
		return damaged(err, "it ends in the middle of a chunk");
	if (unpacked_grow(out, size, err))
		return -1;
	memcpy(out->data + out->size, c->in, size);
	out->size += size;
	c->in += size;
	return 0;
}

/* What begins anew with a chunk, by the two bits of its control byte. */
static int begin_anew(struct chunks *c, unsigned reset, struct unpacked *out, struct err *err)
{
	if (reset == RESET_ALL) {
		out->dictionary = out->size;
		c->dictionary = true;
	}
	if (!c->dictionary)
		return damaged(err, "the first chunk has no dictionary");
	if (reset >= RESET_PROPERTIES) {
		if (c->in == c->end || !lzma_properties(c->lzma, *c->in))
			return damaged(err, "properties of a chunk that LZMA2 does not know");
		c->in++;
		c->properties = true;
	}
	if (!c->properties)
		return damaged(err, "a chunk goes on from nothing");
	if (reset >= RESET_STATE)
		lzma_reset(c->lzma);
	return 0;
}

static int lzma_chunk(struct chunks *c, uint8_t control, struct unpacked *out, struct err *err)
{
	if (c->end - c->in < 4)
		return damaged(err, "it ends in the middle of a chunk");
	size_t size = ((size_t)(control & 0x1f) << 16 | (size_t)c->in[0] << 8 | c->in[1]) + 1;
	size_t packed = ((size_t)c->in[2] << 8 | c->in[3]) + 1;
	c->in += 4;
	if (begin_anew(c, control >> 5 & 3, out, err))
		return -1;
	if ((size_t)(c->end - c->in) < packed)
		return damaged(err, "it ends in the middle of a chunk");
	if (unpacked_grow(out, size, err))
		return -1;
	if (lzma_unpack(c->lzma, c->in, packed, out, size))
		return damaged(err, "a chunk does not unpack to its size");
	c->in += packed;
	return 0;
}

int lzma2_unpack(const uint8_t *in, size_t in_size, size_t *used, struct unpacked *out, struct err *err)
{
	struct chunks c = { .in = in, .end = in + in_size, .lzma = malloc(sizeof *c.lzma) };
	int rc = c.lzma ? 0 : err_set(err, ERR_FAILED, 0, "out of memory for unpacking");

	while (!rc) {
		if (c.in == c.end) {
			rc = damaged(err, "it ends without an end mark");
			break;
		}
		uint8_t control = *c.in++;
		if (control == CHUNK_END)
			break;
		if (control & CHUNK_LZMA)
			rc = lzma_chunk(&c, control, out, err);
		else if (control <= CHUNK_PLAIN)
			rc = plain_chunk(&c, control, out, err);
		else
			rc = damaged(err, "a chunk of a kind that is not known");
	}
	free(c.lzma);
	*used = (size_t)(c.in - in);
	return rc;
}
