/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/cursor.h"
#include "inject/proc.h"
#include "unity.h"

static struct err err;
static struct maps maps;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	memset(&maps, 0, sizeof maps);
}

void tearDown(void)
{
	maps_free(&maps);
}

static int parse(const char *text)
{
	return maps_parse(&maps, text, strlen(text), &err);
}

static void test_a_line_of_maps_is_read_whole(void)
{
	TEST_ASSERT_EQUAL(0, parse("00400000-00452000 r-xs 0000a000 08:1f 173521      /usr/bin/a b\n"));
	TEST_ASSERT_EQUAL(1, maps.n);
	const struct mapping *m = &maps.v[0];
	TEST_ASSERT_EQUAL_HEX64(0x400000, m->start);
	TEST_ASSERT_EQUAL_HEX64(0x452000, m->end);
	TEST_ASSERT_TRUE(m->r && !m->w && m->x && m->shared && !m->deleted);
	TEST_ASSERT_EQUAL_HEX64(0xa000, m->offset);
	TEST_ASSERT_EQUAL(8, m->dev_major);
	TEST_ASSERT_EQUAL(0x1f, m->dev_minor);
	TEST_ASSERT_EQUAL_UINT64(173521, m->inode);
	TEST_ASSERT_EQUAL_STRING("/usr/bin/a b", m->path);
}

static void test_deleted_is_a_mark_and_not_part_of_the_path(void)
{
	TEST_ASSERT_EQUAL(0, parse("1000-2000 r-xp 00000000 00:01 5 /memfd:x (deleted)\n"
				   "2000-3000 r-xp 00000000 00:01 5 /a (deleted) b\n"));
	TEST_ASSERT_EQUAL_STRING("/memfd:x", maps.v[0].path);
	TEST_ASSERT_TRUE(maps.v[0].deleted);
	TEST_ASSERT_EQUAL_STRING("/a (deleted) b", maps.v[1].path);
	TEST_ASSERT_FALSE(maps.v[1].deleted);
}

static void test_a_newline_in_a_path_is_unescaped(void)
{
	TEST_ASSERT_EQUAL(0, parse("1000-2000 r--p 00000000 00:01 5 /a\\012b\\01c\n"));
	TEST_ASSERT_EQUAL_STRING("/a\nb\\01c", maps.v[0].path);
}

static void test_each_mapping_has_its_own_path_where_files_alternate(void)
{
	static const char *const path[] = {"/a", "/a", "", "/a", "/a", "/a", "/ab", "/a", "/a"};
	static const bool deleted[] = {false, false, false, false, true, true, false, false, false};
	TEST_ASSERT_EQUAL(0, parse("1000-2000 r--p 0 0:1 5 /a\n2000-3000 r-xp 0 0:1 5 /a\n3000-4000 rw-p 0 0:0 0 \n"
				   "4000-5000 r--p 0 0:1 5 /a\n5000-6000 r--p 0 0:1 5 /a (deleted)\n6000-7000 r--p 0 0:1 5 /a (deleted)\n"
				   "7000-8000 r--p 0 0:1 5 /ab\n8000-9000 r--p 0 0:1 5             /a\n9000-a000 r--p 0 0:1 5 /a"));
	TEST_ASSERT_EQUAL(sizeof path / sizeof *path, maps.n);
	for (size_t i = 0; i < maps.n; i++) {
		TEST_ASSERT_EQUAL_STRING(path[i], maps.v[i].path);
		TEST_ASSERT_EQUAL(deleted[i], maps.v[i].deleted);
	}
}

static void test_numbers_may_be_as_large_as_64_bits(void)
{
	TEST_ASSERT_EQUAL(0, parse("fffffffffffff000-ffffffffffffffff r--p ffffffffffffffff 0:0 18446744073709551615 /a"));
	TEST_ASSERT_EQUAL_HEX64(UINT64_MAX, maps.v[0].end);
	TEST_ASSERT_EQUAL_HEX64(UINT64_MAX, maps.v[0].offset);
	TEST_ASSERT_EQUAL_HEX64(UINT64_MAX, maps.v[0].inode);
	maps_free(&maps);
	TEST_ASSERT_EQUAL(-1, parse("1000-2000 r--p 0 0:0 18446744073709551616 /a"));
	TEST_ASSERT_EQUAL(-1, parse("1000-2000 r--p 10000000000000000 0:0 5 /a"));
}

