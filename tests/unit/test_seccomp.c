/* SPDX-License-Identifier: MIT */
#include "inject/seccomp.h"

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "child.h"
#include "inject/machine.h"

#define LD (BPF_LD | BPF_W)
#define LOAD(field) BPF_STMT(LD | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define GIVE_A BPF_STMT(BPF_RET | BPF_A, 0)
#define RUN(...) run((struct sock_filter[]){__VA_ARGS__}, \
		     sizeof((struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter))

static struct err err;
static pid_t child;
static struct seccomp_data data;
static const struct sock_filter *next_filter;
static size_t next_length;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	child = 0;
	data = (struct seccomp_data){
		.nr = 222, .arch = 0xc00000b7, .instruction_pointer = 0x1122334455667788,
		.args = {1, 0x7fff00000002, 3, 4, 5, 6},
	};
}

void tearDown(void)
{
	if (child)
		child_end(child);
}

static uint32_t run(const struct sock_filter *program, size_t n)
{
	return seccomp_evaluate(program, n, &data);
}

static void test_every_field_of_the_call_can_be_loaded(void)
{
	TEST_ASSERT_EQUAL_HEX32(222, RUN(LOAD(nr), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(0xc00000b7, RUN(LOAD(arch), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(0x55667788, RUN(LOAD(instruction_pointer), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(0x11223344, RUN(BPF_STMT(LD | BPF_ABS, 12), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(2, RUN(LOAD(args[1]), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(0x7fff, RUN(BPF_STMT(LD | BPF_ABS, 28), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(0, RUN(BPF_STMT(LD | BPF_ABS, 60), GIVE_A));
	TEST_ASSERT_EQUAL(64, RUN(BPF_STMT(LD | BPF_LEN, 0), GIVE_A));
	TEST_ASSERT_EQUAL(64, RUN(BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0), BPF_STMT(BPF_MISC | BPF_TXA, 0), GIVE_A));
}

static void test_scratch_memory_and_registers(void)
{
	TEST_ASSERT_EQUAL(9, RUN(BPF_STMT(LD | BPF_IMM, 9), BPF_STMT(BPF_ST, 15), BPF_STMT(LD | BPF_IMM, 1),
				 BPF_STMT(LD | BPF_MEM, 15), GIVE_A));
	TEST_ASSERT_EQUAL(8, RUN(BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 8), BPF_STMT(BPF_STX, 0),
				 BPF_STMT(LD | BPF_MEM, 0), GIVE_A));
	TEST_ASSERT_EQUAL(7, RUN(BPF_STMT(LD | BPF_IMM, 7), BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(LD | BPF_IMM, 0),
				 BPF_STMT(BPF_MISC | BPF_TXA, 0), GIVE_A));
}

static uint32_t alu(uint32_t a, int op, uint32_t x)
{
	uint32_t by_k = RUN(BPF_STMT(LD | BPF_IMM, a), BPF_STMT(BPF_ALU | op | BPF_K, x), GIVE_A);
	uint32_t by_x = RUN(BPF_STMT(LD | BPF_IMM, a), BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, x),
			    BPF_STMT(BPF_ALU | op | BPF_X, 0), GIVE_A);
	TEST_ASSERT_EQUAL_HEX32(by_k, by_x);
	return by_k;
}

static void test_arithmetic_is_unsigned_and_of_32_bits(void)
{
	TEST_ASSERT_EQUAL_HEX32(1, alu(0xffffffff, BPF_ADD, 2));
	TEST_ASSERT_EQUAL_HEX32(0xffffffff, alu(1, BPF_SUB, 2));
	TEST_ASSERT_EQUAL_HEX32(0xfffffffe, alu(0xffffffff, BPF_MUL, 2));
	TEST_ASSERT_EQUAL_HEX32(0x7fffffff, alu(0xffffffff, BPF_DIV, 2));
	TEST_ASSERT_EQUAL_HEX32(0x0f, alu(0xff, BPF_AND, 0x0f));
	TEST_ASSERT_EQUAL_HEX32(0xff, alu(0xf0, BPF_OR, 0x0f));
	TEST_ASSERT_EQUAL_HEX32(0xf0, alu(0xff, BPF_XOR, 0x0f));
	TEST_ASSERT_EQUAL_HEX32(0x80000000, alu(1, BPF_LSH, 31));
	TEST_ASSERT_EQUAL_HEX32(1, alu(0x80000000, BPF_RSH, 31));
	TEST_ASSERT_EQUAL_HEX32(0xffffffff, RUN(BPF_STMT(LD | BPF_IMM, 1), BPF_STMT(BPF_ALU | BPF_NEG, 0), GIVE_A));
}

static uint32_t jump(uint32_t a, int op, uint32_t k)
{
	return RUN(BPF_STMT(LD | BPF_IMM, a), BPF_JUMP(BPF_JMP | op | BPF_K, k, 1, 0), ANSWER(0), ANSWER(1));
}

static void test_jumps(void)
{
	TEST_ASSERT_TRUE(jump(5, BPF_JEQ, 5) && !jump(5, BPF_JEQ, 6));
	TEST_ASSERT_TRUE(jump(0xffffffff, BPF_JGT, 1) && !jump(5, BPF_JGT, 5));
	TEST_ASSERT_TRUE(jump(5, BPF_JGE, 5) && !jump(4, BPF_JGE, 5));
	TEST_ASSERT_TRUE(jump(6, BPF_JSET, 2) && !jump(6, BPF_JSET, 1));
	TEST_ASSERT_EQUAL(3, RUN(BPF_STMT(BPF_JMP | BPF_JA, 1), ANSWER(2), ANSWER(3)));
	TEST_ASSERT_EQUAL(1, RUN(BPF_STMT(LD | BPF_IMM, 4), BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 4),
				 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0), ANSWER(0), ANSWER(1)));
}

static void test_malformed_programs_kill(void)
{
	const uint32_t kill_process = SECCOMP_RET_KILL_PROCESS;
	TEST_ASSERT_EQUAL_HEX32(kill_process, seccomp_evaluate(NULL, 0, &data));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(LOAD(nr)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(LD | BPF_ABS, 64), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(LD | BPF_ABS, 2), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(LD | BPF_IND, 0), GIVE_A));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_ST, 16), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(LD | BPF_MEM, 16), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_JMP | BPF_JA, 1), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 9, 9), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 3), ANSWER(1)));
	TEST_ASSERT_EQUAL_HEX32(kill_process, RUN(BPF_STMT(0x1006, 1)));
	TEST_ASSERT_EQUAL_HEX32(0, RUN(BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), ANSWER(1)));
}

