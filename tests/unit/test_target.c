/* SPDX-License-Identifier: MIT */
/* Each reason to refuse a target is made true once; where another reason could
 * hide it, the same target is also opened without it. */
#include "inject/target.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"
#include "inject/machine.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static struct err err;
static struct target target;
static pid_t child;
static char said[1024];
static pid_t *shared_tid;

static void note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

void setUp(void)
{
	memset(&err, 0, sizeof err);
	said[0] = '\0';
	child = 0;
}

void tearDown(void)
{
	target_close(&target);
	if (child)
		child_end(child);
}

static int open_it(pid_t pid)
{
	struct say to = {note, NULL};
	return target_open(&target, pid, &to, &err);
}

static void expect_refused(pid_t pid, const char *why, const char *remedy)
{
	TEST_ASSERT_EQUAL(-1, open_it(pid));
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, err.text);
	EXPECT_HAS(why, err.text);
	EXPECT_HAS(remedy, err.remedy);
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

static void test_a_living_process_is_opened(void)
{
	child = child_start(NULL);
	TEST_ASSERT_EQUAL_MESSAGE(0, open_it(child), err.text);
	TEST_ASSERT_EQUAL(child, target.pid);
	TEST_ASSERT_EQUAL(child, target.live_tid);
	TEST_ASSERT_EQUAL(sysconf(_SC_PAGESIZE), target.page);
	TEST_ASSERT_TRUE(target.auxv.wide && target.pidfd >= 0);
	TEST_ASSERT_TRUE(target_alive(&target));
	child_end(child);
	child = 0;
	TEST_ASSERT_FALSE(target_alive(&target));
	struct maps maps;
	TEST_ASSERT_EQUAL(-1, target_maps(&target, &maps, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
}

static void test_no_such_process(void)
{
	pid_t gone = child_start(NULL);
	child_end(gone);
	expect_refused(gone, "there is no process", "ps");
	expect_refused(0, "there is no process 0", "ps");
	expect_refused(-7, "there is no process -7", "ps");
}

static void test_a_zombie(void)
{
	siginfo_t info;
	child = child_start(NULL);
	TEST_ASSERT_EQUAL(0, open_it(child));
	kill(child, SIGKILL);
	TEST_ASSERT_EQUAL(0, waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	TEST_ASSERT_FALSE(target_alive(&target));
	expect_refused(child, "is a zombie", "running process");
}

static pid_t fork_waiting(void)
{
	pid_t pid = fork();
	while (pid == 0)
		pause();
	return pid;
}

/* The first process of a pid namespace cannot finish its exit before all others
 * of the namespace are waited for; we keep one of them a zombie. */
static void test_a_process_that_is_exiting(void)
{
	struct proc_stat stat = {0};
	TEST_ASSERT_EQUAL(0, unshare(CLONE_NEWPID));
	pid_t first = fork_waiting();
	pid_t other = fork_waiting();
	kill(first, SIGKILL);
	for (int i = 0; i < 2000 && !(stat.flags & 4); i++, usleep(1000))
		proc_stat(first, 0, &stat, NULL);
	expect_refused(first, "is exiting", "");
	waitpid(other, NULL, 0);
	waitpid(first, NULL, 0);
}

static void test_a_kernel_thread(void)
{
	expect_refused(2, "is a thread of the kernel", "give the id of a program");
}

static void test_roclatch_itself(void)
{
	expect_refused(getpid(), "is roclatch itself", "give the id of a program");
}

static void be_traced(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
}

static void test_a_process_that_is_traced_already(void)
{
	char tracer[64];
	snprintf(tracer, sizeof tracer, "is already traced by process %d (test_target)", (int)getpid());
	child = child_start(be_traced);
	expect_refused(child, tracer, "let it detach");
}

static void test_a_stopped_process(void)
{
	char remedy[64];
	int status;
	child = child_start(NULL);
	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	snprintf(remedy, sizeof remedy, "kill -CONT %d", (int)child);
	expect_refused(child, "is stopped by a signal (state T)", remedy);
	kill(child, SIGCONT);
	waitpid(child, &status, WCONTINUED);
	TEST_ASSERT_EQUAL_MESSAGE(0, open_it(child), err.text);
}

static void mount_over_proc(const char *type, const char *options)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/proc", type, 0, options) < 0)
		_exit(1);
}

static void hide_processes(void)
{
	mount_over_proc("proc", "hidepid=2");
	become_somebody();
}

static void test_a_process_that_proc_hides(void)
{
	child = child_start(NULL);
	expect_refused_as(hide_processes, "/proc hides it (hidepid)", "as root");
}

static void lose_proc(void)
{
	mount_over_proc("tmpfs", NULL);
}

static void test_a_system_without_proc(void)
{
	child = child_start(NULL);
	expect_refused_as(lose_proc, "/proc is not mounted", "mount -t proc");
}

static void *wait_forever(void *unused)
{
	*shared_tid = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
	return unused;
}

static void start_a_thread(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
		_exit(1);
	while (!*(volatile pid_t *)shared_tid)
		usleep(1000);
}

static void test_the_id_of_a_thread_means_its_process(void)
{
	*shared_tid = 0;
	child = child_start(start_a_thread);
	TEST_ASSERT_EQUAL_MESSAGE(0, open_it(*shared_tid), err.text);
	TEST_ASSERT_EQUAL(child, target.pid);
	TEST_ASSERT_TRUE(target.pidfd >= 0 && target_alive(&target));
	EXPECT_HAS("is a thread of process", said);
}

static pid_t start_without_main(void)
{
	*shared_tid = 0;
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, wait_forever, NULL);
		syscall(SYS_exit, 0L);
	}
	struct proc_stat stat = {0};
	for (int i = 0; i < 2000 && (stat.state != 'Z' || !*(volatile pid_t *)shared_tid); i++, usleep(1000))
		proc_stat(pid, 0, &stat, NULL);
	return pid;
}

