/* SPDX-License-Identifier: MIT */
/* A process that is looked at and not touched, and names for what is seen in it. */
#ifndef ROCLATCH_BIN_WATCHED_H
#define ROCLATCH_BIN_WATCHED_H

#include "bin/amounts.h"
#include "bin/command.h"
#include "inject/watch/naming.h"
#include "inject/watch/tasks.h"
#include "rocp/formats/idmap.h"
#include "rocp/trace/texts.h"

struct watched {
	struct target target;
	struct images images;
	struct naming *naming;
	bool readable;          /* its system calls and stacks; false: images and naming are not there */
	struct err why;         /* why not */
	const char *debug_dirs[OPTION_LIST_MAX + 1];
	struct texts texts;     /* names as people read them, */
	struct idmap spoken;    /* by the pointers to those of the tables */
};

/* 0 also for one that may only be seen from afar (another user's), unless it must be readable. */
int watched_open(struct watched *watched, const struct settings *settings, bool must_be_readable,
		 struct output *out, struct err *err);
void watched_close(struct watched *watched);

/* Are these of --debug-dir folders that are there? */
int watched_folders(const struct option_list *folders, struct err *err);

/* A function's name as people write it.  The pointer must stay what it is (struct naming keeps it). */
const char *watched_spoken(struct watched *watched, const char *function);
/* "main+0x1c", "libx.so+0x1a2b[BUILDID]", or "0x7f..." where nothing is known; without the offset in a
 * function if that is not wanted. */
void watched_place(struct watched *watched, raddr pc, bool exact, bool with_offset, char *text, size_t size);

/* "sleeping in futex", "running": what a thread does. */
void task_doing(const struct task *task, char *text, size_t size);
/* "3 running, 61 sleeping" */
void task_count_text(const struct tasks *tasks, char *text, size_t size);
/* How long a blocked thread has been in its state, by the scheduler or since we look. */
uint64_t task_blocked_ns(const struct task *task, uint64_t now);

#endif
