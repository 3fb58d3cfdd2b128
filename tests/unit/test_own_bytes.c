/* SPDX-License-Identifier: MIT */
/* roclatch's own tool, built into the program: it is the library that lies beside this test's folder, to the byte. */
#include "rocp/own_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/file.h"
#include "unity.h"

static struct err err;

void setUp(void)
{
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
}

/* build/ARCH/libroclatch-tool.so of build/ARCH/tests/unit/test_own_bytes */
static int library(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 40);
	TEST_ASSERT_TRUE(n > 0);
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	strcat(path, "/../../" OWN_TOOL_NAME);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static size_t read_all(int fd, char *bytes, size_t size)
{
	size_t done = 0;
	for (ssize_t n; (n = read(fd, bytes + done, size - done)) > 0;)
		done += (size_t)n;
	return done;
}

static bool is_the_library(int fd)
{
	static char one[4 << 20], other[4 << 20];
	int file = library();
	size_t wanted = file < 0 ? 0 : read_all(file, one, sizeof one), n = read_all(fd, other, sizeof other);
	close(file);
	return wanted > 10000 && wanted < sizeof one && n == wanted && !memcmp(one, other, n);
}

static void test_it_is_the_library_to_the_byte(void)
{
	int fd = own_tool_bytes(&err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	TEST_ASSERT_TRUE(is_the_library(fd));
	close(fd);
}

static void test_it_can_be_loaded_on_this_cpu(void)
{
	struct elf_file file;
	int fd = own_tool_bytes(&err);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
	TEST_ASSERT_EQUAL_STRING(OWN_TOOL_NAME, file.image.soname);
	struct elf_symbol symbol;
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&file.image, "rocprofiler_configure_attach", &symbol, &err));
	TEST_ASSERT_EQUAL(1, elf_symbol_find(&file.image, TOOL_STATUS, &symbol, &err));
	close(fd);
}

static void test_no_file_beside_the_program_is_no_fault(void)
{
	char path[PATH_MAX] = "x";
	TEST_ASSERT_EQUAL(1, own_tool_file("/nowhere/bin", NULL, path, sizeof path, &err));
	TEST_ASSERT_EQUAL_STRING("", path);
	TEST_ASSERT_EQUAL(-1, own_tool_file("/nowhere/bin", "/nowhere/mine.so", path, sizeof path, &err));
}

static int deny(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

static void test_without_memfd_create_a_file_without_a_name_does(void)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		int fd = deny(SYS_memfd_create) ? -1 : own_tool_bytes(NULL);
		_exit(fd < 0 || !is_the_library(fd));
	}
	TEST_ASSERT_EQUAL(pid, waitpid(pid, &status, 0));
	TEST_ASSERT_EQUAL(0, status);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_it_is_the_library_to_the_byte);
	RUN_TEST(test_it_can_be_loaded_on_this_cpu);
	RUN_TEST(test_no_file_beside_the_program_is_no_fault);
	RUN_TEST(test_without_memfd_create_a_file_without_a_name_does);
	return UNITY_END();
}
