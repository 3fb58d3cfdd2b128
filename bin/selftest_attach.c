/* SPDX-License-Identifier: MIT */
/* roclatch selftest: attach, record, detach, and look at what was recorded and at what the process has become. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bin/selftest.h"
#include "inject/proc.h"
#include "inject/thread.h"
#include "rocp/own_tool.h"

#define RECORD_MS 2000          /* the first time */
#define AGAIN_MS 1000
#define FEWEST 4                /* at least a fourth of what is to be expected is recorded */
#define GOES_ON_MS 10000
#define CLOCK_SLACK_NS 1000000000u

/* One recording. */
struct taken {
	const char *folder;
	unsigned ms;
	uint64_t before, after;         /* launches */
	uint64_t lasted_ns;             /* from before the attachment until after it */
};

static int attach(struct selftest *selftest, const char *tool, struct taken *taken, struct err *err)
{
	char pid[16], ms[16];
	int status;
	snprintf(pid, sizeof pid, "%d", (int)selftest->pid);
	snprintf(ms, sizeof ms, "%u", taken->ms);
	taken->before = program_count(selftest);
	uint64_t began = now_ns();
	const struct node *said = ask(selftest, &status, err, "attach", "-p", pid, "-d", taken->folder, "-o", "selftest",
		"-f", "csv", "--attach-duration-msec", ms, "--attach-children", "false", "--kernel-trace", "--memory-copy-trace", "--json",
		selftest->late ? "--hip-runtime-trace" : tool ? "-t" : NULL, selftest->late ? "--late" : tool, NULL);
	taken->lasted_ns = now_ns() - began;
	taken->after = program_count(selftest);
	if (status)
		return -1;
	said = answer(answer(said, "targets"), "0");
	if (answer(answer(answer(said, "attach"), "left"), "0") || answer(answer(answer(said, "detach"), "left"), "0"))
		return err_set(err, ERR_RESIDUE, 0, "something was left behind in the program");
	return strcmp(answer_text(said, "detached"), "true") ? err_set(err, ERR_FAILED, 0, "the tool was not detached") : 0;
}

/* Late, kernels come only from queues that are made afterwards: calls count. */
static int verify(const struct selftest *selftest, struct step *step, const struct taken *taken, struct err *err)
{
	struct records kernels, copies = { 0 };
	const char *what = selftest->late ? "calls" : "kernels";
	if (records_read(&kernels, taken->folder, selftest->late ? "_hip_api_trace.csv" : "_kernel_trace.csv", err) < 0)
		return -1;
	/* a runtime may copy by kernels of its own, and there is no such table then */
	if (selftest->sample && !selftest->late && records_read(&copies, taken->folder, "_memory_copy_trace.csv", err) < 0 &&
	    kernels.rows == kernels.named)
		return -1;
	uint64_t launched = taken->after - taken->before;
	step_fact(step, "recorded: %llu %s in %u ms", (unsigned long long)kernels.rows, what, taken->ms);
	if (selftest->sample)
		step_fact(step, "of these %llu " PROGRAM_KERNEL ", with %llu copies; the program launched %llu in %llu ms",
			  (unsigned long long)kernels.named, (unsigned long long)copies.rows, (unsigned long long)launched,
			  (unsigned long long)(taken->lasted_ns / 1000000));
	if (!kernels.rows)
		return err_set(err, ERR_FAILED, 0, "no %s were recorded", what);
	if (kernels.odd || copies.odd)
		return err_set(err, ERR_FAILED, 0, "%llu records end before they begin", (unsigned long long)(kernels.odd + copies.odd));
	if (kernels.last - kernels.first > taken->lasted_ns + CLOCK_SLACK_NS)
		return err_set(err, ERR_FAILED, 0, "times of the records are %llu ms apart, more than the recording took",
			       (unsigned long long)((kernels.last - kernels.first) / 1000000));
	if (!selftest->sample || selftest->late)
		return 0;
	if (!kernels.named || (!copies.rows && kernels.rows == kernels.named))
		return err_set(err, ERR_FAILED, 0, "%s of the sample program %s not recorded", kernels.named ? "the copies" : "the kernel",
			       kernels.named ? "were" : "was");
	uint64_t most = launched + PROGRAM_EVERY;
	if (kernels.named > most || kernels.named < launched * taken->ms / (taken->lasted_ns / 1000000) / FEWEST)
		return err_set(err, ERR_FAILED, 0, "%llu launches were recorded, while the program made %llu in %llu ms",
			       (unsigned long long)kernels.named, (unsigned long long)launched,
			       (unsigned long long)(taken->lasted_ns / 1000000));
	return 0;
}