static void test_a_nul_is_no_part_of_mappings(void)
{
	static const char path[] = "1000-2000 r--p 0 0:0 5 /a\0b\n", number[] = "1000-2\000 r--p 0 0:0 5 /a\n";
	TEST_ASSERT_EQUAL(-1, maps_parse(&maps, path, sizeof path - 1, &err));
	TEST_ASSERT_EQUAL(-1, maps_parse(&maps, number, sizeof number - 1, &err));
}

static void test_anonymous_mappings_have_an_empty_path(void)
{
	TEST_ASSERT_EQUAL(0, parse("1000-2000 ---p 00000000 00:00 0 \n2000-3000 rw-p 00000000 00:00 0"));
	TEST_ASSERT_EQUAL_STRING("", maps.v[0].path);
	TEST_ASSERT_EQUAL_STRING("", maps.v[1].path);
}

static void test_no_text_is_no_mappings(void)
{
	TEST_ASSERT_EQUAL(0, parse(""));
	TEST_ASSERT_EQUAL(0, maps.n);
	TEST_ASSERT_NULL(maps_at(&maps, 0));
}

static void test_malformed_maps_are_refused(void)
{
	static const char *const wrong[] = {
		"\n", "x", "1000-", "1000-2000", "2000-1000 r--p 0 0:0 0 ", "1000-1000 r--p 0 0:0 0 ",
		"1000-2000 r-- 0 0:0 0 ", "1000-2000 q--p 0 0:0 0 ", "1000-2000 r--p 0 0 0 ", "1000-2000 r--p 0 0:0 ",
		"10000000000000000-20000000000000000 r--p 0 0:0 0 ", "1000-2000 r--p 0 0:0 0x /a",
		"1000-2000 r--p 0 100000000:0 0 ",
		"1000-3000 r--p 0 0:0 0 \n2000-4000 r--p 0 0:0 0 ",     /* the kernel was overtaken */
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		TEST_ASSERT_EQUAL_MESSAGE(-1, parse(wrong[i]), wrong[i]);
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
}

static void test_a_mapping_is_found_by_every_address_in_it(void)
{
	TEST_ASSERT_EQUAL(0, parse("1000-2000 r--p 0 0:0 0 \n2000-3000 rw-p 0 0:0 0 \n5000-6000 r--p 0 0:0 0 \n"));
	TEST_ASSERT_NULL(maps_at(&maps, 0xfff));
	TEST_ASSERT_EQUAL_PTR(&maps.v[0], maps_at(&maps, 0x1000));
	TEST_ASSERT_EQUAL_PTR(&maps.v[0], maps_at(&maps, 0x1fff));
	TEST_ASSERT_EQUAL_PTR(&maps.v[1], maps_at(&maps, 0x2000));
	TEST_ASSERT_NULL(maps_at(&maps, 0x3000));
	TEST_ASSERT_NULL(maps_at(&maps, 0x4fff));
	TEST_ASSERT_EQUAL_PTR(&maps.v[2], maps_at(&maps, 0x5fff));
	TEST_ASSERT_NULL(maps_at(&maps, 0x6000));
	TEST_ASSERT_NULL(maps_at(&maps, UINT64_MAX));
}

static void test_a_thousand_mappings_of_our_own_are_read(void)
{
	size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 2000 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT_TRUE(at != MAP_FAILED);
	for (int i = 0; i < 1000; i++)
		mprotect(at + 2 * (size_t)i * page, page, PROT_NONE);
	char *text = proc_read(&size, &err, "/proc/%d/maps", (int)getpid());
	TEST_ASSERT_NOT_NULL(text);
	TEST_ASSERT_EQUAL(0, maps_parse(&maps, text, size, &err));
	TEST_ASSERT_GREATER_OR_EQUAL(2000, maps.n);
	TEST_ASSERT_FALSE(maps_at(&maps, (uintptr_t)at + 1998 * page)->r);
	free(text);
	munmap(at, 2000 * page);
}

/* A file of `now` is read, where it was `then` before: what is given of it, and what is left of `then`. */
static void is_given(const char *then, const char *now, const char *given, const char *left)
{
	struct cursor rest = {then, then + strlen(then)};
	size_t size;
	int fd = memfd_create("now", 0);
	TEST_ASSERT_EQUAL(strlen(now), write(fd, now, strlen(now)));
	char *text = proc_read_since(&size, &rest, &err, "/proc/self/fd/%d", fd);
	close(fd);
	TEST_ASSERT_NOT_NULL(text);
	TEST_ASSERT_EQUAL_STRING(given, text);
	TEST_ASSERT_EQUAL(strlen(given), size);
	TEST_ASSERT_EQUAL_STRING(left, rest.at);
	free(text);
}

static void test_lines_that_were_read_before_are_passed_over(void)
{
	is_given("", "", "", "");
	is_given("a\nb\n", "a\nb\n", "", "");
	is_given("a\nb\nc\n", "a\nb\n", "", "c\n");
	is_given("a\nb\n", "a\nb\nc\n", "a\nb\nc\n", "a\nb\n");  /* all came at once, and was not the same */
	is_given("a\nb", "a\nb", "b", "b");
	is_given("", "a\n", "a\n", "");
}

/* Larger than what is read at once, as mappings come: what differs is found in the middle, from the begin of its line. */
static void test_a_long_text_that_differs_in_the_middle(void)
{
	enum { LINES = 30000, OTHER = 20000, LINE = 16 };
	static char then[LINES * LINE + 1], now[LINES * LINE + 1];
	struct cursor rest = {then, then + sizeof then - 1};
	size_t size;
	for (int i = 0; i < LINES; i++)
		snprintf(then + i * LINE, LINE + 1, "%014d.\n", i);
	memcpy(now, then, sizeof now);
	now[OTHER * LINE + 5] = 'x';
	int fd = memfd_create("now", 0);
	TEST_ASSERT_EQUAL(sizeof now - 1, write(fd, now, sizeof now - 1));
	char *text = proc_read_since(&size, &rest, &err, "/proc/self/fd/%d", fd);
	TEST_ASSERT_NOT_NULL(text);
	TEST_ASSERT_EQUAL(0, (rest.at - then) % LINE);
	TEST_ASSERT_TRUE(rest.at > then && rest.at <= then + OTHER * LINE);
	TEST_ASSERT_EQUAL(sizeof now - 1 - (size_t)(rest.at - then), size);
	TEST_ASSERT_EQUAL_MEMORY(now + (rest.at - then), text, size + 1);
	free(text);
	close(fd);
}

static const char status_text[] =
	"Name:\tpython 3: x\nUmask:\t0022\nState:\tt (tracing stop)\nTgid:\t70\nNgid:\t0\nPid:\t71\nPPid:\t1\n"
	"TracerPid:\t99\nUid:\t1000\t0\t4294967295\t1001\nGid:\t5\t6\t7\t8\nGroups:\t1 2\nNSpid:\t71\t4\t1\n"
	"VmRSS:\t    1316 kB\nCoreDumping:\t1\nTHP_enabled:\t1\nThreads:\t12\nSigQ:\t0/96373\nSigPnd:\t0000000000000001\nShdPnd:\t0000000000000002\n"
	"SigBlk:\tfffffffe7ffbfeff\nSigIgn:\t0000000000000004\nSigCgt:\t8000000000000000\nCapInh:\t0\n"
	"CapPrm:\t000001ffffffffff\nCapEff:\t0000000000080000\nCapBnd:\t0000000000000003\nNoNewPrivs:\t1\n"
	"Seccomp:\t2\nSeccomp_filters:\t3\nx86_Thread_features:\tshstk\nx86_Thread_features_locked:\twrss\n";

static void test_the_status_is_read_whole(void)
{
	struct proc_status s;
	TEST_ASSERT_EQUAL(0, status_parse(&s, status_text, sizeof status_text - 1, &err));
	TEST_ASSERT_EQUAL_STRING("python 3: x", s.name);
	TEST_ASSERT_EQUAL('t', s.state);
	TEST_ASSERT_EQUAL(70, s.tgid);
	TEST_ASSERT_EQUAL(71, s.pid);
	TEST_ASSERT_EQUAL(1, s.ppid);
	TEST_ASSERT_EQUAL(99, s.tracer);
	TEST_ASSERT_EQUAL_UINT32(4294967295u, s.uid[2]);
	TEST_ASSERT_EQUAL(8, s.gid[3]);
	TEST_ASSERT_EQUAL(3, s.nspid_count);
	TEST_ASSERT_EQUAL(4, s.nspid[1]);
	TEST_ASSERT_EQUAL(12, s.threads);
	TEST_ASSERT_EQUAL_HEX64(1, s.sig_pending);
	TEST_ASSERT_EQUAL_HEX64(2, s.shared_pending);
	TEST_ASSERT_EQUAL_HEX64(0xfffffffe7ffbfeff, s.sig_blocked);
	TEST_ASSERT_EQUAL_HEX64(4, s.sig_ignored);
	TEST_ASSERT_EQUAL_HEX64(0x8000000000000000, s.sig_caught);
	TEST_ASSERT_EQUAL_HEX64(0x80000, s.cap_effective);
	TEST_ASSERT_EQUAL_HEX64(0x1ffffffffff, s.cap_permitted);
	TEST_ASSERT_TRUE(s.no_new_privs && s.shadow_stack && s.dumps_core);
	TEST_ASSERT_EQUAL(2, s.seccomp);
	TEST_ASSERT_EQUAL(3, s.seccomp_filters);
	TEST_ASSERT_EQUAL_UINT64(1316, s.vm_rss_kb);
}

static void test_what_an_old_kernel_does_not_tell_is_minus_one(void)
{
	static const char text[] = "State:\tS\nTgid:\t7\nPid:\t7\n";
	struct proc_status s;
	TEST_ASSERT_EQUAL(0, status_parse(&s, text, sizeof text - 1, &err));
	TEST_ASSERT_EQUAL(-1, s.seccomp);
	TEST_ASSERT_EQUAL(-1, s.seccomp_filters);
	TEST_ASSERT_FALSE(s.shadow_stack || s.dumps_core);
}

static void test_a_malformed_status_is_refused_by_the_name_of_its_field(void)
{
	static const char text[] = "State:\tS\nTgid:\t7\nPid:\t7\nUid:\t1\t2\n";
	struct proc_status s;
	TEST_ASSERT_EQUAL(-1, status_parse(&s, text, sizeof text - 1, &err));
	TEST_ASSERT_NOT_NULL(strstr(err.text, "Uid"));
	TEST_ASSERT_EQUAL(-1, status_parse(&s, text, 9, &err));
	TEST_ASSERT_EQUAL(-1, status_parse(&s, "", 0, &err));
}

static void test_a_stat_line_with_brackets_in_the_name(void)
{
	static const char text[] = "12 (a) (b) R 1) S 1 12 12 0 -1 4194308 85 0 0 0 33 44 0 0 20 0 1 0 127250 2867200";
	struct proc_stat s;
	TEST_ASSERT_EQUAL(0, stat_parse(&s, text, sizeof text - 1, &err));
	TEST_ASSERT_EQUAL(12, s.pid);
	TEST_ASSERT_EQUAL('S', s.state);
	TEST_ASSERT_EQUAL_HEX64(0x400004, s.flags);
	TEST_ASSERT_EQUAL_UINT64(33, s.utime);
	TEST_ASSERT_EQUAL_UINT64(44, s.stime);
	TEST_ASSERT_EQUAL_UINT64(127250, s.start_time);
	TEST_ASSERT_EQUAL_STRING("a) (b) R 1", s.name);
	TEST_ASSERT_EQUAL(1, s.ppid);
	TEST_ASSERT_EQUAL(1, s.threads);
	TEST_ASSERT_EQUAL_UINT64(85, s.faults);
	TEST_ASSERT_EQUAL(-1, stat_parse(&s, text, 40, &err));
	TEST_ASSERT_EQUAL(-1, stat_parse(&s, "12 (a", 5, &err));
	TEST_ASSERT_EQUAL(-1, stat_parse(&s, "12 (a)", 6, &err));
}

static int parse_syscall(struct proc_syscall *call, const char *text)
{
	return syscall_parse(call, text, strlen(text), &err);
}

static void test_the_three_forms_of_a_system_call(void)
{
	struct proc_syscall call;
	TEST_ASSERT_EQUAL(0, parse_syscall(&call, "running\n"));
	TEST_ASSERT_TRUE(call.running);
	TEST_ASSERT_EQUAL(0, parse_syscall(&call, "63 0x3 0xffffbe628000 0x20000 0x1 0xff0 0x0 0xffffc6020fd0 0xffffbe77db88\n"));
	TEST_ASSERT_FALSE(call.running);
	TEST_ASSERT_EQUAL(63, call.nr);
	TEST_ASSERT_EQUAL_HEX64(0xffffbe628000, call.args[1]);
	TEST_ASSERT_EQUAL_HEX64(0xffffc6020fd0, call.sp);
	TEST_ASSERT_EQUAL_HEX64(0xffffbe77db88, call.pc);
	TEST_ASSERT_EQUAL(0, parse_syscall(&call, "-1 0x7ffd0 0x7f00\n"));
	TEST_ASSERT_EQUAL(-1, call.nr);
	TEST_ASSERT_EQUAL_HEX64(0x7f00, call.pc);
	TEST_ASSERT_EQUAL(-1, parse_syscall(&call, "63 0x3 0x4\n"));
	TEST_ASSERT_EQUAL(-1, parse_syscall(&call, ""));
}

static void test_auxv_of_64_and_32_bits_are_told_apart(void)
{
	static const uint64_t wide[] = {33, 0x7fff1000, 16, 1, 6, 65536, 3, 0x400040, 5, 9, 7, 0x7f000, 9, 0x400500, 0, 0};
	static const uint32_t narrow[] = {32, 0xf7f0a550, 33, 0xf7f0a000, 6, 4096, 3, 0x8048034, 5, 9, 9, 0x8048350, 0, 0};
	struct auxv auxv;
	TEST_ASSERT_EQUAL(0, auxv_parse(&auxv, wide, sizeof wide, &err));
	TEST_ASSERT_TRUE(auxv.wide);
	TEST_ASSERT_EQUAL_UINT64(65536, auxv.page_size);
	TEST_ASSERT_EQUAL_HEX64(0x400040, auxv.phdr);
	TEST_ASSERT_EQUAL_HEX64(0x7f000, auxv.base);
	TEST_ASSERT_EQUAL_HEX64(0x400500, auxv.entry);
	TEST_ASSERT_EQUAL_HEX64(0x7fff1000, auxv.vdso);
	TEST_ASSERT_EQUAL(0, auxv_parse(&auxv, narrow, sizeof narrow, &err));
	TEST_ASSERT_FALSE(auxv.wide);
	TEST_ASSERT_EQUAL_HEX64(0x8048350, auxv.entry);
}

static void test_malformed_auxv_is_refused(void)
{
	static const uint64_t odd_page[] = {6, 5000, 3, 0x400040, 0, 0};
	static const uint64_t no_phdr[] = {6, 4096, 0, 0};
	struct auxv auxv;
	TEST_ASSERT_EQUAL(-1, auxv_parse(&auxv, odd_page, sizeof odd_page, &err));
	TEST_ASSERT_EQUAL(-1, auxv_parse(&auxv, no_phdr, sizeof no_phdr, &err));
	TEST_ASSERT_EQUAL(-1, auxv_parse(&auxv, "", 0, &err));
}

static void *wait_for_end(void *gate)
{
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

static void test_all_threads_are_listed_in_order(void)
{
	enum { MANY = 200 };
	static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[MANY];
	pid_t *tids;
	size_t n;
	pthread_mutex_lock(&gate);
	for (int i = 0; i < MANY; i++)
		TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], NULL, wait_for_end, &gate));
	TEST_ASSERT_EQUAL(0, proc_threads(getpid(), &tids, &n, &err));
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < MANY; i++)
		pthread_join(thread[i], NULL);
	TEST_ASSERT_EQUAL(MANY + 1, n);
	for (size_t i = 1; i < n; i++)
		TEST_ASSERT_TRUE(tids[i - 1] < tids[i]);
	free(tids);
}