static void expect_open_without_main(void)
{
	char byte = 0;
	struct maps maps;
	TEST_ASSERT_EQUAL_MESSAGE(0, open_it(child), err.text);
	TEST_ASSERT_EQUAL(*shared_tid, target.live_tid);
	TEST_ASSERT_EQUAL(child, target_self(&target));
	TEST_ASSERT_TRUE(target_alive(&target));
	TEST_ASSERT_EQUAL(0, memory_read(&target.memory, target.auxv.vdso, &byte, 1, &err));
	TEST_ASSERT_EQUAL(0x7f, byte);
	TEST_ASSERT_EQUAL(0, target_maps(&target, &maps, &err));
	TEST_ASSERT_TRUE(maps.n > 3);
	maps_free(&maps);
	EXPECT_HAS("the main thread of", said);
}

static void test_a_process_whose_main_thread_has_exited(void)
{
	child = start_without_main();
	expect_open_without_main();
}

static void without_pidfd(void)
{
	without_call(SYS_pidfd_open);
}

static int look_by_start_time(pid_t pid, struct err *e)
{
	struct target other;
	if (target_open(&other, pid, NULL, e) < 0)
		return -1;
	if (other.pidfd >= 0 || !target_alive(&other))
		return -2;
	other.start_time++;     /* as if the id had been given to a later process */
	if (target_alive(&other))
		return -3;
	other.start_time--;
	kill(pid, SIGKILL);
	for (int i = 0; i < 2000 && target_alive(&other); i++)
		usleep(1000);
	return target_alive(&other) ? -4 : 0;
}

static void test_an_old_kernel_without_pidfd(void)
{
	child = child_start(NULL);
	struct seen seen = seen_as(without_pidfd, look_by_start_time, child);
	TEST_ASSERT_EQUAL_MESSAGE(0, seen.result, seen.err.text);
}

static void test_an_old_kernel_and_the_main_thread_gone(void)
{
	child = start_without_main();
	struct seen seen = seen_as(without_pidfd, look_by_start_time, child);
	TEST_ASSERT_EQUAL_MESSAGE(0, seen.result, seen.err.text);
}

