/* SPDX-License-Identifier: MIT */
/*
 * The texts of /proc, parsed.  Pure functions over bytes, so that they can be
 * tested and fuzzed; the readers below them are the only ones that open files.
 */
#ifndef ROCLATCH_INJECT_PROC_H
#define ROCLATCH_INJECT_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/err.h"

struct cursor;

/* An address in the target.  Not a pointer of ours, and never dereferenced. */
typedef uint64_t raddr;

struct mapping {
	raddr start, end;
	uint64_t offset;
	uint64_t inode;
	const char *path;       /* unescaped; "[stack]", "[vdso]", ... or "" */
	unsigned dev_major, dev_minor;
	bool r, w, x, shared;
	bool deleted;           /* " (deleted)" was behind the path */
};

struct maps {
	struct mapping *v;      /* in order of address, as the kernel gives them; the paths lie behind them */
	size_t n;
	char *text;             /* as it was read */
	size_t size;
};

/* Parse the text of /proc/PID/maps.  -1 on a malformed line or no memory (NULL as the text is none, too). */
int maps_take(struct maps *maps, char *text /* of malloc, a NUL behind it; now theirs */, size_t size, struct err *err);
int maps_parse(struct maps *maps, const char *text /* is copied */, size_t size, struct err *err);
/* Take the lines off a text that are those of `then` at its beginning and its end: most of them, in a large process, and
 * comparing costs less than parsing.  The size of what is left; a NUL is behind it. */
size_t maps_cut(char *text, size_t size, const struct cursor *then);
void maps_free(struct maps *maps);
const struct mapping *maps_at(const struct maps *maps, raddr addr);   /* NULL if none */

#define PROC_NSPID_MAX 32
struct proc_status {
	char name[64];
	char state;             /* R S D T t Z X I ... */
	pid_t tgid, pid, ppid, tracer;
	uid_t uid[4];           /* real, effective, saved, file system */
	gid_t gid[4];
	unsigned nspid_count;
	pid_t nspid[PROC_NSPID_MAX];
	unsigned threads;
	uint64_t sig_pending, shared_pending, sig_blocked, sig_ignored, sig_caught;
	uint64_t cap_inheritable, cap_permitted, cap_effective, cap_bounding;
	bool no_new_privs;
	bool dumps_core;        /* it has ended, but for that */
	int seccomp;            /* 0 none, 1 strict, 2 filter, -1 not told */
	int seccomp_filters;    /* -1 not told */
	bool shadow_stack;      /* x86_Thread_features: shstk */
	uint64_t vm_rss_kb;
};
int status_parse(struct proc_status *status, const char *text, size_t size, struct err *err);

struct proc_stat {
	pid_t pid, ppid;
	char name[64];          /* as the process has set it, any bytes but NUL */
	char state;
	unsigned threads;
	uint64_t faults;        /* of pages, small and large: no library is loaded without some */
	uint64_t start_time;    /* clock ticks since boot: with the pid, an identity */
	uint64_t flags;         /* PF_*: 0x4 exiting, 0x10 io worker, 0x200000 kernel thread */
	uint64_t utime, stime;
	int processor;          /* where it last ran; -1 not told */
};
int stat_parse(struct proc_stat *stat, const char *text, size_t size, struct err *err);

/* /proc/TID/syscall: "running", or number, six arguments, sp, pc. */
struct proc_syscall {
	bool running;
	long nr;                /* -1: blocked, but not in a system call */
	uint64_t args[6];
	raddr sp, pc;
};
int syscall_parse(struct proc_syscall *call, const char *text, size_t size, struct err *err);

struct auxv {
	raddr phdr, entry, base /* of the interpreter */, vdso, random;
	uint64_t phnum, page_size, hwcap, hwcap2;
	bool wide;              /* 64-bit entries; false: a 32-bit process */
};
int auxv_parse(struct auxv *auxv, const void *data, size_t size, struct err *err);

/* Read a small file whole into a new buffer (NUL is put behind it).  The path
 * is printf-like: proc_read(&size, err, "/proc/%d/maps", pid).  NULL on
 * failure; errno in err->sys.  Limit 64 MiB. */
char *proc_read(size_t *size, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, but lines at its beginning that are those of a text read before are neither kept nor given: `then` is moved
 * behind them. */
char *proc_read_since(size_t *size, struct cursor *then, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The beginning of a small file into `buf` (NUL is put behind it): one open, one read, no heap.
 * The length, or -1 with errno. */
ssize_t proc_read_into(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

int proc_status(pid_t pid, pid_t tid, struct proc_status *status, struct err *err);
int proc_stat(pid_t pid, pid_t tid, struct proc_stat *stat, struct err *err);
int proc_syscall(pid_t pid, pid_t tid, struct proc_syscall *call, struct err *err);
/* How often the thread has gone to sleep so far. */
int proc_switches(pid_t pid, pid_t tid, uint64_t *switches);
/* The thread ids of a process, ascending; *tids is malloced. */
int proc_threads(pid_t pid, pid_t **tids, size_t *n, struct err *err);

#endif