static uint32_t random_state = 12345;

static uint32_t rnd(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

/* A valid program: any arithmetic on loaded fields, then an errno made of it. */
static size_t random_program(struct sock_filter *code)
{
	static const uint16_t op[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND, BPF_OR, BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
	size_t n = 0, body = 4 + rnd(24);
	code[n++] = (struct sock_filter)BPF_STMT(LD | BPF_ABS, 16 + 4 * rnd(12));
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ST, 3);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, rnd(1 << 24));
	while (n < body) {
		uint16_t o = op[rnd(10)];
		bool shift = o == BPF_LSH || o == BPF_RSH;
		switch (rnd(6)) {
		case 0: code[n++] = (struct sock_filter)BPF_STMT(LD | BPF_ABS, 16 + 4 * rnd(12)); break;
		case 1: code[n++] = (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_MEM, 3); break;
		case 2: code[n++] = (struct sock_filter)BPF_STMT(BPF_MISC | (rnd(2) ? BPF_TAX : BPF_TXA), 0); break;
		case 3: code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, rnd(1 << 24), 0, 1);
			/* and the instruction that may be left out */
			/* fall through */
		default:
			code[n++] = o != BPF_NEG && o != BPF_DIV && rnd(2) ?
				(struct sock_filter)BPF_STMT(BPF_ALU | o | BPF_X, 0) :
				(struct sock_filter)BPF_STMT(BPF_ALU | o | BPF_K, o == BPF_NEG ? 0 : 1 + rnd(shift ? 30 : 1 << 20));
		}
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x1ff);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
	return n;
}

/* Put the program before a filter that asks it for getpriority alone. */
static void install(const struct sock_filter *code, size_t n)
{
	struct sock_filter all[64] = {
		LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 1, 0), ANSWER(SECCOMP_RET_ALLOW),
	};
	memcpy(all + 3, code, n * sizeof *code);
	struct sock_fprog program = {(unsigned short)(n + 3), all};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(200);
}

