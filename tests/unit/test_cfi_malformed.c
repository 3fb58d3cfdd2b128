/* SPDX-License-Identifier: MIT */
/* Tables that lie give an error or nothing; they end. */
#include "cfi_table.h"

void setUp(void) { }
void tearDown(void) { table_close(); }

/* A table whose first function has this program. */
static void expect_broken_program(const uint8_t *program, size_t size)
{
	one_function(program, size);
	expect_broken(0);
	table_close();
}

static void programs_that_make_no_sense_are_refused(void)
{
	expect_broken_program(BYTES(0x0b));                             /* nothing was remembered */
	expect_broken_program(BYTES(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a));
	expect_broken_program(BYTES(0x17));                             /* no such instruction */
	expect_broken_program(BYTES(0x3f));
	expect_broken_program(BYTES(0x0c, 0xff, 0x7f, 0));              /* CFA in no register */
	expect_broken_program(BYTES(0x16, 3, 0xff, 0x7f));              /* an expression larger than the entry */
	expect_broken_program(BYTES(0x0f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	/* Three bytes fill the entry, so that no padding ends what they begin. */
	expect_broken_program(BYTES(0x0e, 0x80, 0x80));                 /* a number without an end */
	expect_broken_program(BYTES(0x04, 1, 2));
	expect_broken_program(BYTES(0, 0, 0x90));
}

static void a_location_that_overflows_is_behind_everything(void)
{
	one_function(BYTES(0x0e, 16, 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0e, 32));
	TEST_ASSERT_EQUAL(1, ask(0xff));
	expect_cfa(7, 16);
}

static void a_frame_without_an_address_is_refused(void)
{
	table_start();
	size_t cie = put_cie(0, BYTES(0x90, 1));
	put_fde(cie, 0, 0x10, BYTES(0));
	put32(0);
	table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie }, true);
	expect_broken(0);
}

/* By a header's table, as that leads to an entry without reading the others. */
static void header_to(size_t entry_at, uint32_t count)
{
	size_t header = put(BYTES(1, 0x1b, 0x03, 0x3b));
	put32((uint32_t)(TABLE - made_size));
	put32(count);
	put32((uint32_t)(CODE - BASE - header));
	put32((uint32_t)(entry_at - header));
	table_open((struct parts){ .header = header }, false);
}

static void an_entry_that_is_none_is_refused(void)
{
	table_start();
	size_t cie = put_cie(0, BYTES(USUAL));
	put_fde(cie, 0, 0x10, BYTES(0));
	header_to(cie, 1);              /* a CIE is no FDE */
	expect_broken(0);

	table_start();
	put_cie(0, BYTES(USUAL));
	header_to(0x10000000, 1);       /* outside */
	expect_broken(0);

	table_start();
	size_t fde = entry_begin(0x7fffffff);   /* its CIE is far before the image */
	put64(CODE);
	put64(16);
	entry_end(fde);
	header_to(fde, 1);
	expect_broken(0);

	table_start();
	size_t own = entry_begin(4);    /* its CIE is itself */
	put64(CODE);
	put64(16);
	entry_end(own);
	header_to(own, 1);
	expect_broken(0);

	table_start();
	size_t huge = put32(0xfffffff0);
	put32(4);
	put64(CODE);
	header_to(huge, 1);
	expect_broken(0);
}

static void a_count_larger_than_the_header_is_cut(void)
{
	table_start();
	size_t cie = put_cie(0, BYTES(USUAL));
	size_t fde = put_fde(cie, 0, 0x10, BYTES(0x0e, 16));
	header_to(fde, 0xffffffff);
	TEST_ASSERT_EQUAL(1, cfi.entries);
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0xf), err.text);
	TEST_ASSERT_EQUAL(0, ask(0x10));
}

static void broken_cie(const uint8_t *body, size_t size)
{
	table_start();
	size_t cie = entry_begin(0);
	put(body, size);
	entry_end(cie);
	size_t fde = put_fde(cie, 0, 0x10, BYTES(0));
	header_to(fde, 1);
	expect_broken(0);
	table_close();
}

static void a_cie_that_is_not_known_is_refused(void)
{
	broken_cie(BYTES(2, 'z', 'R', 0, 1, 0x78, 16, 1, 0, USUAL));            /* version */
	broken_cie(BYTES(9, 'z', 'R', 0, 1, 0x78, 16, 1, 0, USUAL));
	broken_cie(BYTES(1, 'e', 'h', 0, 1, 0x78, 16, USUAL));                  /* augmentation */
	broken_cie(BYTES(1, 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 'z', 0));
	broken_cie(BYTES(4, 0, 4, 0, 1, 0x78, 16, USUAL));                      /* 32-bit addresses */
	broken_cie(BYTES(1, 'z', 'R', 0, 1, 0x78, 200, 1, 0, USUAL));           /* return address nowhere */
	broken_cie(BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 0x7f, 0));                /* data larger than the entry */
	broken_cie(BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0xff, USUAL));         /* no pointers */
	broken_cie(BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x20, USUAL));         /* relative to text */
	broken_cie(BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x07, USUAL));         /* no such form */
}

static void entries_that_are_broken_do_not_hide_others(void)
{
	table_start();
	size_t cie = put_cie(0, BYTES(USUAL));
	size_t bad = entry_begin(0x70000000);
	put64(CODE);
	entry_end(bad);
	put_fde(cie, UINT64_MAX - CODE - 1, 0x100, BYTES(0));   /* wraps around */
	put_fde(cie, 0, 0x10, BYTES(0x0e, 16));
	put32(0);
	table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie }, true);
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0), err.text);
	expect_cfa(7, 16);
}

static void headers_that_make_no_sense_are_as_none(void)
{
	static const uint8_t bad[][4] = {
		{ 2, 0x1b, 3, 0x3b }, { 1, 0xff, 3, 0x3b }, { 1, 0x2b, 3, 0x3b }, { 1, 0x9b, 3, 0x3b },
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		table_start();
		size_t header = put(bad[i], 4);
		put32(0x7fffffff);
		put32(1);
		put64(0);
		table_open((struct parts){ .header = header }, false);
		TEST_ASSERT_EQUAL(0, ask(0));
		table_close();
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(programs_that_make_no_sense_are_refused);
	RUN_TEST(a_location_that_overflows_is_behind_everything);
	RUN_TEST(a_frame_without_an_address_is_refused);
	RUN_TEST(an_entry_that_is_none_is_refused);
	RUN_TEST(a_count_larger_than_the_header_is_cut);
	RUN_TEST(a_cie_that_is_not_known_is_refused);
	RUN_TEST(entries_that_are_broken_do_not_hide_others);
	RUN_TEST(headers_that_make_no_sense_are_as_none);
	return UNITY_END();
}
