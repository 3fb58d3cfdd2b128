/* SPDX-License-Identifier: MIT */
/* The lines that are true of any process. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/machine.h"
#include "inject/permission.h"
#include "rocp/preflight_look.h"
#include "rocp/advice.h"

void look_process(struct look *look)
{
	const struct proc_status *status = &look->target->status;
	struct check *check = check_add(look, "process");
	check_ok(check, "process %d (%s), %u thread%s, user %u", (int)look->target->pid, status->name, status->threads,
		 status->threads == 1 ? "" : "s", (unsigned)status->uid[1]);
}

/* The target is open: its memory was opened, which asks the kernel what tracing would ask. */
void look_permission(struct look *look)
{
	struct check *check = check_add(look, "permission");
	struct err err = { .code = ERR_NONE };
	permission_of_filter(look->target->pid, &err);
	if (err.code) {
		surroundings_advise(look->target->pid, &err);
		check_refuse(look, check, FOR_BOTH, err.remedy, "%s", err.text);
	} else {
		check_ok(check, "roclatch, as user %u, may trace it", (unsigned)geteuid());
	}
}

void look_cpu(struct look *look)
{
	char name[32];
	check_ok(check_add(look, "cpu"), "%s, as roclatch; pages of %zu bytes",
		 elf_machine_name(machine_ours(), name, sizeof name), look->target->page);
}

void look_libc(struct look *look)
{
	static const char *const names[] = { [LIBC_GLIBC] = "glibc", [LIBC_MUSL] = "musl", [LIBC_BIONIC] = "bionic" };
	struct check *check = check_add(look, "libc");
	if (!look->request->brief || look->target->libc == LIBC_NONE)
		images_libc(look->images);
	const struct target *target = look->target;
	if (target->libc == LIBC_NONE)
		check_refuse(look, check, FOR_BOTH, "give the process that uses the GPU",
			     "no C library was found: a static program cannot load the SDK");
	else if (!images_interpreter(look->images) && !look->view->reg)
		check_refuse(look, check, FOR_BOTH, "give the process that uses the GPU",
			     "%s, linked statically: the program cannot load the SDK", names[target->libc]);
	else
		check_ok(check, "%s%s%s", names[target->libc], target->libc_version[0] ? " " : "", target->libc_version);
}

/* 1 the same as ours, 0 another, -1 not to be seen. */
static int same(pid_t tid, const char *name)
{
	char path[64], ours[64];
	struct stat us, them;
	snprintf(ours, sizeof ours, "/proc/self/%s", name);
	snprintf(path, sizeof path, "/proc/%d/%s", (int)tid, name);
	if (stat(ours, &us) < 0 || stat(path, &them) < 0)
		return -1;
	return us.st_dev == them.st_dev && us.st_ino == them.st_ino;
}

/* What FUSE mounts for a user is his alone, and root is nobody there (fuse_allow_current_process, fs/fuse/dir.c). */
static bool is_hidden(pid_t tid)
{
	char path[64];
	struct stat root;
	snprintf(path, sizeof path, "/proc/%d/root/.", (int)tid);
	return stat(path, &root) < 0 && errno == EACCES;
}

void look_namespaces(struct look *look)
{
	struct check *check = check_add(look, "namespaces");
	const struct proc_status *status = &look->target->status;
	pid_t tid = look->target->live_tid;
	bool mount = same(tid, "ns/mnt") == 0, root = same(tid, "root/.") == 0, pid = same(tid, "ns/pid") == 0;
	char inside[48] = "", remedy[80];
	if (pid && status->nspid_count > 1)
		snprintf(inside, sizeof inside, ", where its id is %d", (int)target_self(look->target));
	snprintf(remedy, sizeof remedy, "run roclatch as its user: sudo -u '#%u' roclatch ...", (unsigned)status->uid[1]);
	if (is_hidden(tid))
		check_refuse(look, check, FOR_BOTH, remedy, "its files may not be looked at: its root is for user %u alone, as that of an "
			     "image which FUSE mounts, where root is no exception", (unsigned)status->uid[1]);
	else if (mount || root)
		check_note(check, "in another %s%s%s: paths of tool and output are those that the process sees",
			   mount ? "mount namespace" : "root folder", pid ? " and pid namespace" : "", inside);
	else if (pid)
		check_note(check, "in another pid namespace%s", inside);
	else
		check_ok(check, "those of roclatch");
}

static void name_of(pid_t pid, char *text, size_t size)
{
	struct proc_status status;
	if (pid && proc_status(pid, 0, &status, NULL) == 0)
		snprintf(text, size, "process %d (%s)", (int)pid, status.name);
	else
		snprintf(text, size, "a process outside of this pid namespace");
}

/* The first thread that is traced, the listener before all: AMD's attacher holds it. */
static pid_t traced_thread(const struct look *look, pid_t *tracer)
{
	pid_t *tids, found = 0;
	size_t n;
	struct proc_status status;
	const pid_t pid = look->target->pid, first[] = { look->view->listener, look->target->live_tid };
	for (size_t i = 0; i < 2 && !found; i++)
		if (first[i] && proc_status(pid, first[i], &status, NULL) == 0 && status.tracer)
			found = first[i];
	if (!found && proc_threads(pid, &tids, &n, NULL) == 0) {
		for (size_t i = 0; i < n && !found; i++)
			if (proc_status(pid, tids[i], &status, NULL) == 0 && status.tracer)
				found = tids[i];
		free(tids);
	}
	*tracer = found ? status.tracer : 0;
	return found;
}

void look_tracer(struct look *look)
{
	struct check *check = check_add(look, "tracer");
	char who[96];
	pid_t tracer, tid = traced_thread(look, &tracer);
	if (!tid) {
		check_ok(check, "nobody traces it");
		return;
	}
	name_of(tracer, who, sizeof who);
	if (tid == look->view->listener)
		check_refuse(look, check, FOR_BOTH, "let it detach, or end it",
			     "its listener thread %d is traced by %s: another attacher is at work", (int)tid, who);
	else if (tid == look->target->live_tid)
		check_refuse(look, check, FOR_BOTH, "let it detach, or end it", "it is traced by %s", who);
	else
		check_note(check, "its thread %d is traced by %s; another one will be borrowed", (int)tid, who);
}

void look_seccomp(struct look *look)
{
	struct check *check = check_add(look, "seccomp");
	const struct proc_status *status = &look->target->status;
	struct proc_status us = { .seccomp = 0 };
	proc_status(getpid(), 0, &us, NULL);
	bool readable = (us.cap_effective >> CAP_SYS_ADMIN & 1) && us.seccomp <= 0;
	char filters[32] = "filters";
	if (status->seccomp_filters > 0)
		snprintf(filters, sizeof filters, "%d filter%s", status->seccomp_filters,
			 status->seccomp_filters == 1 ? "" : "s");
	if (status->seccomp == SECCOMP_MODE_STRICT)
		check_refuse(look, check, FOR_BOTH, "none: such a process cannot be attached",
			     "strict mode: any system call but read, write and exit kills it");
	else if (status->seccomp != SECCOMP_MODE_FILTER)
		check_ok(check, "none");
	else if (readable)
		check_ok(check, "%s, asked about every call before it is made", filters);
	else if (look->request->trust_seccomp)
		check_note(check, "%s that cannot be read, and are trusted not to kill it", filters);
	else
		check_refuse(look, check, FOR_BOTH, "run roclatch as root on the host, or go on with --trust-seccomp",
			     "%s that cannot be read (that needs CAP_SYS_ADMIN outside of containers, and a roclatch without "
			     "filters of its own); one could kill it for a call of ours", filters);
}
