/* SPDX-License-Identifier: MIT */
/* resident: an ordinary program with two threads, one of them asleep, for calls from outside. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

uint64_t resident_triple(uint64_t n);

uint64_t resident_triple(uint64_t n)
{
	return n * 3;
}

static void *beat(void *unused)
{
	for (;;)
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	return unused;
}

int main(void)
{
	pthread_t thread;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, beat, NULL) || write(1, "r", 1) != 1)
		return 1;
	for (;;)
		pause();
}
