/* SPDX-License-Identifier: MIT */
/* librocprofv3-attach: one process, which attach() names and detach() remembers. */
#include "bin/dropin/include/rocprofv3-attach.h"

#include <pthread.h>

#include "bin/dropin/host.h"
#include "bin/dropin/sessions.h"

#define API __attribute__((visibility("default")))

/* Held during the whole call: with one process at a time there is nothing to do beside it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pid_t current;

static rocattach_status_t begin(pid_t pid)
{
	if (current && !sessions_has(current)) {
		sessions_detach(current);       /* it has ended, and was not detached */
		current = 0;
	}
	if (current) {
		host_log(LOG_ERROR, "process %d is attached; detach it first", (int)current);
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	}
	rocattach_status_t status = sessions_attach(pid);
	if (status == ROCATTACH_STATUS_SUCCESS)
		current = pid;
	return status;
}

static rocattach_status_t end(pid_t unused)
{
	(void)unused;
	rocattach_status_t status = sessions_detach(current);
	if (!sessions_has(current))     /* else it stays ours to detach */
		current = 0;
	return status;
}

static int in_turn(host_work *work, pid_t pid)
{
	pthread_mutex_lock(&turn);
	rocattach_status_t status = host_run(work, pid);
	pthread_mutex_unlock(&turn);
	return (int)status;
}

API int attach(uint32_t pid)
{
	return in_turn(begin, (pid_t)pid);
}

API int detach(void)
{
	return in_turn(end, 0);
}
