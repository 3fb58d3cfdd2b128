/* SPDX-License-Identifier: MIT */
/* What roclatch wait costs while hundreds of processes have the right name and cannot be attached. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define PROCESSES 300
#define RUNS 15
#define NAME "bench-awaited"

static pid_t children[PROCESSES];

static void be_one(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, NAME);
	while (getppid() == parent)
		sleep(1000);
	_exit(0);
}

/* CPU time of one look, in ms: a deadline that is over at once leaves time for no other. */
static struct figure look(void)
{
	static struct ran ran;
	struct tool tool = { .argv = { "roclatch", "wait", "--name", NAME, "--timeout", "1ms" } };
	double cpu[RUNS];
	unsigned runs = times(RUNS);

	tools_find(&tool, 1);
	for (unsigned i = 0; i < runs; i++) {
		tool_run(&tool, 0, &ran);
		if (ran.status != 6) {
			printf("roclatch wait ended with %d\n", ran.status);
			return (struct figure){ 0 };
		}
		cpu[i] = ran.cpu_ms;
	}
	return middle(cpu, runs);
}

void bench_wait(void)
{
	pid_t parent = getpid();
	struct figure without = look(), with;
	unsigned n = 0;

	for (; n < PROCESSES && (children[n] = fork()) >= 0; n++)
		if (children[n] == 0)
			be_one(parent);
	with = look();
	for (unsigned i = 0; i < n; i++)
		kill(children[i], SIGKILL);
	for (unsigned i = 0; i < n; i++)
		waitpid(children[i], NULL, 0);
	printf("\none look of roclatch wait: %.1f ms of CPU time with %u processes that have the name, %.1f without\n",
	       with.value, n, without.value);
	if (with.runs && without.runs)
		figure_say("roclatch", (struct figure){ (with.value - without.value) / n, (with.error + without.error) / n, with.runs },
			   "wait.each");
}
