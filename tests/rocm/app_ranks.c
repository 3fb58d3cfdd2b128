// SPDX-License-Identifier: MIT
/*
 * Stands in for one rank of a job: a step is a copy, kernels, a check of what they made, and an all-reduce in which it
 * waits for the others.  The ranks meet in a file of FOLDER.  RANK_SLOW names one whose kernels take three times as
 * long, RANK_LATE one that begins each step late.  Which rank this is says who started it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app.h"
#include "runtime.h"

#define WORDS 4096
#define TIMES_SLOW 3
#define LATE_US 20000
#define LONGEST_WAIT_S 40

/* Who comes last sums up, and says whether that was the last step. */
struct meeting {
	_Atomic uint32_t here, round, last;
	_Atomic uint64_t sum, answer;
};

struct rank {
	unsigned number, of;
	struct meeting *meeting;
	char stop[PATH_MAX];
	uint64_t *host, *device;
	void *stream;
	bool late;
};

static struct rank rank;

static void forward(void **arguments)
{
	uint64_t *words = arguments[0], step = *(uint64_t *)arguments[1];

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = words[i] * 3 + step;
}

static void backward(void **arguments) { (void)arguments; }

static void wait_for_round(uint32_t round)
{
	struct timespec limit = { .tv_sec = LONGEST_WAIT_S };

	while (atomic_load(&rank.meeting->round) == round)
		if (syscall(SYS_futex, &rank.meeting->round, FUTEX_WAIT, round, &limit, NULL, 0) && errno == ETIMEDOUT) {
			printf("rank %u: the others do not come\n", rank.number);
			exit(1);
		}
}

static void all_reduce(void **arguments)
{
	struct meeting *meeting = rank.meeting;
	uint32_t round = atomic_load(&meeting->round);

	atomic_fetch_add(&meeting->sum, *(uint64_t *)arguments[0]);
	if (atomic_fetch_add(&meeting->here, 1) + 1 < rank.of) {
		wait_for_round(round);
		return;
	}
	atomic_store(&meeting->answer, atomic_exchange(&meeting->sum, 0));
	atomic_store(&meeting->here, 0);
	atomic_store(&meeting->last, !access(rank.stop, F_OK));
	atomic_fetch_add(&meeting->round, 1);
	syscall(SYS_futex, &meeting->round, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void launch(void (*kernel)(void **), void **arguments, unsigned blocks, void *stream)
{
	if (hipLaunchKernel((const void *)(uintptr_t)kernel, (struct dim3){ blocks, 1, 1 }, (struct dim3){ 256, 1, 1 },
			arguments, 0, stream))
		app_wrong("hipLaunchKernel failed");
}

static void reduce(uint64_t step)
{
	void *arguments[] = { &step };

	launch(all_reduce, arguments, 1, NULL);
	if (atomic_load(&rank.meeting->answer) != step * rank.of)
		app_wrong("step %llu: the sum is %llu", (unsigned long long)step,
			(unsigned long long)atomic_load(&rank.meeting->answer));
}

static void one_step(uint64_t step)
{
	size_t size = WORDS * sizeof(uint64_t);
	void *arguments[] = { rank.device, &step };

	if (rank.late)
		usleep(LATE_US);
	for (unsigned i = 0; i < WORDS; i++)
		rank.host[i] = rank.number + i;
	hipMemcpyAsync(rank.device, rank.host, size, HIP_HOST_TO_DEVICE, rank.stream);
	launch(forward, arguments, 80000, rank.stream);
	launch(backward, arguments, 160000, rank.stream);
	hipStreamSynchronize(rank.stream);
	hipMemcpy(rank.host, rank.device, size, HIP_DEVICE_TO_HOST);
	for (unsigned i = 0; i < WORDS; i++)
		if (rank.host[i] != (rank.number + i) * 3ull + step)
			app_wrong("step %llu: word %u is %llu", (unsigned long long)step, i, (unsigned long long)rank.host[i]);
	reduce(step);
}

/* UINT_MAX: none of them is there. */
static unsigned number_in(const char *const *names)
{
	for (; *names; names++)
		if (getenv(*names))
			return (unsigned)atoi(getenv(*names));
	return UINT_MAX;
}

static bool join(const char *folder)
{
	static const char *const numbers[] = { "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL };
	static const char *const sizes[] = { "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL };
	static const char *const slow[] = { "RANK_SLOW", NULL }, *const late[] = { "RANK_LATE", NULL };
	char path[PATH_MAX];
	int fd;

	rank.number = number_in(numbers);
	rank.of = number_in(sizes);
	if (rank.number >= rank.of)
		return false;
	rank.late = number_in(late) == rank.number;
	if (number_in(slow) == rank.number)
		stand_in_be_slow(TIMES_SLOW);
	snprintf(rank.stop, sizeof(rank.stop), "%s/stop", folder);
	snprintf(path, sizeof(path), "%s/meeting", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*rank.meeting)))
		return false;
	rank.meeting = mmap(NULL, sizeof(*rank.meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	rank.host = malloc(WORDS * sizeof(uint64_t));
	return rank.meeting != MAP_FAILED && rank.host && !hipStreamCreate(&rank.stream) &&
		!hipMalloc((void **)&rank.device, WORDS * sizeof(uint64_t));
}

int app_rank(const char *folder)
{
	static const struct stand_in_kernel kernels[] = {
		{ (const void *)(uintptr_t)forward, "_ZN5model7forwardEPmm.kd", 0 },
		{ (const void *)(uintptr_t)backward, "_ZN5model8backwardEPmm.kd", 0 },
		{ (const void *)(uintptr_t)all_reduce, "_Z23ncclDevKernel_Generic_4v.kd", 0 },
	};
	uint64_t step = 0;

	stand_in_load(kernels, sizeof(kernels) / sizeof(kernels[0]));
	if (!join(folder)) {
		printf("no rank of a job, or %s is no folder to meet in\n", folder);
		return 1;
	}
	do
		one_step(++step);
	while (!atomic_load(&rank.meeting->last));
	printf("rank %u of %u: %llu steps, %u wrong %s\n", rank.number, rank.of, (unsigned long long)step,
		atomic_load(&app_record->wrong), app_record->wrong_text);
	return atomic_load(&app_record->wrong) != 0;
}
