/* SPDX-License-Identifier: MIT */
/* What roclatch wait costs while hundreds of processes have the right name and cannot be attached. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define PROCESSES 300
#define RUNS 15
#define NAME "bench-awaited"

static pid_t children[PROCESSES];

/* An ordinary program, with a C library of its own, under our name. */
static void be_one(const char *path)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl(path, path, "1000", (char *)NULL);
	_exit(127);
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
	char folder[] = "/tmp/bench-wait-XXXXXX", path[64];
	const char *words[PROGRAM_WORDS];
	struct figure without = look(), with;
	unsigned n = 0;

	if (!mkdtemp(folder))
		return perror(folder);
	snprintf(path, sizeof path, "%s/" NAME, folder);
	if (program_find("sleep", words) != 1 || symlink(words[0], path))
		perror(path);
	for (; n < PROCESSES && (children[n] = fork()) >= 0; n++)
		if (children[n] == 0)
			be_one(path);
	wait_ms(500);           /* until all have become what they are to be */
	with = look();
	unlink(path);
	rmdir(folder);
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