static void expect_machine(const char *wanted, unsigned char elf_class, uint16_t machine, uint16_t ours)
{
	TEST_ASSERT_EQUAL(-1, machine_refuse(7, "prog", elf_class, machine, ours, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS(wanted, err.text);
	TEST_ASSERT_TRUE(err.remedy[0] != '\0');
}

static void test_other_cpus_and_widths_are_named(void)
{
	expect_machine("a 32-bit program for i386", ELFCLASS32, EM_386, EM_X86_64);
	expect_machine("a 32-bit program for arm", ELFCLASS32, EM_ARM, EM_AARCH64);
	expect_machine("x32 (32-bit pointers on x86_64)", ELFCLASS32, EM_X86_64, EM_X86_64);
	expect_machine("ILP32", ELFCLASS32, EM_AARCH64, EM_AARCH64);
	expect_machine("a program for x86_64, and this roclatch is for aarch64", ELFCLASS64, EM_X86_64, EM_AARCH64);
	expect_machine("a program for riscv", ELFCLASS64, EM_RISCV, EM_AARCH64);
	TEST_ASSERT_EQUAL(0, machine_refuse(7, "prog", ELFCLASS64, machine_ours(), machine_ours(), &err));
}

/* A program of 32 bits that only waits, made by hand. */
struct narrow_program { Elf32_Ehdr ehdr; Elf32_Phdr phdr; uint32_t code[3]; };

static bool write_narrow_program(const char *path, uint16_t machine)
{
	struct narrow_program p = {
		.ehdr = {
			.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC,
			.e_machine = machine, .e_version = EV_CURRENT, .e_entry = 0x10000 + offsetof(struct narrow_program, code),
			.e_phoff = sizeof(Elf32_Ehdr), .e_flags = machine == EM_ARM ? 0x05000000 : 0,
			.e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
		},
		.phdr = {.p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof p, .p_memsz = sizeof p,
			 .p_flags = PF_R | PF_X, .p_align = 0x10000},
		.code = {0x00001db8, 0xeb80cd00, 0xf7},         /* again: mov $29, %eax; int $0x80; jmp again */
	};
	if (machine == EM_ARM)                                  /* again: mov r7, #29; svc 0; b again */
		memcpy(p.code, (uint32_t[]){0xe3a0701d, 0xef000000, 0xeafffffc}, sizeof p.code);
	FILE *file = fopen(path, "wb");
	bool ok = file && fwrite(&p, sizeof p, 1, file) == 1;
	return file && fclose(file) == 0 && ok && chmod(path, 0755) == 0;
}

static void test_a_32_bit_program_where_the_kernel_runs_them(void)
{
	bool arm = machine_ours() == EM_AARCH64;
	char path[] = "/tmp/narrow-XXXXXX", exe[64] = "", link[64];
	close(mkstemp(path));
	TEST_ASSERT_TRUE(write_narrow_program(path, arm ? EM_ARM : EM_386));
	child = fork();
	if (child == 0) {
		execl(path, path, (char *)NULL);
		_exit(0);
	}
	snprintf(link, sizeof link, "/proc/%d/exe", (int)child);
	for (int i = 0; i < 2000 && strcmp(exe, path) != 0 && waitpid(child, NULL, WNOHANG) == 0; i++, usleep(1000))
		exe[readlink(link, exe, sizeof exe - 1) > 0 ? strlen(path) : 0] = '\0';
	unlink(path);
	if (strcmp(exe, path) == 0)
		expect_refused(child, arm ? "a 32-bit program for arm" : "a 32-bit program for i386", "64-bit build");
	else
		child = 0;      /* reaped: this kernel runs none */
}

int main(void)
{
	shared_tid = mmap(NULL, sizeof *shared_tid, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNITY_BEGIN();
	RUN_TEST(test_a_living_process_is_opened);
	RUN_TEST(test_no_such_process);
	RUN_TEST(test_a_zombie);
	RUN_TEST(test_a_kernel_thread);
	RUN_TEST(test_roclatch_itself);
	RUN_TEST(test_a_process_that_is_traced_already);
	RUN_TEST(test_a_stopped_process);
	RUN_TEST(test_a_process_that_proc_hides);
	RUN_TEST(test_a_system_without_proc);
	RUN_TEST(test_the_id_of_a_thread_means_its_process);
	RUN_TEST(test_a_process_whose_main_thread_has_exited);
	RUN_TEST(test_an_old_kernel_without_pidfd);
	RUN_TEST(test_an_old_kernel_and_the_main_thread_gone);
	RUN_TEST(test_other_cpus_and_widths_are_named);
	RUN_TEST(test_a_32_bit_program_where_the_kernel_runs_them);
	RUN_TEST(test_a_process_that_is_exiting);
	return UNITY_END();
}
