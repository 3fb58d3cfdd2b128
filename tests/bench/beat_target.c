/* SPDX-License-Identifier: MIT */
#include "beat_target.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define FIRST_FD 10             /* those below may have a meaning for the program */
#define PATIENCE 2000           /* looks, of 5 ms each */

int target_start(struct target *target, void (*become)(int fd, const void *with), const void *with)
{
	int made = memfd_create("beat", 0), fd = made < 0 ? -1 : fcntl(made, F_DUPFD, FIRST_FD);

	close(made);
	if (fd < 0 || ftruncate(fd, (off_t)sizeof *target->shown) != 0)
		return -1;
	target->shown = mmap(NULL, sizeof *target->shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (target->shown == MAP_FAILED)
		return -1;
	target->pid = fork();
	if (target->pid == 0) {
		become(fd, with);
		_exit(127);
	}
	close(fd);
	for (unsigned i = 0; i < PATIENCE && target->shown->ready < BEAT_THREADS; i++)
		wait_ms(5);
	if (target->shown->ready == BEAT_THREADS)
		return 0;
	target_end(target);
	return -1;
}

void target_end(struct target *target)
{
	kill(target->pid, SIGKILL);
	waitpid(target->pid, NULL, 0);
	munmap(target->shown, sizeof *target->shown);
}

void gaps_forget(const struct target *target)
{
	for (unsigned i = 0; i < BEAT_THREADS; i++)
		target->shown->thread[i].longest_ns = 0;
}

void gaps_read(const struct target *target, double *first, double *others)
{
	*first = (double)target->shown->thread[0].longest_ns / 1e6;
	*others = 0;
	for (unsigned i = 1; i < BEAT_THREADS; i++) {
		double gap = (double)target->shown->thread[i].longest_ns / 1e6;

		*others = gap > *others ? gap : *others;
	}
}
