/* SPDX-License-Identifier: MIT */
#include "elf_builder.h"

#include <string.h>

#include "unity.h"

#define BASE 0x7f1234560000
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct built_symbol library[] = {
	{ .name = "needed", .value = 0 },
	{ .name = "plain", .value = 0x100, .size = 16 },
	{ .name = "weak", .value = 0x120, .bind = STB_WEAK },
	{ .name = "unique", .value = 0x128, .bind = STB_GNU_UNIQUE, .type = STT_OBJECT },
	{ .name = "resolver", .value = 0x130, .type = STT_GNU_IFUNC },
	{ .name = "datum", .value = 0x140, .type = STT_OBJECT, .size = 8 },
	{ .name = "per_thread", .value = 0x18, .type = STT_TLS, .size = 4 },
	{ .name = "absolute", .value = 0x4242, .type = STT_OBJECT, .absolute = true },
	{ .name = "local", .value = 0x150, .local = true },
	{ .name = "both", .value = 0x200, .version = "V_1", .hidden = true },
	{ .name = "both", .value = 0x210, .version = "V_2" },
	{ .name = "past", .value = 0x220, .version = "V_1", .hidden = true },
	{ .name = "of_v1", .value = 0x230, .version = "V_1" },
};

static struct elf_image image;
static struct elf_symbol symbol;
static struct err err;
static struct built_plan plan;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	plan = (struct built_plan){
		.base = BASE, .hash = HASH_GNU, .symbol = library, .symbols = COUNT(library),
	};
}

void tearDown(void) { }

static void open_plan(void)
{
	int rc = built_open(build(plan), &image, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
}

static void expect(const char *name, uint64_t addr)
{
	int found = elf_symbol_find(&image, name, &symbol, &err);
	TEST_ASSERT_EQUAL_MESSAGE(1, found, name);
	TEST_ASSERT_EQUAL_HEX64_MESSAGE(addr, symbol.addr, name);
}

static void expect_none(const char *name)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_symbol_find(&image, name, &symbol, &err), name);
	TEST_ASSERT_EQUAL_HEX64(0, symbol.addr);
}

static void expect_library(void)
{
	expect("plain", BASE + 0x100);
	TEST_ASSERT_EQUAL(STT_FUNC, symbol.type);
	TEST_ASSERT_EQUAL(STB_GLOBAL, symbol.bind);
	TEST_ASSERT_EQUAL(16, symbol.size);
	TEST_ASSERT_FALSE(symbol.ifunc);
	expect("weak", BASE + 0x120);
	expect("datum", BASE + 0x140);
	expect("both", BASE + 0x210);
	TEST_ASSERT_EQUAL_STRING("V_2", symbol.version);
	expect("both@V_1", BASE + 0x200);
	TEST_ASSERT_EQUAL_STRING("V_1", symbol.version);
	expect("both@V_2", BASE + 0x210);
	expect("both@@V_2", BASE + 0x210);
	expect_none("both@@V_1");
	expect_none("both@V_3");
	expect_none("plai");
	expect_none("plainer");
	expect_none("needed");
}

static void it_finds_symbols_by_gnu_hash(void)
{
	open_plan();
	TEST_ASSERT_NOT_EQUAL(0, image.gnu_hash);
	TEST_ASSERT_EQUAL(0, image.sysv_hash);
	expect_library();
}

static void it_finds_symbols_by_the_old_hash(void)
{
	plan.hash = HASH_SYSV;
	open_plan();
	TEST_ASSERT_EQUAL(0, image.gnu_hash);
	TEST_ASSERT_NOT_EQUAL(0, image.sysv_hash);
	expect_library();
}

static void it_finds_symbols_with_both_hash_tables(void)
{
	plan.hash = HASH_BOTH;
	open_plan();
	expect_library();
}

static void it_finds_symbols_without_a_hash_table(void)
{
	plan.hash = HASH_NONE;
	open_plan();
	TEST_ASSERT_EQUAL(0, image.gnu_hash);
	TEST_ASSERT_EQUAL(0, image.sysv_hash);
	expect_library();
}

static void it_finds_symbols_where_the_loader_relocated_the_dynamic_section(void)
{
	plan.moved = MOVED_BY_GLIBC;
	open_plan();
	expect_library();
	plan.verdef_moved = true;
	open_plan();
	expect_library();
}

static void it_finds_symbols_when_the_first_vaddr_is_not_zero(void)
{
	plan.vaddr = 0x3000000000;
	open_plan();
	TEST_ASSERT_EQUAL_HEX64(BASE - 0x3000000000, image.bias);
	expect_library();
	plan.moved = MOVED_BY_GLIBC;
	open_plan();
	expect_library();
}

/* As the vdso of old kernels. */
static void it_finds_symbols_when_the_bias_is_negative(void)
{
	plan.vaddr = 0xffffffffff700000;
	open_plan();
	expect_library();
}

