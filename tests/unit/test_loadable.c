/* SPDX-License-Identifier: MIT */
/* What is told of a library from outside, beside what the loader does with it. */
#include "rocp/loadable.h"

#include "inject/machine.h"

#include "loader_root.h"

static struct loadable found;

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

static void begin(void)
{
	start((struct start){ .program = "dlopens" });
}

static int check(const char *name)
{
	err = (struct err){ .code = ERR_NONE };
	return loadable_check(&images, name, &found, &err);
}

/* Both say yes, and mean this file. */
static void taken(const char *name, const char *path)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, check(name), err.text);
	TEST_ASSERT_TRUE_MESSAGE(loads(name), said);
	TEST_ASSERT_EQUAL_STRING(path, found.path);
	TEST_ASSERT_EQUAL_STRING(path, said + 3);
}

/* We say no with that reason, and a remedy. */
static void refused_by_us(const char *name, const char *reason)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, check(name), name);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, err.text);
	EXPECT_HAS(reason, err.text);
	TEST_ASSERT_TRUE_MESSAGE(err.remedy[0], err.text);
}

static void refused(const char *name, const char *reason)
{
	refused_by_us(name, reason);
	TEST_ASSERT_FALSE_MESSAGE(loads(name), name);
}

/* ---- files ---- */

static void test_a_library_is_taken_by_its_path(void)
{
	put("libleaf.so", "opt/libleaf.so.1.2");
	put_link("libleaf.so.1.2", "opt/libleaf.so");
	begin();
	taken("/opt/libleaf.so", "/opt/libleaf.so.1.2");
	TEST_ASSERT_FALSE(found.loaded);
}

static void test_a_relative_path_begins_at_the_current_folder(void)
{
	put("libleaf.so", "opt/sub/libleaf.so");
	start((struct start){ .program = "dlopens", .environment = "A=b" });
	taken("opt/sub/libleaf.so", "/opt/sub/libleaf.so");
	refused("sub/libleaf.so", "No such file");
}

static void test_files_that_are_not_there_are_refused(void)
{
	put_link("/nowhere/libleaf.so", "opt/dangling.so");
	put_link("loop.so", "opt/loop.so");
	begin();
	refused("/opt/missing.so", "/opt/missing.so");
	EXPECT_HAS("No such file", err.text);
	EXPECT_HAS("install", err.remedy);
	refused("/opt/dangling.so", "No such file");
	refused("/opt/loop.so", "ymbolic link");
	refused("libmissing.so", "libmissing.so is nowhere where process");
}

static void test_a_file_that_only_we_see_is_to_be_copied(void)
{
	char path[PATH_MAX + 256];
	begin();
	snprintf(path, sizeof path, "%s", fixture("loadable/libleaf.so"));
	refused(path, "No such file");
	EXPECT_HAS("cp ", err.remedy);
	EXPECT_HAS("/root/tmp/", err.remedy);
}

static void test_what_is_no_regular_file_is_refused(void)
{
	make_folders("opt/x");
	mkdir(inside("opt/folder.so"), 0755);
	TEST_ASSERT_EQUAL(0, mkfifo(inside("opt/pipe.so"), 0666));
	begin();
	refused("/opt/folder.so", "is not a regular file");
	refused_by_us("/opt/pipe.so", "is not a regular file");        /* dlopen would wait for a writer */
	mkdir(inside("lib/libfolder.so"), 0755);
	refused("libfolder.so", "is not a regular file");
}

static void test_what_is_no_library_is_refused(void)
{
	static const char script[] = "/* GNU ld script */ GROUP ( libc.so.6 )\n, and enough text for a header of an ELF file\n";
	put_text("lib/libscript.so", script, sizeof script);
	put_text("opt/empty.so", "", 0);
	copy_file(inside("dlopens"), "opt/program.so");
	begin();
	refused("/lib/libscript.so", "it is not an ELF image");
	refused("libscript.so", "it is not an ELF image");     /* a search ends there, too */
	refused("/opt/empty.so", "too short");
	refused("/opt/program.so", "it is a program");
}

