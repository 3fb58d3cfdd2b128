/* SPDX-License-Identifier: MIT */
/* Each operation of an expression, and those that must not succeed. */
#include "cfi_table.h"

#define NEGATIVE(n) (UINT64_MAX - (n) + 1)

void setUp(void) { }
void tearDown(void) { }

static int ask_register(void *ctx, unsigned number, uint64_t *value)
{
	(void)ctx;
	*value = 0x1000 * number;
	return number == 9 ? -1 : 0;
}

static int ask_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	uint64_t word = UINT64_C(0x8877665544332211);
	(void)ctx;
	memcpy(buf, &word, size);
	return addr == 0x7000 ? 0 : -1;
}

static int evaluate(const uint8_t *bytes, size_t size, bool has_first, uint64_t *value)
{
	struct cfi_world world = { ask_register, ask_memory, NULL };
	table_start();
	size_t at = put(bytes, size);
	table_open((struct parts){ .eh_frame = TABLE, .eh_size = made_size - TABLE }, false);
	cfi.eh_frame = BASE + TABLE;
	struct cfi_rule rule = { .kind = CFI_IS_EXPRESSION, .at = BASE + at, .size = (uint32_t)size };
	return cfi_expression(&cfi, &rule, has_first, 0xcfa, &world, value, &err);
}

static void expect_at(unsigned line, uint64_t expected, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	UNITY_TEST_ASSERT_EQUAL_INT(0, evaluate(bytes, size, true, &value), line, err.text);
	UNITY_TEST_ASSERT_EQUAL_HEX64(expected, value, line, NULL);
}
#define EXPECT(value, ...) expect_at(__LINE__, value, BYTES(__VA_ARGS__))

static void expect_failure_at(unsigned line, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	UNITY_TEST_ASSERT_EQUAL_INT(-1, evaluate(bytes, size, false, &value), line, "it gave an answer");
	UNITY_TEST_ASSERT(err.code == ERR_FAILED && err.text[0], line, "no text");
}
#define EXPECT_FAILURE(...) expect_failure_at(__LINE__, BYTES(__VA_ARGS__))

