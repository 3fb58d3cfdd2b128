/* SPDX-License-Identifier: MIT */
/* Where tables are found, and what each instruction in them does to a row. */
#include "cfi_table.h"

void setUp(void) { }
void tearDown(void) { table_close(); }

static void rows_change_where_the_table_says(void)
{
	/* push %rbp; mov %rsp, %rbp; ...; leave */
	one_function(BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x20, 0x0c, 7, 8, 0xc6));
	TEST_ASSERT_EQUAL(1, ask(0));
	TEST_ASSERT_EQUAL_HEX64(CODE, row.start);
	TEST_ASSERT_EQUAL_HEX64(CODE + 0x100, row.end);
	TEST_ASSERT_EQUAL(16, row.return_register);
	expect_cfa(7, 8);
	expect_rule(16, CFI_AT_OFFSET, -8);
	expect_rule(6, CFI_SAME, 0);
	TEST_ASSERT_EQUAL(1, ask(1));
	expect_cfa(7, 16);
	expect_rule(6, CFI_AT_OFFSET, -16);
	TEST_ASSERT_EQUAL(1, ask(3));
	expect_cfa(7, 16);
	TEST_ASSERT_EQUAL(1, ask(4));
	expect_cfa(6, 16);
	TEST_ASSERT_EQUAL(1, ask(0x24));
	expect_cfa(7, 8);
	expect_rule(6, CFI_SAME, 0);
	TEST_ASSERT_EQUAL(1, ask(0xff));
	TEST_ASSERT_EQUAL(0, ask(0x100));
	TEST_ASSERT_EQUAL(0, cfi_row(&cfi, CODE - 1, &row, &err));
}

static void every_instruction_is_known(void)
{
	one_function(BYTES(0x05, 3, 2,                  /* offset_extended */
			   0x11, 12, 0x7e,              /* offset_extended_sf: -2 * -8 */
			   0x2f, 13, 1,                 /* GNU_negative_offset_extended */
			   0x14, 14, 3, 0x15, 15, 0x7d, /* val_offset, val_offset_sf */
			   0x07, 0, 0x08, 1,            /* undefined, same_value */
			   0x09, 2, 5,                  /* register */
			   0x10, 4, 1, 0x30,            /* expression */
			   0x16, 5, 2, 0x31, 0x32,      /* val_expression */
			   0x2e, 8, 0x2d, 0x2c, 0,      /* args_size, window_save, negate_ra_state, nop */
			   0x12, 7, 0x7f, 0x13, 0x7e));  /* def_cfa_sf, def_cfa_offset_sf */
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0), err.text);
	expect_rule(3, CFI_AT_OFFSET, -16);
	expect_rule(12, CFI_AT_OFFSET, 16);
	expect_rule(13, CFI_AT_OFFSET, 8);
	expect_rule(14, CFI_IS_OFFSET, -24);
	expect_rule(15, CFI_IS_OFFSET, 24);
	expect_rule(0, CFI_UNDEFINED, 0);
	expect_rule(1, CFI_SAME, 0);
	TEST_ASSERT_EQUAL(CFI_IN_REGISTER, row.reg[2].kind);
	TEST_ASSERT_EQUAL(5, row.reg[2].reg);
	TEST_ASSERT_EQUAL(CFI_AT_EXPRESSION, row.reg[4].kind);
	TEST_ASSERT_EQUAL(1, row.reg[4].size);
	TEST_ASSERT_EQUAL_HEX8(0x30, made[row.reg[4].at - BASE]);
	TEST_ASSERT_EQUAL(CFI_IS_EXPRESSION, row.reg[5].kind);
	TEST_ASSERT_EQUAL(2, row.reg[5].size);
	expect_cfa(7, 16);
	TEST_ASSERT_FALSE(row.ra_signed);
}

static void the_location_advances_by_each_form(void)
{
	const uint8_t program[] = { 0x41, 0x0e, 1, 0x02, 1, 0x0e, 2, 0x03, 1, 0, 0x0e, 3, 0x04, 1, 0, 0, 0, 0x0e, 4,
				    0x1d, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 5,
				    0x01, 0x80, 0x40, 0x56, 0x34, 0x12, 0x7f, 0, 0, 0x0e, 6 };
	one_function(program, sizeof program);
	for (unsigned i = 1; i <= 5; i++) {
		TEST_ASSERT_EQUAL_MESSAGE(1, ask(i), err.text);
		expect_cfa(7, i);
	}
	TEST_ASSERT_EQUAL(1, ask(0x7f));
	expect_cfa(7, 5);
	TEST_ASSERT_EQUAL(1, ask(0x80));
	expect_cfa(7, 6);
}

