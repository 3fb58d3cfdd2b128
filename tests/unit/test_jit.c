/* SPDX-License-Identifier: MIT */
/* Names of code that a process makes at run time. */
#include "inject/watch/jit.h"

#include <stdio.h>

#include "naming_case.h"

void setUp(void)
{
	memset(&name, 0xff, sizeof name);
	memset(&err, 0, sizeof err);
	naming = NULL;
}

void tearDown(void)
{
	char path[64];
	if (!naming)
		return;
	naming_close(naming);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)target.pid);
	close_target();
	unlink(path);
}

static void write_map(const char *how, unsigned size, const char *text)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)target.pid);
	FILE *map = fopen(path, how);
	TEST_ASSERT_NOT_NULL(map);
	fprintf(map, "%lx %x %s\n", (unsigned long)(uintptr_t)shared->code, size, text);
	fclose(map);
}

/* A map that has changed is read again, but not at once. */
static void expect_jit(uint64_t offset, const char *wanted, uint64_t into)
{
	for (int i = 0; i < 500; i++, nap_ms(10)) {
		naming_at(naming, (uintptr_t)shared->code + offset, true, &name);
		if (name.function && !strcmp(name.function, wanted))
			break;
	}
	TEST_ASSERT_NOT_NULL(name.function);
	TEST_ASSERT_EQUAL_STRING(wanted, name.function);
	TEST_ASSERT_EQUAL_STRING("[jit]", name.module);
	TEST_ASSERT_EQUAL_HEX64(into, name.offset);
	TEST_ASSERT_EQUAL_HEX64((uintptr_t)shared->code + offset, name.vaddr);
}

static void code_made_at_run_time(void)
{
	look_at(make_code, NULL, false);
	write_map("w", 0x40, "py::fib:/x y.py");
	expect_jit(0x3f, "py::fib:/x y.py", 0x3f);
	const char *before = name.function;
	naming_at(naming, (uintptr_t)shared->code + 0x40, true, &name);
	TEST_ASSERT_NULL(name.function);
	naming_at(naming, (uintptr_t)shared->code + 0x40, false, &name);
	TEST_ASSERT_EQUAL_STRING("py::fib:/x y.py", name.function);
	TEST_ASSERT_EQUAL_HEX64(0x40, name.offset);
	write_map("a", 0x20, "again");
	expect_jit(0x1f, "again", 0x1f);
	TEST_ASSERT_EQUAL_STRING("py::fib:/x y.py", before);
}

static void a_map_that_somebody_else_wrote_is_not_believed(void)
{
	char path[64];
	look_at(make_code, NULL, false);
	write_map("w", 0x40, "evil");
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)target.pid);
	TEST_ASSERT_EQUAL(0, chown(path, SOMEBODY, SOMEBODY));
	naming_at(naming, (uintptr_t)shared->code, true, &name);
	TEST_ASSERT_NULL(name.function);
	TEST_ASSERT_EQUAL_STRING("", name.module);
}

static void a_map_that_is_no_file_does_not_block(void)
{
	char path[64];
	look_at(make_code, NULL, false);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)target.pid);
	TEST_ASSERT_EQUAL(0, mkfifo(path, 0600));
	naming_at(naming, (uintptr_t)shared->code, true, &name);
	TEST_ASSERT_NULL(name.function);
}

static void parse(struct functions *functions, const char *text, size_t size)
{
	uint32_t at;
	functions_free(functions);
	functions->last_counts = true;
	char *into = functions_names(functions, size, &at, &err);
	TEST_ASSERT_NOT_NULL(into);
	memcpy(into, text, size);
	jit_parse(functions, at, size);
}

static void lines_that_are_none_are_passed_over(void)
{
	static const char map[] =
		"garbage\n\n1000 10\n1000 10 \n2000 zz f\n3000 0 empty\n"
		"ffffffffffffffff 10 far\n 4000 10 blank\n5000 10 \0nul\n"
		"6000 10 good\n0x7000 0x10 prefixed\r\n8000 10 \x1b[31mred\n9000 10 unfinished";
	struct functions functions = { 0 };
	uint64_t offset;
	parse(&functions, map, sizeof map - 1);
	TEST_ASSERT_EQUAL(4, functions.n);
	TEST_ASSERT_EQUAL_STRING("good", functions_at(&functions, 0x600f, &offset));
	TEST_ASSERT_EQUAL_STRING("prefixed", functions_at(&functions, 0x7000, &offset));
	TEST_ASSERT_EQUAL_STRING("\x1b[31mred", functions_at(&functions, 0x8000, &offset));
	TEST_ASSERT_EQUAL_STRING("unfinished", functions_at(&functions, 0x9000, &offset));
	functions_free(&functions);
}

static void a_long_name_is_cut(void)
{
	static char map[1000];
	struct functions functions = { 0 };
	uint64_t offset;
	memset(map, 'x', sizeof map);
	memcpy(map, "1000 10 ", 8);
	parse(&functions, map, sizeof map);
	TEST_ASSERT_EQUAL(JIT_NAME_MAX, strlen(functions_at(&functions, 0x1000, &offset)));
	functions_free(&functions);
}

int main(void)
{
	share();
	UNITY_BEGIN();
	RUN_TEST(code_made_at_run_time);
	RUN_TEST(a_map_that_somebody_else_wrote_is_not_believed);
	RUN_TEST(a_map_that_is_no_file_does_not_block);
	RUN_TEST(lines_that_are_none_are_passed_over);
	RUN_TEST(a_long_name_is_cut);
	return UNITY_END();
}
