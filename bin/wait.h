/* SPDX-License-Identifier: MIT */
/* Until when something goes on that the user has begun: a duration, Enter, a signal, the end of stdin or of the target. */
#ifndef ROCLATCH_BIN_WAIT_H
#define ROCLATCH_BIN_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wait_end { WAIT_DURATION, WAIT_ENTER, WAIT_EOF, WAIT_SIGNAL, WAIT_GONE, WAIT_STOPPED };
struct waiting {
	bool has_duration;      /* the end of stdin ends nothing then: Slurm's srun and a pipeline close it early */
	uint64_t duration_ms;
	bool no_input;          /* stdin is not looked at: it is for a later wait */
	const int *fd;          /* each becomes readable when its target is over; -1: not looked at */
	size_t n;
	/* A target is over, or (i == n) some time has passed: true to end the wait (WAIT_GONE). */
	bool (*over)(void *ctx, size_t i);
	void *ctx;
	/* CLOCK_MONOTONIC when over(ctx, n) is wanted next; may be NULL: twice a second */
	uint64_t (*due)(void *ctx);
	bool show;              /* a status line on a terminal: what is done, for how long, what came of it */
	const char *doing;      /* "recording" */
	void (*so_far)(void *ctx, char *text, size_t size);     /* may be NULL; "" is not shown */
};
enum wait_end wait_for_end(const struct waiting *waiting);
int64_t wall_ns(void);          /* CLOCK_REALTIME */
/* Until CLOCK_REALTIME is there; false if a signal to stop came before. */
bool wait_until(int64_t at_ns, bool show);
const char *wait_end_name(enum wait_end end);   /* "duration", "enter", ... for JSON */
/* From now on the first two signals to stop end the wait, or make it end at once when it begins;
 * the third abandons a call that hangs. */
void wait_catch_signals(void);
int wait_signal(void);          /* the signal that came, or 0 */

#endif
