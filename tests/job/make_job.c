/* SPDX-License-Identifier: MIT */
/*
 * make_job FOLDER RANKS [NAME=NUMBER...]: what the attachments of a job of that many ranks leave in a folder.
 *   slow=R     the kernels of this rank take 1.9 times as long
 *   steps=N    of each rank, default 20
 *   per=N      ranks of a host, default 8
 *   without=R  this rank leaves nothing
 *   failed=R   this rank could not be attached
 *   ahead=S    the wall clock of the last host is that many seconds ahead
 */
#include "made_job.h"

static long long number(int argc, char **argv, const char *name, long long otherwise)
{
	size_t length = strlen(name);
	for (int i = 3; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return atoll(argv[i] + length + 1);
	return otherwise;
}

int main(int argc, char **argv)
{
	long long ranks = argc > 2 ? atoll(argv[2]) : 0;
	long long slow = number(argc, argv, "slow", -1), per = number(argc, argv, "per", 8);
	if (ranks < 1 || per < 1) {
		fprintf(stderr, "usage: make_job FOLDER RANKS [NAME=NUMBER...]\n");
		return 2;
	}
	for (long long i = 0; i < ranks; i++) {
		char host[32];
		struct err err = { .code = ERR_NONE };
		bool failed = i == number(argc, argv, "failed", -1), last = i / per == (ranks - 1) / per;
		snprintf(host, sizeof host, "n%lld", i / per + 1);
		/* Work scatters by a few percent, as it does. */
		struct made_rank rank = { .host = host, .rank = i, .ranks = ranks, .pid = 1000 + i, .booted = MADE_JOB_NOW - (i / per + 1) * 3600000000000,
			.steps = (unsigned)number(argc, argv, "steps", 20), .step_ns = 2200000, .kernel_ns = i == slow ? 1900000 : 1000000 +
			(uint64_t)(i * 7919 % 101) * 300, .clock_ahead = last ? number(argc, argv, "ahead", 0) * 1000000000 : 0,
			.status = failed ? 3 : 0, .why = failed ? "this process has no ROCm in it" : NULL, .no_database = failed };
		if (i != number(argc, argv, "without", -1) && made_job_rank(&rank, argv[1], &err) < 0) {
			fprintf(stderr, "make_job: %s\n", err.text);
			return 1;
		}
	}
	return 0;
}
