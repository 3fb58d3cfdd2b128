/* SPDX-License-Identifier: MIT */
/* Where a process finds a library, what that library needs, and in which versions. */
#include "loader_answers.h"

void setUp(void)
{
	make_system("bookworm");
}

void tearDown(void)
{
	if (from_program)
		stop();
	remove_system();
}

/* ---- where it is searched ---- */

static void test_the_programs_rpath_comes_before_the_environment(void)
{
	put("libleaf.so", "by-rpath/libleaf.so");
	put("libleaf.so", "by-env/libleaf.so");
	put("libleaf-nameless.so", "by-env/libonly.so");
	start((struct start){ .program = "dlopens-rpath", .environment = "LD_LIBRARY_PATH=/by-env" });
	taken("libleaf.so", "/by-rpath/libleaf.so");
	taken("libonly.so", "/by-env/libonly.so");
}

static void test_the_programs_runpath_comes_behind_the_environment(void)
{
	put("libleaf.so", "by-runpath/libleaf.so");
	put("libleaf-nameless.so", "by-runpath/libonly.so");
	put("libleaf.so", "by-env/libleaf.so");
	start((struct start){ .program = "dlopens-runpath", .environment = "LD_LIBRARY_PATH=/by-env" });
	taken("libleaf.so", "/by-env/libleaf.so");
	taken("libonly.so", "/by-runpath/libonly.so");
}

static void test_the_environment_may_name_relative_and_marked_folders(void)
{
	put("libleaf.so", "sub/lib-rel.so");
	put("libleaf.so", "lib-here.so");
	put("libleaf.so", "origin/lib-origin.so");
	put("libleaf.so", "semi/lib-semi.so");
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=sub::${ORIGIN}/origin;/semi:$ORIGINAL" });
	taken("lib-rel.so", "/sub/lib-rel.so");
	taken("lib-here.so", "/lib-here.so");
	taken("lib-semi.so", "/semi/lib-semi.so");
	taken("lib-origin.so", "/origin/lib-origin.so");
}

static void test_a_set_uid_program_ignores_the_environment(void)
{
	put("libleaf.so", "by-env/libleaf.so");
	put("libleaf.so", "by-rpath/libleaf.so");
	put("libleaf.so", "lib/lib-own.so");
	TEST_ASSERT_EQUAL(0, chmod(inside("dlopens"), 04755));
	TEST_ASSERT_EQUAL(0, chmod(inside("dlopens-rpath"), 04755));
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/by-env", .become = somebody });
	refused("libleaf.so", "nowhere");
	taken("lib-own.so", "/lib/lib-own.so");
	stop();
	start((struct start){ .program = "dlopens-rpath", .become = somebody });
	refused("libleaf.so", "nowhere");
}

static void test_lib_stands_for_what_the_loader_was_built_with(void)
{
	char multiarch[128];
	const char *cpu = machine_ours() == EM_X86_64 ? "x86_64" : "aarch64";
	snprintf(multiarch, sizeof multiarch, "/deep/lib/%s-linux-gnu/lib-token.so", cpu);
	put("libleaf.so", multiarch + 1);
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/deep/$LIB" });
	taken("lib-token.so", multiarch);
}

static void test_the_loaders_own_folders_come_last(void)
{
	char multiarch[128];
	const char *cpu = machine_ours() == EM_X86_64 ? "x86_64" : "aarch64";
	snprintf(multiarch, sizeof multiarch, "/usr/lib/%s-linux-gnu/lib-multi.so", cpu);
	put("libleaf.so", multiarch + 1);
	put("libleaf.so", "usr/lib/lib-usr.so");
	put("libleaf.so", "lib64/lib-64.so");
	begin();
	taken("lib-multi.so", multiarch);
	taken("lib-usr.so", "/usr/lib/lib-usr.so");
	/* Debian's loader does not look there */
	refused("lib-64.so", "nowhere");
}

/* A cache as ldconfig writes it, with one entry. */
static void put_cache(const char *name, const char *soname, const char *path)
{
	struct {
		char magic[20];
		uint32_t entries, strings;
		uint8_t flags, padding[3];
		uint32_t extensions, unused[3];
		struct { int32_t flags; uint32_t key, value, os; uint64_t hwcap; } entry;
		char texts[256];
	} cache = { .entries = 1, .flags = 2 };
	memcpy(cache.magic, "glibc-ld.so.cache1.1", 20);
	cache.strings = (uint32_t)(strlen(soname) + strlen(path) + 2);
	cache.entry.flags = machine_ours() == EM_X86_64 ? 0x303 : 0xa03;
	cache.entry.key = (uint32_t)(cache.texts - (char *)&cache);
	cache.entry.value = cache.entry.key + (uint32_t)strlen(soname) + 1;
	memcpy(cache.texts, soname, strlen(soname) + 1);
	memcpy(cache.texts + strlen(soname) + 1, path, strlen(path) + 1);
	put_text(name, &cache, sizeof cache - sizeof cache.texts + cache.strings);
}

