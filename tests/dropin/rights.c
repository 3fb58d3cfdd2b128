// SPDX-License-Identifier: MIT
/* With whose rights: the caller's, and not those of its environment. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#define SECURE "(a part of the one before)"
#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Run by run_set_user_id.  The tool that does not exist would be refused, if it were looked at. */
static void in_secure_mode(void)
{
	/* or the sample would be so, too, and its loader would not look into its folder */
	check(!setuid(0), "not set-user-id");
	struct app app = app_start(NULL);
	check(getenv("ROCPROF_ATTACH_TOOL_LIBRARY"), "the variable is not there, so nothing is shown");
	equal(0, api.attach(app.pid));
	equal(0, tool_saw(&app, app.pid, "ROCPROF_KERNEL_TRACE"));
	equal(0, api.detach(app.pid));
	app_is_well(&app);
	app_end(&app);
}

static void ignores_the_environment(void)
{
	if (getuid()) {
		skip("needs root");
		return;
	}
	setenv("ROCPROF_ATTACH_TOOL_LIBRARY", "/nowhere/libtool.so", 1);
	setenv("ROCPROF_KERNEL_TRACE", "1", 1);
	equal(0, run_set_user_id(SECURE));
	unsetenv("ROCPROF_ATTACH_TOOL_LIBRARY");
	unsetenv("ROCPROF_KERNEL_TRACE");
}

static bool write_scope(const char *scope)
{
	int fd = open(YAMA, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, scope, 1) == 1;

	if (fd >= 0)
		close(fd);
	return good;
}

/* As nobody, who has no capability: 0 when a child can be attached and a sibling cannot. */
static int attach_as_nobody(pid_t sibling)
{
	if (setgid(65534) || setuid(65534))
		return 99;
	struct app app = app_start(NULL);
	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	int own = (int)api.attach(app.pid), other = (int)api.attach(sibling);

	if (own == 0)
		api.detach(app.pid);
	app_end(&app);
	return own == 0 && other == 5 ? 0 : 10 + own * 10 + other;
}

static void a_parent_may_attach(void)
{
	char before = '0';
	int fd = open(YAMA, O_RDONLY | O_CLOEXEC), status;
	pid_t sibling, child;

	if (fd < 0 || getuid() || read(fd, &before, 1) != 1 || before == '3' || !write_scope("1")) {
		skip("needs root and a kernel with Yama");
		return;
	}
	close(fd);
	sibling = fork();
	if (sibling == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		for (;;)
			pause();
	}
	child = fork();
	if (child == 0)
		_exit(attach_as_nobody(sibling));
	waitpid(child, &status, 0);
	equal(0, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	child_end(sibling);
	check(write_scope(&before), "Yama's scope could not be put back");
}

void test_rights(void)
{
	/* glibc's loader would not look for libc beside such a program */
	if (is_for_musl())
		test("in a set-user-id program the environment is ignored", ignores_the_environment);
	if (getauxval(AT_SECURE))
		test(SECURE, in_secure_mode);
	if (access(YAMA, F_OK) == 0)            /* not every kernel has it; that of the guest has */
		test("under Yama a parent may attach its child, and nobody else's", a_parent_may_attach);
}
