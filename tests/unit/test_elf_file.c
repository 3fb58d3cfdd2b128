/* SPDX-License-Identifier: MIT */
#include "elf_builder.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unity.h"

#define GIB4 (4ULL << 30)

static const struct built_symbol exported[] = {
	{ .name = "exported", .value = 0x100, .version = "V_1" },
};
static const struct built_symbol inside[] = {
	{ .name = "a_long_exported", .value = 0x180, .size = 8, .local = true },
	{ .name = "exported", .value = 0x100, .size = 8 },
	{ .name = "twice", .value = 0x200, .size = 8, .local = true },
	{ .name = "twice", .value = 0x210, .size = 8, .local = true },
	{ .name = "same", .value = 0x220, .size = 8, .local = true },
	{ .name = "same", .value = 0x220, .size = 8, .local = true },
	{ .name = "shadow", .value = 0x230, .size = 8, .local = true },
	{ .name = "shadow", .value = 0x240, .size = 8, .local = true },
	{ .name = "shadow", .value = 0x250, .size = 8, .bind = STB_WEAK },
	{ .name = "shadow", .value = 0x260, .size = 8 },
	{ .name = "elsewhere", .value = 0 },
	{ .name = "resolver", .value = 0x270, .type = STT_GNU_IFUNC },
};

static struct elf_file file;
static struct elf_symbol symbol;
static struct err err;
static struct built_plan plan;
static int fd = -1;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	plan = (struct built_plan){
		.hash = HASH_GNU, .stack = STACK_PLAIN, .symbol = exported, .symbols = 1,
		.local = inside, .locals = sizeof inside / sizeof inside[0],
	};
}

void tearDown(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static struct built *open_plan(void)
{
	tearDown();
	struct built *built = build(plan);
	fd = built_file(built);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
	return built;
}

static void expect_not_loadable(const char *words)
{
	TEST_ASSERT_EQUAL(-1, elf_file_loadable(&file, EM_X86_64, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, words), err.text);
	TEST_ASSERT_NOT_EQUAL(0, err.remedy[0]);
}

static void expect_not_opened(const char *words)
{
	TEST_ASSERT_EQUAL(-1, elf_file_open(&file, fd, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, words), err.text);
}

static void dynamic_symbols_are_found_in_a_file(void)
{
	plan.vaddr = 0x400000;
	open_plan();
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&file.image, "exported@V_1", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x400100, symbol.addr);
	TEST_ASSERT_EQUAL(0, file.image.bias);
	TEST_ASSERT_EQUAL(0, elf_symbol_find(&file.image, "twice", &symbol, &err));
}

static void a_lookup_in_a_file_of_4_gib_reads_less_than_1_mib(void)
{
	char name[16];
	uint64_t offset;

	plan.gap = GIB4;
	plan.soname = "libhuge.so";
	plan.build_id = "id";
	open_plan();
	TEST_ASSERT_TRUE(file.size > GIB4);
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&file.image, "exported", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x100, symbol.addr);
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "exported", &symbol, &err));
	TEST_ASSERT_EQUAL(1, elf_file_symbol_at(&file, 0x104, name, sizeof name, &offset, &err));
	TEST_ASSERT_LESS_THAN(1 << 20, file.image.bytes_read);
}

static void symbols_of_symtab_are_found_even_if_they_share_their_tails(void)
{
	open_plan();
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "exported", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x100, symbol.addr);
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "a_long_exported", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x180, symbol.addr);
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "resolver", &symbol, &err));
	TEST_ASSERT_TRUE(symbol.ifunc);
	TEST_ASSERT_EQUAL(0, elf_file_symbol_find(&file, "elsewhere", &symbol, &err));
	TEST_ASSERT_EQUAL(0, elf_file_symbol_find(&file, "long_exported", &symbol, &err));
	TEST_ASSERT_EQUAL(0, elf_file_symbol_find(&file, "expor", &symbol, &err));
	TEST_ASSERT_EQUAL(0, elf_file_symbol_find(&file, "", &symbol, &err));
}

static void several_local_symbols_of_one_name_are_ambiguous(void)
{
	open_plan();
	TEST_ASSERT_EQUAL(-1, elf_file_symbol_find(&file, "twice", &symbol, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "ambiguous"), err.text);
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "same", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x220, symbol.addr);
}

