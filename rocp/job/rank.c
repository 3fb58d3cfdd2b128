/* SPDX-License-Identifier: MIT */
/* Which of a job's processes one is, by what its launcher told it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/job/status.h"

#define VARIABLES_MOST (2u << 20)
#define RANK_MOST INT32_MAX

/* Those that know best first: torchrun and mpirun are themselves started by Slurm, once for each node. */
static const char *const known[][2] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "PMIX_RANK", NULL }, { "PMI_RANK", "PMI_SIZE" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" }, { "RANK", "WORLD_SIZE" }, { "SLURM_PROCID", NULL },
};

/* Variables, each ended by a NUL; the last one too. */
static char *variables_of(const char *proc, int64_t pid, size_t *size)
{
	char path[64 + 4096], *text = malloc(VARIABLES_MOST + 1);
	snprintf(path, sizeof path, "%.4096s/%lld/environ", proc, (long long)pid);
	int fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t got = 0;
	*size = 0;
	while (fd >= 0 && *size < VARIABLES_MOST && (got = read(fd, text + *size, VARIABLES_MOST - *size)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		*size += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*size] = '\0';
	return text;
}

static const char *value_of(const char *text, size_t size, const char *name)
{
	size_t length = name ? strlen(name) : 0;
	for (const char *at = text; length && at < text + size; at += strlen(at) + 1)
		if (!strncmp(at, name, length) && at[length] == '=')
			return at + length + 1;
	return NULL;
}

static int64_t number_of(const char *text, size_t size, const char *name)
{
	const char *value = value_of(text, size, name);
	char *end = NULL;
	long long number = value && *value >= '0' && *value <= '9' ? strtoll(value, &end, 10) : -1;
	return end && !*end && number <= RANK_MOST ? number : -1;
}

static int64_t size_of_step(const char *text, size_t size, int64_t rank)
{
	int64_t n = number_of(text, size, "SLURM_STEP_NUM_TASKS");
	if (n <= rank)
		n = number_of(text, size, "SLURM_NTASKS");
	return n;
}

static bool take(struct job_status *status, const char *text, size_t size, const char *rank_name, const char *size_name)
{
	status->rank = number_of(text, size, rank_name);
	if (status->rank < 0)
		return false;
	status->ranks = size_name ? number_of(text, size, size_name) : size_of_step(text, size, status->rank);
	if (status->ranks <= status->rank)
		status->ranks = -1;
	return true;
}

static void read_job(struct job_status *status, const char *text, size_t size)
{
	int64_t job = number_of(text, size, "SLURM_JOB_ID"), step = number_of(text, size, "SLURM_STEP_ID");
	if (job >= 0 && step >= 0)
		snprintf(status->job, sizeof status->job, "%lld.%lld", (long long)job, (long long)step);
	else if (job >= 0)
		snprintf(status->job, sizeof status->job, "%lld", (long long)job);
}

void job_rank_read(struct job_status *status, const char *proc, int64_t pid, const char *rank_name, const char *size_name)
{
	size_t size;
	char *text = variables_of(proc, pid, &size);
	status->rank = status->ranks = -1;
	status->job[0] = '\0';
	if (!text)
		return;
	read_job(status, text, size);
	bool found = rank_name && take(status, text, size, rank_name, size_name);
	for (size_t i = 0; !found && !rank_name && i < sizeof known / sizeof *known; i++)
		found = take(status, text, size, known[i][0], known[i][1]);
	free(text);
}
