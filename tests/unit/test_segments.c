/* SPDX-License-Identifier: MIT */
#include "inject/watch/segments.h"

#include "live_target.h"

static int data = 1;
static struct segments segments;

static void stay(void)
{
	for (;;)
		pause();
}

void setUp(void)
{
	open_target(child_run(stay));
}

void tearDown(void)
{
	close_target();
}

static bool holds(const struct image *image, const volatile void *there)
{
	return segments_hold(&segments, (uintptr_t)there - image->elf.bias);
}

static struct image *program(void)
{
	struct image *image = images_at(&images, (uintptr_t)setUp);
	TEST_ASSERT_NOT_NULL(image);
	return image;
}

static void test_code_is_in_segments_of_code_alone(void)
{
	struct image *image = program();
	segments_read(&segments, &image->elf, target.page, PF_X);
	TEST_ASSERT_TRUE(segments.n > 0);
	TEST_ASSERT_TRUE(holds(image, (void *)(uintptr_t)setUp));
	TEST_ASSERT_FALSE(holds(image, &data));
	segments_read(&segments, &image->elf, target.page, 0);
	TEST_ASSERT_TRUE(holds(image, (void *)(uintptr_t)setUp));
	TEST_ASSERT_TRUE(holds(image, &data));
}

static void test_what_is_around_is_not_held(void)
{
	struct image *image = program();
	segments_read(&segments, &image->elf, target.page, 0);
	uint64_t low = image->elf.low - image->elf.bias, high = image->elf.high - image->elf.bias;
	TEST_ASSERT_TRUE(segments_hold(&segments, low));
	TEST_ASSERT_FALSE(segments_hold(&segments, low - target.page));
	TEST_ASSERT_TRUE(segments_hold(&segments, high - 1));
	TEST_ASSERT_FALSE(segments_hold(&segments, high + target.page));
}

static void test_segments_that_cannot_be_read_hold_anything(void)
{
	struct elf_image nothing = program()->elf;
	nothing.header = 8;
	segments_read(&segments, &nothing, target.page, PF_X);
	TEST_ASSERT_EQUAL(0, segments.n);
	TEST_ASSERT_TRUE(segments_hold(&segments, 1));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_code_is_in_segments_of_code_alone);
	RUN_TEST(test_what_is_around_is_not_held);
	RUN_TEST(test_segments_that_cannot_be_read_hold_anything);
	return UNITY_END();
}
