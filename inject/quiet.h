/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a traced thread inside of a program that is not ours: its SIGCHLD,
 * its handlers and its masks are left alone, so stops are asked for, not told.
 */
#ifndef ROCLATCH_INJECT_QUIET_H
#define ROCLATCH_INJECT_QUIET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define QUIET_FIRST_NS 20000ull

/*
 * Is the thread in a stop of which waitpid no longer tells?  The host's own
 * waitpid(-1), on any thread and in any handler, takes our stops as well; the
 * thread stays stopped all the same.  Then *status is what waitpid would have
 * said.
 */
bool quiet_missed_stop(pid_t tid, int *status);

/* Sleep for *nap_ns, at most left_ns, and make the next nap longer.  True once it has
 * taken so long that a look into /proc is worth while. */
bool quiet_nap(uint64_t *nap_ns, uint64_t left_ns);

#endif