static int ask_kernel(const struct sock_filter *code, size_t n, const __u64 *args)
{
	int answer[2], value = -1;
	TEST_ASSERT_EQUAL(0, pipe(answer));
	pid_t pid = fork();
	if (pid == 0) {
		install(code, n);
		errno = 0;
		long r = syscall(SYS_getpriority, args[0], args[1], args[2], args[3], args[4], args[5]);
		int mine = r < 0 ? errno : 0;
		_exit(write(answer[1], &mine, sizeof mine) != sizeof mine);
	}
	close(answer[1]);
	if (read(answer[0], &value, sizeof value) != sizeof value)
		value = -1;
	close(answer[0]);
	waitpid(pid, NULL, 0);
	return value;
}

static void test_random_programs_answer_as_the_kernel_does(void)
{
	for (int i = 0; i < 300; i++) {
		struct sock_filter code[40];
		size_t n = random_program(code);
		for (int j = 0; j < 6; j++)
			data.args[j] = (uint64_t)rnd(1 << 24) << 32 | rnd(1 << 24) << rnd(8);
		int theirs = ask_kernel(code, n, data.args);
		uint32_t ours = seccomp_evaluate(code, n, &data);
		TEST_ASSERT_EQUAL_HEX32(SECCOMP_RET_ERRNO, ours & SECCOMP_RET_ACTION_FULL);
		TEST_ASSERT_EQUAL_INT(theirs, ours & SECCOMP_RET_DATA);
	}
}

static void install_next(void)
{
	install(next_filter, next_length);
}

static void hold_child(void)
{
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_SEIZE, child, NULL, NULL));
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_INTERRUPT, child, NULL, NULL));
	TEST_ASSERT_EQUAL(child, waitpid(child, NULL, __WALL));
}

static uint32_t audit_arch(void)
{
	return machine_ours() == EM_AARCH64 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64;
}

static int check(long nr)
{
	struct seccomp_call calls[] = {{.nr = SYS_mmap, .what = "mmap"}, {.nr = nr, .args = {7}, .what = "the call"}};
	return seccomp_check(child, audit_arch(), calls, 2, &err);
}

static void expect_answer(uint32_t answer, const char *why)
{
	const struct sock_filter code[] = {ANSWER(answer)};
	next_filter = code;
	next_length = 1;
	child = child_start(install_next);
	hold_child();
	TEST_ASSERT_EQUAL_MESSAGE(0, check(SYS_munmap), err.text);
	TEST_ASSERT_EQUAL(why ? -1 : 0, check(SYS_getpriority));
	if (why) {
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
		EXPECT_HAS("a seccomp filter of the process forbids the call", err.text);
		EXPECT_HAS(why, err.text);
		EXPECT_HAS("sandbox", err.remedy);
	}
	child_end(child);
	child = 0;
}

static void test_each_answer_of_a_filter(void)
{
	expect_answer(SECCOMP_RET_ALLOW, NULL);
	expect_answer(SECCOMP_RET_LOG, NULL);
	expect_answer(SECCOMP_RET_KILL_PROCESS, "would kill the process");
	expect_answer(SECCOMP_RET_KILL_THREAD, "would kill the thread");
	expect_answer(SECCOMP_RET_TRAP, "would send it SIGSYS");
	expect_answer(SECCOMP_RET_ERRNO | EACCES, "answers it with an error (Permission denied)");
	expect_answer(SECCOMP_RET_TRACE, "hands it to a tracer");
	expect_answer(SECCOMP_RET_USER_NOTIF, "hands it to a supervisor process");
	expect_answer(0x12340000, "would kill the process");
}

static void test_an_error_is_no_harm_to_a_call_that_may_fail(void)
{
	const struct seccomp_call call = {.nr = SYS_getpriority, .args = {7}, .what = "the call", .may_fail = true};
	const struct sock_filter fails[] = {ANSWER(SECCOMP_RET_ERRNO | ENOSYS)}, kills[] = {ANSWER(SECCOMP_RET_KILL_PROCESS)};
	next_length = 1;
	next_filter = fails;
	child = child_start(install_next);
	hold_child();
	TEST_ASSERT_EQUAL_MESSAGE(0, seccomp_check(child, audit_arch(), &call, 1, &err), err.text);
	child_end(child);
	next_filter = kills;
	child = child_start(install_next);
	hold_child();
	TEST_ASSERT_EQUAL(-1, seccomp_check(child, audit_arch(), &call, 1, &err));
	EXPECT_HAS("would kill the process", err.text);
}

