/* SPDX-License-Identifier: MIT */
/* Names of addresses in a child that has the libraries of tests/names mapped as a loader would. */
#include "inject/watch/debug_file.h"
#include "named_files.h"
#include "naming_case.h"

static const char *library;
static char folder[64];

void setUp(void)
{
	memset(&name, 0xff, sizeof name);
	memset(shared, 0, sizeof *shared);
	library = NAMED_WHOLE;
	naming = NULL;
	strcpy(folder, "/tmp/naming-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	chmod(folder, 0755);
}

void tearDown(void)
{
	char command[200];
	naming_close(naming);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	close_target();
	TEST_ASSERT_EQUAL(0, system(command));
}

/* ---- the child ---- */

static char *map_library(int fd)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[16];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), mask = page - 1;
	if (pread(fd, &ehdr, sizeof ehdr, 0) != sizeof ehdr || ehdr.e_phnum > 16 ||
	    pread(fd, phdr, ehdr.e_phnum * sizeof *phdr, (off_t)ehdr.e_phoff) < 0)
		_exit(1);
	char *base = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < ehdr.e_phnum; i++) {
		const Elf64_Phdr *p = &phdr[i];
		if (p->p_type != PT_LOAD || !p->p_filesz)
			continue;
		size_t before = p->p_vaddr & mask;
		int protection = (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) |
				 (p->p_flags & PF_X ? PROT_EXEC : 0);
		if (mmap(base + p->p_vaddr - before, p->p_filesz + before, protection, MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(p->p_offset - before)) == MAP_FAILED)
			_exit(1);
	}
	return base;
}

static void load(void)
{
	int fd = open(named_path(library), O_RDONLY | O_CLOEXEC);
	shared->base = map_library(fd);
	close(fd);
}

static void load_in_other_root(void)
{
	load();
	if (chroot(folder) || chdir("/"))
		_exit(1);
}

/* ---- questions ---- */

static raddr address(const char *symbol, uint64_t offset)
{
	return (uintptr_t)shared->base + named_address(symbol) + offset;
}

static void expect_named(const char *symbol, uint64_t offset)
{
	naming_at(naming, address(symbol, offset), true, &name);
	TEST_ASSERT_NOT_NULL_MESSAGE(name.function, symbol);
	TEST_ASSERT_EQUAL_STRING(symbol, name.function);
	TEST_ASSERT_EQUAL_HEX64(offset, name.offset);
	TEST_ASSERT_EQUAL_HEX64(named_address(symbol) + offset, name.vaddr);
}

static void expect_unnamed(const char *symbol)
{
	naming_at(naming, address(symbol, 1), true, &name);
	TEST_ASSERT_NULL_MESSAGE(name.function, name.function);
	TEST_ASSERT_EQUAL_HEX64(named_address(symbol) + 1, name.vaddr);
	TEST_ASSERT_EQUAL_HEX64(name.vaddr, name.offset);
}

