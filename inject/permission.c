/* SPDX-License-Identifier: MIT */
#include "inject/permission.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/cursor.h"

#define ANCESTORS_MAX 1024

/* First line of a small file, or "". */
static void first_line(char *line, size_t size, const char *path)
{
	size_t length;
	char *text = proc_read(&length, NULL, "%s", path);
	line[0] = '\0';
	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(line, size, "%s", text);
	free(text);
}

static int same_text(const char *path, const char *other)
{
	size_t size, other_size;
	char *text = proc_read(&size, NULL, "%s", path), *other_text = proc_read(&other_size, NULL, "%s", other);
	int same = text && other_text ? size == other_size && memcmp(text, other_text, size) == 0 : -1;
	free(text);
	free(other_text);
	return same;
}

/* The link can be followed only with leave to read the process; the map of ids
 * can be read by all, and differs between namespaces that matter. */
static int same_user_ns(pid_t pid)
{
	char path[64];
	struct stat us, them;
	snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
	if (stat("/proc/self/ns/user", &us) == 0 && stat(path, &them) == 0)
		return us.st_dev == them.st_dev && us.st_ino == them.st_ino;
	snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
	return same_text("/proc/self/uid_map", path);
}

/* The files below /proc/PID belong to root when the process is not dumpable
 * (fs/proc/base.c:task_dump_owner), which shows unless it is root's anyway. */
static int dumpable(pid_t pid, const struct proc_status *them)
{
	char path[64];
	struct stat file;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (stat(path, &file) < 0)
		return -1;
	if (file.st_uid != them->uid[1] || file.st_gid != them->gid[1])
		return 0;
	return them->uid[1] == 0 ? -1 : 1;
}

static bool is_descendant(pid_t pid)
{
	struct proc_status status;
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (pid == getpid())
			return true;
		if (proc_status(pid, 0, &status, NULL) < 0)
			return false;
		pid = status.ppid;
	}
	return false;
}

static int yama_scope(const char *path)
{
	char line[32];
	first_line(line, sizeof line, path);
	struct cursor c = {line, line + strlen(line)};
	uint64_t scope;
	return cursor_number(&c, 10, &scope) && scope <= 3 ? (int)scope : -1;
}

void permission_look(struct permission *p, pid_t pid, pid_t tid, const char *yama_path)
{
	char path[64];
	*p = (struct permission){.pid = pid};
	if (proc_status(getpid(), 0, &p->us, NULL) < 0)
		p->us.uid[3] = geteuid();
	proc_status(pid, tid, &p->them, NULL);
	p->same_user_ns = same_user_ns(pid);
	p->dumpable = dumpable(pid, &p->them);
	p->yama = yama_scope(yama_path);
	p->descendant = is_descendant(pid);
	p->filtered = permission_filtered(&p->us);
	first_line(p->modules, sizeof p->modules, "/sys/kernel/security/lsm");
	snprintf(path, sizeof path, "/proc/%d/attr/current", (int)pid);
	first_line(p->label, sizeof p->label, path);
}

/* A filter answers in place of the kernel, or kills: a child of ours asks for what has an answer of its own, as
 * it is not traced.  Its end is no signal to anybody. */
bool permission_filtered(const struct proc_status *us)
{
	int status = 0;
	if (us->seccomp != SECCOMP_MODE_FILTER)
		return false;
	long child = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
	if (child == 0)
		syscall(SYS_exit_group, (long)(ptrace(PTRACE_PEEKUSER, getpid(), 0, 0) < 0 && errno == ESRCH ? 0 : 1));
	return child > 0 && waitpid((pid_t)child, &status, __WALL) == child && status != 0;
}

static bool ids_differ(const uint32_t *theirs, uint32_t ours)
{
	return theirs[0] != ours || theirs[1] != ours || theirs[2] != ours;
}

static int lacking(struct err *err, enum err_lack lack, const char *remedy)
{
	if (err)
		err->lack = lack;
	return err_remedy(err, "%s", remedy);
}

static int refuse_ids(const struct permission *p, struct err *err)
{
	bool uid = ids_differ(p->them.uid, p->us.uid[3]);
	const uint32_t *id = uid ? p->them.uid : p->them.gid;
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: its %s ids are %u %u %u (real, effective, saved), "
		"roclatch runs with %u and without CAP_SYS_PTRACE", (int)p->pid, p->them.name,
		uid ? "user" : "group", id[0], id[1], id[2], uid ? p->us.uid[3] : p->us.gid[3]);
	return lacking(err, uid ? LACK_OWNER : LACK_RIGHT, "run roclatch as the owner of the process or as root");
}

static int refuse_namespace(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: it is in another user namespace, where roclatch has no "
		"CAP_SYS_PTRACE", (int)p->pid, p->them.name);
	lacking(err, LACK_OUTSIDE, "");
	return err_remedy(err, "run roclatch as root outside of the container, or inside of it: nsenter -U -t %d",
			  (int)p->pid);
}

