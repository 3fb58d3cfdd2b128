/* SPDX-License-Identifier: MIT */
/* Each rule by which the kernel forbids tracing, made true once: live where this
 * kernel can, and with made facts for all (Yama is not in every kernel). */
#include "inject/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "child.h"
#include "inject/target.h"

static struct err err;
static struct permission facts;
static pid_t child;

/* One user, one namespace, no privilege, nothing in the way. */
void setUp(void)
{
	memset(&err, 0, sizeof err);
	child = 0;
	facts = (struct permission){.pid = 7, .same_user_ns = 1, .dumpable = 1, .yama = -1};
	strcpy(facts.them.name, "prog");
	for (int i = 0; i < 4; i++)
		facts.us.uid[i] = facts.us.gid[i] = facts.them.uid[i] = facts.them.gid[i] = 1000;
}

void tearDown(void)
{
	if (child)
		child_end(child);
}

static void expect_reason(const char *why, const char *remedy)
{
	TEST_ASSERT_EQUAL(-1, permission_refuse(&facts, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS("process 7 (prog) may not be traced: ", err.text);
	EXPECT_HAS(why, err.text);
	EXPECT_HAS(remedy, err.remedy);
}

static void be_capable(void)
{
	facts.us.cap_effective = 1ull << CAP_SYS_PTRACE;
}

static void test_the_first_rule_that_bites_is_told(void)
{
	facts.yama = 1;
	expect_reason("kernel.yama.ptrace_scope says only a parent may trace (1)", "sysctl kernel.yama.ptrace_scope=0");
	facts.them.cap_permitted = 0x400;
	expect_reason("capabilities that roclatch lacks (0x400)", "CAP_SYS_PTRACE");
	facts.dumpable = 0;
	expect_reason("not dumpable", "as root");
	facts.them.gid[2] = 5;
	expect_reason("its group ids are 1000 1000 5 (real, effective, saved), roclatch runs with 1000", "as root");
	facts.them.uid[1] = 0;
	expect_reason("its user ids are 1000 0 1000 (real, effective, saved), roclatch runs with 1000", "as root");
}

static void test_each_scope_of_yama(void)
{
	facts.yama = 0;
	expect_reason("a security module says no", "audit log");
	facts.yama = 1;
	facts.descendant = true;
	expect_reason("a security module says no", "audit log");
	facts.yama = 2;
	expect_reason("only CAP_SYS_PTRACE may trace (2)", "run roclatch as root");
	be_capable();
	expect_reason("a security module says no", "audit log");
	facts.yama = 3;
	expect_reason("nobody may trace (3)", "cannot be undone");
}

static void test_a_capability_counts_in_its_own_namespace_only(void)
{
	be_capable();
	facts.them.uid[0] = 0;
	facts.same_user_ns = 0;
	expect_reason("another user namespace, where roclatch has no CAP_SYS_PTRACE", "nsenter -U -t 7");
	facts.same_user_ns = 1;
	expect_reason("a security module says no", "audit log");
}

static void test_a_security_module_is_named(void)
{
	be_capable();
	strcpy(facts.modules, "lockdown,capability,apparmor");
	strcpy(facts.label, "docker-default (enforce)");
	expect_reason("(modules: lockdown,capability,apparmor, label: docker-default (enforce))", "audit log");
	facts.filtered = true;
	expect_reason("a seccomp filter on roclatch itself", "outside of the sandbox");
}

static void test_files_of_proc_are_opened_by_their_mode(void)
{
	be_capable();
	facts.them.uid[1] = 33;
	expect_reason("its files in /proc are those of user 33; roclatch, user 1000, has CAP_SYS_PTRACE, but no CAP_DAC_OVERRIDE",
		      "run roclatch as user 33, or with CAP_DAC_OVERRIDE");
	facts.us.cap_effective |= 1ull << CAP_DAC_READ_SEARCH;
	expect_reason("a security module says no", "audit log");
}

/* A filter on a child that refuses ptrace, one that kills for it, and one that has nothing against it. */
static void test_a_filter_on_ourselves_is_found_by_asking(void)
{
	static const struct { uint32_t answer; bool filtered; } rows[] = {
		{ SECCOMP_RET_ERRNO | EPERM, true }, { SECCOMP_RET_ERRNO | ENOSYS, true }, { SECCOMP_RET_KILL_PROCESS, true },
		{ SECCOMP_RET_ALLOW, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, rows[i].answer),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct proc_status us;
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || proc_status(getpid(), 0, &us, NULL) || permission_filtered(&us) ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){ sizeof code / sizeof *code, code }) ||
			    proc_status(getpid(), 0, &us, NULL))
				_exit(2);
			_exit(permission_filtered(&us));
		}
		TEST_ASSERT_EQUAL(pid, waitpid(pid, &status, 0));
		TEST_ASSERT_TRUE(WIFEXITED(status));
		TEST_ASSERT_EQUAL(rows[i].filtered, WEXITSTATUS(status));
	}
}

static void test_dumpable_is_the_guess_when_it_cannot_be_seen(void)
{
	facts.dumpable = -1;
	expect_reason("not dumpable", "as root");
}

static void expect_yama(int wanted, const char *text)
{
	char path[] = "/tmp/yama-XXXXXX";
	int fd = mkstemp(path);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	permission_look(&facts, getpid(), getpid(), path);
	unlink(path);
	TEST_ASSERT_EQUAL(wanted, facts.yama);
}