static void test_the_cache_is_asked_before_the_loaders_own_folders(void)
{
	put("libleaf.so", "far/away/libleaf.so");
	put("libleaf.so", "lib/libleaf.so");
	put_cache("etc/ld.so.cache", "libleaf.so", "/far/away/libleaf.so");
	begin();
	taken("libleaf.so", "/far/away/libleaf.so");
	/* an entry that is out of date leads on */
	TEST_ASSERT_EQUAL(0, unlink(inside("far/away/libleaf.so")));
	taken("libleaf.so", "/lib/libleaf.so");
}

/* ---- what it needs ---- */

static void test_a_needed_library_that_is_missing_is_named_with_its_needer(void)
{
	put("libmiddle.so", "opt/libmiddle.so");
	begin();
	refused("/opt/libmiddle.so", "libleaf.so (needed by libmiddle.so) is nowhere");
	EXPECT_HAS("install it where the process runs", err.remedy);
	put("libleaf.so", "lib/libleaf.so");
	taken("/opt/libmiddle.so", "/opt/libmiddle.so");
}

static void test_a_needed_library_is_found_beside_by_rpath_and_runpath(void)
{
	put("libmiddle-rpath.so", "opt/libmiddle-rpath.so");
	put("libmiddle-runpath.so", "opt/libmiddle-runpath.so");
	put("libleaf.so", "opt/leaves/libleaf.so");
	put("libmiddle-runpath.so", "other/real.so");
	put_link("/other/real.so", "opt/link.so");
	put_link("/opt/libmiddle-runpath.so", "other/link.so");
	begin();
	taken("/opt/libmiddle-rpath.so", "/opt/libmiddle-rpath.so");
	taken("/opt/libmiddle-runpath.so", "/opt/libmiddle-runpath.so");
	/* $ORIGIN is where it was found, not where a link leads */
	taken("/opt/link.so", "/other/real.so");
	refused("/other/link.so", "libleaf.so (needed by link.so) is nowhere");
}

static void test_rpath_counts_for_the_needed_of_the_needed_and_runpath_does_not(void)
{
	put("libtop-rpath.so", "opt/libtop-rpath.so");
	put("libtop-runpath.so", "opt/libtop-runpath.so");
	put("libmiddle.so", "opt/leaves/libmiddle.so");
	put("libleaf.so", "opt/leaves/libleaf.so");
	begin();
	taken("/opt/libtop-rpath.so", "/opt/libtop-rpath.so");
	refused("/opt/libtop-runpath.so", "libleaf.so (needed by libmiddle.so) is nowhere");
}

static void test_the_programs_rpath_counts_for_what_libraries_need(void)
{
	put("libmiddle.so", "opt/libmiddle.so");
	put("libmiddle-runpath.so", "opt/libmiddle-runpath.so");
	put("libleaf.so", "by-rpath/libleaf.so");
	put("libleaf.so", "by-runpath/libleaf.so");
	start((struct start){ .program = "dlopens-rpath" });
	taken("/opt/libmiddle.so", "/opt/libmiddle.so");
	/* a library with a runpath looks into no rpath */
	refused("/opt/libmiddle-runpath.so", "libleaf.so");
	stop();
	start((struct start){ .program = "dlopens-runpath" });
	refused("/opt/libmiddle.so", "libleaf.so");
}

