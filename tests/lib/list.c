// SPDX-License-Identifier: MIT
#include <string.h>
#include <unistd.h>

#include "host.h"

struct wanted {
	pid_t pid;
	unsigned seen, all;
	struct roclatch_process process;
	char name[64], brief[128];
	size_t controls;        /* control characters in any text */
};

static size_t controls(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (unsigned char)*text < ' ' || *text == 0x7f;
	return n;
}

static int take(void *ctx, const struct roclatch_process *process)
{
	struct wanted *wanted = ctx;

	wanted->all++;
	wanted->controls += controls(process->name) + controls(process->user) + controls(process->container) +
			    controls(process->container_id) + controls(process->attach_summary);
	if (process->pid != wanted->pid)
		return 0;
	wanted->seen++;
	wanted->process = *process;
	strncpy(wanted->name, process->name, sizeof(wanted->name) - 1);
	strncpy(wanted->brief, process->attach_brief, sizeof(wanted->brief) - 1);
	return 0;
}

static void every_process(void)
{
	struct app app = watched_start();
	struct wanted wanted = { .pid = app.pid };
	struct roclatch_error error;

	works(roclatch_list(ROCLATCH_LIST_ALL, take, &wanted, &error));
	equal(1, wanted.seen);
	check(wanted.all > 1, "only one process was listed");
	equal(sizeof(struct roclatch_process), wanted.process.size);
	equal(getpid(), wanted.process.parent);
	equal(geteuid(), wanted.process.uid);
	equal(WATCHED_THREADS, wanted.process.threads);
	equal(0, wanted.process.runtimes);
	equal(1, wanted.process.readable);
	equal(ROCLATCH_ATTACH_UNKNOWN, wanted.process.attachable);
	check(!strcmp(wanted.name, "watched"), "its name is %s", wanted.name);
	equal(0, wanted.controls);
	wanted.seen = 0;
	works(roclatch_list(0, take, &wanted, &error));
	equal(0, wanted.seen);
	app_end(&app);
}

static void of_a_gpu(void)
{
	struct app app = app_start(NULL);
	struct wanted wanted = { .pid = app.pid };
	struct roclatch_error error;

	works(roclatch_list(ROCLATCH_LIST_ASK, take, &wanted, &error));
	equal(1, wanted.seen);
	check(wanted.process.runtimes & ROCLATCH_HIP, "HIP is not seen");
	check(wanted.process.runtimes & ROCLATCH_HSA, "HSA is not seen");
	check(wanted.process.runtimes & ROCLATCH_REGISTER, "the register is not seen");
	equal(ROCLATCH_ATTACH_NOW, wanted.process.attachable);
	check(!strcmp(wanted.brief, "now"), "it says: %s", wanted.brief);
	app_is_well(&app);
	app_end(&app);
}

static int first(void *ctx, const struct roclatch_process *process)
{
	(void)process;
	++*(unsigned *)ctx;
	return 7;
}

static void ended_early(void)
{
	struct roclatch_error error;
	unsigned n = 0;

	equal(7, roclatch_list(ROCLATCH_LIST_ALL, first, &n, &error));
	equal(1, n);
	equal(0, error.status);
	equal(7, roclatch_list(ROCLATCH_LIST_ALL, first, &n, NULL));
}

static void wrongly_asked(void)
{
	struct roclatch_error error;
	unsigned n = 0;

	fails(ROCLATCH_USAGE, roclatch_list(0x100, first, &n, &error));
	fails(ROCLATCH_USAGE, roclatch_list(0, NULL, NULL, &error));
	equal(0, n);
	equal(-1, roclatch_list(0x100, first, &n, NULL));
}

void test_list(void)
{
	test("every process is listed, with what it is", every_process);
	test("a process that uses a GPU is listed, with whether it can be attached", of_a_gpu);
	test("the callback can end the list", ended_early);
	test("a list of nothing known is refused", wrongly_asked);
}
