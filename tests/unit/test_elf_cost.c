/* SPDX-License-Identifier: MIT */
/* What a question costs: little, and for a hostile image not without end. */
#include "elf_builder.h"

#include <stdio.h>
#include <string.h>

#include "unity.h"

#define BASE 0x7f1234560000
#define MANY 20000

static struct elf_image image;
static struct elf_symbol symbol;
static struct err err;
static struct built_plan plan;

void setUp(void)
{
	plan = (struct built_plan){ .base = BASE };
}

void tearDown(void) { }

static struct built *open_plan(void)
{
	struct built *built = build(plan);
	TEST_ASSERT_EQUAL_MESSAGE(0, built_open(built, &image, &err), err.text);
	return built;
}

static int find_at(uint64_t offset)
{
	char name[16];
	uint64_t into;
	return elf_symbol_at(&image, BASE + offset, name, sizeof name, &into, &err);
}

/* A system call for each read: a lookup must not make many. */
static void a_lookup_among_many_symbols_needs_few_reads(void)
{
	static struct built_symbol many[MANY];
	static char name[MANY][12];

	for (size_t i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof name[i], "f%zu", i);
		many[i] = (struct built_symbol){
			.name = name[i], .value = 0x100 + 16 * i, .size = 16,
			.version = i % 2 ? "V_1" : "V_2",
		};
	}
	plan.symbol = many;
	plan.symbols = MANY;
	for (int hash = HASH_GNU; hash <= HASH_SYSV; hash++) {
		plan.hash = (enum built_hash)hash;
		struct built *built = open_plan();
		unsigned most = 0;
		for (size_t i = 0; i < MANY; i += 97) {
			built->reads = 0;
			TEST_ASSERT_EQUAL(1, elf_symbol_find(&image, name[i], &symbol, &err));
			TEST_ASSERT_EQUAL_HEX64(BASE + 0x100 + 16 * i, symbol.addr);
			if (built->reads > most)
				most = built->reads;
		}
		TEST_ASSERT_LESS_OR_EQUAL(hash == HASH_GNU ? 12 : 40, most);
		built->reads = 0;
		TEST_ASSERT_EQUAL(1, find_at(0x104));
		TEST_ASSERT_LESS_THAN(200, built->reads);
	}
}

/* Each step of a long hash chain asks for a version that a long list has not. */
static void a_question_about_endless_tables_ends(void)
{
	static const struct built_symbol library[] = {
		{ .name = "x", .value = 0x100, .version = "V_1" },
		{ .name = "y", .value = 0x110, .version = "V_1" },
		{ .name = "z", .value = 0x120, .version = "V_1" },
	};
	plan.hash = HASH_SYSV;
	plan.symbol = library;
	plan.symbols = 3;
	struct built *built = open_plan();
	Elf64_Verdef verdef = { .vd_version = 1, .vd_ndx = 0x7000, .vd_cnt = 1, .vd_next = sizeof verdef };
	size_t list = built->size;

	while (built->size + sizeof verdef <= BUILT_MAX) {
		memcpy(built->data + built->size, &verdef, sizeof verdef);
		built->size += sizeof verdef;
	}
	built->readable = BUILT_MAX;
	image.verdef = BASE + list;
	image.verdef_count = UINT64_MAX;
	for (size_t i = 1; i <= 3; i++)
		memcpy(built->data + built->symtab + i * sizeof(Elf64_Sym),
		       built->data + built->symtab + sizeof(Elf64_Sym), sizeof(Elf64_Sym));
	/* All are the first, and each leads to the next. */
	uint32_t words[] = { 1, 1, 1, 1, 2, 3, 1 };
	memcpy(built->data + built->sysv_hash + 8, words, sizeof words);
	char question[32];
	snprintf(question, sizeof question, "%s@V_9", (char *)built->data + built->strtab + 1);
	TEST_ASSERT_EQUAL(-1, elf_symbol_find(&image, question, &symbol, &err));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_lookup_among_many_symbols_needs_few_reads);
	RUN_TEST(a_question_about_endless_tables_ends);
	return UNITY_END();
}
