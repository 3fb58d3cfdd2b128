/* SPDX-License-Identifier: MIT */
/* Options of a request that is made in a container or on many nodes: whom beside those with a name, when, by which ways. */
#include "rocp/request.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "rocp/options.h"

static enum stage_how stage_of(const char *word)
{
	return !word ? STAGE_AUTO : !strcmp(word, "memfd") ? STAGE_MEMFD : !strcmp(word, "file") ? STAGE_FILE : STAGE_NONE;
}

static int fill_waiting(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const char *limit = said_text(&reading->said, OPT_WAIT_TIMEOUT);
	request->wait = reading->said.v[OPT_WAIT].given;
	if (limit && time_of("--wait-timeout", limit, &request->wait_ms, err) < 0)
		return -1;
	if (limit && !request->wait)
		return err_set(err, ERR_USAGE, 0, "--wait-timeout needs --wait");
	return 0;
}

static int fill_at(struct reading *reading, struct err *err)
{
	const char *word = said_text(&reading->said, OPT_AT);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return word ? at_word(word, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, &reading->request->at_ns, err) : 0;
}

static int check_cgroup(const char *path, struct err *err)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *below = !strncmp(path, mount, sizeof mount - 1) ? path + sizeof mount - 1 : path;
	if (!below[strspn(below, "/")]) {
		err_set(err, ERR_USAGE, 0, "--cgroup: '%.200s' is the group of every process", path);
		return err_remedy(err, "name one below it, as /proc/PID/cgroup shows it, or use --all");
	}
	if (strstr(path, "/../") || strchr(path, '\n'))
		return err_set(err, ERR_USAGE, 0, "--cgroup: '%.200s' is no path of a control group", path);
	return 0;
}

static const char *digits(const char *word)
{
	return word + strspn(word, "0123456789");
}

static int check_slurm_job(const char *job, struct err *err)
{
	static const char *const steps[] = { "batch", "extern", "interactive" };
	const char *rest = digits(job);
	bool good = rest > job && (!*rest || (*rest == '.' && isdigit((unsigned char)rest[1]) && !*digits(rest + 1)));
	for (size_t i = 0; rest > job && *rest == '.' && i < sizeof steps / sizeof *steps; i++)
		good |= !strcmp(rest + 1, steps[i]);
	if (good)
		return 0;
	err_set(err, ERR_USAGE, 0, "--slurm-job: '%.100s' is no JOB or JOB.STEP", job);
	return err_remedy(err, "two numbers such as 42.0, or batch as the step; of an array, what squeue -o %%A shows");
}

static int check_follow(const struct reading *reading, struct err *err)
{
	const struct said *said = &reading->said;
	if (!reading->request->follow)
		return 0;
	if (said->v[OPT_KEEP].given) {
		err_set(err, ERR_USAGE, 0, "--follow and --keep exclude each other: nobody would be there to follow");
		return err_remedy(err, "give a duration, or end it with Enter or Ctrl-C");
	}
	if (said->v[OPT_CHILDREN].given && !said->v[OPT_CHILDREN].truth)
		return err_set(err, ERR_USAGE, 0, "--follow asks for children, --attach-children=no for none");
	return 0;
}

int request_fill_place(struct reading *reading, struct err *err)
{
	struct request *request = reading->request;
	const struct said *said = &reading->said;
	request->pid_file = said_text(said, OPT_PID_FILE);
	request->with_env = said_text(said, OPT_WITH_ENV);
	if (request->pid_file && !*request->pid_file)
		return err_set(err, ERR_USAGE, 0, "--pid-file: no file is named");
	if (request->with_env && !strcspn(request->with_env, "=")) {
		err_set(err, ERR_USAGE, 0, "--env: '%s' names no variable", request->with_env);
		return err_remedy(err, "give NAME=VALUE, or NAME alone for any value");
	}
	request->cgroup = said_text(said, OPT_CGROUP);
	request->slurm_job = said_text(said, OPT_SLURM_JOB);
	request->follow = said->v[OPT_FOLLOW].given;
	request->stage = stage_of(said_text(said, OPT_STAGE));
	request->collect = said_text(said, OPT_COLLECT);
	if ((request->cgroup && check_cgroup(request->cgroup, err) < 0) ||
	    (request->slurm_job && check_slurm_job(request->slurm_job, err) < 0) || check_follow(reading, err) < 0 ||
	    fill_at(reading, err) < 0)
		return -1;
	if (request->collect && said->v[OPT_KEEP].given) {
		err_set(err, ERR_USAGE, 0, "--collect fetches at the end, and --keep returns before that");
		return err_remedy(err, "give it to the one that ends it: roclatch detach -p PID --collect FOLDER");
	}
	return fill_waiting(reading, err);
}
