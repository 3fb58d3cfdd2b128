// SPDX-License-Identifier: MIT
/*
 * Every kind of record, from the SDK's buffers to what people open: each output is compared with what the
 * SDK stand-in has delivered, value by value, by tests/record/compare.sh.  In a guest, which has no
 * c++filt, kernels keep their mangled names.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define EVERYTHING "--hip-trace --hsa-trace --marker-trace --kernel-trace --memory-copy-trace --memory-allocation-trace " \
	"--scratch-memory-trace --rccl-trace --rocdecode-trace --rocjpeg-trace --pmc SQ_WAVES GRBM_COUNT"
#define FORMATS "-f csv json pftrace rocpd html --stats"
#define SAID (64 << 10)
#define COMPARISONS 27

struct version { const char *name, *environment, *how; };

static const struct version versions[] = {
	{ "1.0", "LD_LIBRARY_PATH=sdk-1.0:lib", "--late" },
	{ "1.1", "ROCP_TOOL_ATTACH=1 LD_LIBRARY_PATH=sdk-1.1:lib", "" },
	{ "1.3", "ROCP_TOOL_ATTACH=1", "" },
};

static bool installed(const char *program)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return !system(command);
}

/* What a program says, all of it. */
static bool said_by(const char *command, char *said, size_t size)
{
	FILE *pipe = popen(command, "r");
	size_t n = pipe ? fread(said, 1, size - 1, pipe) : 0;

	said[n] = 0;
	return pipe && pclose(pipe) == 0;
}

static void must_answer(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);

	require(answer && strcmp(answer, "no such order"), "%s: the program answered %s", order, answer ? answer : "nothing");
}

/* The log is made before the services are started. */
static void wait_for_recording(const struct app *app, const struct run *run)
{
	char log[1024];

	snprintf(log, sizeof(log), "%s/out.rlog", app->output);
	while (run_goes_on(run) && access(log, F_OK))
		sleep_ms(10);
	run_records(run);
}

/* Fewer on an emulated machine; fifty of a kind still reach every index that the stand-in makes something odd of. */
static void make_records(const struct app *app)
{
	bool slow = slow_machine();

	must_answer(app, "kernels 40 5");
	must_answer(app, "marker push \"quoted\", with <b>&amp; a tab\tand Zoë");
	must_answer(app, slow ? "emit all 50 7" : "emit all 200 7");
	must_answer(app, "marker pop");
	must_answer(app, slow ? "emit-threads 2 24 11" : "emit-threads 4 300 11");
}

static void compare_outputs(const struct app *app)
{
	static char said[SAID], command[2048], *rest;
	unsigned right = 0;

	snprintf(command, sizeof(command), "sh %s/../tests/record/compare.sh %s/../tests/record/sqlite3 %s/truth %s/out %s 2>&1",
		options.fixtures, options.fixtures, app->output, app->output, installed("c++filt") ? "demangled" : "mangled");
	check(said_by(command, said, sizeof(said)), "compare.sh failed: %s", said);
	for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool good = !strncmp(line, "ok ", 3);

		right += good;
		check(good, "%s", line);
	}
	check(right >= COMPARISONS, "only %u comparisons of %u were made", right, COMPARISONS);
}

static void run_formats(const void *with)
{
	const struct version *version = with;
	char environment[1024];
	struct app app;
	struct run run;
	struct outcome o;

	/* the folder's name is not known before the program is started: told by %p through /tmp */
	snprintf(environment, sizeof(environment), "%s SDK_TRUTH=/tmp/roclatch-truth-%%p", version->environment);
	app = app_start("ready", slow_machine() ? "threads=2 rest=200" : "threads=2", environment);
	/* where there is no other demangler to compare with, names stay as they are */
	run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out %s " EVERYTHING " " FORMATS " %s", app.pid, app.output,
		version->how, installed("c++filt") ? "" : "-M");
	wait_for_recording(&app, &run);
	make_records(&app);
	dprintf(run.in, "\n");
	o = run_end(&run, 240000);
	expect(&o, 0, NULL);
	must_answer(&app, "flush-truth");
	if (!failed()) {
		char from[256], to[1024];

		snprintf(from, sizeof(from), "/tmp/roclatch-truth-%s", app.pid);
		snprintf(to, sizeof(to), "%s/truth", app.output);
		require(!rename(from, to), "there is no %s", from);
		compare_outputs(&app);
	}
	app_end(&app);
}

void add_rocm_format_tests(void)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		add(MIXED, run_formats, &versions[i], "every kind of record of SDK %s arrives in every format, value by value", versions[i].name);
}
