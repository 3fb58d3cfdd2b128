/* SPDX-License-Identifier: MIT */
/* Which libraries a process would load: the file, its reader, what is loaded, the C library. */
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

static void test_segments_for_smaller_pages_are_refused(void)
{
	put("libleaf.so", "opt/pages.so");
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr = { .p_type = PT_NULL };
	off_t at = 0;
	int fd = open(inside("opt/pages.so"), O_RDWR | O_CLOEXEC);
	TEST_ASSERT_EQUAL(sizeof ehdr, pread(fd, &ehdr, sizeof ehdr, 0));
	for (int i = 0; i < ehdr.e_phnum && phdr.p_type != PT_GNU_EH_FRAME; i++) {
		at = (off_t)(ehdr.e_phoff + (size_t)i * sizeof phdr);
		TEST_ASSERT_EQUAL(sizeof phdr, pread(fd, &phdr, sizeof phdr, at));
	}
	TEST_ASSERT_EQUAL(PT_GNU_EH_FRAME, phdr.p_type);
	phdr = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = 0x100, .p_vaddr = 0x100900, .p_filesz = 16,
		.p_memsz = 16, .p_align = 0x800 };
	TEST_ASSERT_EQUAL(sizeof phdr, pwrite(fd, &phdr, sizeof phdr, at));
	close(fd);
	begin();
	refused("/opt/pages.so", "it was linked for smaller pages");
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

static void test_a_part_of_another_glibc_is_refused(void)
{
	remove_system();
	make_system("sid");
	copy_file(fixture("root-bullseye/lib/libpthread.so.0"), "opt/libpthread.so.0");
	begin();
	refused("/opt/libpthread.so.0", "is a part of another glibc than the process's /lib/libc.so.6");
	EXPECT_HAS("died", said);
	taken("libpthread.so.0", "/lib/libpthread.so.0");
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

static void test_a_loaded_library_whose_file_was_replaced_is_still_loaded(void)
{
	put("libleaf.so", "opt/libleaf.so");
	start((struct start){ .program = "dlopens", .argument = "/opt/libleaf.so" });
	TEST_ASSERT_EQUAL(0, unlink(inside("opt/libleaf.so")));
	put_text("opt/libleaf.so", "another file", 12);
	images_close(&images);
	TEST_ASSERT_EQUAL(0, images_open(&images, &target, &err));
	taken("/opt/libleaf.so", "/opt/libleaf.so");
	TEST_ASSERT_TRUE(found.loaded);
}

static void test_a_nameless_library_loaded_by_path_does_not_answer_to_its_file_name(void)
{
	put("libleaf-nameless.so", "opt/libnameless.so");
	start((struct start){ .program = "dlopens", .argument = "/opt/libnameless.so" });
	refused("libnameless.so", "nowhere");
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
	RUN_TEST(test_segments_for_smaller_pages_are_refused);
	RUN_TEST(test_an_executable_stack_is_refused_though_old_loaders_take_it);
	RUN_TEST(test_a_second_c_library_is_refused);
	RUN_TEST(test_a_part_of_another_glibc_is_refused);
	RUN_TEST(test_a_file_system_without_execution_is_refused);
	RUN_TEST(test_the_user_of_the_process_must_be_able_to_read);
	RUN_TEST(test_a_file_that_cannot_be_read_is_passed_over_in_a_search);
	RUN_TEST(test_root_reads_what_nobody_may);
	RUN_TEST(test_what_is_loaded_answers_to_its_soname);
	RUN_TEST(test_a_loaded_library_whose_file_was_replaced_is_still_loaded);
	RUN_TEST(test_a_nameless_library_loaded_by_path_does_not_answer_to_its_file_name);
	RUN_TEST(test_musl_looks_into_its_own_places);
	RUN_TEST(test_a_library_for_glibc_is_refused_in_a_process_with_musl);
	RUN_TEST(test_a_library_for_musl_is_refused_in_a_process_with_glibc);
	RUN_TEST(test_a_static_process_has_no_loader);
	RUN_TEST(test_a_process_that_ends_is_told_so);
	return UNITY_END();
}
