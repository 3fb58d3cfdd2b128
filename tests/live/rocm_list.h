/* SPDX-License-Identifier: MIT */
/* What roclatch list has printed. */
#ifndef ROCLATCH_TESTS_LIVE_ROCM_LIST_H
#define ROCLATCH_TESTS_LIVE_ROCM_LIST_H

#include "rocm.h"

#define LIST_MS 60000

/* All of the output, which on a machine with many processes is more than an outcome holds; to be freed. */
char *list_output(int fd);
char *list_of(const char *words);       /* roclatch list WORDS */
/* The row of a process without its blanks at the front, until the next is asked for; NULL: it has none. */
const char *list_row(const char *text, pid_t pid);
/* Its object in the array, likewise. */
const char *list_object(const char *text, pid_t pid);
void list_has(const char *text, const char *part, const char *who);

void add_rocm_list_watch_tests(void);

#endif
