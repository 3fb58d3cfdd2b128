/* SPDX-License-Identifier: MIT */
/* Each line of the pre-flight in both directions: the process itself, and the ROCm in it. */
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "made_view.h"

static pid_t tracer;

void setUp(void)
{
	tracer = 0;
	memset(&err, 0, sizeof err);
	make_files();
	open_target(child_start(have_threads));
	make_view();
}

void tearDown(void)
{
	free_view();
	if (tracer)
		child_end(tracer);
	close_target();
	remove_files();
}

static void test_a_process_that_is_ready_can_be_attached_and_every_line_is_there(void)
{
	static const char *const names[] = {
		"process", "permission", "cpu", "libc", "namespaces", "tracer", "seccomp", "register", "attach-library",
		"rocattach", "runtime", "listener", "startup-tool", "attached", "sdk", "tool", "own-tool", "same-tool", "same-services",
		"output", "late" };
	look();
	TEST_ASSERT_EQUAL(sizeof names / sizeof *names, preflight.n);
	for (size_t i = 0; i < preflight.n; i++) {
		TEST_ASSERT_EQUAL_STRING(names[i], preflight.v[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(VERDICT_OK, preflight.v[i].verdict, preflight.v[i].text);
		TEST_ASSERT_TRUE_MESSAGE(preflight.v[i].text[0] && !preflight.v[i].remedy[0], names[i]);
	}
	expect_can(true, true);
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	TEST_ASSERT_EQUAL_STRING(sdk_path, preflight.sdk);
	TEST_ASSERT_EQUAL(view.listener, preflight.listener);
	TEST_ASSERT_FALSE(preflight.reattach || preflight.orphaned);
}

static void test_verdicts_have_names(void)
{
	TEST_ASSERT_EQUAL_STRING("ok", verdict_name(VERDICT_OK));
	TEST_ASSERT_EQUAL_STRING("note", verdict_name(VERDICT_NOTE));
	TEST_ASSERT_EQUAL_STRING("no", verdict_name(VERDICT_NO));
	TEST_ASSERT_EQUAL_STRING("unknown", verdict_name(VERDICT_UNKNOWN));
}

/* ---- any process ---- */

static void test_the_process_is_told_with_its_threads_and_user(void)
{
	char text[96];
	look();
	snprintf(text, sizeof text, "process %d (test_preflight), 3 threads, user %u", (int)target.pid, (unsigned)geteuid());
	expect_line("process", VERDICT_OK, text, "");
	snprintf(text, sizeof text, "user %u, may trace it", (unsigned)geteuid());
	expect_line("permission", VERDICT_OK, text, "");
}

static void test_a_process_that_has_ended_is_an_error(void)
{
	kill(target.pid, SIGKILL);
	nap_ms(50);
	TEST_ASSERT_EQUAL(-1, preflight_look(&preflight, &view, &request, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
}

static void test_the_c_library_is_told(void)
{
	look();
	expect_line("libc", VERDICT_OK, "musl", "");
	view.reg = NULL;        /* this test is a static program */
	expect_refused("libc", "musl, linked statically", "give the process that uses the GPU");
	view.reg = &reg;
	target.libc = LIBC_NONE;
	expect_refused("libc", "no C library", "give the process that uses the GPU");
	expect_can(false, false);
}

static void open_other(pid_t pid)
{
	close_target();
	open_target(pid);
}

static void leave_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0)
		_exit(1);
}

static void leave_root(void)
{
	if (chroot("/tmp") < 0)
		_exit(1);
}

static void test_another_mount_namespace_is_a_note(void)
{
	if (geteuid())
		TEST_IGNORE_MESSAGE("needs root");
	look();
	expect_line("namespaces", VERDICT_OK, "those of roclatch", "");
	open_other(child_start(leave_mounts));
	look();
	expect_line("namespaces", VERDICT_NOTE, "another mount namespace: paths of tool and output are those", "");
	open_other(child_start(leave_root));
	look();
	expect_line("namespaces", VERDICT_NOTE, "another root folder: paths", "");
}

static void test_the_id_inside_another_pid_namespace_is_told(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		TEST_IGNORE_MESSAGE("needs root");
	open_other(pid);
	look();
	expect_line("namespaces", VERDICT_NOTE, "another pid namespace, where its id is 1", "");
	expect_can(true, true);
}

static pid_t seized;

static void seize_it(void)
{
	if (ptrace(PTRACE_SEIZE, seized, 0, 0) < 0)
		_exit(1);
}

/* By another process: who traces a thread must also bury it. */
static void seize(pid_t tid)
{
	seized = tid;
	tracer = child_start(seize_it);
}

static void test_who_traces_the_listener_is_another_attacher(void)
{
	look();
	expect_line("tracer", VERDICT_OK, "nobody", "");
	seize(view.listener);
	expect_refused("tracer", "listener thread", "let it detach");
	EXPECT_HAS("(test_preflight): another attacher", line("tracer")->text);
	expect_can(false, false);
}

static void test_who_traces_the_process_is_named(void)
{
	seize(target.pid);
	expect_refused("tracer", "it is traced by process", "let it detach");
}

static void test_who_traces_another_thread_does_not_disturb(void)
{
	seize(thread_of(target.pid, 2));
	look();
	expect_line("tracer", VERDICT_NOTE, "another one will be borrowed", "");
	expect_can(true, true);
}

static void test_strict_seccomp_cannot_be_attached(void)
{
	look();
	expect_line("seccomp", VERDICT_OK, "none", "");
	target.status.seccomp = 1;
	expect_refused("seccomp", "strict", "none");
}

static int look_at_seccomp(pid_t pid, struct err *answer)
{
	(void)pid;
	look();
	err_set(answer, ERR_FAILED, 0, "%s", line("seccomp")->text);
	err_remedy(answer, "%s", line("seccomp")->remedy);
	return (int)line("seccomp")->verdict;
}

static void stay(void)
{
}

static void test_filters_that_cannot_be_read_are_refused_unless_trusted(void)
{
	struct proc_status us;
	TEST_ASSERT_EQUAL(0, proc_status(getpid(), 0, &us, &err));
	target.status.seccomp = 2;
	target.status.seccomp_filters = 2;
	bool readable = us.cap_effective >> 21 & 1 && us.seccomp == 0;
	struct seen seen = seen_as(stay, look_at_seccomp, target.pid);
	TEST_ASSERT_EQUAL(readable ? VERDICT_OK : VERDICT_NO, seen.result);
	if (geteuid())
		TEST_IGNORE_MESSAGE("the rest needs root");
	seen = seen_as(become_somebody, look_at_seccomp, target.pid);
	TEST_ASSERT_EQUAL_MESSAGE(VERDICT_NO, seen.result, seen.err.text);
	EXPECT_HAS("2 filters that cannot be read", seen.err.text);
	EXPECT_HAS("--trust-seccomp", seen.err.remedy);
	request.trust_seccomp = true;
	seen = seen_as(become_somebody, look_at_seccomp, target.pid);
	TEST_ASSERT_EQUAL_MESSAGE(VERDICT_NOTE, seen.result, seen.err.text);
}

/* ---- what could not even be opened ---- */

static int open_or_tell(pid_t pid, struct err *answer)
{
	struct target one;
	struct err why = { 0 };
	if (target_open(&one, pid, NULL, &why) == 0)
		return 0;
	preflight_unopened(&preflight, pid, &why);
	err_set(answer, ERR_FAILED, 0, "%s: %s", preflight.v[0].name, preflight.v[0].text);
	err_remedy(answer, "%s", preflight.v[0].remedy);
	return preflight.n == 1 && preflight.v[0].verdict == VERDICT_NO && !preflight.can_attach && !preflight.can_late &&
	       !strcmp(preflight.v[0].remedy, why.remedy) ? -1 : -2;
}

static void expect_unopened(void (*become)(void), pid_t pid, const char *text)
{
	struct seen seen = seen_as(become, open_or_tell, pid);
	TEST_ASSERT_EQUAL_MESSAGE(-1, seen.result, seen.err.text);
	TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(text, seen.err.text, strlen(text), seen.err.text);
}

static void test_a_process_that_is_not_there_has_one_line(void)
{
	expect_unopened(stay, 4194304, "process: there is no process 4194304");
}

static void test_a_process_that_may_not_be_traced_has_one_line(void)
{
	if (geteuid())
		TEST_IGNORE_MESSAGE("needs root");
	expect_unopened(become_somebody, target.pid, "permission: process ");
}

static void test_a_process_that_is_traced_has_one_line(void)
{
	seize(target.pid);
	expect_unopened(stay, target.pid, "tracer: process ");
}

static void test_a_process_that_is_stopped_has_one_line(void)
{
	kill(target.pid, SIGSTOP);
	nap_ms(50);
	expect_unopened(stay, target.pid, "process: process ");
}

static void test_a_process_of_another_cpu_has_one_line(void)
{
	err_set(&err, ERR_NOT_POSSIBLE, 0, "process 7 (x) is a program for i386");
	err_remedy(&err, "use a roclatch for it");
	preflight_unopened(&preflight, target.pid, &err);
	expect_line("cpu", VERDICT_NO, "i386", "use a roclatch");
	expect_can(false, false);
}

/* ---- nothing is touched ---- */

static void kill_at(struct sock_filter **at, unsigned nr)
{
	*(*at)++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
	*(*at)++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
}

/* Die at the first system call that could change another process. */
static void become_harmless(void)
{
	static const unsigned deadly[] = { SYS_ptrace, SYS_process_vm_writev, SYS_kill, SYS_tkill, SYS_tgkill, SYS_pwrite64,
					   SYS_pwritev };
	struct sock_filter code[2 * sizeof deadly / sizeof *deadly + 2], *at_code = code;
	*at_code++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		kill_at(&at_code, deadly[i]);
	*at_code = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(98);
}

static int look_harmlessly(pid_t pid, struct err *answer)
{
	(void)pid;
	view.listener = 0;      /* so that the attach library is searched, too */
	attach_library.elf = images_exe(&images)->elf;
	return preflight_look(&preflight, &view, &request, answer) == 0 ? (int)preflight.n : -1;
}

/* What it says of itself, without what reading its memory brings in, and what others change. */
static char *everything(const char *name)
{
	size_t size;
	char *text = proc_read(&size, &err, "/proc/%d/%s", (int)target.pid, name), *to = text;
	TEST_ASSERT_NOT_NULL_MESSAGE(text, err.text);
	for (char *at_line = text; *at_line;) {
		size_t length = strcspn(at_line, "\n") + 1;
		bool counts = strncmp(at_line, "Vm", 2) && strncmp(at_line, "Rss", 3) && strncmp(at_line, "SigQ", 4);
		if (at_line[length - 1] == '\0')
			length--;
		if (counts)
			memmove(to, at_line, length);
		to += counts ? length : 0;
		at_line += length;
	}
	*to = '\0';
	return text;
}

/* The status counts how often it was woken. */
static void test_looking_changes_nothing_and_traces_nobody(void)
{
	static const char *const files[] = { "maps", "status", "environ", "cmdline", "limits" };
	char *before[5];
	wait_blocked(target.pid, target.pid, -1);
	TEST_ASSERT_EQUAL(0, image_open(&images, images_exe(&images), &err));
	for (size_t i = 0; i < 5; i++)
		before[i] = everything(files[i]);
	struct seen seen = seen_as(become_harmless, look_harmlessly, target.pid);
	TEST_ASSERT_EQUAL_MESSAGE(21, seen.result, seen.err.text);
	for (size_t i = 0; i < 5; i++) {
		char *now = everything(files[i]);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(before[i], now, files[i]);
		free(now);
		free(before[i]);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_process_that_is_ready_can_be_attached_and_every_line_is_there);
	RUN_TEST(test_verdicts_have_names);
	RUN_TEST(test_the_process_is_told_with_its_threads_and_user);
	RUN_TEST(test_a_process_that_has_ended_is_an_error);
	RUN_TEST(test_the_c_library_is_told);
	RUN_TEST(test_another_mount_namespace_is_a_note);
	RUN_TEST(test_the_id_inside_another_pid_namespace_is_told);
	RUN_TEST(test_who_traces_the_listener_is_another_attacher);
	RUN_TEST(test_who_traces_the_process_is_named);
	RUN_TEST(test_who_traces_another_thread_does_not_disturb);
	RUN_TEST(test_strict_seccomp_cannot_be_attached);
	RUN_TEST(test_filters_that_cannot_be_read_are_refused_unless_trusted);
	RUN_TEST(test_a_process_that_is_not_there_has_one_line);
	RUN_TEST(test_a_process_that_may_not_be_traced_has_one_line);
	RUN_TEST(test_a_process_that_is_traced_has_one_line);
	RUN_TEST(test_a_process_that_is_stopped_has_one_line);
	RUN_TEST(test_a_process_of_another_cpu_has_one_line);
	RUN_TEST(test_looking_changes_nothing_and_traces_nobody);
	return UNITY_END();
}
