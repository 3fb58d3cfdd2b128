/* SPDX-License-Identifier: MIT */
/*
 * stop TID: stop one thread and let it go at once.  Whoever does anything to a thread does at least that: the floor
 * beneath the figures of a call.
 */
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	pid_t tid = argc == 2 ? atoi(argv[1]) : 0;

	if (tid <= 0 || ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) || waitpid(tid, NULL, __WALL) != tid)
		return 1;
	return ptrace(PTRACE_DETACH, tid, 0, 0) ? 1 : 0;
}