static void test_the_callers_runpath_counts_where_another_image_calls(void)
{
	put("libmiddle-runpath.so", "opt/libmiddle-runpath.so");
	put("libleaf.so", "opt/leaves/libleaf.so");
	put("libleaf-nameless.so", "opt/leaves/libonly.so");
	start((struct start){ .program = "dlopens", .argument = "/opt/libmiddle-runpath.so" });
	struct image *from = images_find(&images, "libmiddle-runpath.so", &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(from, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, loadable_check_from(&images, from, "libonly.so", &found, &err), err.text);
	TEST_ASSERT_EQUAL_STRING("/opt/leaves/libonly.so", found.path);
	refused("libonly.so", "nowhere");
}

static void test_a_loaded_library_serves_those_that_need_it(void)
{
	put("libleaf.so", "far/libleaf.so");
	put("libmiddle.so", "opt/libmiddle.so");
	start((struct start){ .program = "dlopens", .argument = "/far/libleaf.so" });
	taken("/opt/libmiddle.so", "/opt/libmiddle.so");
}

/* ---- versions ---- */

static void test_a_newer_c_library_is_not_there(void)
{
	put("libnew.so", "opt/libtool.so");
	begin();
	refused("/opt/libtool.so", "libtool.so needs GLIBC_2.38 of libc.so.6, the process has 2.36");
	EXPECT_HAS("built for glibc 2.36 or older", err.remedy);
	stop();
	remove_system();
	make_system("sid");
	put("libnew.so", "opt/libtool.so");
	begin();
	taken("/opt/libtool.so", "/opt/libtool.so");
}

static void test_versions_of_a_file_that_would_be_loaded_count(void)
{
	put("libuses.so", "opt/libuses.so");
	put("libversioned-1.so", "lib/libversioned.so");
	begin();
	refused("/opt/libuses.so", "libuses.so needs V_2 of libversioned.so, /lib/libversioned.so has 1");
	put("libversioned-2.so", "lib/libversioned.so");
	taken("/opt/libuses.so", "/opt/libuses.so");
	/* one without any versions will do */
	put("libversioned-none.so", "lib/libversioned.so");
	taken("/opt/libuses.so", "/opt/libuses.so");
}

static void test_versions_of_a_loaded_library_count_before_those_of_files(void)
{
	put("libuses.so", "opt/libuses.so");
	put("libversioned-1.so", "old/libversioned.so");
	put("libversioned-2.so", "lib/libversioned.so");
	start((struct start){ .program = "dlopens", .argument = "/old/libversioned.so" });
	refused("/opt/libuses.so", "libuses.so needs V_2 of libversioned.so, the process has 1");
	EXPECT_HAS("/old/libversioned.so", err.remedy);
}

/* The linker of today marks none as weak: do it by hand. */
static void make_weak(const char *name)
{
	static char bytes[1 << 16];
	int fd = open(inside(name), O_RDWR | O_CLOEXEC);
	ssize_t size = read(fd, bytes, sizeof bytes);
	const uint32_t hash = (('V' << 4) + '_') * 16 + '2';
	int done = 0;
	for (ssize_t i = 0; i + (ssize_t)sizeof(Elf64_Vernaux) <= size; i += 4) {
		Elf64_Vernaux aux;
		memcpy(&aux, bytes + i, sizeof aux);
		if (aux.vna_hash != hash || aux.vna_flags)
			continue;
		aux.vna_flags = VER_FLG_WEAK;
		TEST_ASSERT_EQUAL(sizeof aux, pwrite(fd, &aux, sizeof aux, i));
		done++;
	}
	close(fd);
	TEST_ASSERT_EQUAL(1, done);
}

static void test_a_weak_need_of_a_version_is_none(void)
{
	put("libuses-weakly.so", "opt/libuses-weakly.so");
	put("libversioned-1.so", "lib/libversioned.so");
	begin();
	refused("/opt/libuses-weakly.so", "V_2");
	make_weak("opt/libuses-weakly.so");
	taken("/opt/libuses-weakly.so", "/opt/libuses-weakly.so");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	UNITY_BEGIN();
	RUN_TEST(test_the_programs_rpath_comes_before_the_environment);
	RUN_TEST(test_the_programs_runpath_comes_behind_the_environment);
	RUN_TEST(test_the_environment_may_name_relative_and_marked_folders);
	RUN_TEST(test_a_set_uid_program_ignores_the_environment);
	RUN_TEST(test_lib_stands_for_what_the_loader_was_built_with);
	RUN_TEST(test_the_loaders_own_folders_come_last);
	RUN_TEST(test_the_cache_is_asked_before_the_loaders_own_folders);
	RUN_TEST(test_a_needed_library_that_is_missing_is_named_with_its_needer);
	RUN_TEST(test_a_needed_library_is_found_beside_by_rpath_and_runpath);
	RUN_TEST(test_rpath_counts_for_the_needed_of_the_needed_and_runpath_does_not);
	RUN_TEST(test_the_programs_rpath_counts_for_what_libraries_need);
	RUN_TEST(test_the_callers_runpath_counts_where_another_image_calls);
	RUN_TEST(test_a_loaded_library_serves_those_that_need_it);
	RUN_TEST(test_a_newer_c_library_is_not_there);
	RUN_TEST(test_versions_of_a_file_that_would_be_loaded_count);
	RUN_TEST(test_versions_of_a_loaded_library_count_before_those_of_files);
	RUN_TEST(test_a_weak_need_of_a_version_is_none);
	return UNITY_END();
}
