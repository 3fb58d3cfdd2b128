/* SPDX-License-Identifier: MIT */
/* A host's clocks at one moment, and how far its wall clock is from that of a shared folder. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "rocp/job/status.h"

#define SECOND 1000000000
#define TRIES 5
#define TICK (SECOND / 100)     /* Files are given the time of the last tick, which comes 100 times a second at least */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* Three clocks cannot be read at once: the closest of some tries counts. */
static void read_together(struct job_clock *clock)
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		int64_t before = clock_ns(CLOCK_BOOTTIME), real = clock_ns(CLOCK_REALTIME), monotonic = clock_ns(CLOCK_MONOTONIC);
		int64_t took = clock_ns(CLOCK_BOOTTIME) - before;
		if (took >= best)
			continue;
		best = took;
		clock->realtime_ns = real;
		clock->monotonic_ns = monotonic;
		clock->boottime_ns = before + took / 2;
	}
}

static int64_t offset_of_folder(int folder_fd)
{
	char name[64];
	struct stat stat;
	snprintf(name, sizeof name, ".roclatch-clock-%d-%lld", (int)getpid(), (long long)clock_ns(CLOCK_MONOTONIC));
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	/* A server gives the time when what was written arrives there. */
	int64_t before = clock_ns(CLOCK_REALTIME);
	bool told = write(fd, "", 1) == 1 && fsync(fd) == 0;
	int64_t after = clock_ns(CLOCK_REALTIME);
	told = told && fstat(fd, &stat) == 0;
	close(fd);
	unlinkat(folder_fd, name, 0);
	if (!told)
		return 0;
	int64_t there = (int64_t)stat.st_mtim.tv_sec * SECOND + stat.st_mtim.tv_nsec;
	return there >= before - TICK && there <= after ? 0 : before + (after - before) / 2 - there;
}

void job_clock_read(struct job_clock *clock, int folder_fd)
{
	struct timex timex = { .modes = 0 };
	*clock = (struct job_clock){ .max_error_us = -1 };
	int state = adjtimex(&timex);
	if (state >= 0) {
		clock->synchronised = state != TIME_ERROR && !(timex.status & STA_UNSYNC);
		clock->max_error_us = timex.maxerror;
	}
	if (folder_fd >= 0)
		clock->folder_offset_ns = offset_of_folder(folder_fd);
	read_together(clock);
}