static void it_finds_symbols_of_a_prelinked_library_moved_by_less_than_its_size(void)
{
	plan.vaddr = BASE - 0x1000;
	open_plan();
	expect_library();
	plan.moved = MOVED_BY_GLIBC;
	open_plan();
	expect_library();
	plan.hash = HASH_SYSV;
	open_plan();
	expect_library();
}

static void it_finds_symbols_of_a_program_at_a_fixed_address(void)
{
	plan.type = ET_EXEC;
	plan.vaddr = BASE;
	open_plan();
	TEST_ASSERT_EQUAL(ET_EXEC, image.type);
	TEST_ASSERT_EQUAL_HEX64(0, image.bias);
	expect_library();
}

static void it_says_what_kind_a_symbol_is(void)
{
	open_plan();
	expect("weak", BASE + 0x120);
	TEST_ASSERT_EQUAL(STB_WEAK, symbol.bind);
	expect("unique", BASE + 0x128);
	TEST_ASSERT_EQUAL(STB_GNU_UNIQUE, symbol.bind);
	expect("resolver", BASE + 0x130);
	TEST_ASSERT_TRUE(symbol.ifunc);
	expect("datum", BASE + 0x140);
	TEST_ASSERT_EQUAL(STT_OBJECT, symbol.type);
	TEST_ASSERT_FALSE(symbol.ifunc);
	expect("per_thread", 0x18);
	TEST_ASSERT_EQUAL(STT_TLS, symbol.type);
	expect("absolute", 0x4242);
}

static void it_does_not_find_local_or_undefined_symbols(void)
{
	open_plan();
	expect_none("local");
	expect_none("needed");
	expect_none("");
	expect_none("@V_1");
}

static void a_name_with_hidden_versions_only_is_found_by_its_version_only(void)
{
	open_plan();
	expect_none("past");
	expect("past@V_1", BASE + 0x220);
	expect_none("past@@V_1");
}

static void a_name_without_a_version_has_none(void)
{
	open_plan();
	expect("plain", BASE + 0x100);
	TEST_ASSERT_EQUAL_STRING("", symbol.version);
	expect_none("plain@V_1");
	expect_none("plain@");
}

static void a_library_without_versions_has_none(void)
{
	static const struct built_symbol one[] = { { .name = "plain", .value = 0x100 } };
	plan.symbol = one;
	plan.symbols = 1;
	open_plan();
	TEST_ASSERT_EQUAL(0, image.versym);
	expect("plain", BASE + 0x100);
	expect_none("plain@V_1");
}

static void a_library_without_symbols_has_none(void)
{
	plan.symbols = 0;
	open_plan();
	expect_none("plain");
	plan.hash = HASH_SYSV;
	open_plan();
	expect_none("plain");
	plan.hash = HASH_NONE;
	open_plan();
	expect_none("plain");
}

static void an_image_without_a_dynamic_section_has_no_symbols(void)
{
	char name[16];
	uint64_t offset;

	plan.no_dynamic = true;
	open_plan();
	TEST_ASSERT_EQUAL(0, image.dynamic);
	expect_none("plain");
	TEST_ASSERT_EQUAL(0, elf_symbol_at(&image, BASE + 0x100, name, sizeof name, &offset, &err));
}

static void very_long_names_are_compared_to_their_end(void)
{
	static char first[9001], second[9001];
	memset(first, 'a', 9000);
	memcpy(second, first, 9000);
	second[8999] = 'b';
	const struct built_symbol two[] = {
		{ .name = first, .value = 0x100 }, { .name = second, .value = 0x200 },
	};
	plan.symbol = two;
	plan.symbols = 2;
	open_plan();
	expect(first, BASE + 0x100);
	expect(second, BASE + 0x200);
	second[8999] = 'c';
	expect_none(second);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(it_finds_symbols_by_gnu_hash);
	RUN_TEST(it_finds_symbols_by_the_old_hash);
	RUN_TEST(it_finds_symbols_with_both_hash_tables);
	RUN_TEST(it_finds_symbols_without_a_hash_table);
	RUN_TEST(it_finds_symbols_where_the_loader_relocated_the_dynamic_section);
	RUN_TEST(it_finds_symbols_when_the_first_vaddr_is_not_zero);
	RUN_TEST(it_finds_symbols_when_the_bias_is_negative);
	RUN_TEST(it_finds_symbols_of_a_prelinked_library_moved_by_less_than_its_size);
	RUN_TEST(it_finds_symbols_of_a_program_at_a_fixed_address);
	RUN_TEST(it_says_what_kind_a_symbol_is);
	RUN_TEST(it_does_not_find_local_or_undefined_symbols);
	RUN_TEST(a_name_with_hidden_versions_only_is_found_by_its_version_only);
	RUN_TEST(a_name_without_a_version_has_none);
	RUN_TEST(a_library_without_versions_has_none);
	RUN_TEST(a_library_without_symbols_has_none);
	RUN_TEST(an_image_without_a_dynamic_section_has_no_symbols);
	RUN_TEST(very_long_names_are_compared_to_their_end);
	return UNITY_END();
}