static void patch(const char *name, off_t offset, const void *bytes, size_t size)
{
	int fd = open(inside(name), O_WRONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL(size, pwrite(fd, bytes, size, offset));
	close(fd);
}

static void make_foreign(const char *name)
{
	put("libleaf.so", name);
	patch(name, offsetof(Elf64_Ehdr, e_machine), &(uint16_t){ EM_S390 }, 2);
}

static void test_another_cpu_is_refused_by_path_and_passed_over_in_a_search(void)
{
	make_foreign("opt/libleaf.so");
	make_foreign("first/libleaf.so");
	put("libleaf.so", "second/libleaf.so");
	make_foreign("lib/libalone.so");
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/first:/second" });
	refused("/opt/libleaf.so", "it is for s390");
	taken("libleaf.so", "/second/libleaf.so");
	refused("libalone.so", "it is for s390");
}

static void test_32_bit_is_refused_by_path_and_passed_over_in_a_search(void)
{
	put("libleaf.so", "first/libleaf.so");
	patch("first/libleaf.so", EI_CLASS, &(uint8_t){ ELFCLASS32 }, 1);
	put("libleaf.so", "second/libleaf.so");
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/first:/second" });
	refused("/first/libleaf.so", "it is 32-bit");
	taken("libleaf.so", "/second/libleaf.so");
}

/* Where the bytes of the last segment end. */
static off_t segments_end(const char *name)
{
	struct elf_file file;
	uint64_t end = 0;
	int fd = open(inside(name), O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL(0, elf_file_open(&file, fd, &err));
	close(fd);
	for (size_t i = 0; i < file.segments; i++)
		if (file.segment[i].offset + file.segment[i].size > end)
			end = file.segment[i].offset + file.segment[i].size;
	return (off_t)end;
}

static void test_a_cut_file_is_refused(void)
{
	put("libleaf.so", "opt/cut.so");
	TEST_ASSERT_EQUAL(0, truncate(inside("opt/cut.so"), segments_end("opt/cut.so") - 1));
	begin();
	refused_by_us("/opt/cut.so", "truncated");
}

static void test_an_executable_stack_is_refused_though_old_loaders_take_it(void)
{
	put("libleaf-execstack.so", "opt/stack.so");
	begin();
	refused_by_us("/opt/stack.so", "executable stack");
}

static void test_a_second_c_library_is_refused(void)
{
	copy_file(inside("lib/libc.so.6"), "opt/libc.so.6");
	begin();
	refused_by_us("/opt/libc.so.6", "second C library");
}

static void test_a_file_system_without_execution_is_refused(void)
{
	make_folders("noexec/x");
	if (mount("none", inside("noexec"), "tmpfs", MS_NOEXEC, NULL) < 0)
		TEST_IGNORE_MESSAGE("mount is not allowed here");
	put("libleaf.so", "noexec/libleaf.so");
	begin();
	refused_by_us("/noexec/libleaf.so", "noexec");
	bool really = loads("/noexec/libleaf.so");
	stop();
	umount2(inside("noexec"), MNT_DETACH);
	TEST_ASSERT_FALSE(really);
}

/* ---- rights ---- */

static void somebody(void)
{
	gid_t groups[] = { 777, 4242 };
	if (setgroups(2, groups) < 0 || setgid(SOMEBODY) < 0 || setuid(SOMEBODY) < 0)
		_exit(99);
}

static void test_the_user_of_the_process_must_be_able_to_read(void)
{
	static const char *const names[] = { "opt/all.so", "opt/root.so", "opt/group.so", "opt/own.so", "closed/all.so" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		put("libleaf.so", names[i]);
	chmod(inside("opt/root.so"), 0600);
	chmod(inside("opt/group.so"), 0640);
	TEST_ASSERT_EQUAL(0, chown(inside("opt/group.so"), 0, 4242));
	/* the owner's bits count alone, even if the others may */
	TEST_ASSERT_EQUAL(0, chown(inside("opt/own.so"), SOMEBODY, 0));
	chmod(inside("opt/own.so"), 0044);
	chmod(inside("closed"), 0700);
	start((struct start){ .program = "dlopens", .become = somebody });
	taken("/opt/all.so", "/opt/all.so");
	refused("/opt/root.so", "may not read /opt/root.so: Permission denied");
	taken("/opt/group.so", "/opt/group.so");
	refused("/opt/own.so", "may not read");
	refused("/closed/all.so", "may not enter /closed");
}

static void test_a_file_that_cannot_be_read_is_passed_over_in_a_search(void)
{
	put("libleaf.so", "first/libleaf.so");
	put("libleaf.so", "second/libleaf.so");
	put("libleaf.so", "lib/libclosed.so");
	chmod(inside("first/libleaf.so"), 0600);
	chmod(inside("lib/libclosed.so"), 0600);
	start((struct start){ .program = "dlopens", .become = somebody, .environment = "LD_LIBRARY_PATH=/first:/second" });
	taken("libleaf.so", "/second/libleaf.so");
	refused("libclosed.so", "may not read /lib/libclosed.so");
}

static void test_root_reads_what_nobody_may(void)
{
	put("libleaf.so", "opt/libleaf.so");
	chmod(inside("opt/libleaf.so"), 0);
	chmod(inside("opt"), 0);
	begin();
	taken("/opt/libleaf.so", "/opt/libleaf.so");
}

/* ---- what is loaded ---- */

static void test_what_is_loaded_answers_to_its_soname(void)
{
	put("libleaf.so", "opt/other-name.so");
	start((struct start){ .program = "dlopens", .argument = "/opt/other-name.so" });
	taken("libleaf.so", "/opt/other-name.so");
	TEST_ASSERT_TRUE(found.loaded);
	taken("libc.so.6", "/lib/libc.so.6");
	TEST_ASSERT_TRUE(found.loaded);
	taken("/opt/other-name.so", "/opt/other-name.so");
	TEST_ASSERT_TRUE(found.loaded);
	refused("other-name.so", "nowhere");
}

static void test_a_nameless_library_loaded_by_path_does_not_answer_to_its_file_name(void)
{
	put("libleaf-nameless.so", "opt/libnameless.so");
	start((struct start){ .program = "dlopens", .argument = "/opt/libnameless.so" });
	refused("libnameless.so", "nowhere");
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

/* ---- musl ---- */

static void test_musl_looks_into_its_own_places(void)
{
	char file[64];
	const char *cpu = machine_ours() == EM_X86_64 ? "x86_64" : "aarch64";
	remove_system();
	make_system("musl");
	put("libleaf-musl.so", "usr/local/lib/libleaf-musl.so");
	put("libmiddle-musl.so", "opt/libmiddle-musl.so");
	put("libleaf-musl.so", "env/lib-env.so");
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/env" });
	taken("libleaf-musl.so", "/usr/local/lib/libleaf-musl.so");
	taken("/opt/libmiddle-musl.so", "/opt/libmiddle-musl.so");
	taken("lib-env.so", "/env/lib-env.so");
	refused("libmissing.so", "nowhere");
	stop();
	/* with a file that says where, its own places are void */
	snprintf(file, sizeof file, "etc/ld-musl-%s.path", cpu);
	put("libleaf-musl.so", "listed/lib-listed.so");
	put_text(file, "/nowhere\n/listed\n", 17);
	begin();
	taken("lib-listed.so", "/listed/lib-listed.so");
	refused("libleaf-musl.so", "nowhere");
	refused("/opt/libmiddle-musl.so", "libleaf-musl.so (needed by libmiddle-musl.so)");
}

static void test_a_library_for_glibc_is_refused_in_a_process_with_musl(void)
{
	remove_system();
	make_system("musl");
	put("libleaf.so", "opt/libleaf.so");
	put("libnew.so", "opt/libnew.so");
	begin();
	refused_by_us("/opt/libnew.so", "was built for glibc");
	EXPECT_HAS("built for musl", err.remedy);
}

static void test_a_library_for_musl_is_refused_in_a_process_with_glibc(void)
{
	put("libleaf-musl.so", "opt/libleaf-musl.so");
	begin();
	refused("/opt/libleaf-musl.so", "libc.so (needed by libleaf-musl.so) is nowhere");
}

static void test_a_static_process_has_no_loader(void)
{
	pid_t pid = child_start(NULL);
	open_target(pid);
	refused_by_us("libleaf.so", "no loader");
	close_target();
}

static void test_a_process_that_ends_is_told_so(void)
{
	put("libleaf.so", "opt/libleaf.so");
	begin();
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
	TEST_ASSERT_EQUAL(-1, check("/opt/libleaf.so"));
	TEST_ASSERT_EQUAL_MESSAGE(ERR_TARGET_EXITED, err.code, err.text);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	UNITY_BEGIN();
	RUN_TEST(test_a_library_is_taken_by_its_path);
	RUN_TEST(test_a_relative_path_begins_at_the_current_folder);
	RUN_TEST(test_files_that_are_not_there_are_refused);
	RUN_TEST(test_a_file_that_only_we_see_is_to_be_copied);
	RUN_TEST(test_what_is_no_regular_file_is_refused);
	RUN_TEST(test_what_is_no_library_is_refused);
	RUN_TEST(test_another_cpu_is_refused_by_path_and_passed_over_in_a_search);
	RUN_TEST(test_32_bit_is_refused_by_path_and_passed_over_in_a_search);
	RUN_TEST(test_a_cut_file_is_refused);
	RUN_TEST(test_an_executable_stack_is_refused_though_old_loaders_take_it);
	RUN_TEST(test_a_second_c_library_is_refused);
	RUN_TEST(test_a_file_system_without_execution_is_refused);
	RUN_TEST(test_the_user_of_the_process_must_be_able_to_read);
	RUN_TEST(test_a_file_that_cannot_be_read_is_passed_over_in_a_search);
	RUN_TEST(test_root_reads_what_nobody_may);
	RUN_TEST(test_what_is_loaded_answers_to_its_soname);
	RUN_TEST(test_a_nameless_library_loaded_by_path_does_not_answer_to_its_file_name);
	RUN_TEST(test_the_programs_rpath_comes_before_the_environment);
	RUN_TEST(test_the_programs_runpath_comes_behind_the_environment);
	RUN_TEST(test_the_environment_may_name_relative_and_marked_folders);
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
	RUN_TEST(test_musl_looks_into_its_own_places);
	RUN_TEST(test_a_library_for_glibc_is_refused_in_a_process_with_musl);
	RUN_TEST(test_a_library_for_musl_is_refused_in_a_process_with_glibc);
	RUN_TEST(test_a_static_process_has_no_loader);
	RUN_TEST(test_a_process_that_ends_is_told_so);
	return UNITY_END();
}
