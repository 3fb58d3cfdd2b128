/* SPDX-License-Identifier: MIT */
/* What is wrong gives an error with a text; nothing crashes. */
#include "elf_builder.h"

#include <string.h>

#include "unity.h"

#define BASE 0x7f1234560000

static const struct built_symbol library[] = {
	{ .name = "first", .value = 0x100, .size = 8 },
	{ .name = "second", .value = 0x110, .size = 8, .version = "V_1" },
	{ .name = "third", .value = 0x120, .size = 8, .version = "V_1" },
};

static struct elf_image image;
static struct elf_symbol symbol;
static struct err err;
static struct built_plan plan;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	plan = (struct built_plan){ .base = BASE, .hash = HASH_GNU, .symbol = library, .symbols = 3 };
}

void tearDown(void) { }

static struct built *open_plan(void)
{
	struct built *built = build(plan);
	TEST_ASSERT_EQUAL_MESSAGE(0, built_open(built, &image, &err), err.text);
	return built;
}

static void put32(struct built *built, size_t at, uint32_t value)
{
	memcpy(built->data + at, &value, sizeof value);
}

static void put64(struct built *built, size_t at, uint64_t value)
{
	memcpy(built->data + at, &value, sizeof value);
}

static void expect_error(const char *name)
{
	err.text[0] = '\0';
	TEST_ASSERT_EQUAL_MESSAGE(-1, elf_symbol_find(&image, name, &symbol, &err), name);
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_EQUAL(0, err.text[0]);
}

static void expect_not_opened(struct built *built)
{
	err.text[0] = '\0';
	TEST_ASSERT_EQUAL(-1, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_EQUAL(0, err.text[0]);
}

static int at_first(void)
{
	char name[16];
	uint64_t offset;
	return elf_symbol_at(&image, BASE + 0x104, name, sizeof name, &offset, &err);
}

static void program_headers_that_make_no_sense_are_refused(void)
{
	struct built *built = build(plan);
	uint16_t zero = 0, many = 65000;

	memcpy(built->data + offsetof(Elf64_Ehdr, e_phnum), &zero, 2);
	expect_not_opened(built);
	memcpy(built->data + offsetof(Elf64_Ehdr, e_phnum), &many, 2);
	expect_not_opened(built);
	built = build(plan);
	memcpy(built->data + offsetof(Elf64_Ehdr, e_phentsize), &zero, 2);
	expect_not_opened(built);
	built = build(plan);
	put64(built, offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 100);
	expect_not_opened(built);
	put64(built, offsetof(Elf64_Ehdr, e_phoff), built->readable);
	expect_not_opened(built);
}

static void segments_that_wrap_are_refused(void)
{
	struct built *built = build(plan);
	put64(built, built->ehdr_phdrs + offsetof(Elf64_Phdr, p_memsz), UINT64_MAX);
	expect_not_opened(built);
	plan.vaddr = 0x1000;
	built = build(plan);
	put64(built, built->ehdr_phdrs + offsetof(Elf64_Phdr, p_memsz), UINT64_MAX - 10);
	expect_not_opened(built);
	put64(built, built->ehdr_phdrs + offsetof(Elf64_Phdr, p_memsz), 0);
	expect_not_opened(built);
}

static void tables_outside_the_image_are_refused(void)
{
	struct built *built = build(plan);
	put64(built, built->dynamic + 8, 0x123456789);
	expect_not_opened(built);
	built = build(plan);
	put64(built, built->ehdr_phdrs + sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_vaddr), 1ULL << 40);
	expect_not_opened(built);
}

static void a_string_table_larger_than_the_image_is_cut(void)
{
	struct built *built = build(plan);
	put64(built, built->dynamic + 2 * 16 + 8, UINT64_MAX);
	TEST_ASSERT_EQUAL(0, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL_HEX64(image.high - image.strtab, image.strtab_size);
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, "first", &symbol, &err));
}

static void a_gnu_hash_chain_without_an_end_is_an_error(void)
{
	struct built *built = open_plan();
	size_t bloom = built->gnu_hash + 16, bucket = bloom + 16, chain = bucket + 12;

	memset(built->data + bloom, 0xff, 16);
	for (uint32_t i = 0; i < 3; i++)
		put32(built, bucket + 4 * i, 1);
	memset(built->data + chain, 0, built->readable - chain);
	expect_error("nowhere");
	TEST_ASSERT_EQUAL(-1, at_first());
}

static void a_gnu_hash_table_that_makes_no_sense_is_an_error(void)
{
	struct built *built = open_plan();
	put32(built, built->gnu_hash + 8, 3);
	expect_error("first");
	put32(built, built->gnu_hash + 8, 1u << 31);
	expect_error("first");
	built = open_plan();
	put32(built, built->gnu_hash, UINT32_MAX);
	expect_error("first");
	TEST_ASSERT_EQUAL(-1, at_first());
	built = open_plan();
	put32(built, built->gnu_hash, 0);
	TEST_ASSERT_EQUAL(0, elf_symbol_find(&image, "first", &symbol, &err));
	built = open_plan();
	for (size_t i = 0; i < 3; i++)
		put32(built, built->gnu_hash + 32 + 4 * i, UINT32_MAX);
	expect_error("first");
	TEST_ASSERT_EQUAL(-1, at_first());
}