static void a_global_symbol_comes_before_local_ones_of_its_name(void)
{
	open_plan();
	TEST_ASSERT_EQUAL(1, elf_file_symbol_find(&file, "shadow", &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64(0x260, symbol.addr);
	TEST_ASSERT_EQUAL(STB_GLOBAL, symbol.bind);
}

static void an_address_belongs_to_the_function_of_symtab_around_it(void)
{
	char name[32];
	uint64_t offset;

	open_plan();
	TEST_ASSERT_EQUAL(1, elf_file_symbol_at(&file, 0x213, name, sizeof name, &offset, &err));
	TEST_ASSERT_EQUAL_STRING("twice", name);
	TEST_ASSERT_EQUAL(3, offset);
	TEST_ASSERT_EQUAL(0, elf_file_symbol_at(&file, 0x1000, name, sizeof name, &offset, &err));
}

static void a_stripped_file_has_no_symtab(void)
{
	char name[32];
	uint64_t offset;

	plan.locals = 0;
	open_plan();
	TEST_ASSERT_EQUAL(0, elf_file_symbol_find(&file, "twice", &symbol, &err));
	TEST_ASSERT_EQUAL(0, elf_file_symbol_at(&file, 0x213, name, sizeof name, &offset, &err));
}

static void a_library_can_be_loaded_by_a_process_of_its_cpu(void)
{
	open_plan();
	TEST_ASSERT_EQUAL(0, elf_file_loadable(&file, EM_X86_64, &err));
	TEST_ASSERT_EQUAL(-1, elf_file_loadable(&file, EM_AARCH64, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "it is for x86_64, the process is aarch64"),
				     err.text);
}

static void what_dlopen_would_refuse_is_refused_with_a_remedy(void)
{
	plan.stack = STACK_EXEC;
	open_plan();
	expect_not_loadable("executable stack");
	plan.stack = STACK_UNSAID;
	open_plan();
	expect_not_loadable("executable stack");
	plan.stack = STACK_PLAIN;
	plan.flags_1 = DF_1_PIE;
	open_plan();
	expect_not_loadable("a program");
	plan.flags_1 = DF_1_NOOPEN;
	open_plan();
	expect_not_loadable("nodlopen");
	plan.flags_1 = 0;
	plan.no_dynamic = true;
	open_plan();
	expect_not_loadable("no dynamic section");
	plan.no_dynamic = false;
	plan.type = ET_EXEC;
	open_plan();
	expect_not_loadable("a program");
}

static void a_truncated_file_is_not_loadable(void)
{
	struct built *built = open_plan();
	TEST_ASSERT_EQUAL(0, ftruncate(fd, (off_t)built->size - 1));
	TEST_ASSERT_EQUAL(0, elf_file_open(&file, fd, &err));
	expect_not_loadable("truncated");
}

static void a_file_that_shrinks_meanwhile_is_an_error(void)
{
	char name[32];
	uint64_t offset;

	open_plan();
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 100));
	TEST_ASSERT_EQUAL(-1, elf_symbol_find(&file.image, "exported", &symbol, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_EQUAL(-1, elf_symbol_at(&file.image, 0x100, name, sizeof name, &offset, &err));
	TEST_ASSERT_EQUAL(-1, elf_file_symbol_find(&file, "exported", &symbol, &err));
	TEST_ASSERT_EQUAL(-1, elf_file_symbol_at(&file, 0x100, name, sizeof name, &offset, &err));
}

static void what_is_no_elf_file_is_refused(void)
{
	open_plan();
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 10));
	expect_not_opened("too short");
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 60));
	expect_not_opened("cannot be read");
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 0));
	expect_not_opened("too short");
	static const char script[] = "#!/bin/sh\necho a script that is as long as a header of an ELF file\n";
	TEST_ASSERT_EQUAL(sizeof script, pwrite(fd, script, sizeof script, 0));
	expect_not_opened("not an ELF");
	tearDown();
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	expect_not_opened("not a regular file");
	tearDown();
	TEST_ASSERT_EQUAL(-1, elf_file_open(&file, -1, &err));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(dynamic_symbols_are_found_in_a_file);
	RUN_TEST(a_lookup_in_a_file_of_4_gib_reads_less_than_1_mib);
	RUN_TEST(symbols_of_symtab_are_found_even_if_they_share_their_tails);
	RUN_TEST(several_local_symbols_of_one_name_are_ambiguous);
	RUN_TEST(a_global_symbol_comes_before_local_ones_of_its_name);
	RUN_TEST(an_address_belongs_to_the_function_of_symtab_around_it);
	RUN_TEST(a_stripped_file_has_no_symtab);
	RUN_TEST(a_library_can_be_loaded_by_a_process_of_its_cpu);
	RUN_TEST(what_dlopen_would_refuse_is_refused_with_a_remedy);
	RUN_TEST(a_truncated_file_is_not_loadable);
	RUN_TEST(a_file_that_shrinks_meanwhile_is_an_error);
	RUN_TEST(what_is_no_elf_file_is_refused);
	return UNITY_END();
}
