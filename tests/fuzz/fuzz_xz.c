/* SPDX-License-Identifier: MIT */
/* The input is an .xz file; then, as no fuzzer finds its checksums, LZMA2 alone. */
#include <stdint.h>
#include <stdlib.h>

#include "elf/lzma.h"
#include "elf/xz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIMIT (1u << 20)

static uint8_t sum;     /* of what came out: read, so that the sanitizer sees bytes that were never written */

static void look(const uint8_t *data, size_t size)
{
	if (size > LIMIT)
		abort();
	for (size_t i = 0; i < size; i++)
		sum ^= data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked out = { .limit = LIMIT };
	struct err err = { .code = ERR_NONE };
	void *whole;
	size_t whole_size, used;

	if (!xz_unpack(data, size, LIMIT, &whole, &whole_size, &err))
		look(whole, whole_size);
	else if (whole || whole_size || err.code == ERR_NONE || !err.text[0])
		abort();
	free(whole);
	if (lzma2_unpack(data, size, &used, &out, &err) && !err.text[0])
		abort();
	if (used > size)
		abort();
	look(out.data, out.size);
	free(out.data);
	return 0;
}