static void an_old_hash_chain_in_a_circle_is_an_error(void)
{
	plan.hash = HASH_SYSV;
	struct built *built = open_plan();
	for (uint32_t i = 0; i < 3; i++)
		put32(built, built->sysv_hash + 8 + 4 * i, 2);
	for (uint32_t i = 0; i < 4; i++)
		put32(built, built->sysv_hash + 8 + 12 + 4 * i, 2);
	expect_error("nowhere");
	for (uint32_t i = 0; i < 3; i++)
		put32(built, built->sysv_hash + 8 + 4 * i, 4);
	expect_error("nowhere");
	put32(built, built->sysv_hash, 0);
	TEST_ASSERT_EQUAL(0, elf_symbol_find(&image, "first", &symbol, &err));
	put32(built, built->sysv_hash, UINT32_MAX);
	expect_error("nowhere");
}

static void a_name_outside_the_string_table_is_passed_over(void)
{
	struct built *built = open_plan();
	for (size_t i = 1; i <= 3; i++)
		put32(built, built->symtab + i * sizeof(Elf64_Sym), 0x7fffffff);
	TEST_ASSERT_EQUAL(0, elf_symbol_find(&image, "first", &symbol, &err));
	TEST_ASSERT_EQUAL(0, at_first());
}

static void a_function_outside_its_image_is_an_error(void)
{
	static const struct built_symbol far[] = { { .name = "far", .value = 1ULL << 40 } };
	plan.symbol = far;
	plan.symbols = 1;
	open_plan();
	expect_error("far");
}

static void version_definitions_in_a_circle_end(void)
{
	struct built *built = open_plan();
	image.verdef_count = UINT64_MAX;
	put32(built, built->verdef + offsetof(Elf64_Verdef, vd_next), 0);
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, "second", &symbol, &err));
	TEST_ASSERT_EQUAL_STRING("", symbol.version);
	put32(built, built->verdef + offsetof(Elf64_Verdef, vd_next), UINT32_MAX);
	expect_error("second");
	built = open_plan();
	put32(built, built->verdef + sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux) + sizeof(Elf64_Verdef),
	      UINT32_MAX);
	expect_error("second");
	built = open_plan();
	put32(built, built->verdef, 7);
	expect_error("second");
}

static void notes_that_make_no_sense_are_passed_over(void)
{
	plan.build_id = "abcd";
	struct built *built = build(plan);
	put32(built, BUILT_HEAD, UINT32_MAX);
	TEST_ASSERT_EQUAL(0, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL(0, image.build_id_size);
	built = build(plan);
	put32(built, BUILT_HEAD + 4, UINT32_MAX);
	TEST_ASSERT_EQUAL(0, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL(0, image.build_id_size);
}

static void memory_that_ends_inside_a_page_is_read_to_its_last_byte(void)
{
	struct built *built = build(plan);
	built->readable = built->size;
	TEST_ASSERT_EQUAL(0, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, "first", &symbol, &err));
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, "second@V_1", &symbol, &err));
	TEST_ASSERT_EQUAL(1, at_first());
}

static void an_image_cut_anywhere_gives_an_answer_or_an_error(void)
{
	struct built *built = build(plan);
	for (size_t end = 0; end < built->size; end += 7) {
		built->readable = end;
		if (built_open(built, &image, &err))
			continue;
		elf_symbol_find(&image, "first", &symbol, &err);
		elf_symbol_find(&image, "second@V_1", &symbol, &err);
		at_first();
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(program_headers_that_make_no_sense_are_refused);
	RUN_TEST(segments_that_wrap_are_refused);
	RUN_TEST(tables_outside_the_image_are_refused);
	RUN_TEST(a_string_table_larger_than_the_image_is_cut);
	RUN_TEST(a_gnu_hash_chain_without_an_end_is_an_error);
	RUN_TEST(a_gnu_hash_table_that_makes_no_sense_is_an_error);
	RUN_TEST(an_old_hash_chain_in_a_circle_is_an_error);
	RUN_TEST(a_name_outside_the_string_table_is_passed_over);
	RUN_TEST(a_function_outside_its_image_is_an_error);
	RUN_TEST(version_definitions_in_a_circle_end);
	RUN_TEST(notes_that_make_no_sense_are_passed_over);
	RUN_TEST(memory_that_ends_inside_a_page_is_read_to_its_last_byte);
	RUN_TEST(an_image_cut_anywhere_gives_an_answer_or_an_error);
	return UNITY_END();
}
