/* SPDX-License-Identifier: MIT */
/* Made processes, in a folder that looks like /proc, and what rocp/processes.h makes of them. */
#ifndef ROCLATCH_TESTS_MADE_PROCESSES_H
#define ROCLATCH_TESTS_MADE_PROCESSES_H

#include "child.h"
#include "made_proc.h"
#include "rocp/processes.h"

#define PLAIN "1000-2000 r-xp 00000000 08:01 5 /usr/bin/program\n"
#define HIP "7f00-8000 r-xp 00000000 08:01 7 /opt/rocm/lib/libamdhip64.so.6.4.60402\n"
#define HSA "8f00-9000 r-xp 00000000 08:01 8 /opt/rocm/lib/libhsa-runtime64.so.1.15.60402\n"
#define REGISTER "9f00-a000 r-xp 00000000 08:01 9 /opt/rocm/lib/librocprofiler-register.so.0.6.0\n"

static struct processes processes;
static struct err err;
static char kfd[64], passwd[64];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	proc_make();
	TEST_ASSERT_EQUAL(0, chmod(proc, 0755));
	snprintf(kfd, sizeof kfd, "%s/kfd", proc);
	snprintf(passwd, sizeof passwd, "%s/passwd", proc);
	put("root:x:0:0::/:/bin/sh\nbad line\nada:x:1000:1000::/:/bin/sh\nlater:x:1000:1:::\n:x:7:7:::\n", "passwd");
	processes = (struct processes){ .proc = proc, .kfd = kfd, .passwd = passwd };
}

void tearDown(void)
{
	processes_free(&processes);
	proc_remove();
}

struct made {
	int pid, parent;
	const char *name, *maps;
	char state;             /* default S */
	unsigned long flags, faults, ticks, start;
};

static inline void put_stat(const struct made *m)
{
	char text[512];
	int n = snprintf(text, sizeof text, "%d (%s) %c %d 1 1 0 -1 %lu %lu 0 0 0 %lu 0 0 0 20 0 3 0 %lu 4096 1 1\n", m->pid,
			 m->name ? m->name : "program", m->state ? m->state : 'S', m->parent, m->flags, m->faults, m->ticks,
			 m->start);
	put_bytes(text, (size_t)n, "%d/stat", m->pid);
}

static inline void make(struct made m)
{
	char text[256];
	make_folder("%d", m.pid);
	put_stat(&m);
	snprintf(text, sizeof text, "Name:\tx\nState:\tS (x)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t1000\t1000\t0\t0\n"
		 "NSpid:\t%d\n", m.pid, m.pid, m.parent, m.pid);
	put(text, "%d/status", m.pid);
	put(m.maps ? m.maps : PLAIN, "%d/maps", m.pid);
	put("0::/\n", "%d/cgroup", m.pid);
}

/* "100 hip+hsa, register 0.6.0|.101 hip": a dot for each level */
static inline void expect_rows(const char *wanted)
{
	char text[2048] = "";
	TEST_ASSERT_EQUAL_MESSAGE(0, processes_look(&processes, &err), err.text);
	for (size_t i = 0; i < processes.rows; i++) {
		const struct process *process = processes.row[i];
		char uses[64];
		size_t used = strlen(text);
		runtimes_text(&process->runtimes, uses, sizeof uses);
		snprintf(text + used, sizeof text - used, "%s%.*s%d %s", used ? "|" : "", (int)process->depth, "..........",
			 (int)process->stat.pid, uses);
	}
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

#endif
