/* SPDX-License-Identifier: MIT */
/* Section headers that lie: each lie has its own sentence, and nothing is taken from behind it. */
#include "elf/section.h"
#include "elf_builder.h"
#include "functions_case.h"

#define SECTIONS 3
enum { FIRST, SYMBOLS, STRINGS };

static const struct built_symbol inside[] = { { .name = "inside", .value = 0x100, .size = 8, .local = true } };

static struct elf_symbol symbol;

struct headers {
	Elf64_Ehdr file;
	Elf64_Shdr section[SECTIONS];
};

/* A file with a symbol table, after `harm`. */
static int open_harmed(void (*harm)(struct headers *h))
{
	struct headers h;
	struct built *built = build((struct built_plan){ .hash = HASH_GNU, .local = inside, .locals = 1 });
	memcpy(&h.file, built->data, sizeof h.file);
	memcpy(h.section, built->data + built->sections, sizeof h.section);
	harm(&h);
	memcpy(built->data, &h.file, sizeof h.file);
	memcpy(built->data + built->sections, h.section, sizeof h.section);
	fd = built_file(built);
	return elf_file_open(&file, fd, &err);
}

static void again(void)
{
	tearDown();
	setUp();
}

static void expect_words(const char *words)
{
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, words), err.text);
	again();
}

static void expect_no_table(void (*harm)(struct headers *h), const char *words)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, open_harmed(harm), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(-1, elf_file_symbol_find(&file, "inside", &symbol, &err), words);
	TEST_ASSERT_EQUAL_MESSAGE(-1, functions_add_file(&functions, &file, &err), words);
	TEST_ASSERT_EQUAL(0, functions.n);
	expect_words(words);
}

/* ---- the table of symbols ---- */

static void none(struct headers *h) { (void)h; }
static void too_many(struct headers *h) { h->file.e_shnum = 0, h->section[FIRST].sh_size = (1u << 20) + 1; }
static void far_away(struct headers *h) { h->file.e_shoff = 1u << 30; }
static void behind_the_end(struct headers *h) { h->file.e_shoff = UINT64_MAX - 8; }
static void no_link(struct headers *h) { h->section[SYMBOLS].sh_link = SECTIONS; }
static void other_size(struct headers *h) { h->section[SYMBOLS].sh_entsize = 16; }
static void no_strings(struct headers *h) { h->section[SYMBOLS].sh_link = SYMBOLS; }
static void cut_symbols(struct headers *h) { h->section[SYMBOLS].sh_offset = 1u << 30; }
static void cut_strings(struct headers *h) { h->section[STRINGS].sh_size = 1u << 30; }
static void wrapped(struct headers *h) { h->section[STRINGS].sh_size = UINT64_MAX; }

static void a_symbol_table_is_as_its_headers_say_or_an_error(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, open_harmed(none), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(1, elf_file_symbol_find(&file, "inside", &symbol, &err), err.text);
	again();
	expect_no_table(too_many, "malformed ELF: 1048577 sections");
	expect_no_table(far_away, "section header");
	expect_no_table(behind_the_end, "section header");
	expect_no_table(no_link, "a bad .symtab header");
	expect_no_table(other_size, "a bad .symtab header");
	expect_no_table(no_strings, ".symtab is not in the file");
	expect_no_table(cut_symbols, ".symtab is not in the file");
	expect_no_table(cut_strings, ".symtab is not in the file");
	expect_no_table(wrapped, ".symtab is not in the file");
}

static void counted_in_the_first(struct headers *h) { h->file.e_shnum = 0, h->section[FIRST].sh_size = SECTIONS; }

static void more_sections_than_the_header_can_count_are_counted_in_the_first(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, open_harmed(counted_in_the_first), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(1, elf_file_symbol_find(&file, "inside", &symbol, &err), err.text);
	TEST_ASSERT_EQUAL_HEX64(0x100, symbol.addr);
}

/* A file of holes can be as long as it likes. */
static void huge(struct headers *h) { h->section[SYMBOLS].sh_size = ((1u << 23) + 1) * sizeof(Elf64_Sym); }
static void huge_names(struct headers *h) { h->section[STRINGS].sh_size = (1u << 30) + 1; }

static void expect_too_large(void (*harm)(struct headers *h), const char *words)
{
	open_harmed(harm);
	TEST_ASSERT_EQUAL(0, ftruncate(fd, INT64_C(2) << 30));
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
	TEST_ASSERT_EQUAL(-1, elf_file_symbol_find(&file, "inside", &symbol, &err));
	expect_words(words);
}

