// SPDX-License-Identifier: MIT
/* What roclatch is told to do in the soak. */
#include <stdlib.h>
#include <string.h>

#include "rocm_collect.h"
#include "soak.h"

#define OK (1u << 0)
#define REFUSED (1u << 3)
#define FAILED_THERE (1u << 5)
#define TIMED_OUT (1u << 6)
#define ATTACH "attach {pids} -o out --attach-duration-msec {ms} --timeout-msec {limit} "

const struct deed deeds[] = {
	{ "call fresh", CALLED, "call --timeout-msec {limit} --on fresh {thread} {pid} libcalled.so {function}", NULL, OK, 700, 60,
		CALLS, NULL, WITH_ARENA, false },
	{ "call borrowed", CALLED, "call --timeout-msec {limit} --on borrowed {thread} {pid} libcalled.so {brief}", NULL, OK, 500, 15,
		CALLS, NULL, WITH_ARENA, false },
	{ "call of others", WATCHED | ANY_ROCM, "call --timeout-msec {limit} {pid} libc labs -5", "5\n", OK, 900, 20, CALLS, NULL,
		WITH_MEMORY, false },
	{ "call in a static one", STATIC, "call --timeout-msec {limit} {pid} exe called_sum 1 2 3 4 5 6", NULL, OK | REFUSED, 500, 15,
		CALLS, NULL, WITH_ARENA, false },
	{ "inject", CALLED, "inject --timeout-msec {limit} {pid} {injected}", NULL, OK, 700, 20, CALLS, NULL, WITH_ARENA | WITH_LIBRARY,
		false },
	{ "eject", CALLED, "eject --timeout-msec {limit} {pid} {injected}", NULL, OK | 1u << 7, 700, 20, CALLS,
		"inject --timeout-msec {limit} {pid} {injected}", WITH_ARENA | WITH_LIBRARY, false },
	{ "check", ROCM | LISTENERLESS, "check {pid} -d {out}", NULL, OK, 900, 30, LOOKS, NULL, 0, false },
	{ "check, refused", PLAIN | LATE, "check {pid}", NULL, REFUSED, 300, 10, LOOKS, NULL, 0, false },
	{ "list", ANY, "list", NULL, OK, 3000, 60, LOOKS, NULL, 0, false },
	{ "threads", ANY, "threads {pid}", NULL, OK, 900, 230, LOOKS, NULL, 0, false },
	{ "stack", ANY, "stack {pid}", NULL, OK, 1200, 30, LOOKS, NULL, 0, false },
	{ "sample", ANY, "sample {pid} --rate 500 --duration-msec {ms}", NULL, OK, 1200, 150, LOOKS, NULL, 0, false },
	{ "sample all", ANY, "sample {pid} --rate 500 --stacks all {perf} --duration-msec {ms}", NULL, OK, 2000, 150, LOOKS, NULL,
		0, false },
	{ "top", ANY, "top {pid}", NULL, OK, 0, 300, LOOKS, NULL, 0, true },
	{ "wait", ROCM | LISTENERLESS, "wait -p {pid} --timeout {limit}ms", NULL, OK, 600, 20, LOOKS, NULL, 0, false },
	{ "wait, in vain", PLAIN | LATE, "wait -p {pid} --timeout 200ms", NULL, TIMED_OUT | REFUSED, 600, 200, LOOKS, NULL, 0, false },
	{ "attach, refused", PLAIN, ATTACH "--hip-trace", NULL, REFUSED, 300, 10, LOOKS, NULL, 0, false },
	{ "attach", ROCM | LISTENERLESS, ATTACH "-d {out} --hip-trace --kernel-trace", NULL, OK, 2500, 250, ATTACHES, NULL,
		WITH_MEMORY, false },
	{ "attach late", LATE, ATTACH "-d {out} --late {tool} --hip-trace -f csv", NULL, OK, 2500, 300, ATTACHES, NULL, WITH_MEMORY,
		false },
	{ "attach own tool", ROCM | LISTENERLESS, ATTACH "-d {out} -t roclatch --hip-trace --kernel-trace -f {formats}", NULL, OK, 3500,
		400, ATTACHES, NULL, WITH_MEMORY, false },
	{ "detach", ROCM | LISTENERLESS, "detach -p {pid} --timeout-msec {limit}", NULL, OK, 1500, 100, ATTACHES,
		"attach -p {pid} --keep --hip-trace {own} -o out -d {out}", WITH_MEMORY, false },
	{ "detach late", LATE, "detach -p {pid} --timeout-msec {limit}", NULL, OK, 1500, 100, ATTACHES,
		"attach -p {pid} --keep --late {tool} --hip-trace -o out -d {out}", WITH_MEMORY, false },
	{ "collect", ROOT, ATTACH "-d {inside} --kernel-trace --collect {into}", NULL, OK, 3500, 300, ATTACHES, NULL, WITH_MEMORY, false },
	{ "bring the tool", WORLD, ATTACH "-d /out -t roclatch -f csv --hip-trace --collect {into}", NULL, OK, 4000, 400, ATTACHES,
		NULL, WITH_MEMORY, false },
	{ "attach several", SEVERAL, ATTACH "-d {out} --kernel-trace", NULL, OK, 1500, 400, ATTACHES, NULL, WITH_MEMORY, false },
};
const unsigned deeds_count = sizeof(deeds) / sizeof(deeds[0]);
_Static_assert(sizeof(deeds) / sizeof(deeds[0]) <= 32, "tally");

