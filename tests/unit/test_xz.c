/* SPDX-License-Identifier: MIT */
#include "elf/xz.h"

#include <stdlib.h>
#include <string.h>

#include "elf/crc.h"
#include "elf/lzma.h"
#include "unity.h"
#include "xz_samples.h"

#define LIMIT 65536

static struct err err;
static char text[LIMIT];
static size_t text_size;
static void *out;
static size_t out_size;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	out = NULL;
	text_size = 0;
}

void tearDown(void)
{
	free(out);
}

static void expect(const void *bytes, size_t size)
{
	memcpy(text + text_size, bytes, size);
	text_size += size;
}

static void expect_text(void)
{
	for (int i = 0; i < XZ_TIMES; i++)
		expect(XZ_TEXT, strlen(XZ_TEXT));
}

static void unpacks(const void *packed, size_t size)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, xz_unpack(packed, size, LIMIT, &out, &out_size, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(text_size, out_size);
	TEST_ASSERT_EQUAL(0, memcmp(text, out, out_size));
}

/* The input is a buffer of exactly this size, so that a read too far is seen by tools that can. */
static int try(const void *packed, size_t size, size_t limit)
{
	uint8_t *copy = malloc(size + !size);
	TEST_ASSERT_NOT_NULL(copy);
	memcpy(copy, packed, size);
	memset(&err, 0, sizeof err);
	int rc = xz_unpack(copy, size, limit, &out, &out_size, &err);
	free(copy);
	return rc;
}

static void refused(const void *packed, size_t size, size_t limit, const char *why)
{
	TEST_ASSERT_EQUAL(-1, try(packed, size, limit));
	TEST_ASSERT_NULL(out);
	TEST_ASSERT_EQUAL(0, out_size);
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, why) != NULL, err.text);
}

static void text_is_unpacked(void)
{
	expect_text();
	unpacks(packed_crc64, sizeof packed_crc64);
}

static void other_literal_bits_and_the_short_checksum(void)
{
	expect_text();
	unpacks(packed_crc32, sizeof packed_crc32);
}

static void several_blocks_without_a_checksum(void)
{
	expect_text();
	unpacks(packed_blocks, sizeof packed_blocks);
}

static void what_cannot_be_packed_is_stored(void)
{
	expect(xz_noise, sizeof xz_noise);
	unpacks(packed_noise, sizeof packed_noise);
}

static void stored_and_packed_in_turn(void)
{
	expect(xz_noise, sizeof xz_noise);
	expect_text();
	expect(xz_noise, 40);
	expect_text();
	unpacks(packed_mixed, sizeof packed_mixed);
}

static void nothing_is_unpacked_to_nothing(void)
{
	unpacks(packed_nothing, sizeof packed_nothing);
	TEST_ASSERT_NOT_NULL(out);
}

static void streams_one_behind_the_other_with_zeros_between(void)
{
	static uint8_t two[sizeof packed_crc64 + 8 + sizeof packed_noise];
	memcpy(two, packed_crc64, sizeof packed_crc64);
	memcpy(two + sizeof packed_crc64 + 8, packed_noise, sizeof packed_noise);
	expect_text();
	expect(xz_noise, sizeof xz_noise);
	unpacks(two, sizeof two);
	free(out);
	out = NULL;
	refused(two, sizeof packed_crc64 + 6, LIMIT, "not in the .xz format");
}

