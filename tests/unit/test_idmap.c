/* SPDX-License-Identifier: MIT */
#include "rocp/formats/idmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

static struct idmap map;
static struct textmap texts;

void setUp(void)
{
}

void tearDown(void)
{
	idmap_free(&map);
	textmap_free(&texts);
}

static void test_every_key_is_found_with_its_last_value(void)
{
	uint64_t value;
	TEST_ASSERT_FALSE(idmap_get(&map, 5, &value));
	for (uint64_t i = 0; i < 10000; i++)
		TEST_ASSERT_EQUAL(0, idmap_set(&map, i << 32 | 7, i));
	TEST_ASSERT_EQUAL(0, idmap_set(&map, 7, 77));
	for (uint64_t i = 1; i < 10000; i++) {
		TEST_ASSERT_TRUE(idmap_get(&map, i << 32 | 7, &value));
		TEST_ASSERT_EQUAL_UINT64(i, value);
	}
	TEST_ASSERT_TRUE(idmap_get(&map, 7, &value));
	TEST_ASSERT_EQUAL_UINT64(77, value);
	TEST_ASSERT_EQUAL(10000, map.used);
}

static void test_the_last_number_is_a_key_as_others(void)
{
	uint64_t value;
	TEST_ASSERT_FALSE(idmap_get(&map, UINT64_MAX, &value));
	TEST_ASSERT_EQUAL(0, idmap_set(&map, UINT64_MAX, 3));
	TEST_ASSERT_TRUE(idmap_get(&map, UINT64_MAX, &value));
	TEST_ASSERT_EQUAL_UINT64(3, value);
	idmap_remove(&map, UINT64_MAX);
	TEST_ASSERT_FALSE(idmap_get(&map, UINT64_MAX, &value));
}

/* As a plain table of what is there. */
static void test_what_is_removed_is_gone_and_all_else_stays(void)
{
	enum { KEYS = 512 };
	static uint64_t there[KEYS];
	unsigned seed = 1;
	for (size_t i = 0; i < 20000; i++) {
		seed = seed * 1103515245u + 12345u;
		size_t key = seed >> 16 & (KEYS - 1);
		if (seed >> 28 & 1) {
			there[key] = i + 1;
			TEST_ASSERT_EQUAL(0, idmap_set(&map, key * 4096, i + 1));
		} else {
			there[key] = 0;
			idmap_remove(&map, key * 4096);
		}
		if (i % 97)
			continue;
		for (size_t k = 0; k < KEYS; k++) {
			uint64_t value = 0;
			TEST_ASSERT_EQUAL(there[k] != 0, idmap_get(&map, k * 4096, &value));
			TEST_ASSERT_EQUAL_UINT64(there[k], value);
		}
	}
	TEST_ASSERT_TRUE(map.room <= 2 * KEYS);
}

/* Undoes x ^ x >> by. */
static uint64_t unshift(uint64_t value, unsigned by)
{
	uint64_t x = value;
	for (int i = 0; i < 3; i++)
		x = value ^ x >> by;
	return x;
}

/* Keys come from recordings (and what meets takes minutes): those that a known function puts into one place are as good as others. */
static void test_keys_that_were_made_to_meet_do_not(void)
{
	enum { N = 60000 };
	const uint64_t golden = 0x9e3779b97f4a7c15u;
	uint64_t inverse = golden, value;
	for (int i = 0; i < 6; i++)
		inverse *= 2 - golden * inverse;
	for (uint64_t i = 1; i <= N; i++)
		TEST_ASSERT_EQUAL(0, idmap_set(&map, unshift(unshift(i << 32, 29) * inverse, 31), i));
	TEST_ASSERT_TRUE(idmap_get(&map, unshift(unshift(5ull << 32, 29) * inverse, 31), &value));
	TEST_ASSERT_EQUAL_UINT64(5, value);
}

static void test_texts_are_numbered_by_their_content(void)
{
	char first[] = "hipMalloc", same[] = "hipMalloc", other[] = "hipFree";
	bool is_new;
	TEST_ASSERT_EQUAL_UINT64(1, textmap_number(&texts, first, &is_new));
	TEST_ASSERT_TRUE(is_new);
	TEST_ASSERT_EQUAL_UINT64(2, textmap_number(&texts, other, &is_new));
	TEST_ASSERT_TRUE(is_new);
	TEST_ASSERT_EQUAL_UINT64(1, textmap_number(&texts, same, &is_new));
	TEST_ASSERT_FALSE(is_new);
	TEST_ASSERT_EQUAL_UINT64(1, textmap_number(&texts, first, &is_new));
	TEST_ASSERT_EQUAL_UINT64(0, textmap_find(&texts, ""));
	TEST_ASSERT_EQUAL_UINT64(3, textmap_number(&texts, "", &is_new));
	TEST_ASSERT_EQUAL_UINT64(2, textmap_find(&texts, other));
	TEST_ASSERT_EQUAL_UINT64(1, textmap_find(&texts, (char[]){ "hipMalloc" }));
	TEST_ASSERT_TRUE(is_new);
}

static void test_many_texts(void)
{
	enum { N = 5000 };
	static char text[N][16];
	bool is_new;
	for (int i = 0; i < N; i++) {
		snprintf(text[i], sizeof text[i], "name %d", i);
		TEST_ASSERT_EQUAL_UINT64(i + 1, textmap_number(&texts, text[i], &is_new));
	}
	for (int i = 0; i < N; i++) {
		TEST_ASSERT_EQUAL_UINT64(i + 1, textmap_number(&texts, text[i], &is_new));
		TEST_ASSERT_FALSE(is_new);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_key_is_found_with_its_last_value);
	RUN_TEST(test_the_last_number_is_a_key_as_others);
	RUN_TEST(test_what_is_removed_is_gone_and_all_else_stays);
	RUN_TEST(test_keys_that_were_made_to_meet_do_not);
	RUN_TEST(test_texts_are_numbered_by_their_content);
	RUN_TEST(test_many_texts);
	return UNITY_END();
}
