/* SPDX-License-Identifier: MIT */
#include "elf/functions.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "elf/cover.h"
#include "elf_builder.h"
#include "named_files.h"
#include "functions_case.h"

#define BASE 0x7f1234560000
#define MANY 100000

static void expect_at(uint64_t vaddr, const char *name, uint64_t offset)
{
	uint64_t into = 99;
	const char *found = functions_at(&functions, vaddr, &into);
	if (!name) {
		TEST_ASSERT_NULL_MESSAGE(found, found);
		return;
	}
	TEST_ASSERT_NOT_NULL_MESSAGE(found, name);
	TEST_ASSERT_EQUAL_STRING(name, found);
	TEST_ASSERT_EQUAL_HEX64(offset, into);
	TEST_ASSERT_EQUAL_HEX64(vaddr - offset, functions_find(&functions, vaddr)->start);
}

static void open_named(const char *name)
{
	fd = named_open(name);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
}

static void expect_all(void)
{
	expect_at(named_address("named_global"), "named_global", 0);
	expect_at(named_address("named_hidden") + 2, "named_hidden", 2);
	expect_at(named_address("_ZN5named5innerEi") + 1, "_ZN5named5innerEi", 1);
	expect_at(named_address("named_sized") + 3, "named_sized", 3);
}

/* ---- real files ---- */

static void symtab_names_everything(void)
{
	open_named(NAMED_WHOLE);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_dynamic(&functions, &file.image, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	TEST_ASSERT_TRUE(functions.whole);
	expect_all();
}

static void a_stripped_file_names_what_it_exports(void)
{
	open_named(NAMED_STRIPPED);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_dynamic(&functions, &file.image, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	TEST_ASSERT_FALSE(functions.whole);
	expect_at(named_address("named_global") + 1, "named_global", 1);
	expect_at(named_address("named_hidden"), NULL, 0);
	expect_at(named_address("named_sized"), NULL, 0);
}

static void a_debug_file_names_everything_and_has_the_build_id(void)
{
	char id[2 * ELF_BUILD_ID_MAX + 1];
	fd = named_open(NAMED_DEBUG);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open_debug(&file, fd, &err), err.text);
	elf_build_id_text(&file.image, id, sizeof id);
	TEST_ASSERT_EQUAL_STRING(NAMED_ID, id);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	TEST_ASSERT_TRUE(functions.whole);
	expect_all();
}

static void the_small_packed_table_names_everything(void)
{
	open_named(NAMED_MINI);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	TEST_ASSERT_FALSE(functions.whole);
	TEST_ASSERT_GREATER_THAN(3, functions.n);
	/* Its longer build id may have moved what follows: by the same for all. */
	uint64_t off, at = 0;
	for (at = 0; at < 0x40000; at++) {
		const char *name = functions_at(&functions, at, &off);
		if (name && !strcmp(name, "named_global"))
			break;
	}
	TEST_ASSERT_EQUAL(0, off);
	uint64_t moved = at - named_address("named_global");
	expect_at(named_address("named_hidden") + moved, "named_hidden", 0);
	expect_at(named_address("_ZN5named5innerEi") + moved, "_ZN5named5innerEi", 0);
	expect_at(named_address("named_label") + moved, "named_label", 0);
}

static void what_has_no_size_reaches_to_the_next(void)
{
	open_named(NAMED_WHOLE);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	uint64_t label = named_address("named_label"), sizeless = named_address("named_sizeless");
	expect_at(label + 1, "named_label", 1);
	expect_at(sizeless - 1, "named_label", sizeless - 1 - label);
	expect_at(sizeless + 3, "named_sizeless", 3);
	expect_at(named_address("named_inside") + 1, "named_sized", named_address("named_inside") + 1 - named_address("named_sized"));
}

static void marks_of_the_assembler_are_no_functions(void)
{
	open_named(NAMED_WHOLE);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_file(&functions, &file, &err), err.text);
	for (size_t i = 0; i < functions.n; i++) {
		TEST_ASSERT_NOT_EQUAL('$', functions.names[functions.v[i].name]);
		TEST_ASSERT_NOT_EQUAL('.', functions.names[functions.v[i].name]);
	}
}

/* The bytes of a file, to be spoilt: a new memfd each time. */
static uint8_t *read_named(const char *name, size_t *size)
{
	static uint8_t bytes[1 << 20];
	int from = named_open(name);
	ssize_t n = read(from, bytes, sizeof bytes);
	close(from);
	TEST_ASSERT_TRUE(n > 0 && n < (ssize_t)sizeof bytes);
	*size = (size_t)n;
	return bytes;
}

