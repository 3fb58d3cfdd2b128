/* SPDX-License-Identifier: MIT */
/*
 * Stands in for a program that uses ROCm: rocm-app STATE [KEY=VALUE...]
 * STATE is ready (HIP is used from the start) or waiting (until told to).  fake=1 adds a thread
 * that only has the name of the listener.  threads=N (2) use HIP in rounds, and rest=MS (1) after each.
 * busy=N has N more threads work as a training loop does, in either state.
 * rank=FOLDER makes it one rank of a job (app_ranks.c): it ends with 0 when there is a file FOLDER/stop.
 * By hand: cd root-rocm && env LD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready
 * What it is told comes as lines through WAKE_FD, and each gets a line as answer:
 *   init                use HIP from now on
 *   env NAME            what getenv answers, or (null)
 *   set NAME=VALUE, unset NAME
 *   load PATH           dlopen it, for itself alone
 *   fork                a child that goes on without exec; its pid
 *   forks N             so many children while 8 threads emit at full rate, each calls HIP and roctx and exits;
 *                       how many ended in order
 *   exec, exec-plain    a child that is the program anew, with and without ROCP_TOOL_ATTACH; its pid
 *   become              this process is the program anew (exec)
 *   attach TOOL [NAME=VALUE...], detach, late, all
 *                       call rocprofiler-register as an attacher would; its status
 *   tables              what is registered, as the register tells
 *   kernels N SEED      a code object with N more kernels is loaded
 *   busy N, idle        N threads work as a training loop does, until then
 *   exit STATUS
 * and what the SDK stand-in knows, once it is loaded: emit, emit-threads, emit-for (sdk_emit.c), marker,
 * pause, resume (sdk_markers.c), stream (sdk_streams.c), counts, flush-truth, drop (sdk_orders.c)
 */
#ifndef ROCLATCH_TESTS_APP_H
#define ROCLATCH_TESTS_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "fixtures/record.h"

#define ANSWER 4096

extern struct record *app_record;
extern char **environ;

void app_use_hip(unsigned threads);             /* once */
bool app_uses_hip(void);
void app_load_kernels(void (*add)(void **));    /* as the start-up code of a C++ program does */
void app_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void app_obey(char *line, char *answer);        /* an answer of ANSWER bytes, without the end of line */
void app_register(char *line, char *answer);    /* those of them that call the register */
bool app_tell_sdk(const char *line, char *answer);      /* false: it does not know that */
void app_train(unsigned threads);
bool app_work(const char *line, char *answer);  /* kernels, busy and idle */
int app_rank(const char *folder);               /* its exit status */
int app_child(bool exec, bool plain);           /* its pid, or -1 */
unsigned app_forks(unsigned n);

#endif
