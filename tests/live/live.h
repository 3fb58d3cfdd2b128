/* SPDX-License-Identifier: MIT */
/*
 * Live tests: start a target, look at it through /proc, let roclatch call into
 * it, look again.  Every test runs in a process of its own; what it prints with
 * fail() stands below its name in the output.
 */
#ifndef ROCLATCH_TESTS_LIVE_H
#define ROCLATCH_TESTS_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "fixtures/record.h"

#define TARGET_END 42

/* ---- main.c, run.c: which tests there are, and running them ---------------------------- */

enum batch {
	SLEEPERS,       /* mostly asleep: many at a time, and little disturbs their clocks */
	MIXED,          /* a few at a time */
	ALONE,          /* measures, or needs the machine */
	BATCHES
};

struct test {
	char name[200];
	enum batch batch;
	void (*run)(const void *with);
	const void *with;
};

struct options {
	const char *roclatch, *fixtures, *filter;
	unsigned soak;          /* seconds; 0: no soak */
	unsigned seed, rounds, jobs;    /* of the soak: its first round, at most how many, and how many at a time */
	unsigned part, parts;           /* of the tests, one of so many parts; 0: all */
	bool list, brief, times, at_length;     /* at_length: the tests that repeat something do so very often */
};
extern struct options options;

void add(enum batch batch, void (*run)(const void *), const void *with, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
/* What is the same on every CPU: a brief run, as in an emulated machine, has the first of them, or none. */
void add_same(void (*add_tests)(void));
void add_native(void (*add_tests)(void));
bool run_tests(const struct test *tests, unsigned count);
bool soak(void);

/* One test that runs, in a process group of its own. */
struct running {
	const struct test *test;
	pid_t pid;
	int out;                /* a memfd: what the test has to say */
	int end;                /* a pidfd: readable when it is over */
	int64_t begun;
	unsigned tries;         /* before this one */
};
#define TESTS_AT_ONCE 12

struct running test_begin(const struct test *test, unsigned tries);
/* Is it over, or ended because it was late?  Then nothing of it is left but what it said. */
bool test_over(const struct running *running, unsigned limit_s, int *status, bool *late);
void test_show(int out);        /* and close it */
/* Until one is over; not for long, as there are limits to watch and strangers to reap. */
void await_any(const struct running *running, unsigned n);
void reap_strangers(const struct running *running, unsigned n);

void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void harm(const char *fmt, ...) __attribute__((format(printf, 1, 2)));  /* the target is not as it was: final */
void end_failed(void) __attribute__((noreturn));
void skip(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
bool failed(void);

#define check(condition, ...) do { if (!(condition)) fail(__VA_ARGS__); } while (0)
#define unharmed(condition, ...) do { if (!(condition)) harm(__VA_ARGS__); } while (0)
#define require(condition, ...) do { if (!(condition)) { fail(__VA_ARGS__); end_failed(); } } while (0)

void add_state_tests(void);
void add_kind_tests(void);
void add_thread_tests(void);
void add_signal_tests(void);
void add_stop_tests(void);
void add_function_tests(void);
void add_library_tests(void);
void add_life_tests(void);
void add_dump_tests(void);
void add_anytime_tests(void);
void add_loop_tests(void);
void add_rocm_tests(void);

/* ---- target.c: a fixture program that runs ----------------------------------------------- */

struct target {
	pid_t pid;
	pid_t tid;              /* the thread that is in the state asked for */
	struct record *record;
	int wake;               /* our end of its WAKE_FD */
	const char *library;    /* where the functions to call are */
	char state[32];
};

struct start {
	const char *root;       /* below fixtures; default root-bookworm */
	const char *program;    /* default target */
	const char *state;
	const char *settings;   /* separated by blanks */
	bool change_root;
	bool new_namespaces;    /* mount and pid */
	bool from_memory;       /* through a memfd */
	bool through_loader;    /* the loader is the program, the target its argument */
	unsigned uid;           /* 0: as we are */
	const char *copy;       /* run from this copy of the root */
	const char *library;    /* default libcalled.so */
	const char *environment;        /* further NAME=VALUE, separated by blanks */
	int (*arrange)(void);   /* in the target to be and in its root, before that is changed; not 0: errno says why not */
};

struct target start(const struct start *how);
void wait_blocked(const struct target *target, unsigned calls); /* in its (calls + 1)th call */
/* A target that is "execing" goes on with that. */
void check_execs(const struct target *target, unsigned before);
bool wait_until(bool (*done)(const struct target *), const struct target *target, unsigned ms);
bool is_free(const struct target *target);      /* no thread is traced or stopped */
bool alive(const struct target *target);
char state_of(const struct target *target, pid_t tid);
unsigned threads_of(const struct target *target);
void wake(const struct target *target);
void go_on(const struct target *target);        /* require that it still works */
void stop(const struct target *target);         /* and expect status 42 */
int end_of(const struct target *target, unsigned ms);   /* wait status, or -1 */
bool has_ended(pid_t child);                            /* waitpid is still to be called */
void remember(const struct target *target);      /* so that release() can remove its queue or semaphore */
void release(void);
void jitter_begin(void);
int64_t jitter_end(void);                       /* ns that an undisturbed sleeper was late at most, meanwhile */
bool slow_machine(void);                        /* emulated, most likely */
unsigned rounds(unsigned n);                    /* n, and fewer but at least 2 on a slow machine */
unsigned patient(unsigned ms);                  /* a limit: ms, and many times that in an emulated machine */
void sleep_ms(unsigned ms);
void await_end(pid_t child, int64_t until_ns);  /* or the time; waitpid is still to be called */
int64_t now_ns(void);

/* ---- roclatch.c: running the program under test -------------------------------------------- */

struct outcome {
	int status;             /* exit status, 128 + signal, or -1 for "did not end" */
	int64_t ns;
	char out[4096], err[8192];
};

/* A NULL ends the arguments. */
struct outcome roclatch(unsigned limit_ms, const char *first, ...) __attribute__((sentinel));
extern unsigned roclatch_uid;   /* 0: as we are */
struct outcome roclatch_argv(unsigned limit_ms, char *const *argv);
pid_t roclatch_start(const char *first, ...) __attribute__((sentinel)); /* output thrown away */

/* roclatch call PID --on ON [--thread TID] libcalled.so FUNCTION ARGS; args separated by blanks. */
struct outcome call(const struct target *target, const char *on, const char *function, const char *args);
struct outcome call_any(const struct target *target, const char *on, const char *function, const char *args);
void expect(const struct outcome *outcome, int status, const char *out);
void expect_said(const struct outcome *outcome, const char *word);

/* ---- snapshot.c, compare.c: what /proc says about a target --------------------------------- */

struct snapshot {
	char **line;
	unsigned lines, room;
};

enum looking {
	LOOK_ALL = 0,
	WITHOUT_PENDING = 1,    /* signals come and go by themselves */
	WITHOUT_FILES = 2,      /* descriptors come and go by themselves */
	WITHOUT_MAPS = 4,
	WITHOUT_TASKS = 8,
	WITH_ARENA = 16,        /* compare: the heap and one malloc arena may be new */
	WITH_LIBRARY = 32,      /* compare: mappings of files may be new */
	WITH_FIRST_THREAD = 64, /* compare: glibc catches a signal of its own once there was a second thread */
	WITH_MEMORY = 128,      /* compare: memory without a name and not executable comes and goes, as with malloc */
};

struct snapshot look(const struct target *target, unsigned how);
void compare(const struct snapshot *before, const struct snapshot *after, unsigned how);
bool same(const struct snapshot *before, const struct snapshot *after, unsigned how);
void forget(struct snapshot *snapshot);
bool read_text(char *buffer, size_t size, const char *path, ...) __attribute__((format(printf, 3, 4)));

#endif
