/* SPDX-License-Identifier: MIT */
/* Live tests with the real rocprofiler-register and stand-ins for the rest of ROCm (tests/rocm). */
#ifndef ROCLATCH_TESTS_LIVE_ROCM_H
#define ROCLATCH_TESTS_LIVE_ROCM_H

#include "live.h"

#define ATTACHABLE "ROCP_TOOL_ATTACH=1"
#define NO_LISTENER "ROCP_TOOL_ATTACH=1 LD_LIBRARY_PATH=nolistener:lib"
#define OLD_SDK "LD_LIBRARY_PATH=sdk-1.0:lib"
#define NO_SDK "LD_LIBRARY_PATH=nosdk"
#define AMD_TOOL "lib/rocprofiler-sdk/librocprofiler-sdk-tool.so"
#define LOG_SIZE (4 << 20)

/* ---- rocm.c: the sample program ------------------------------------------------------------ */

struct app {
	struct target t;
	char output[512];       /* a folder of this test, for what the tool writes */
	char pid[16];           /* of t, as roclatch takes it */
};

struct app app_start(const char *state, const char *settings, const char *environment);
struct app app_start_as(const struct start *how);
/* Order it something; its answer, until the next order.  NULL: it did not answer. */
const char *app_ask(const struct app *app, const char *order, ...) __attribute__((format(printf, 2, 3)));
void app_answers(const struct app *app, const char *order, const char *answer);
void app_end(const struct app *app);            /* go_on, stop, and app_forget */
void app_forget(const struct app *app);         /* remove the folder */
const char *app_path(const char *below);        /* a file of the root, as an absolute path; a few live at a time */
bool app_maps(const struct app *app, const char *name);         /* is a file of that name mapped? */
bool app_traced(const struct app *app);         /* has any of its threads a tracer? */
pid_t app_listener(pid_t pid);                  /* thread rocp-bg-attach, or 0 */
bool app_gets_listener(const struct app *app);  /* it names itself, a moment after HSA was used */

/* ---- rocm_log.c: what the tool has written ------------------------------------------------- */

/* The callbacks by name, separated by blanks: "configure configure_attach init attach". */
const char *log_names(const struct app *app, const char *file);
void log_is(const struct app *app, const char *names);          /* of the file out */
void log_of(const struct app *app, const char *file, const char *names);
bool log_waits_for(const struct app *app, const char *name, unsigned times, unsigned ms);
/* A number of the last callback of that name ("detach", "seen="), or -1. */
long log_number(const struct app *app, const char *name, const char *key);
/* The variables that the last callback of that name saw, a line each. */
const char *log_variables(const struct app *app, const char *name);
void log_variable(const struct app *app, const char *callback, const char *variable, const char *value);

/* ---- rocm_run.c: roclatch with a standard input, while it runs ----------------------------- */

enum input { INPUT_PIPE, INPUT_NULL, INPUT_CLOSED };

struct run {
	pid_t pid;
	int in, out, err;
};

extern const char *run_folder;  /* where it is started; NULL: where we are */
/* roclatch WORDS, separated by blanks; %s and such are for paths without blanks. */
struct run run_start(enum input input, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct outcome run_end(struct run *run, unsigned limit_ms);
struct outcome run_all(const char *fmt, ...) __attribute__((format(printf, 1, 2)));    /* without an input */
bool run_goes_on(const struct run *run);
/* Has it said that by now, or within this time? */
bool run_says(const struct run *run, const char *words, unsigned limit_ms);
extern bool run_own_proc;       /* roclatch gets a /proc of its pid namespace */
extern const char *run_through; /* what roclatch is given to as its last words, and they before them; NULL: nothing */
const char *killat(void);       /* the program that kills another at, or fails, one of its system calls */

/* It is done with attaching, and says so (not with --json); or it has ended. */
void run_records(const struct run *run);

/* Attach with output to app's folder, file "out"; waits until the tool was told to attach, and roclatch knows that. */
struct run attach_start(const struct app *app, enum input input, const char *more);
/* It was attached and told to detach; its tool takes three seconds for that, and has begun. */
struct run attach_detaching_slowly(const struct app *app);

void add_rocm_register_tests(void);
void add_rocm_attach_tests(void);
void add_rocm_option_tests(void);
void add_rocm_end_tests(void);
void add_rocm_refuse_tests(void);
void add_rocm_many_tests(void);
void add_rocm_crew_tests(void);
void add_rocm_crew_fail_tests(void);
void add_rocm_follow_tests(void);
void add_rocm_name_tests(void);
void add_rocm_late_tests(void);
void add_rocm_kill_tests(void);
void add_rocm_announce_tests(void);
void add_rocm_tool_tests(void);
void add_rocm_format_tests(void);
void add_rocm_tool_end_tests(void);
void add_rocm_tool_swap_tests(void);
void add_rocm_list_tests(void);
void add_rocm_staged_tests(void);
void add_rocm_wait_tests(void);
void add_rocm_first_tests(void);
void add_install_tests(void);
void add_rocm_collect_tests(void);

#endif
