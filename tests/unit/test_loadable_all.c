/* SPDX-License-Identifier: MIT */
/*
 * Every library that can be had, asked of us and of the loader: the fixtures in
 * each root, and all libraries of the whole systems below build/deps, where
 * these are.  The two answers must be the same, but for what we refuse by rule.
 */
#include "rocp/loadable.h"

#include "inject/machine.h"

#include "loader_root.h"

static unsigned asked, agreed, stricter, unchecked;
static struct loadable found;

void setUp(void)
{
	asked = agreed = stricter = unchecked = 0;
}

void tearDown(void)
{
	if (from_program)
		stop();
	remove_system();
}

/* What the header says that is refused though some loaders take it. */
static bool is_rule(const char *text)
{
	static const char *const rules[] = { "executable stack", "it is a program", "second C library", "was built for glibc",
		"a part of another glibc" };
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strstr(text, rules[i]))
			return true;
	return false;
}

/* What the header says that is not checked: symbols that are not there, and (of two fixtures that are made
 * for that) constructors that fail. */
static bool is_unchecked(const char *name, const char *text)
{
	if (!strncmp(text, "died", 4))
		return strstr(name, "libcrash.so") || strstr(name, "libunresolved.so");
	return strstr(text, "undefined symbol") || strstr(text, "symbol not found") || strstr(text, "static TLS");
}

static void compare(const char *name)
{
	char text[PATH_MAX + 1024];
	err = (struct err){ .code = ERR_NONE };
	bool ours = loadable_check(&images, name, &found, &err) == 0;
	bool theirs = loads(name);
	asked++;
	snprintf(text, sizeof text, "%s: we say %s (%s), the loader %.300s", name, ours ? "yes" : "no", err.text, said);
	if (theirs && !ours && is_rule(err.text)) {
		stricter++;
		return;
	}
	if (ours && !theirs && is_unchecked(name, said)) {
		unchecked++;
		return;
	}
	TEST_ASSERT_TRUE_MESSAGE(ours == theirs, text);
	if (ours && strcmp(said + 3, "?"))
		TEST_ASSERT_EQUAL_STRING_MESSAGE(said + 3, found.path, text);
	agreed++;
}

static void report(const char *what, unsigned least)
{
	char text[160];
	snprintf(text, sizeof text, "%s: %u asked, %u the same, %u refused by rule alone, %u fail at their symbols or constructors",
		 what, asked, agreed, stricter, unchecked);
	TEST_ASSERT_TRUE_MESSAGE(agreed >= least, text);
	printf("# %s\n", text);
}

/* Every fixture library is put into each root: some have what they need, some have not. */
static void in_root(const char *suite)
{
	static const char *const folders[] = { "loadable", "root-bullseye", "root-bookworm", "root-sid", "root-musl" };
	char list[256][80], path[64];
	size_t n = 0;
	make_system(suite);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		DIR *folder = opendir(fixture(folders[i]));
		for (struct dirent *entry; folder && n < 256 && (entry = readdir(folder)) != NULL;) {
			if (!strstr(entry->d_name, ".so") || strlen(entry->d_name) > 40)
				continue;
			snprintf(path, sizeof path, "%s/%.40s", folders[i], entry->d_name);
			snprintf(list[n], sizeof list[n], "/all/%s", path);
			copy_file(fixture(path), list[n++] + 1);
		}
		if (folder)
			closedir(folder);
	}
	put("libleaf.so", "lib/libleaf.so");
	start((struct start){ .program = "dlopens" });
	for (size_t i = 0; i < n; i++) {
		compare(list[i]);
		compare(strrchr(list[i], '/') + 1);
	}
	report(suite, 30);
}

static void test_fixtures_with_glibc_2_31(void) { in_root("bullseye"); }
static void test_fixtures_with_glibc_2_36(void) { in_root("bookworm"); }
static void test_fixtures_with_glibc_2_43(void) { in_root("sid"); }
static void test_fixtures_with_musl(void) { in_root("musl"); }