static void constants(void)
{
	EXPECT(0xcfa, 0x96);
	EXPECT(0, 0x30);
	EXPECT(31, 0x4f);
	EXPECT(0xfe, 0x08, 0xfe);
	EXPECT(NEGATIVE(2), 0x09, 0xfe);
	EXPECT(0xfffe, 0x0a, 0xfe, 0xff);
	EXPECT(NEGATIVE(2), 0x0b, 0xfe, 0xff);
	EXPECT(0xfffffffe, 0x0c, 0xfe, 0xff, 0xff, 0xff);
	EXPECT(NEGATIVE(2), 0x0d, 0xfe, 0xff, 0xff, 0xff);
	EXPECT(0x0807060504030201, 0x0e, 1, 2, 3, 4, 5, 6, 7, 8);
	EXPECT(0x0807060504030201, 0x0f, 1, 2, 3, 4, 5, 6, 7, 8);
	EXPECT(0x0807060504030201, 0x03, 1, 2, 3, 4, 5, 6, 7, 8);
	EXPECT(300, 0x10, 0xac, 2);
	EXPECT(NEGATIVE(2), 0x11, 0x7e);
	EXPECT(UINT64_MAX, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
	EXPECT(0x44332211, 0xf1, 0x03, 0x11, 0x22, 0x33, 0x44);
}

static void the_stack(void)
{
	EXPECT(1, 0x31, 0x32, 0x13);                    /* drop */
	EXPECT(0xcfa, 0x31, 0x14);                      /* over */
	EXPECT(1, 0x31, 0x32, 0x33, 0x15, 2);           /* pick */
	EXPECT(1, 0x31, 0x32, 0x16);                    /* swap */
	EXPECT(2, 0x31, 0x32, 0x33, 0x17);              /* rot: 3 1 2 */
	EXPECT(1, 0x31, 0x32, 0x33, 0x17, 0x13);
	EXPECT(3, 0x31, 0x32, 0x33, 0x17, 0x13, 0x13);
	EXPECT(4, 0x32, 0x12, 0x22);                    /* dup plus */
}

static void arithmetic(void)
{
	EXPECT(2, 0x09, 0xfe, 0x19);                    /* abs */
	EXPECT(2, 0x32, 0x19);
	EXPECT(2, 0x36, 0x33, 0x1a);                    /* 6 & 3 */
	EXPECT(NEGATIVE(3), 0x09, 0xf9, 0x32, 0x1b);    /* -7 / 2 */
	EXPECT(UINT64_C(1) << 63, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b);
	EXPECT(NEGATIVE(1), 0x31, 0x32, 0x1c);
	EXPECT(1, 0x37, 0x33, 0x1d);                    /* 7 mod 3 */
	EXPECT(42, 0x36, 0x37, 0x1e);
	EXPECT(NEGATIVE(5), 0x35, 0x1f);
	EXPECT(NEGATIVE(6), 0x35, 0x20);
	EXPECT(7, 0x36, 0x33, 0x21);
	EXPECT(9, 0x36, 0x33, 0x22);
	EXPECT(0xcfa + 300, 0x23, 0xac, 2);
	EXPECT(48, 0x36, 0x33, 0x24);
	EXPECT(0, 0x36, 0x08, 64, 0x24);
	EXPECT(UINT64_MAX >> 4, 0x09, 0xff, 0x34, 0x25);
	EXPECT(0, 0x09, 0xff, 0x08, 200, 0x25);
	EXPECT(NEGATIVE(1), 0x09, 0xf0, 0x34, 0x26);
	EXPECT(NEGATIVE(1), 0x09, 0xf0, 0x08, 200, 0x26);
	EXPECT(5, 0x36, 0x33, 0x27);
}

static void comparisons_are_signed(void)
{
	EXPECT(1, 0x31, 0x31, 0x29);
	EXPECT(1, 0x31, 0x09, 0xff, 0x2a);
	EXPECT(1, 0x31, 0x09, 0xff, 0x2b);
	EXPECT(0, 0x31, 0x31, 0x2b);
	EXPECT(1, 0x09, 0xff, 0x31, 0x2c);
	EXPECT(1, 0x09, 0xff, 0x31, 0x2d);
	EXPECT(0, 0x31, 0x31, 0x2d);
	EXPECT(1, 0x31, 0x32, 0x2e);
}

static void registers_and_memory(void)
{
	EXPECT(0x7000, 0x57);                           /* reg7 */
	EXPECT(0x7008, 0x77, 8);                        /* breg7 */
	EXPECT(0x6ff8, 0x77, 0x78);
	EXPECT(0x10000, 0x90, 16);
	EXPECT(0x10004, 0x92, 16, 4);
	EXPECT(0x8877665544332211, 0x77, 0, 0x06);
	EXPECT(0x44332211, 0x77, 0, 0x94, 4);
	EXPECT(0x11, 0x77, 0, 0x94, 1);
}

static void branches(void)
{
	EXPECT(5, 0x35, 0x2f, 1, 0, 0x36);
	EXPECT(5, 0x35, 0x31, 0x28, 1, 0, 0x36);
	EXPECT(6, 0x35, 0x30, 0x28, 1, 0, 0x36);
	/* from 3 down to 0, one back at a time */
	EXPECT(0, 0x33, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff);
	EXPECT(5, 0x35, 0x9f, 0x36);                    /* stack_value ends it */
}

static void the_plt_of_x86_64(void)
{
	/* CFA is sp + 8, and 16 behind the push: r16 is 0x10000, the low bits 0 */
	EXPECT(0x7008, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
}

static void what_cannot_be_evaluated_fails(void)
{
	EXPECT_FAILURE(0x96);                           /* nothing on the stack */
	EXPECT_FAILURE(0x22);
	EXPECT_FAILURE(0x31, 0x14);
	EXPECT_FAILURE(0x31, 0x15, 1);
	EXPECT_FAILURE(0x31, 0x30, 0x1b);               /* by 0 */
	EXPECT_FAILURE(0x31, 0x30, 0x1d);
	EXPECT_FAILURE(0x79, 0);                        /* r9 is not known */
	EXPECT_FAILURE(0x90, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	EXPECT_FAILURE(0x30, 0x06);                     /* not readable */
	EXPECT_FAILURE(0x77, 0, 0x94, 9);
	EXPECT_FAILURE(0x77, 0, 0x94, 0);
	EXPECT_FAILURE(0x2f, 0xfd, 0xff);               /* for ever */
	EXPECT_FAILURE(0x31, 0x2f, 0xfc, 0xff);         /* for ever, and deeper */
	EXPECT_FAILURE(0x2f, 0xf0, 0xff);               /* out of it */
	EXPECT_FAILURE(0x2f, 0x10, 0);
	EXPECT_FAILURE(0x0e, 1, 2);                     /* cut */
	EXPECT_FAILURE(0x2f, 0);
	EXPECT_FAILURE(0x9c);                           /* the CFA, which is what is asked for */
	EXPECT_FAILURE(0x91, 0);                        /* a frame base there is not */
	EXPECT_FAILURE(0xff);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(constants);
	RUN_TEST(the_stack);
	RUN_TEST(arithmetic);
	RUN_TEST(comparisons_are_signed);
	RUN_TEST(registers_and_memory);
	RUN_TEST(branches);
	RUN_TEST(the_plt_of_x86_64);
	RUN_TEST(what_cannot_be_evaluated_fails);
	return UNITY_END();
}
