/* SPDX-License-Identifier: MIT */
/* Options of a request that is made in a container or on many nodes: whom beside those with a name, when, by which ways. */
#include "rocp/request.h"

#include <string.h>

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
	if (limit && !time_word(limit, &request->wait_ms))
		return err_set(err, ERR_USAGE, 0, "--wait-timeout: '%s' is no time of more than 0", limit);
	if (limit && !request->wait)
		return err_set(err, ERR_USAGE, 0, "--wait-timeout needs --wait");
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
	if (request->collect && said->v[OPT_KEEP].given) {
		err_set(err, ERR_USAGE, 0, "--collect fetches at the end, and --keep returns before that");
		return err_remedy(err, "give it to the one that ends it: roclatch detach -p PID --collect FOLDER");
	}
	return fill_waiting(reading, err);
}