static void install_three(void)
{
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_ERRNO | EIO)}, 1);
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_ERRNO | EPERM)}, 1);
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_ALLOW)}, 1);
	if (syscall(SYS_getpriority, 0, 0) != -1 || errno != EPERM)
		_exit(1);       /* so says the kernel, and so must we */
}

static void install_kill_first(void)
{
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_KILL_PROCESS)}, 1);
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_KILL_THREAD)}, 1);
}

/* The kernel allows some thousands. */
static void install_many(void)
{
	for (int i = 0; i < 1500; i++)
		install((struct sock_filter[]){ANSWER(SECCOMP_RET_ALLOW)}, 1);
	install((struct sock_filter[]){ANSWER(SECCOMP_RET_KILL_PROCESS)}, 1);
}

static void test_of_several_filters_the_strictest_and_then_the_newest_counts(void)
{
	child = child_start(install_three);
	hold_child();
	TEST_ASSERT_EQUAL(-1, check(SYS_getpriority));
	EXPECT_HAS("Operation not permitted", err.text);
	child_end(child);
	for (int many = 0; many < 2; many++) {
		child = child_start(many ? install_many : install_kill_first);
		hold_child();
		TEST_ASSERT_EQUAL(-1, check(SYS_getpriority));
		EXPECT_HAS("would kill the process", err.text);
		child_end(child);
	}
	child = 0;
}

static void test_no_filters_allow_everything(void)
{
	child = child_start(NULL);
	TEST_ASSERT_EQUAL(0, check(SYS_getpriority));
}

/* Only read, write and exit from now on, so it reports itself by writing. */
static void test_strict_mode_is_refused(void)
{
	int ready[2], never[2];
	char byte;
	TEST_ASSERT_TRUE(pipe(ready) == 0 && pipe(never) == 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		if (write(ready[1], "r", 1) == 1)
			for (;;)
				(void)!read(never[0], &byte, 1);
	}
	close(ready[1]);        /* so that a child that dies (valgrind makes other calls in it) is not waited for */
	TEST_ASSERT_EQUAL(1, read(ready[0], &byte, 1));
	TEST_ASSERT_EQUAL(-1, check(SYS_getpriority));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS("strict seccomp mode", err.text);
	EXPECT_HAS("another thread", err.remedy);
	close(ready[0]);
	close(never[0]);
	close(never[1]);
}

static void be_filtered(void)
{
	without_call(SYS_getpriority);
}

static int hold_and_check(pid_t pid, struct err *e)
{
	struct seccomp_call call = {.nr = SYS_mmap, .what = "mmap"};
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 ||
	    waitpid(pid, NULL, __WALL) != pid)
		return -5;
	return seccomp_check(pid, audit_arch(), &call, 1, e);
}

static void test_filters_that_cannot_be_read_are_refused_with_the_reason(void)
{
	child = child_start(be_filtered);
	struct seen seen = seen_as(be_filtered, hold_and_check, child);
	TEST_ASSERT_EQUAL(-1, seen.result);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, seen.err.code);
	EXPECT_HAS("cannot be read", seen.err.text);
	EXPECT_HAS("CAP_SYS_ADMIN", seen.err.text);
	EXPECT_HAS("--trust-seccomp", seen.err.remedy);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_field_of_the_call_can_be_loaded);
	RUN_TEST(test_scratch_memory_and_registers);
	RUN_TEST(test_arithmetic_is_unsigned_and_of_32_bits);
	RUN_TEST(test_jumps);
	RUN_TEST(test_malformed_programs_kill);
	RUN_TEST(test_random_programs_answer_as_the_kernel_does);
	RUN_TEST(test_each_answer_of_a_filter);
	RUN_TEST(test_an_error_is_no_harm_to_a_call_that_may_fail);
	RUN_TEST(test_of_several_filters_the_strictest_and_then_the_newest_counts);
	RUN_TEST(test_no_filters_allow_everything);
	RUN_TEST(test_strict_mode_is_refused);
	RUN_TEST(test_filters_that_cannot_be_read_are_refused_with_the_reason);
	return UNITY_END();
}
