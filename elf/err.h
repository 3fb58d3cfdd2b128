/* SPDX-License-Identifier: MIT */
/*
 * One error, from where it happens up to the user: what went wrong, why, and
 * the remedy if there is one.  The code is the exit status of the program.
 */
#ifndef ROCLATCH_ELF_ERR_H
#define ROCLATCH_ELF_ERR_H

enum err_code {
	ERR_NONE = 0,
	ERR_FAILED = 1,         /* failed, the target is untouched */
	ERR_USAGE = 2,          /* the command line is wrong */
	ERR_NOT_POSSIBLE = 3,   /* not with this target */
	ERR_TARGET_EXITED = 4,  /* the target ended while we worked */
	ERR_CALLED_CODE = 5,    /* the called function failed or crashed */
	ERR_TIMEOUT = 6,        /* a limit was reached */
	ERR_RESIDUE = 7,        /* done, but something was left behind */
	ERR_SIGNAL = 128,       /* + n: signal n asked us to stop */
};

/* What was lacking, where the way to get it depends on where we run (rocp/surroundings.h). */
enum err_lack {
	LACK_NOTHING,
	LACK_OWNER,             /* to be the owner of the process, or CAP_SYS_PTRACE */
	LACK_RIGHT,             /* CAP_SYS_PTRACE */
	LACK_OUTSIDE,           /* CAP_SYS_PTRACE in a user namespace that is not ours */
	LACK_FILTER,            /* ptrace, which a seccomp filter on us forbids */
	LACK_SIGHT,             /* to see the process: our pid namespace has none of that id */
};

struct err {
	enum err_code code;
	enum err_lack lack;
	int sys;                /* errno of the call that failed, or 0 */
	char text[512];         /* what and why, one line, no full stop */
	char remedy[256];       /* what the user can do, or "" */
};

/*
 * Set the error; strerror(sys) is appended when sys is not 0.
 * All three return -1, so that a caller can write `return err_set(...)`.
 * The struct err pointer may be NULL where the caller does not want the text.
 */
int err_set(struct err *err, enum err_code code, int sys, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "context: " before the text that is there: "attach 4711: find dlopen: ...". */
int err_wrap(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Say what the user can do about it. */
int err_remedy(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