static void states_are_remembered_and_restored(void)
{
	one_function(BYTES(0x0a, 0x0e, 32, 0x83, 2, 0x0a, 0x0e, 64, 0x41, 0x0b, 0x41, 0x0b, 0x41, 0xd0));
	TEST_ASSERT_EQUAL(1, ask(0));
	expect_cfa(7, 64);
	TEST_ASSERT_EQUAL(1, ask(1));
	expect_cfa(7, 32);
	expect_rule(3, CFI_AT_OFFSET, -16);
	TEST_ASSERT_EQUAL(1, ask(2));
	expect_cfa(7, 8);
	expect_rule(3, CFI_SAME, 0);
}

static void a_restored_register_is_as_in_the_cie(void)
{
	one_function(BYTES(0x90, 3, 0x41, 0xd0, 0x41, 0x90, 3, 0x06, 16));
	TEST_ASSERT_EQUAL(1, ask(0));
	expect_rule(16, CFI_AT_OFFSET, -24);
	TEST_ASSERT_EQUAL(1, ask(1));
	expect_rule(16, CFI_AT_OFFSET, -8);
	TEST_ASSERT_EQUAL(1, ask(2));
	expect_rule(16, CFI_AT_OFFSET, -8);
}

static void registers_that_are_not_followed_are_passed_over(void)
{
	one_function(BYTES(0x05, 0xc8, 1, 4, 0x09, 200, 1, 3, 0x10, 0x88, 1, 1, 0x30, 0x0e, 40));
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0), err.text);
	expect_cfa(7, 40);
}

static void a_return_address_is_signed_on_aarch64_alone(void)
{
	for (int arm = 0; arm < 2; arm++) {
		table_start();
		size_t cie = entry_begin(0);
		put(BYTES(1, 'z', 'R', 'B', 0, 4, 0x78, 30, 1, 0, 0x0c, 31, 0));
		entry_end(cie);
		put_fde(cie, 0, 0x100, BYTES(0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x42, 0x2d));
		put32(0);
		table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie,
					   .machine = arm ? EM_AARCH64 : EM_X86_64 }, true);
		TEST_ASSERT_EQUAL_MESSAGE(1, ask(4), err.text);
		TEST_ASSERT_EQUAL(arm, row.ra_signed);
		expect_cfa(31, 32);
		expect_rule(30, CFI_AT_OFFSET, -24);
		TEST_ASSERT_EQUAL(1, ask(12));
		TEST_ASSERT_FALSE(row.ra_signed);
		table_close();
	}
}

/* Three functions in .eh_frame, their header's table in any form. */
static void by_header(uint8_t form, size_t size)
{
	size_t fde[3];
	table_start();
	size_t header = put(BYTES(1, 0x0b | 0x10, 0x03, form));
	size_t pointer = put32(0);
	put32(3);
	size_t entries = made_size;
	made_size += 6 * size;
	size_t cie = put_cie(0, BYTES(USUAL));
	for (unsigned i = 0; i < 3; i++)
		fde[i] = put_fde(cie, 0x100 * i, 0x80, BYTES(0x0e, (uint8_t)(8 + 8 * i)));
	uint32_t distance = (uint32_t)(cie - pointer);
	memcpy(made + pointer, &distance, 4);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t base = form & 0x30 ? BASE + header : 0;
		uint64_t pair[2] = { CODE + 0x100 * i - base, BASE + fde[i] - base };
		memcpy(made + entries + 2 * i * size, &pair[0], size);
		memcpy(made + entries + (2 * i + 1) * size, &pair[1], size);
	}
	put32(0);
	table_open((struct parts){ .header = header }, false);
	TEST_ASSERT_EQUAL(3, cfi.entries);
	for (unsigned i = 0; i < 3; i++) {
		TEST_ASSERT_EQUAL_MESSAGE(1, ask(0x100 * i + 0x7f), err.text);
		expect_cfa(7, 8 + 8 * i);
		TEST_ASSERT_EQUAL(0, ask(0x100 * i + 0x80));
	}
	TEST_ASSERT_EQUAL(0, cfi_row(&cfi, CODE - 1, &row, &err));
	table_close();
}

static void the_header_leads_to_the_entry(void)
{
	by_header(0x3b, 4);     /* as linkers write it */
	by_header(0x33, 4);
	by_header(0x32, 2);
	by_header(0x00, 8);
	by_header(0x3c, 8);
}

static void a_table_without_entries_in_its_header_is_read_from_its_beginning(void)
{
	table_start();
	size_t header = put(BYTES(1, 0x1b, 0xff, 0xff));
	put32(4);
	size_t cie = put_cie(0, BYTES(USUAL));
	put_fde(cie, 0x40, 0x10, BYTES(0x0e, 24));
	put_fde(cie, 0, 0x40, BYTES(0x0e, 16));         /* not in order */
	put32(0);
	table_open((struct parts){ .header = header }, false);
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0x3f), err.text);
	expect_cfa(7, 16);
	TEST_ASSERT_EQUAL(1, ask(0x40));
	expect_cfa(7, 24);
	TEST_ASSERT_EQUAL(0, ask(0x50));
}