static const struct { const char *words, *answer; unsigned statuses; bool forks; } functions[] = {
	{ "called_sum 1 2 3 4 5 6", "91\n", OK, false }, { "called_clobber", NULL, OK, false },
	{ "called_sleep 50", "0\n", OK, false }, { "called_locks", "1000\n", OK, false },
	{ "called_float 1000", "1001000\n", OK, false }, { "called_fork", "7\n", OK, true },
	{ "called_segv", NULL, FAILED_THERE, false }, { "called_abort", NULL, FAILED_THERE, false },
};

struct filling {
	const struct ground *ground;
	const char **answer;
	unsigned *statuses;
};

static const char *function(const struct filling *f, unsigned most)
{
	unsigned i = dice(most);

	/* A handler of SIGCHLD, or a thread in waitpid, in the target waits for that child first; and SIGCHLD, which nobody drops
	 * for a traced thread, may come while musl's fork has all signals blocked, and wakes another thread then. */
	const struct ground *g = f->ground;
	bool no_fork = g->interruptible || strstr(g->name, "load=children") || strstr(g->name, "waitpid");

	if ((functions[i].forks && no_fork) || (functions[i].statuses == FAILED_THERE && g->unwatched))
		i = 0;
	*f->answer = functions[i].answer;
	*f->statuses = functions[i].statuses;
	return functions[i].words;
}

static void all_pids(char *text, size_t size, const struct ground *g)
{
	size_t n = 0;

	for (unsigned i = 0; i < g->apps; i++)
		n += (size_t)snprintf(text + n, size - n, "%s-p %s", i ? " " : "", g->app[i].pid);
}

static const char *word(const char *name, const struct filling *f)
{
	static const char *const formats[] = { "csv", "json", "rocpd", "pftrace", "html", "csv json html" };
	static const char *const perf[] = { "", "--no-perf" }, *const own[] = { "", "-t roclatch -f csv" };
	static char text[4300];
	const struct ground *g = f->ground;
	const struct app *app = &g->app[0];

	if (!strcmp(name, "pid"))
		return app->pid;
	if (!strcmp(name, "out"))
		return app->output;
	if (!strcmp(name, "inside"))
		return inside(app);
	if (!strcmp(name, "into"))
		return into_make();
	if (!strcmp(name, "function"))
		return function(f, sizeof(functions) / sizeof(functions[0]));
	if (!strcmp(name, "brief"))     /* sleeping or forking there is what the fresh thread is for */
		return function(f, 2);
	if (!strcmp(name, "perf"))
		return DICE(perf);
	if (!strcmp(name, "own"))
		return DICE(own);
	if (!strcmp(name, "formats"))
		return DICE(formats);
	text[0] = 0;
	if (!strcmp(name, "limit"))
		snprintf(text, sizeof(text), "%u", patient(60000));
	else if (!strcmp(name, "pids"))
		all_pids(text, sizeof(text), g);
	else if (!strcmp(name, "ms"))
		/* an emulated machine takes seconds until all of several are ready */
		snprintf(text, sizeof(text), "%u", 1 + dice(200) + (g->kind == SEVERAL && slow_machine() ? 20000 : 0));
	else if (!strcmp(name, "injected"))
		snprintf(text, sizeof(text), "%s/%s/libinjected.so", options.fixtures, g->root);
	else if (!strcmp(name, "thread") && dice(2))
		snprintf(text, sizeof(text), "--thread %d", (int)app->t.tid);
	else if (!strcmp(name, "tool"))
		snprintf(text, sizeof(text), "-t %s", dice(2) ? "roclatch" : app_path("tools/libroclatch-tool.so"));
	return text;
}

void deed_words(char *words, size_t size, const char *with, const struct ground *ground, const char **answer, unsigned *statuses)
{
	const struct filling filling = { ground, answer, statuses };
	size_t n = 0;
	char name[32];

	while (*with && n + 1 < size) {
		const char *end = *with == '{' ? strchr(with, '}') : NULL;

		if (!end) {
			words[n++] = *with++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(end - with - 1), with + 1);
		n += (size_t)snprintf(words + n, size - n, "%s", word(name, &filling));
		require(n < size, "too many words");
		with = end + 1;
	}
	words[n] = 0;
}