/* Libraries of a newer system in a process of an older one: most need what is not there. */
static void of_a_newer_system(const char *suite, const char *newer)
{
	static char list[128][NAME_MAX + 16];
	char name[96], folder[PATH_MAX + 256], path[PATH_MAX + 1024];
	const char *cpu = machine_ours() == EM_X86_64 ? "x86_64" : "aarch64";
	size_t n = 0;
	snprintf(name, sizeof name, "../../deps/%s-%s/usr/lib/%s-linux-gnu", newer, cpu, cpu);
	snprintf(folder, sizeof folder, "%s", fixture(name));
	DIR *there = opendir(folder);
	TEST_ASSERT_NOT_NULL_MESSAGE(there, "that system is not here");
	make_system(suite);
	for (struct dirent *entry; n < 128 && (entry = readdir(there)) != NULL;) {
		/* the program itself must start with its own C library */
		snprintf(list[n], sizeof list[n], "lib/%s", entry->d_name);
		if (!strstr(entry->d_name, ".so") || access(inside(list[n]), F_OK) == 0)
			continue;
		snprintf(list[n], sizeof list[n], "/newer/%s", entry->d_name);
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		copy_file(path, list[n++] + 1);
	}
	closedir(there);
	start((struct start){ .program = "dlopens", .environment = "LD_LIBRARY_PATH=/newer" });
	for (size_t i = 0; i < n; i++) {
		compare(list[i]);
		compare(strrchr(list[i], '/') + 1);
	}
	report(newer, 20);
}

static void test_libraries_of_glibc_2_43_in_a_process_with_2_36(void) { of_a_newer_system("bookworm", "sid"); }
static void test_libraries_of_glibc_2_36_in_a_process_with_2_31(void) { of_a_newer_system("bullseye", "bookworm"); }
static void test_libraries_of_glibc_2_31_in_a_process_with_2_43(void) { of_a_newer_system("sid", "bullseye"); }

static const char *whole_system;

static int compare_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	const char *name = path + strlen(whole_system);
	(void)ftw;
	/* linker scripts are asked about, too */
	if (strstr(path + ftw->base, ".so") && (kind == FTW_SL || (kind == FTW_F && S_ISREG(st->st_mode))) &&
	    !strstr(path, ".py") && !strstr(path, "/debug/")) {
		compare(name);
		/* of codecs, which are many, one way of asking will do */
		if (!strstr(path, "/gconv/"))
			compare(path + ftw->base);
	}
	return 0;
}

/* A system as distributions ship it, as far as it was fetched. */
static void in_system(const char *suite, unsigned least)
{
	char root[PATH_MAX + 512], program[PATH_MAX + 256], name[64];
	snprintf(name, sizeof name, "loadable/dlopens-%s", suite);
	snprintf(program, sizeof program, "%s", fixture(name));
	snprintf(name, sizeof name, "../../deps/%s-%s", suite, machine_ours() == EM_X86_64 ? "x86_64" : "aarch64");
	snprintf(root, sizeof root, "%s", fixture(name));
	TEST_ASSERT_EQUAL_MESSAGE(0, access(root, F_OK), "that system is not here");
	static char real[PATH_MAX];
	TEST_ASSERT_NOT_NULL(realpath(root, real));
	whole_system = real;
	start((struct start){ .program = program, .root = real });
	TEST_ASSERT_EQUAL(0, nftw(real, compare_one, 16, FTW_PHYS));
	report(suite, least);
}

static void test_a_whole_system_with_glibc_2_31(void) { in_system("bullseye", 100); }
static void test_a_whole_system_with_glibc_2_36(void) { in_system("bookworm", 100); }
static void test_a_whole_system_with_glibc_2_43(void) { in_system("sid", 100); }
static void test_a_whole_system_with_musl(void) { in_system("musl", 1); }

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	UNITY_BEGIN();
	RUN_TEST(test_fixtures_with_glibc_2_31);
	RUN_TEST(test_fixtures_with_glibc_2_36);
	RUN_TEST(test_fixtures_with_glibc_2_43);
	RUN_TEST(test_fixtures_with_musl);
	/* a guest has no other systems beside the fixtures */
	if (access(fixture("../../deps"), F_OK) < 0)
		return UNITY_END();
	RUN_TEST(test_a_whole_system_with_glibc_2_31);
	RUN_TEST(test_a_whole_system_with_glibc_2_36);
	RUN_TEST(test_a_whole_system_with_glibc_2_43);
	RUN_TEST(test_a_whole_system_with_musl);
	RUN_TEST(test_libraries_of_glibc_2_43_in_a_process_with_2_36);
	RUN_TEST(test_libraries_of_glibc_2_36_in_a_process_with_2_31);
	RUN_TEST(test_libraries_of_glibc_2_31_in_a_process_with_2_43);
	return UNITY_END();
}