static int load_bytes(const uint8_t *bytes, size_t size)
{
	if (fd >= 0)
		close(fd);
	fd = memfd_create("spoilt", MFD_CLOEXEC);
	TEST_ASSERT_EQUAL((ssize_t)size, write(fd, bytes, size));
	functions_free(&functions);
	memset(&err, 0, sizeof err);
	return elf_file_open_debug(&file, fd, &err) ? -1 : functions_add_file(&functions, &file, &err);
}

static void a_spoilt_packed_table_is_an_error(void)
{
	size_t size;
	uint8_t *bytes = read_named(NAMED_MINI, &size);
	uint8_t *packed = memmem(bytes, size, "\3757zXZ", 6);
	TEST_ASSERT_NOT_NULL(packed);
	TEST_ASSERT_EQUAL_MESSAGE(0, load_bytes(bytes, size), err.text);
	packed[60] ^= 1;
	TEST_ASSERT_EQUAL(-1, load_bytes(bytes, size));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, ".gnu_debugdata: xz: damaged"), err.text);
	memset(packed, 0, 6);
	TEST_ASSERT_EQUAL(-1, load_bytes(bytes, size));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "not in the .xz format"), err.text);
}

/* As elfutils' strip leaves them: program headers as in the stripped file, also for bytes that are not here. */
static void a_debug_file_whose_program_headers_are_those_of_the_other(void)
{
	size_t size;
	uint8_t *bytes = read_named(NAMED_DEBUG, &size);
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	memcpy(&ehdr, bytes, sizeof ehdr);
	for (unsigned i = 0; i < ehdr.e_phnum; i++) {
		uint8_t *at = bytes + ehdr.e_phoff + i * sizeof phdr;
		memcpy(&phdr, at, sizeof phdr);
		phdr.p_filesz = phdr.p_memsz;
		phdr.p_offset = phdr.p_vaddr;
		memcpy(at, &phdr, sizeof phdr);
	}
	TEST_ASSERT_EQUAL_MESSAGE(0, load_bytes(bytes, size), err.text);
	TEST_ASSERT_EQUAL(-1, elf_file_open(&file, fd, &err));
	TEST_ASSERT_EQUAL(0, elf_file_open_debug(&file, fd, &err));
	TEST_ASSERT_EQUAL(strlen(NAMED_ID) / 2, file.image.build_id_size);
	expect_all();
}

static void a_cut_file_gives_an_error_or_fewer_names(void)
{
	size_t size;
	uint8_t *bytes = read_named(NAMED_WHOLE, &size);
	for (size_t cut = 0; cut < size; cut += size / 50) {
		if (load_bytes(bytes, cut))
			TEST_ASSERT_TRUE(err.text[0]);
		uint64_t offset;
		functions_at(&functions, 0x1000, &offset);
	}
}

/* ---- made to order ---- */

