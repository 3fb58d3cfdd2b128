/* SPDX-License-Identifier: MIT */
/* roclatch wait, and the wait of roclatch attach --wait. */
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "bin/awaiting.h"
#include "bin/command.h"
#include "inject/thread.h"
#include "rocp/awaited.h"
#include "rocp/options.h"

#define ARGUMENTS_MAX 24

const char wait_text[] =
	"Waits until a matching process exists and can be attached: it has initialised ROCm, and every\n"
	"condition that roclatch check looks at is met, except for the tool and the output folder.  Then\n"
	"prints its id, or one id per line if there are several.  What it waits for is reported on stderr\n"
	"whenever that changes.  A process that can never be attached does not end the wait, as another\n"
	"may come; but if a process was given by its id, its end does.\n"
	"\n"
	"The status is 6 when the time is over.  roclatch attach --wait waits and attaches.\n"
	"\n"
	"examples:\n"
	"  roclatch wait --name '^python3$' --timeout 10m\n"
	"  roclatch wait --pid-file /run/app.pid\n";

struct telling { struct output *out; uint64_t begun; };

static void waiting(void *ctx, const char *missing, const char *remedy, bool changed)
{
	const struct telling *telling = ctx;
	bool shows = !telling->out->json && isatty(STDERR_FILENO);
	if (shows)
		fputs("\r\033[K", stderr);
	if (changed)
		output_note(telling->out, "waiting: %s", missing);
	if (changed && remedy)
		output_note(telling->out, "  remedy: %s", remedy);
	if (shows) {
		fprintf(stderr, "  for %lu s; Ctrl-C ends it ", (unsigned long)((now_ns() - telling->begun) / 1000000000u));
		fflush(stderr);
	}
}

int await_processes(struct selection *selection, const struct request *request, struct output *out, struct err *err)
{
	struct telling telling = { out, now_ns() };
	struct awaited awaited = { .request = request, .waiting = waiting, .ctx = &telling,
				   .deadline_ns = request->wait_ms ? telling.begun + request->wait_ms * 1000000u : 0 };
	int rc = awaited_processes(selection, &awaited, err);
	if (!out->json && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	output_number(out, "waited_ms", (now_ns() - telling.begun) / 1000000u);
	return rc;
}

/* As roclatch attach reads them. */
static int read_request(struct request *request, const struct settings *settings, struct err *err)
{
	char pid[24];
	const struct { const char *option, *value; } texts[] = {
		{ "-p", settings->pid ? pid : NULL }, { "--name", settings->name }, { "--pid-file", settings->pid_file },
		{ "--env", settings->with_env }, { "--cgroup", settings->cgroup }, { "--slurm-job", settings->slurm_job },
		{ "--wait-timeout", settings->limit } };
	const char *argument[ARGUMENTS_MAX] = { "--wait", "--attach-children", "false" };
	uint64_t ms;
	int n = 3;
	if (settings->limit && time_of("--timeout", settings->limit, &ms, err) < 0)
		return -1;
	snprintf(pid, sizeof pid, "%llu", (unsigned long long)settings->pid);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].value) {
			argument[n++] = texts[i].option;
			argument[n++] = texts[i].value;
		}
	if (n == (settings->limit ? 5 : 3)) {
		err_set(err, ERR_USAGE, 0, "wait: no process is named");
		return err_remedy(err, "give --name REGEX, --pid-file FILE, --env NAME=VALUE, --cgroup PATH, --slurm-job JOB or -p PID");
	}
	if (settings->late)
		argument[n++] = "--late";
	if (settings->trust_seccomp)
		argument[n++] = "--trust-seccomp";
	return request_read(request, STYLE_ROCLATCH, n, (char **)argument, environ, getauxval(AT_SECURE) != 0, err);
}

int command_wait(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	struct request request = { .wait = false };
	struct selection selection = { 0 };
	(void)operands;
	(void)n;
	int rc = read_request(&request, settings, err);
	if (rc == 0)
		rc = await_processes(&selection, &request, out, err);
	if (out->json)
		json_array(&out->writer, "pids");
	for (size_t i = 0; i < selection.n; i++)
		if (out->json)
			json_signed(&out->writer, NULL, selection.v[i].pid);
		else
			printf("%d\n", (int)selection.v[i].pid);
	if (out->json)
		json_end(&out->writer);
	selection_free(&selection);
	request_free(&request);
	return rc;
}