static void expect_text(const char *wanted, bool with_offset)
{
	char text[400];
	naming_text(&name, with_offset, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

static void a_library_with_symbols_names_all_its_functions(void)
{
	look_at(load, NULL, false);
	expect_named("named_global", 0);
	expect_named("_ZN5named5innerEi", 1);
	expect_named("named_hidden", 2);
	TEST_ASSERT_EQUAL_STRING("libnamed.so", name.module);
	TEST_ASSERT_EQUAL_STRING(named_path(library), name.path);
	TEST_ASSERT_EQUAL_STRING(NAMED_ID, name.build_id);
	expect_text("named_hidden+0x2", true);
	expect_text("named_hidden", false);
}

static void behind_a_call_the_caller_is_named(void)
{
	look_at(load, NULL, false);
	uint64_t size = named_address("named_sizeless") - named_address("named_label");
	expect_named("named_sizeless", 0);
	naming_at(naming, address("named_sizeless", 0), false, &name);
	TEST_ASSERT_EQUAL_STRING("named_label", name.function);
	TEST_ASSERT_EQUAL_HEX64(size, name.offset);
	TEST_ASSERT_EQUAL_HEX64(named_address("named_sizeless") - 1, name.vaddr);
}

static void memory_alone_names_what_is_exported(void)
{
	look_at(load, NULL, true);
	expect_named("named_global", 1);
	expect_unnamed("named_hidden");
}

static void a_place_without_a_name_can_be_named_elsewhere(void)
{
	char wanted[200];
	library = NAMED_STRIPPED;
	look_at(load, NULL, false);
	expect_named("named_global", 1);
	expect_unnamed("named_hidden");
	snprintf(wanted, sizeof wanted, "libnamed.so+0x%llx[" NAMED_ID "]", (unsigned long long)named_address("named_hidden") + 1);
	expect_text(wanted, true);
	expect_text(wanted, false);
}

static void a_debug_file_below_a_folder_of_the_user(void)
{
	const char *const dirs[] = { "/nowhere", named_path("debug"), NULL };
	library = NAMED_STRIPPED;
	look_at(load, dirs, false);
	expect_named("named_hidden", 1);
	expect_named("named_global", 1);
	TEST_ASSERT_EQUAL_STRING(named_path(library), name.path);
}

static void copy_file(const char *from, const char *to)
{
	char command[PATH_MAX * 2];
	snprintf(command, sizeof command, "mkdir -p \"$(dirname %s/%s)\" && cp %s %s/%s", folder, to, named_path(from), folder, to);
	TEST_ASSERT_EQUAL(0, system(command));
}

static void a_debug_file_of_another_build_is_not_taken(void)
{
	const char *const dirs[] = { folder, NULL };
	copy_file(NAMED_MINI, NAMED_DEBUG + strlen("debug/"));
	library = NAMED_STRIPPED;
	look_at(load, dirs, false);
	expect_unnamed("named_hidden");
}

static void a_debug_file_as_the_process_sees_it(void)
{
	char place[200] = "usr/lib/";
	copy_file(NAMED_DEBUG, strcat(place, NAMED_DEBUG));
	library = NAMED_STRIPPED;
	look_at(load_in_other_root, NULL, false);
	expect_named("named_hidden", 1);
}

static void a_small_packed_table(void)
{
	library = NAMED_MINI;
	look_at(load, NULL, false);
	bool found = false;
	for (uint64_t at = 0; at < 0x20000 && !found; at++) {
		naming_at(naming, (uintptr_t)shared->base + at, true, &name);
		found = name.function && !strcmp(name.function, "named_hidden");
	}
	TEST_ASSERT_TRUE(found);
	TEST_ASSERT_EQUAL_STRING(MINI_ID, name.build_id);
	TEST_ASSERT_EQUAL_HEX64(0, name.offset);
}

static void names_outlive_the_list_of_images(void)
{
	look_at(load, NULL, false);
	expect_named("named_hidden", 1);
	struct frame_name before = name;
	images_close(&images);
	TEST_ASSERT_EQUAL(0, images_open(&images, &target, &err));
	expect_named("named_hidden", 1);
	TEST_ASSERT_EQUAL_PTR(before.function, name.function);
	TEST_ASSERT_EQUAL_PTR(before.path, name.path);
	TEST_ASSERT_EQUAL_STRING("libnamed.so", before.module);
}

static void the_program_itself_and_the_vdso(void)
{
	struct elf_symbol symbol;
	look_at(NULL, NULL, false);
	naming_at(naming, (uintptr_t)setUp + 1, true, &name);
	TEST_ASSERT_EQUAL_STRING("setUp", name.function);
	TEST_ASSERT_EQUAL_STRING("test_naming", name.module);
	struct image *vdso = images_find(&images, "vdso", &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(vdso, err.text);
	bool there = images_symbol(&images, vdso, "__kernel_clock_gettime", &symbol, &err) == 0 ||
		     images_symbol(&images, vdso, "__vdso_clock_gettime", &symbol, &err) == 0;
	TEST_ASSERT_TRUE(there);
	naming_at(naming, symbol.addr + 1, true, &name);
	TEST_ASSERT_NOT_NULL(name.function);
	EXPECT_HAS("clock_gettime", name.function);
	TEST_ASSERT_EQUAL_STRING("[vdso]", name.module);
}

static void addresses_in_no_image(void)
{
	look_at(make_code, NULL, false);
	naming_at(naming, 0x10, true, &name);
	TEST_ASSERT_NULL(name.function);
	TEST_ASSERT_EQUAL_STRING("", name.module);
	TEST_ASSERT_EQUAL_STRING("", name.path);
	TEST_ASSERT_EQUAL_STRING("", name.build_id);
	expect_text("0x10", true);
	naming_at(naming, 0, false, &name);
	expect_text("0x0", true);
	naming_at(naming, UINT64_MAX, false, &name);
	expect_text("0xfffffffffffffffe", true);
	naming_at(naming, (uintptr_t)shared->code, true, &name);
	TEST_ASSERT_EQUAL_STRING("", name.module);
}

/* Segments lie 64 KiB apart: before the code there is memory that belongs to nobody. */
static void a_gap_between_segments_is_in_no_image(void)
{
	look_at(load, NULL, false);
	raddr gap = (uintptr_t)shared->base + (named_address("named_sized") & ~UINT64_C(0xffff)) - 8;
	TEST_ASSERT_NOT_NULL(images_at(&images, gap));
	naming_at(naming, gap, true, &name);
	TEST_ASSERT_NULL(name.function);
	TEST_ASSERT_EQUAL_STRING("", name.module);
	expect_named("named_hidden", 1);
}

/* ---- texts ---- */

static void names_cannot_disturb_what_they_stand_in(void)
{
	char text[8];
	look_at(NULL, NULL, false);
	name = (struct frame_name){ .module = "lib a;b[c]\x1b\"\\.so", .path = "", .build_id = "ab12", .vaddr = 0x10 };
	expect_text("lib\\x20a\\x3bb\\x5bc\\x5d\\x1b\\x22\\x5c.so+0x10[ab12]", false);
	name.build_id = "";
	name.module = "libstdc++.so.6";
	expect_text("libstdc++.so.6+0x10", false);
	name.module = "[vdso]";
	expect_text("[vdso]+0x10", false);
	name.function = "evil\x1b[31m \xc2\x9b<T>; \xc3\xa4";
	expect_text("evil\\x1b[31m \\xc2\\x9b<T>; \xc3\xa4", false);
	naming_text(&name, true, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("evil\\x1", text);
	naming_text(&name, true, text, 1);
	TEST_ASSERT_EQUAL_STRING("", text);
}

static void build_ids_that_are_none(void)
{
	char path[64];
	look_at(NULL, NULL, false);
	TEST_ASSERT_FALSE(debug_file_path("/d", "", ".debug", path, sizeof path));
	TEST_ASSERT_FALSE(debug_file_path("/d", "ab", ".debug", path, sizeof path));
	TEST_ASSERT_FALSE(debug_file_path("/d", NAMED_ID, ".debug", path, 32));
	TEST_ASSERT_TRUE(debug_file_path("/d", "abcd", ".debug", path, sizeof path));
	TEST_ASSERT_EQUAL_STRING("/d/.build-id/ab/cd.debug", path);
	TEST_ASSERT_EQUAL(-1, debug_file_open("/dev", NAMED_ID, path, sizeof path));
}

int main(void)
{
	share();
	UNITY_BEGIN();
	RUN_TEST(a_library_with_symbols_names_all_its_functions);
	RUN_TEST(behind_a_call_the_caller_is_named);
	RUN_TEST(memory_alone_names_what_is_exported);
	RUN_TEST(a_place_without_a_name_can_be_named_elsewhere);
	RUN_TEST(a_debug_file_below_a_folder_of_the_user);
	RUN_TEST(a_debug_file_of_another_build_is_not_taken);
	RUN_TEST(a_debug_file_as_the_process_sees_it);
	RUN_TEST(a_small_packed_table);
	RUN_TEST(names_outlive_the_list_of_images);
	RUN_TEST(the_program_itself_and_the_vdso);
	RUN_TEST(addresses_in_no_image);
	RUN_TEST(a_gap_between_segments_is_in_no_image);
	RUN_TEST(names_cannot_disturb_what_they_stand_in);
	RUN_TEST(build_ids_that_are_none);
	return UNITY_END();
}