static void dynamic(const struct built_symbol *symbol, size_t n, enum built_hash hash)
{
	struct elf_image image;
	struct built *built = build((struct built_plan){ .base = BASE, .symbol = symbol, .symbols = n, .hash = hash });
	TEST_ASSERT_EQUAL_MESSAGE(0, built_open(built, &image, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, functions_add_dynamic(&functions, &image, &err), err.text);
}

static void of_aliases_people_get_the_one_they_know(void)
{
	static const struct built_symbol symbol[] = {
		{ .name = "__libc_read", .value = 0x100, .size = 16 },
		{ .name = "__read", .value = 0x100, .size = 16 },
		{ .name = "read", .value = 0x100, .size = 16, .bind = STB_WEAK },
		{ .name = "__GI_write", .value = 0x200, .size = 16, .local = true },
		{ .name = "_write", .value = 0x200, .size = 16, .bind = STB_WEAK },
		{ .name = "___open", .value = 0x300, .size = 16 },
		{ .name = "_open", .value = 0x300, .size = 16 },
		{ .name = "__open", .value = 0x300, .size = 16 },
	};
	dynamic(symbol, 8, HASH_GNU);
	expect_at(0x204, "_write", 4);
	expect_at(0x304, "_open", 4);
	uint64_t offset;
	const char *name = functions_at(&functions, 0x10f, &offset);
	TEST_ASSERT_TRUE(name && !strncmp(name, "__", 2));      /* global before weak */
	TEST_ASSERT_EQUAL(3, functions.n);
}

static void data_and_what_is_elsewhere_are_no_functions(void)
{
	static const struct built_symbol symbol[] = {
		{ .name = "data", .value = 0x100, .size = 16, .type = STT_OBJECT },
		{ .name = "elsewhere", .value = 0, .size = 16 },
		{ .name = "number", .value = 0x140, .size = 16, .absolute = true },
		{ .name = "chosen", .value = 0x180, .size = 16, .type = STT_GNU_IFUNC },
		{ .name = "label", .value = 0x1c0 },
	};
	for (int hash = HASH_NONE; hash <= HASH_BOTH; hash++) {
		functions_free(&functions);
		dynamic(symbol, 5, (enum built_hash)hash);
		TEST_ASSERT_EQUAL(2, functions.n);
		expect_at(0x108, NULL, 0);
		expect_at(0x148, NULL, 0);
		expect_at(0x18f, "chosen", 15);
		expect_at(0x190, NULL, 0);
		expect_at(0x1c8, "label", 8);
		expect_at(0x1c0 + 512, NULL, 0);
		expect_at(0, NULL, 0);
		expect_at(UINT64_MAX, NULL, 0);
	}
}

static void put(uint64_t start, uint64_t size, const char *name, unsigned rank)
{
	uint32_t offset;
	char *text = functions_names(&functions, strlen(name), &offset, &err);
	TEST_ASSERT_NOT_NULL(text);
	strcpy(text, name);
	TEST_ASSERT_EQUAL(0, functions_add(&functions, &(struct function){ start, size, offset, (uint8_t)rank }, &err));
}

static void one_function_in_another(void)
{
	put(0x100, 0x100, "outer", FUNCTION_SIZED);
	put(0x140, 0x10, "inner", FUNCTION_SIZED);
	put(0x160, 0x1000, "label", 0);
	put(0x300, 0x1000, "open", 0);
	put(0x400, 0x10, "next", FUNCTION_SIZED);
	expect_at(0x13f, "outer", 0x3f);
	expect_at(0x14f, "inner", 0xf);
	expect_at(0x150, "outer", 0x50);
	expect_at(0x170, "outer", 0x70);
	expect_at(0x200, NULL, 0);
	expect_at(0x3ff, "open", 0xff);
	expect_at(0x40f, "next", 0xf);
	expect_at(0x410, NULL, 0);
}

static void more_can_be_added_later(void)
{
	put(0x100, 0x1000, "open", 0);
	expect_at(0x180, "open", 0x80);
	put(0x140, 0x10, "new", FUNCTION_SIZED);
	expect_at(0x13f, "open", 0x3f);
	expect_at(0x14f, "new", 0xf);
	expect_at(0x180, NULL, 0);
}

static void the_last_of_a_kind_counts_where_that_is_asked_for(void)
{
	functions.last_counts = true;
	put(0x100, 0x100, "old", FUNCTION_SIZED | ELF_RANK_GLOBAL);
	put(0x100, 0x10, "__new", FUNCTION_SIZED);
	expect_at(0x10f, "__new", 0xf);
	expect_at(0x110, NULL, 0);
}

static void a_hundred_thousand_in_any_order(void)
{
	char name[16];
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t at = i * 7919 % MANY;
		snprintf(name, sizeof name, "f%llu", (unsigned long long)at);
		put(0x7f0000000000 + 48 * at, 32, name, FUNCTION_SIZED);
	}
	for (uint64_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "f%llu", (unsigned long long)i);
		expect_at(0x7f0000000000 + 48 * i + 31, name, 31);
		expect_at(0x7f0000000000 + 48 * i + 32, NULL, 0);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(symtab_names_everything);
	RUN_TEST(a_stripped_file_names_what_it_exports);
	RUN_TEST(a_debug_file_names_everything_and_has_the_build_id);
	RUN_TEST(the_small_packed_table_names_everything);
	RUN_TEST(what_has_no_size_reaches_to_the_next);
	RUN_TEST(marks_of_the_assembler_are_no_functions);
	RUN_TEST(a_spoilt_packed_table_is_an_error);
	RUN_TEST(a_debug_file_whose_program_headers_are_those_of_the_other);
	RUN_TEST(a_cut_file_gives_an_error_or_fewer_names);
	RUN_TEST(of_aliases_people_get_the_one_they_know);
	RUN_TEST(data_and_what_is_elsewhere_are_no_functions);
	RUN_TEST(one_function_in_another);
	RUN_TEST(more_can_be_added_later);
	RUN_TEST(the_last_of_a_kind_counts_where_that_is_asked_for);
	RUN_TEST(a_hundred_thousand_in_any_order);
	return UNITY_END();
}
