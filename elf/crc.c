/* SPDX-License-Identifier: MIT */
#include "elf/crc.h"

/* Both count bits from the lowest, begin with all ones and end inverted, so that one loop serves. */
static uint64_t reflected(uint64_t polynomial, uint64_t ones, const uint8_t *data, size_t size)
{
	uint64_t table[256], crc = ones;

	for (unsigned i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return crc ^ ones;
}

uint32_t crc32(const void *data, size_t size)
{
	return (uint32_t)reflected(0xedb88320, UINT32_MAX, data, size);
}

uint64_t crc64(const void *data, size_t size)
{
	return reflected(0xc96c5795d7870f42, UINT64_MAX, data, size);
}