static int refuse_dumpable(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: it is not dumpable (it changed its ids, was set-uid, or called "
		"prctl(PR_SET_DUMPABLE, 0)) and roclatch has no CAP_SYS_PTRACE", (int)p->pid, p->them.name);
	return lacking(err, LACK_RIGHT, "run roclatch as root");
}

static int refuse_capabilities(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: it has capabilities that roclatch lacks (0x%llx)",
		(int)p->pid, p->them.name,
		(unsigned long long)(p->them.cap_permitted & ~p->us.cap_effective));
	return lacking(err, LACK_RIGHT, "run roclatch as root, with CAP_SYS_PTRACE");
}

static int refuse_yama(const struct permission *p, struct err *err)
{
	static const char *const rule[] = {
		"", "only a parent may trace (1)", "only CAP_SYS_PTRACE may trace (2)", "nobody may trace (3)"};
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) may not be traced: kernel.yama.ptrace_scope says %s",
		(int)p->pid, p->them.name, rule[p->yama]);
	if (p->yama == 3)
		return err_remedy(err, "boot with another kernel.yama.ptrace_scope; 3 cannot be undone");
	if (p->yama == 2)
		return lacking(err, LACK_RIGHT, "run roclatch as root");
	return lacking(err, LACK_RIGHT, "run roclatch as root, or: sysctl kernel.yama.ptrace_scope=0, "
		       "or let the program call prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)");
}

static int refuse_filter(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) may not be traced: a seccomp filter on roclatch itself forbids ptrace",
		(int)p->pid, p->them.name);
	return lacking(err, LACK_FILTER, "run roclatch outside of the sandbox, or allow ptrace in it");
}

/* They are opened by their mode, whatever may be traced. */
static int refuse_files(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: its files in /proc are those of user %u; roclatch, user %u, has "
		"CAP_SYS_PTRACE, but no CAP_DAC_OVERRIDE", (int)p->pid, p->them.name, p->them.uid[1], p->us.uid[3]);
	return err_remedy(err, "run roclatch as user %u, or with CAP_DAC_OVERRIDE, CAP_SETUID and CAP_SETGID, too", p->them.uid[1]);
}

static int refuse_other(const struct permission *p, struct err *err)
{
	err_set(err, ERR_NOT_POSSIBLE, 0,
		"process %d (%s) may not be traced: ids, dumpable flag, capabilities and Yama allow it, so a security module "
		"says no (modules: %s, label: %s)", (int)p->pid, p->them.name,
		p->modules[0] ? p->modules : "unknown", p->label[0] ? p->label : "unknown");
	return err_remedy(err, "look for the denial in the audit log (dmesg, journalctl), allow ptrace there");
}

int permission_refuse(const struct permission *p, struct err *err)
{
	bool capable = p->us.cap_effective >> CAP_SYS_PTRACE & 1;
	bool capable_there = capable && p->same_user_ns != 0;
	bool strangers = ids_differ(p->them.uid, p->us.uid[3]) || ids_differ(p->them.gid, p->us.gid[3]);
	bool lacking = p->same_user_ns == 0 || (p->them.cap_permitted & ~p->us.cap_effective) != 0;

	if (!capable_there && strangers)
		return capable && p->same_user_ns == 0 ? refuse_namespace(p, err) : refuse_ids(p, err);
	if (!capable_there && p->dumpable == 0)
		return refuse_dumpable(p, err);
	if (!capable_there && lacking)
		return p->same_user_ns == 0 ? refuse_namespace(p, err) : refuse_capabilities(p, err);
	if (p->yama == 3 || (p->yama == 2 && !capable_there) ||
	    (p->yama == 1 && !capable_there && !p->descendant))
		return refuse_yama(p, err);
	if (!capable_there && p->dumpable < 0)
		return refuse_dumpable(p, err);
	const uint64_t opens = 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_DAC_READ_SEARCH;
	if (!p->filtered && capable_there && p->them.uid[1] != p->us.uid[3] && !(p->us.cap_effective & opens))
		return refuse_files(p, err);
	return p->filtered ? refuse_filter(p, err) : refuse_other(p, err);
}

int permission_of_filter(pid_t pid, struct err *err)
{
	struct permission permission = { .pid = pid };
	if (proc_status(getpid(), 0, &permission.us, NULL) < 0 || !permission_filtered(&permission.us))
		return -1;
	proc_status(pid, 0, &permission.them, NULL);
	return refuse_filter(&permission, err);
}

int permission_explain(pid_t pid, pid_t tid, struct err *err)
{
	struct permission permission;
	permission_look(&permission, pid, tid, PERMISSION_YAMA);
	return permission_refuse(&permission, err);
}