static void test_readers_say_which_file_and_why(void)
{
	struct proc_status status;
	TEST_ASSERT_EQUAL(-1, proc_status(0x7ffffff0, 0, &status, &err));
	TEST_ASSERT_EQUAL(2, err.sys);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "/proc/2147483632/status"));
	TEST_ASSERT_EQUAL(0, proc_status(getpid(), getpid(), &status, &err));
	TEST_ASSERT_EQUAL(getpid(), status.pid);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_line_of_maps_is_read_whole);
	RUN_TEST(test_deleted_is_a_mark_and_not_part_of_the_path);
	RUN_TEST(test_a_newline_in_a_path_is_unescaped);
	RUN_TEST(test_each_mapping_has_its_own_path_where_files_alternate);
	RUN_TEST(test_numbers_may_be_as_large_as_64_bits);
	RUN_TEST(test_a_nul_is_no_part_of_mappings);
	RUN_TEST(test_anonymous_mappings_have_an_empty_path);
	RUN_TEST(test_no_text_is_no_mappings);
	RUN_TEST(test_malformed_maps_are_refused);
	RUN_TEST(test_a_mapping_is_found_by_every_address_in_it);
	RUN_TEST(test_a_thousand_mappings_of_our_own_are_read);
	RUN_TEST(test_lines_that_were_read_before_are_passed_over);
	RUN_TEST(test_a_long_text_that_differs_in_the_middle);
	RUN_TEST(test_the_status_is_read_whole);
	RUN_TEST(test_what_an_old_kernel_does_not_tell_is_minus_one);
	RUN_TEST(test_a_malformed_status_is_refused_by_the_name_of_its_field);
	RUN_TEST(test_a_stat_line_with_brackets_in_the_name);
	RUN_TEST(test_the_three_forms_of_a_system_call);
	RUN_TEST(test_auxv_of_64_and_32_bits_are_told_apart);
	RUN_TEST(test_malformed_auxv_is_refused);
	RUN_TEST(test_all_threads_are_listed_in_order);
	RUN_TEST(test_readers_say_which_file_and_why);
	return UNITY_END();
}