static void pointers_are_read_in_each_encoding(void)
{
	static const struct { uint8_t encoding; size_t size; } form[] = {
		{ 0x1b, 4 }, { 0x1c, 8 }, { 0x04, 8 }, { 0x0c, 8 }, { 0x1a, 2 }, { 0x50, 8 },
	};
	for (size_t i = 0; i < sizeof form / sizeof form[0]; i++) {
		table_start();
		size_t cie = put_cie(form[i].encoding, BYTES(USUAL));
		size_t fde = entry_begin((uint32_t)(made_size + 4 - cie));
		while (form[i].encoding == 0x50 && made_size % 8)
			put8(0);
		uint64_t start = CODE - (form[i].encoding & 0x10 && form[i].encoding != 0x50 ? BASE + made_size : 0), length = 0x20;
		put(&start, form[i].size);
		if (form[i].encoding == 0x50 && made_size % 8)
			put32(0);
		put(&length, form[i].size);
		put(BYTES(0, 0x0e, 48));
		entry_end(fde);
		put32(0);
		table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie }, true);
		TEST_ASSERT_EQUAL_MESSAGE(1, ask(0x1f), err.text);
		expect_cfa(7, 48);
		TEST_ASSERT_EQUAL(0, ask(0x20));
		table_close();
	}
}

static void augmentations_are_read_or_passed_over(void)
{
	table_start();
	size_t cie = entry_begin(0);
	put(BYTES(1, 'z', 'P', 'L', 'R', 'S', 'G', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0, USUAL));
	entry_end(cie);
	size_t fde = entry_begin((uint32_t)(made_size + 4 - cie));
	put64(CODE);
	put64(16);
	put(BYTES(4, 9, 9, 9, 9, 0x0e, 16));            /* its language's data */
	entry_end(fde);
	put32(0);
	table_open((struct parts){ .eh_frame = cie, .eh_size = made_size - cie }, true);
	TEST_ASSERT_EQUAL_MESSAGE(1, ask(0), err.text);
	TEST_ASSERT_TRUE(row.signal_frame);
	expect_cfa(7, 16);
}

/* .debug_frame has addresses of the file and offsets of the section. */
static void debug_frame_is_used_where_there_is_nothing_else(void)
{
	for (uint8_t version = 1; version <= 4; version++) {
		if (version == 2)
			continue;
		table_start();
		size_t start = made_size;
		put(BYTES(0, 0, 0, 0));                 /* what the length will be */
		made_size -= 4;
		size_t cie = entry_begin(UINT32_MAX);
		put(BYTES(version, 0));
		if (version == 4)
			put(BYTES(8, 0));
		put(BYTES(1, 0x78, 16, USUAL));
		entry_end(cie);
		size_t fde = entry_begin((uint32_t)(cie - start));
		put64(CODE - BASE + 0x10);
		put64(0x10);
		put(BYTES(0x0e, 24, 0x16, 6, 1, 0x3f));
		entry_end(fde);
		table_open((struct parts){ .debug_frame = start, .debug_size = made_size - start }, true);
		TEST_ASSERT_EQUAL_MESSAGE(1, ask(0x1f), err.text);
		TEST_ASSERT_EQUAL_HEX64(CODE + 0x10, row.start);
		expect_cfa(7, 24);
		TEST_ASSERT_EQUAL_HEX8(0x3f, made[row.reg[6].at]);
		TEST_ASSERT_EQUAL(0, ask(0x20));
		table_close();
	}
}

static void an_image_without_tables_answers_none(void)
{
	table_start();
	table_open((struct parts){ .machine = EM_X86_64 }, true);
	TEST_ASSERT_EQUAL(0, ask(0));
	table_close();
	table_open((struct parts){ .machine = EM_X86_64 }, false);
	TEST_ASSERT_EQUAL(0, ask(0));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(rows_change_where_the_table_says);
	RUN_TEST(every_instruction_is_known);
	RUN_TEST(the_location_advances_by_each_form);
	RUN_TEST(states_are_remembered_and_restored);
	RUN_TEST(a_restored_register_is_as_in_the_cie);
	RUN_TEST(registers_that_are_not_followed_are_passed_over);
	RUN_TEST(a_return_address_is_signed_on_aarch64_alone);
	RUN_TEST(the_header_leads_to_the_entry);
	RUN_TEST(a_table_without_entries_in_its_header_is_read_from_its_beginning);
	RUN_TEST(pointers_are_read_in_each_encoding);
	RUN_TEST(augmentations_are_read_or_passed_over);
	RUN_TEST(debug_frame_is_used_where_there_is_nothing_else);
	RUN_TEST(an_image_without_tables_answers_none);
	return UNITY_END();
}
