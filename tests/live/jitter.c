// SPDX-License-Identifier: MIT
/* How late this machine wakes a sleeper that nobody disturbs: what a clock in a test cannot be blamed for. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

static _Atomic int64_t *latest;
static pid_t sleeper;

static void nap(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int64_t begun = now_ns(), late;

		sleep_ms(2);
		late = now_ns() - begun - 2 * INT64_C(1000000);
		if (late > atomic_load(latest))
			atomic_store(latest, late);
	}
}

void jitter_begin(void)
{
	latest = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(latest != MAP_FAILED, "out of memory");
	sleeper = fork();
	if (!sleeper)
		nap();
}

int64_t jitter_end(void)
{
	int64_t late = atomic_load(latest);

	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	munmap((void *)latest, 4096);
	return late;
}
