// SPDX-License-Identifier: MIT
/* A target that dumps core for as long as we like: its current folder is in a file system that does not answer.
 * The setting for all cores of the machine is not touched. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define LIMIT_MS 1500

static void answer(int device, uint64_t unique, int error, const void *data, size_t size)
{
	char out[sizeof(struct fuse_out_header) + 256];
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + size), .error = error, .unique = unique };

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), data, size);
	if (write(device, out, head.len) < 0)
		return;         /* the asker is gone */
}

/* Enough to be somebody's current folder.  Whoever looks for a name in it waits. */
static void serve(int device)
{
	static char request[256 << 10];
	const struct fuse_in_header *head = (const void *)request;
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 23, .max_write = 4096 };
	const struct fuse_attr_out folder = { .attr_valid = 1000, .attr = { .ino = 1, .mode = S_IFDIR | 0777, .nlink = 2 } };

	for (;;) {
		ssize_t n = read(device, request, sizeof(request));

		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(*head))
			_exit(0);
		if (head->opcode == FUSE_INIT)
			answer(device, head->unique, 0, &init, sizeof(init));
		else if (head->opcode == FUSE_GETATTR)
			answer(device, head->unique, 0, &folder, sizeof(folder));
		else if (head->opcode != FUSE_LOOKUP && head->opcode != FUSE_FORGET && head->opcode != FUSE_INTERRUPT)
			answer(device, head->unique, -ENOSYS, "", 0);
	}
}

/* The server's pid; it ends with us, and the file system with it. */
static pid_t mount_silent(const char *folder)
{
	char settings[96];
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t pid;

	if (device < 0)
		skip("/dev/fuse: %s", strerror(errno));
	snprintf(settings, sizeof(settings), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("silent", folder, "fuse", 0, settings))
		skip("no file system can be mounted here: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(device);
	}
	close(device);
	return pid;
}

static bool dumps(const struct target *t)
{
	char text[8192];

	read_text(text, sizeof(text), "/proc/%d/status", (int)t->pid);
	return strstr(text, "CoreDumping:\t1");
}

static bool is_called(const struct target *t)
{
	return threads_of(t) > 2;
}

static void needs_core_beside(void)
{
	char pattern[256] = "";

	read_text(pattern, sizeof(pattern), "/proc/sys/kernel/core_pattern");
	if (!pattern[0] || pattern[0] == '\n' || strchr("|/@", pattern[0]))
		skip("cores go elsewhere here: %s", pattern);
}

static void run_dumps(const void *on)
{
	char folder[] = "/tmp/roclatch-silent-XXXXXX";
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct target t;
	struct outcome o;
	struct run run;
	pid_t server;

	needs_core_beside();
	require(mkdtemp(folder), "mkdtemp");
	server = mount_silent(folder);
	t = start(&(struct start){ .settings = "threads=2" });
	require(!prlimit(t.pid, RLIMIT_CORE, &all, NULL), "prlimit: %s", strerror(errno));
	o = run_all("call %d libc chdir %s", (int)t.pid, folder);
	expect(&o, 0, "0\n");
	run = run_start(INPUT_NULL, "call %d --on %s --timeout-msec %u libcalled.so called_sleep 600000", (int)t.pid, (const char *)on,
		patient(LIMIT_MS));
	if (!strcmp(on, "fresh"))
		check(wait_until(is_called, &t, LIMIT_MS), "nothing was called");
	else
		sleep_ms(patient(LIMIT_MS) / 3);
	kill(t.pid, SIGQUIT);
	check(wait_until(dumps, &t, 5000), "it does not dump core");
	o = run_end(&run, patient(20000));
	check(dumps(&t), "the dump has ended");
	expect(&o, 4, NULL);
	expect_said(&o, "dumps core");
	check(!strstr(o.err, "left behind"), "something is told to be left in what ends: %s", o.err);
	o = run_all("call %d --timeout-msec %u libc getpid", (int)t.pid, patient(LIMIT_MS));
	expect(&o, 3, NULL);
	expect_said(&o, "dumps core");
	kill(server, SIGKILL);          /* whoever waits is told that there is nothing */
	waitpid(server, NULL, 0);
	waitpid(t.pid, NULL, 0);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}

void add_dump_tests(void)
{
	add(MIXED, run_dumps, "fresh", "a target that dumps core for longer than a call may take is reported as gone");
	add(MIXED, run_dumps, "borrowed", "a target that dumps core while its own thread makes a call is reported as gone");
}
