// SPDX-License-Identifier: MIT
/* roclatch is killed while it looks: the process is not held. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "watch.h"

/* What was asked to stop a moment ago may be about to go on: the end of its tracer lets it go, but it must get a CPU. */
static void let_settle(void)
{
	sleep_ms(slow_machine() ? 300 : 30);
}

static void run_killed(const void *with)
{
	struct target t = start_watched(NULL);
	unsigned threads = threads_of(&t), seed = 1;
	bool sample = with != NULL;

	for (unsigned i = 0; i < rounds(150) && !failed(); i++) {
		pid_t pid = sample ? roclatch_start("sample", pid_text(t.pid), "--stacks", "all", "--no-perf", "--rate", "1000", NULL) :
				     roclatch_start("stack", pid_text(t.pid), NULL);
		int64_t until;

		seed = seed * 1103515245 + 12345;
		until = now_ns() + (int64_t)(seed >> 8) % (slow_machine() ? 400000000 : sample ? 60000000 : 20000000);
		while (now_ns() < until)
			;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		let_settle();
		not_held(t.pid, threads);
	}
	go_on(&t);
	stop(&t);
}

void add_killed_tests(void)
{
	add(MIXED, run_killed, NULL, "roclatch killed in the middle of stack leaves no thread stopped or traced");
	add(MIXED, run_killed, "sample", "roclatch killed in the middle of sample leaves no thread stopped or traced");
}