static void a_symbol_table_that_would_take_all_memory_is_refused(void)
{
	expect_too_large(huge, ".symtab is too large: 8388609 symbols");
	expect_too_large(huge_names, "1073741825 bytes of names");
}

/* ---- sections by their names ---- */

static void unnamed(struct headers *h) { h->file.e_shstrndx = 0; }
static void names_nowhere(struct headers *h) { h->file.e_shstrndx = 9; }
static void names_in_the_first(struct headers *h) { h->file.e_shstrndx = SHN_XINDEX, h->section[FIRST].sh_link = STRINGS; }

static void names_cut(struct headers *h)
{
	h->file.e_shstrndx = STRINGS;
	h->section[STRINGS].sh_size = 1u << 30;
}

static int find(const char *name, uint32_t *type)
{
	struct elf_sections sections;
	Elf64_Shdr section;
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_sections_open(&sections, &file, &err), err.text);
	int there = elf_section_find(&sections, name, &section, &err);
	*type = there == 1 ? section.sh_type : SHT_NULL;
	return there;
}

/* The strings of .symtab serve as the names of sections here. */
static void named(struct headers *h)
{
	h->file.e_shstrndx = STRINGS;
	h->section[SYMBOLS].sh_name = UINT32_MAX;
	h->section[STRINGS].sh_name = 1;
}

static void a_section_is_found_by_its_name_or_there_is_a_reason(void)
{
	uint32_t type;
	TEST_ASSERT_EQUAL(0, open_harmed(named));
	TEST_ASSERT_EQUAL_MESSAGE(1, find("inside", &type), err.text);
	TEST_ASSERT_EQUAL(SHT_STRTAB, type);
	TEST_ASSERT_EQUAL(0, find("insid", &type));
	TEST_ASSERT_EQUAL(0, find("inside and more than there is", &type));
	again();
	TEST_ASSERT_EQUAL(0, open_harmed(names_in_the_first));
	TEST_ASSERT_EQUAL_MESSAGE(0, find("nothing", &type), err.text);
	again();
	TEST_ASSERT_EQUAL(0, open_harmed(unnamed));
	TEST_ASSERT_EQUAL(0, find("inside", &type));
	again();
	TEST_ASSERT_EQUAL(0, open_harmed(names_nowhere));
	TEST_ASSERT_EQUAL(-1, find("inside", &type));
	expect_words("the names of its sections are in section 9");
	TEST_ASSERT_EQUAL(0, open_harmed(names_cut));
	TEST_ASSERT_EQUAL(-1, find("inside", &type));
	expect_words("the names of its sections are not in the file");
}

/* ---- before the sections: what kind of file it is ---- */

static void odd_order(struct headers *h) { h->file.e_ident[EI_DATA] = 7; }
static void odd_class(struct headers *h) { h->file.e_ident[EI_CLASS] = 9; }
static void odd_type(struct headers *h) { h->file.e_type = ET_LOOS; }

static void a_header_that_no_linker_makes_is_refused(void)
{
	TEST_ASSERT_EQUAL(-1, open_harmed(odd_order));
	expect_words("malformed ELF: byte order 7");
	TEST_ASSERT_EQUAL(-1, open_harmed(odd_class));
	expect_words("malformed ELF: class 9");
	TEST_ASSERT_EQUAL(-1, open_harmed(odd_type));
	expect_words("ELF type 65024 is neither");
}

static void a_segment_that_wraps_in_its_file_is_refused(void)
{
	uint64_t wrapping = UINT64_MAX - 8;
	static const size_t field[] = {
		offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_vaddr), offsetof(Elf64_Phdr, p_filesz),
	};
	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
		struct built *built = build((struct built_plan){ .hash = HASH_GNU, .vaddr = 0x1000 });
		memcpy(built->data + built->ehdr_phdrs + field[i], &wrapping, sizeof wrapping);
		fd = built_file(built);
		TEST_ASSERT_EQUAL(-1, elf_file_open(&file, fd, &err));
		expect_words("a segment is larger than the address space");
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_symbol_table_is_as_its_headers_say_or_an_error);
	RUN_TEST(more_sections_than_the_header_can_count_are_counted_in_the_first);
	RUN_TEST(a_symbol_table_that_would_take_all_memory_is_refused);
	RUN_TEST(a_section_is_found_by_its_name_or_there_is_a_reason);
	RUN_TEST(a_header_that_no_linker_makes_is_refused);
	RUN_TEST(a_segment_that_wraps_in_its_file_is_refused);
	return UNITY_END();
}
