/* SPDX-License-Identifier: MIT */
#include "elf_builder.h"

#include <string.h>
#include <sys/auxv.h>

#include "unity.h"

#define BASE 0x7f1234560000

static const struct built_symbol function[] = {
	{ .name = "alias", .value = 0x100, .size = 0x20, .bind = STB_WEAK },
	{ .name = "function", .value = 0x100, .size = 0x20 },
	{ .name = "inner", .value = 0x110, .size = 4 },
	{ .name = "sizeless", .value = 0x200 },
	{ .name = "datum", .value = 0x300, .size = 8, .type = STT_OBJECT },
	{ .name = "resolver", .value = 0x400, .size = 8, .type = STT_GNU_IFUNC },
};

static struct elf_image image;
static struct err err;
static struct built_plan plan;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	plan = (struct built_plan){
		.base = BASE, .hash = HASH_GNU, .symbol = function,
		.symbols = sizeof function / sizeof function[0],
	};
}

void tearDown(void) { }

static struct built *open_plan(void)
{
	struct built *built = build(plan);
	int rc = built_open(built, &image, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	return built;
}

static void expect_refused(struct built *built, const char *words)
{
	TEST_ASSERT_EQUAL(-1, built_open(built, &image, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, words), err.text);
}

static void expect_at(uint64_t addr, const char *name, uint64_t offset)
{
	char got[32];
	uint64_t into;
	TEST_ASSERT_EQUAL(1, elf_symbol_at(&image, addr, got, sizeof got, &into, &err));
	TEST_ASSERT_EQUAL_STRING(name, got);
	TEST_ASSERT_EQUAL_HEX64(offset, into);
}

static void expect_nothing_at(uint64_t addr)
{
	char got[32];
	uint64_t into;
	TEST_ASSERT_EQUAL(0, elf_symbol_at(&image, addr, got, sizeof got, &into, &err));
	TEST_ASSERT_EQUAL_STRING("", got);
}

static void it_knows_what_the_headers_say(void)
{
	char id[2 * ELF_BUILD_ID_MAX + 1];

	plan.machine = EM_AARCH64;
	plan.soname = "libbuilt.so.1";
	plan.build_id = "\x01\x23\xab\xff";
	plan.interp = true;
	plan.flags_1 = DF_1_NOOPEN;
	struct built *built = open_plan();
	TEST_ASSERT_EQUAL(EM_AARCH64, image.machine);
	TEST_ASSERT_EQUAL(ET_DYN, image.type);
	TEST_ASSERT_EQUAL_HEX64(BASE, image.low);
	TEST_ASSERT_EQUAL_HEX64(BASE + built->size, image.high);
	TEST_ASSERT_EQUAL_HEX64(BASE + built->dynamic, image.dynamic);
	TEST_ASSERT_EQUAL_STRING("libbuilt.so.1", image.soname);
	TEST_ASSERT_TRUE(image.has_interp);
	TEST_ASSERT_EQUAL(DF_1_NOOPEN, image.flags_1);
	elf_build_id_text(&image, id, sizeof id);
	TEST_ASSERT_EQUAL_STRING("0123abff", id);
	elf_build_id_text(&image, id, 5);
	TEST_ASSERT_EQUAL_STRING("0123", id);
}

static void it_needs_few_reads_to_open_an_image(void)
{
	plan.soname = "libbuilt.so.1";
	struct built *built = open_plan();
	TEST_ASSERT_LESS_OR_EQUAL(4, built->reads);
}

static void it_finds_program_headers_outside_the_first_page(void)
{
	plan.far_headers = true;
	struct built *built = open_plan();
	TEST_ASSERT_GREATER_THAN(BUILT_HEAD, built->ehdr_phdrs);
	expect_at(BASE + 0x101, "function", 1);
}

static void it_reads_whether_branch_targets_are_marked(void)
{
	plan.property = 1;
	open_plan();
	TEST_ASSERT_TRUE(image.bti_or_ibt);
	plan.machine = EM_AARCH64;
	open_plan();
	TEST_ASSERT_TRUE(image.bti_or_ibt);
	plan.property = 2;
	open_plan();
	TEST_ASSERT_FALSE(image.bti_or_ibt);
	plan.property = 0;
	open_plan();
	TEST_ASSERT_FALSE(image.bti_or_ibt);
}

static void it_finds_the_build_id_behind_other_notes(void)
{
	plan.property = 3;
	plan.build_id = "abc";
	open_plan();
	TEST_ASSERT_EQUAL(3, image.build_id_size);
	TEST_ASSERT_EQUAL_MEMORY("abc", image.build_id, 3);
}

static void an_exec_stack_is_wanted_as_the_c_library_understands_it(void)
{
	plan.stack = STACK_EXEC;
	open_plan();
	TEST_ASSERT_TRUE(image.wants_exec_stack);
	plan.stack = STACK_PLAIN;
	open_plan();
	TEST_ASSERT_FALSE(image.wants_exec_stack);
	plan.stack = STACK_UNSAID;
	open_plan();
	TEST_ASSERT_TRUE(image.wants_exec_stack);
	plan.machine = EM_AARCH64;
	open_plan();
	TEST_ASSERT_FALSE(image.wants_exec_stack);
}

static void an_image_of_32_bits_is_refused_by_name(void)
{
	struct built *built = build(plan);
	uint16_t machine = EM_386;
	built->data[EI_CLASS] = ELFCLASS32;
	memcpy(built->data + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
	expect_refused(built, "32-bit (i386)");
}

static void an_image_of_the_other_byte_order_is_refused(void)
{
	struct built *built = build(plan);
	built->data[EI_DATA] = ELFDATA2MSB;
	expect_refused(built, "big-endian");
}

static void other_kinds_of_elf_are_refused_by_name(void)
{
	plan.type = ET_REL;
	expect_refused(build(plan), "relocatable object");
	plan.type = ET_CORE;
	expect_refused(build(plan), "core dump");
	struct built *built = build(plan);
	built->data[0] = '#';
	expect_refused(built, "not an ELF");
}

static void an_address_belongs_to_the_function_around_it(void)
{
	for (int hash = HASH_NONE; hash <= HASH_BOTH; hash++) {
		plan.hash = (enum built_hash)hash;
		open_plan();
		expect_at(BASE + 0x100, "function", 0);
		expect_at(BASE + 0x10f, "function", 0xf);
		expect_at(BASE + 0x112, "inner", 2);
		expect_at(BASE + 0x11f, "function", 0x1f);
		expect_nothing_at(BASE + 0x120);
		expect_at(BASE + 0x200, "sizeless", 0);
		expect_nothing_at(BASE + 0x201);
		expect_nothing_at(BASE + 0x300);
		expect_at(BASE + 0x404, "resolver", 4);
		expect_nothing_at(BASE - 1);
		expect_nothing_at(0);
		expect_nothing_at(UINT64_MAX);
	}
}

static void a_long_name_is_cut_to_the_room_there_is(void)
{
	char name[4];
	uint64_t offset;

	open_plan();
	TEST_ASSERT_EQUAL(1, elf_symbol_at(&image, BASE + 0x100, name, sizeof name, &offset, &err));
	TEST_ASSERT_EQUAL_STRING("fun", name);
	TEST_ASSERT_EQUAL(1, elf_symbol_at(&image, BASE + 0x100, NULL, 0, &offset, &err));
}

static int read_self(void *ctx, uint64_t addr, void *buf, size_t size)
{
	uint64_t start = *(uint64_t *)ctx;

	/* At least two pages on every CPU; more may be unmapped. */
	if (addr < start || addr - start + size > 8192)
		return -1;
	memcpy(buf, (const void *)(uintptr_t)addr, size);
	return 0;
}

static void the_vdso_of_this_kernel_has_its_functions(void)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	struct elf_symbol symbol;
#ifdef __aarch64__
	const char *name = "__kernel_clock_gettime", *other = "__kernel_clock_gettime@LINUX_2.6.39";
#else
	const char *name = "__vdso_clock_gettime", *other = "__vdso_clock_gettime@LINUX_2.6";
#endif

	if (!start)
		TEST_IGNORE_MESSAGE("this kernel gives no vdso");
	struct elf_source source = { .read = read_self, .ctx = &start };
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_image_open(&image, source, start, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(1, elf_symbol_find(&image, name, &symbol, &err), err.text);
	TEST_ASSERT_EQUAL(STT_FUNC, symbol.type);
	TEST_ASSERT_TRUE(symbol.addr > start && symbol.addr < image.high);
	uint64_t addr = symbol.addr;
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, other, &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(addr, symbol.addr);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(it_knows_what_the_headers_say);
	RUN_TEST(it_needs_few_reads_to_open_an_image);
	RUN_TEST(it_finds_program_headers_outside_the_first_page);
	RUN_TEST(it_reads_whether_branch_targets_are_marked);
	RUN_TEST(it_finds_the_build_id_behind_other_notes);
	RUN_TEST(an_exec_stack_is_wanted_as_the_c_library_understands_it);
	RUN_TEST(an_image_of_32_bits_is_refused_by_name);
	RUN_TEST(an_image_of_the_other_byte_order_is_refused);
	RUN_TEST(other_kinds_of_elf_are_refused_by_name);
	RUN_TEST(an_address_belongs_to_the_function_around_it);
	RUN_TEST(a_long_name_is_cut_to_the_room_there_is);
	RUN_TEST(the_vdso_of_this_kernel_has_its_functions);
	return UNITY_END();
}