static void test_the_scope_is_read_from_its_file(void)
{
	expect_yama(0, "0\n");
	expect_yama(1, "1\n");
	expect_yama(3, "3\n");
	expect_yama(-1, "x\n");
	permission_look(&facts, getpid(), getpid(), "/nonexistent");
	TEST_ASSERT_EQUAL(-1, facts.yama);
	TEST_ASSERT_EQUAL(1, facts.same_user_ns);
	TEST_ASSERT_TRUE(facts.descendant);
}

static int look(pid_t pid, struct err *e)
{
	struct target other;
	int result = target_open(&other, pid, NULL, e);
	if (result == 0)
		target_close(&other);
	return result;
}

static void expect_refused_as(void (*become)(void), const char *why, const char *remedy)
{
	struct seen seen = seen_as(become, look, child);
	TEST_ASSERT_EQUAL(-1, seen.result);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, seen.err.code, seen.err.text);
	EXPECT_HAS(why, seen.err.text);
	EXPECT_HAS(remedy, seen.err.remedy);
}

static void expect_open(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, look(child, &err), err.text);
}

static void test_a_process_of_another_user(void)
{
	child = child_start(NULL);
	expect_refused_as(become_somebody, "its user ids are 0 0 0 (real, effective, saved), roclatch runs with 12345",
			  "as the owner of the process or as root");
}

static void become_somebody_of_another_group(void)
{
	if (setgroups(0, NULL) < 0 || setgid(SOMEBODY + 1) < 0 || setuid(SOMEBODY) < 0)
		_exit(1);
}

static void test_a_process_of_another_group(void)
{
	child = child_start(become_somebody);
	expect_refused_as(become_somebody_of_another_group, "its group ids are 12345", "as root");
}

static void test_a_process_of_the_same_user_needs_no_privilege(void)
{
	child = child_start(become_somebody);
	struct seen seen = seen_as(become_somebody, look, child);
	TEST_ASSERT_EQUAL_MESSAGE(0, seen.result, seen.err.text);
}

static void become_undumpable(void)
{
	become_somebody();
	prctl(PR_SET_DUMPABLE, 0);
}

static void test_a_process_that_is_not_dumpable(void)
{
	child = child_start(become_undumpable);
	expect_refused_as(become_somebody, "is not dumpable", "as root");
	expect_open();
}

static void become_somebody_with_a_capability(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{.permitted = 1u << CAP_NET_RAW}};
	prctl(PR_SET_KEEPCAPS, 1);
	become_somebody();
	if (syscall(SYS_capset, &header, data) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		_exit(1);
}

static void test_a_process_with_more_capabilities(void)
{
	child = child_start(become_somebody_with_a_capability);
	expect_refused_as(become_somebody, "has capabilities that roclatch lacks (0x2000)", "CAP_SYS_PTRACE");
}

static void enter_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER) < 0)
		_exit(1);
}

static void test_a_process_outside_of_our_user_namespace(void)
{
	child = child_start(NULL);
	expect_refused_as(enter_user_namespace, "is in another user namespace", "nsenter -U -t");
}

static void test_a_process_inside_of_a_user_namespace_is_opened(void)
{
	child = child_start(enter_user_namespace);
	expect_open();
}

/* 1 written, 0 no Yama in this kernel */
static int set_yama(char scope)
{
	int fd = open(PERMISSION_YAMA, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = write(fd, &scope, 1);
	close(fd);
	return n == 1;
}

static void test_yama_itself_where_the_kernel_has_it(void)
{
	child = child_start(become_somebody);
	if (!set_yama('1')) {
		struct seen seen = seen_as(become_somebody, look, child);
		TEST_ASSERT_EQUAL_MESSAGE(0, seen.result, seen.err.text);
		return;
	}
	struct seen one = seen_as(become_somebody, look, child);
	set_yama('2');
	struct seen two = seen_as(become_somebody, look, child);
	set_yama('0');
	TEST_ASSERT_EQUAL(-1, one.result);
	EXPECT_HAS("only a parent may trace (1)", one.err.text);
	TEST_ASSERT_EQUAL(-1, two.result);
	EXPECT_HAS("only CAP_SYS_PTRACE may trace (2)", two.err.text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_first_rule_that_bites_is_told);
	RUN_TEST(test_each_scope_of_yama);
	RUN_TEST(test_a_capability_counts_in_its_own_namespace_only);
	RUN_TEST(test_a_security_module_is_named);
	RUN_TEST(test_files_of_proc_are_opened_by_their_mode);
	RUN_TEST(test_a_filter_on_ourselves_is_found_by_asking);
	RUN_TEST(test_dumpable_is_the_guess_when_it_cannot_be_seen);
	RUN_TEST(test_the_scope_is_read_from_its_file);
	RUN_TEST(test_a_process_of_another_user);
	RUN_TEST(test_a_process_of_another_group);
	RUN_TEST(test_a_process_of_the_same_user_needs_no_privilege);
	RUN_TEST(test_a_process_that_is_not_dumpable);
	RUN_TEST(test_a_process_with_more_capabilities);
	RUN_TEST(test_a_process_outside_of_our_user_namespace);
	RUN_TEST(test_a_process_inside_of_a_user_namespace_is_opened);
	RUN_TEST(test_yama_itself_where_the_kernel_has_it);
	return UNITY_END();
}
