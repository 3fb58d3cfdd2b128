/* SPDX-License-Identifier: MIT */
/* Selections among processes in a made folder that looks like /proc. */
#ifndef ROCLATCH_TESTS_SELECT_CASE_H
#define ROCLATCH_TESTS_SELECT_CASE_H

#include <stdio.h>
#include <string.h>

#include "child.h"
#include "made_proc.h"
#include "rocp/select.h"

static struct selection selection;
static struct request request;
static struct err err;

static inline void put_process(int pid, int parent, char state, const char *name)
{
	char text[256];
	make_folder("%d", pid);
	make_folder("%d/task", pid);
	make_folder("%d/task/%d", pid, pid);
	snprintf(text, sizeof text, "Name:\t%s\nState:\t%c (x)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n", name, state, pid, pid,
		 parent);
	put(text, "%d/status", pid);
	snprintf(text, sizeof text, "%s\n", name);
	put(text, "%d/comm", pid);
	put("/usr/bin/program", "%d/cmdline", pid);
}

static inline void select_begin(void)
{
	memset(&request, 0, sizeof request);
	memset(&err, 0, sizeof err);
	proc_make();
}

void tearDown(void)
{
	selection_free(&selection);
	proc_remove();
}

#endif