/* All that LZMA2 can say about what begins anew, put together by hand of stored chunks. */
static void resets(void)
{
	static const uint8_t chunks[] = { 1, 0, 1, 'a', 'b', 2, 0, 0, 'c', 1, 0, 0, 'd', 0, 'x' };
	static const uint8_t no_dictionary[] = { 2, 0, 0, 'c', 0 };
	static const uint8_t no_properties[] = { 1, 0, 0, 'a', 0xa0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0 };
	static const uint8_t unknown[] = { 1, 0, 0, 'a', 3, 0, 0, 'a', 0 };
	struct unpacked got = { .limit = LIMIT };
	size_t used;
	TEST_ASSERT_EQUAL_MESSAGE(0, lzma2_unpack(chunks, sizeof chunks, &used, &got, &err), err.text);
	TEST_ASSERT_EQUAL(sizeof chunks - 1, used);
	TEST_ASSERT_EQUAL(4, got.size);
	TEST_ASSERT_EQUAL_MEMORY("abcd", got.data, 4);
	TEST_ASSERT_EQUAL(3, got.dictionary);
	got.size = got.dictionary = 0;
	TEST_ASSERT_EQUAL(-1, lzma2_unpack(no_dictionary, sizeof no_dictionary, &used, &got, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "no dictionary"));
	TEST_ASSERT_EQUAL(-1, lzma2_unpack(no_properties, sizeof no_properties, &used, &got, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "from nothing"));
	TEST_ASSERT_EQUAL(-1, lzma2_unpack(unknown, sizeof unknown, &used, &got, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "not known"));
	free(got.data);
}

static void what_is_not_supported_is_named(void)
{
	refused(packed_x86, sizeof packed_x86, LIMIT, "x86 (BCJ)");
	refused(packed_sha256, sizeof packed_sha256, LIMIT, "SHA-256");
	refused("PK\3\4 and so on", 15, LIMIT, "not in the .xz format");
	refused("", 0, LIMIT, "not in the .xz format");
}

static void the_limit_holds_to_the_byte(void)
{
	size_t size = XZ_TIMES * strlen(XZ_TEXT);
	refused(packed_crc64, sizeof packed_crc64, size - 1, "more than 419 bytes");
	refused(packed_blocks, sizeof packed_blocks, size - 1, "more than 419 bytes");
	TEST_ASSERT_EQUAL(0, try(packed_crc64, sizeof packed_crc64, size));
	TEST_ASSERT_EQUAL_UINT64(size, out_size);
}

static void cut_anywhere_it_is_refused(void)
{
	for (size_t size = 0; size < sizeof packed_crc64; size++)
		TEST_ASSERT_EQUAL(-1, try(packed_crc64, size, LIMIT));
	for (size_t size = 0; size < sizeof packed_blocks; size++)
		TEST_ASSERT_EQUAL(-1, try(packed_blocks, size, LIMIT));
	TEST_ASSERT_NULL(out);
}

/* Every byte counts for one of the checksums. */
static void changed_anywhere_it_is_refused(void)
{
	uint8_t copy[sizeof packed_mixed];
	for (size_t at = 0; at < sizeof copy; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(copy, packed_mixed, sizeof copy);
			copy[at] ^= (uint8_t)(1u << bit);
			TEST_ASSERT_EQUAL(-1, try(copy, sizeof copy, LIMIT));
			TEST_ASSERT_TRUE(err.text[0]);
		}
}

static void checksums_are_those_of_the_standards(void)
{
	TEST_ASSERT_EQUAL_HEX32(0xcbf43926, crc32("123456789", 9));
	TEST_ASSERT_EQUAL_HEX64(0x995dc9bbdf1939fa, crc64("123456789", 9));
	TEST_ASSERT_EQUAL_HEX32(0, crc32("", 0));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(text_is_unpacked);
	RUN_TEST(other_literal_bits_and_the_short_checksum);
	RUN_TEST(several_blocks_without_a_checksum);
	RUN_TEST(what_cannot_be_packed_is_stored);
	RUN_TEST(stored_and_packed_in_turn);
	RUN_TEST(nothing_is_unpacked_to_nothing);
	RUN_TEST(streams_one_behind_the_other_with_zeros_between);
	RUN_TEST(resets);
	RUN_TEST(what_is_not_supported_is_named);
	RUN_TEST(the_limit_holds_to_the_byte);
	RUN_TEST(cut_anywhere_it_is_refused);
	RUN_TEST(changed_anywhere_it_is_refused);
	RUN_TEST(checksums_are_those_of_the_standards);
	return UNITY_END();
}
