// SPDX-License-Identifier: MIT
/* What is made of recordings, and recording with roclatch's own tool. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocm_made.h"

#define SEEN_MS 20000

static char into[64];

const char *into_make(void)
{
	strcpy(into, "/tmp/roclatch-into-XXXXXX");
	require(mkdtemp(into), "mkdtemp: %s", strerror(errno));
	return into;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

void into_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void into_forget(void)
{
	into_remove(into);
}

static bool made_is_there(const struct app *app, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	return !access(path, F_OK);
}

void made_there(const struct app *app, const char *name, bool wanted)
{
	check(made_is_there(app, name) == wanted, "%s is %sthere", name, wanted ? "not " : "");
}

long made_rows(const struct app *app, const char *name)
{
	char path[1024], buffer[65536];
	long n = -1;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < got; i++)
			n += buffer[i] == '\n';
	close(fd);
	return n;
}

long sdk_delivered(const struct app *app, const char *kind)
{
	const char *answer = app_ask(app, "counts"), *at;
	size_t length = strlen(kind);

	for (at = answer; at && (at = strstr(at, kind)); at += length)
		if ((at == answer || at[-1] == ' ') && at[length] == '=')
			return atol(at + length + 1);
	return 0;
}

void own_wait_for_log(const struct app *app, const char *name)
{
	for (unsigned ms = 0; !made_is_there(app, name); ms += 10) {
		require(ms < SEEN_MS, "there is no %s", name);
		sleep_ms(10);
	}
}

void own_wait_for_bytes(const struct app *app, const char *name, long bytes)
{
	char path[1024];
	struct stat st = { .st_size = 0 };

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	for (unsigned ms = 0; (stat(path, &st) || st.st_size < bytes) && ms < SEEN_MS; ms += 10)
		sleep_ms(10);
}

struct run own_record(const struct app *app, const char *more)
{
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out %s", app->pid, app->output, more);

	own_wait_for_log(app, "out.rlog");
	/* the log is made before the services are started */
	for (unsigned ms = 0; !app_ask(app, "counts") && ms < SEEN_MS; ms += 10)
		sleep_ms(10);
	run_records(&run);
	return run;
}

struct outcome own_finish(struct run *run)
{
	dprintf(run->in, "\n");
	return run_end(run, 120000);
}

void own_emit(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);

	require(answer && atol(answer) > 0, "%s: the SDK answered %s", order, answer ? answer : "nothing");
}