/* Nobody traces it, and it works. */
static int goes_on(struct selftest *selftest, struct err *err)
{
	struct proc_status status;
	uint64_t count = program_count(selftest);
	if (proc_status(selftest->pid, 0, &status, NULL) < 0 || status.state == 'Z')
		return err_set(err, ERR_TARGET_EXITED, 0, "the program is gone");
	if (status.tracer || status.state == 'T' || status.state == 't')
		return err_set(err, ERR_RESIDUE, 0, "the program has tracer %d and state %c", (int)status.tracer, status.state);
	for (unsigned ms = 0; selftest->sample && program_count(selftest) <= count; ms += 50)
		if (ms > GOES_ON_MS || !pause_ms(50))
			return call_stop_signal ? stopped(err) : err_set(err, ERR_RESIDUE, 0, "the program does not go on");
	return 0;
}

static int record(struct selftest *selftest, struct step *step, const char *tool, unsigned ms)
{
	char folder[PATH_MAX];
	struct taken taken = { .folder = folder, .ms = ms };
	struct err *err = &step->err;
	snprintf(folder, sizeof folder, "%s/%u", selftest->folder, ++selftest->recordings);
	if (mkdir(folder, 0700) < 0)
		return err_set(err, ERR_FAILED, errno, "the folder %.200s", folder);
	if (attach(selftest, tool, &taken, err) < 0 || goes_on(selftest, err) < 0)
		return -1;
	return verify(selftest, step, &taken, err);
}

/* Which tool it would be, where none is named: false, and the step says so, if ROCm brings none. */
static bool has_tool(struct selftest *selftest, struct step *step)
{
	char pid[16];
	int status;
	struct err err;
	snprintf(pid, sizeof pid, "%d", (int)selftest->pid);
	const char *tool = answer_text(ask(selftest, &status, &err, "check", pid, "--json", NULL), "tool");
	if (!selftest->late && tool[0] && !strstr(tool, OWN_TOOL_NAME)) {
		step_fact(step, "tool: %s", tool);
		return true;
	}
	if (selftest->late)
		step_not_here(step, "AMD's tool cannot be attached late",
			      "start programs with ROCP_TOOL_ATTACH=1, with ROCm 7.1 or newer");
	else
		step_not_here(step, "ROCm's tool, librocprofiler-sdk-tool.so, is not here", "install rocprofiler-sdk");
	return false;
}

static void attach_twice(struct selftest *selftest, struct step *step, const char *tool)
{
	struct err *err = &step->err;
	if (!selftest->command && !selftest->pid) {
		step_not_here(step, "there is no program to attach to", "see the step before");
		return;
	}
	if (!tool && selftest->settings->pid) {
		step_not_here(step, "a process keeps its first tool, and roclatch's own is tried with it",
			      "give --program CMD, which starts one for each tool");
		return;
	}
	int rc = program_start(selftest, err);
	if (rc == 0 && !tool && !has_tool(selftest, step))
		return;
	if (rc == 0)
		rc = record(selftest, step, tool, RECORD_MS);
	if (rc == 0 && record(selftest, step, tool, AGAIN_MS) < 0)
		rc = err_wrap(err, "the second time");
	program_end(selftest);
	if (rc < 0)
		step_no(step);
	else
		step_yes(step, "attached twice, recorded, detached; the records are in order, the program goes on");
}

void step_tool(struct selftest *selftest, struct step *step)
{
	attach_twice(selftest, step, NULL);
}

void step_own_tool(struct selftest *selftest, struct step *step)
{
	attach_twice(selftest, step, OWN_TOOL_WORD);
}
