/* SPDX-License-Identifier: MIT */
#include "rocp/tool/recording.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "rocp/tool/circumstances.h"
#include "rocp/tool/markers.h"
#include "rocp/tool/place.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/ring.h"
#include "rocp/tool/services.h"
#include "rocp/tool/thread.h"

#define TICK (500 * MS)
#define TICKS_OF_NAMES 8        /* between two looks at the names of threads that are known */

/*
 * Flushing waits for the SDK's thread, which may wait for the ring's writer: so
 * this is a thread of its own.
 */
static futex word;              /* start and stop, one at a time */
static pthread_t ticker;
static bool ticks, is_stuck;    /* stuck: left behind in the SDK */
static bool is_over;            /* the SDK ends: no more starts */
static bool is_deaf;            /* in a child whose buffers may be locked */
static _Atomic bool ticker_stops;
static futex ticker_ended;

static struct tool_status *const status = &roclatch_tool_status;

static int fail(const char *what, const char *more, int sys)
{
	snprintf(status->why, sizeof status->why, "%s: %s%s%s", what, more, status->log[0] ? ": " : "", status->log);
	status->log[0] = '\0';
	status->sys = sys;
	status->state = 3;
	return sys ? sys : EIO;
}

/* The same with a log that was made and closed again: nothing was recorded, so that it is not left.  One that cannot be
 * removed is named. */
static int fail_without_log(const char *what, const char *more, int sys)
{
	if (place_remove(status->log))
		status->log[0] = '\0';
	return fail(what, more, sys);
}

/* The target is not to work for nothing. */
static void give_up(void)
{
	services_stop();
	services_flush();
	ring_settle();
}

static void tick_until_stopped(void)
{
	for (unsigned n = 1;; n++) {
		uint32_t seen = atomic_load(&ring_alarm);
		if (atomic_load(&ticker_stops)) {
			services_flush();
			return;
		}
		if (ring_is_broken()) {
			give_up();
			return;
		}
		threads_put(n % TICKS_OF_NAMES == 0);
		futex_wait(&ring_alarm, seen, TICK);
		services_flush();
		ring_put_lost();
		ring_hurry();
	}
}

/* All that is flushed is flushed here: whoever stops may be within the SDK itself.  Calls that were under way when
 * a recording ended are still in the buffers: they go to the next one. */
static void *tick(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "roclatch-ticker");
	tick_until_stopped();
	atomic_store(&ticker_ended, 1);
	futex_wake(&ticker_ended);
	return NULL;
}

static bool await(futex *done)
{
	uint64_t until = now_by(CLOCK_MONOTONIC) + RING_CLOSE, now;
	while (!atomic_load(done) && (now = now_by(CLOCK_MONOTONIC)) < until)
		futex_wait(done, 0, until - now);
	return atomic_load(done);
}

static void stop_ticker(void)
{
	if (!ticks)
		return;
	ticks = false;
	atomic_store(&ticker_stops, 1);
	futex_change(&ring_alarm);
	is_stuck = !await(&ticker_ended);
	if (is_stuck)
		thread_abandon(ticker);
	else
		thread_join(ticker);
}

static void say_why(const char *why)
{
	if (!status->why[0])
		snprintf(status->why, sizeof status->why, "%s", why);
}

/* False: not now, as a thread keeps the ring's lock; nothing is touched then. */
static bool close_log(void)
{
	if (!ring_answers()) {
		say_why("a thread was interrupted within the tool");
		return false;
	}
	stop_ticker();
	if (is_stuck)
		say_why("the SDK does not give back a buffer");
	else
		threads_put(true);
	remembered_close();
	ring_stop();
	return true;
}

static int open_log(void)
{
	struct log_head head;
	int fd = place_open(status->log, sizeof status->log);
	if (fd < 0)
		return fail("the log cannot be made", strerror(-fd), -fd);
	circumstances_head(&head, sdk.version, (uint32_t)status->sessions);
	int sys = ring_start(fd, &head);
	if (sys) {
		close(fd);
		return fail_without_log("there is no room for another thread or its memory", strerror(sys), sys);
	}
	return 0;
}

static int start_ticker(void)
{
	atomic_store(&ticker_stops, 0);
	atomic_store(&ticker_ended, 0);
	int sys = thread_start(&ticker, tick, NULL);
	ticks = !sys;
	return sys;
}

/* The log is open: everything that each begins with, then what comes. */
static int record(void)
{
	status->sessions++;
	markers_open((uint32_t)status->sessions);
	threads_forget();
	circumstances_put(status->log);
	remembered_open();
	int wrong = ring_say_recording();
	if (wrong) {
		close_log();
		return wrong;
	}
	if ((wrong = start_ticker())) {
		close_log();
		return fail_without_log("there is no room for another thread", strerror(wrong), wrong);
	}
	if ((wrong = services_start())) {
		services_stop();
		close_log();
		return fail_without_log("the SDK would not start", sdk_words(wrong), 0);
	}
	/* the ticker may have given up before there was anything to stop */
	if ((wrong = ring_say_recording())) {
		services_stop();
		close_log();
	}
	return wrong;
}

static int start_locked(void)
{
	if (status->state == 2 && !ring_is_broken())
		return EBUSY;
	status->log[0] = '\0';
	if (is_over)
		return fail("nothing is recorded any more", "the process ends", ESHUTDOWN);
	if (is_deaf)
		return fail("a process that was forked while its parent was recorded cannot be recorded",
			    "the SDK's buffers may be locked in it", EOPNOTSUPP);
	if (is_stuck && !atomic_load(&ticker_ended))
		return fail("the recording before has not ended", "the SDK does not give back a buffer", EBUSY);
	if (!close_log())       /* one that broke */
		return fail("the recording before has not ended", "a thread was interrupted within the tool", EBUSY);
	is_stuck = false;
	status->records = status->bytes = status->lost = 0;
	status->why[0] = '\0';
	status->sys = 0;
	int wrong = open_log();
	return wrong ? wrong : record();
}

int recording_start(void)
{
	if (!lock_try(&word, RING_CLOSE))
		return EBUSY;
	int before = errno, wrong = start_locked();
	errno = before;
	lock_give(&word);
	return wrong;
}

static void stop_locked(void)
{
	if (status->state < 2)
		return;
	if (services_stop() < 0)
		say_why("a thread was interrupted within the SDK");
	else
		close_log();
	if (status->state == 2)
		status->state = 3;
}

int recording_stop(void)
{
	int before = errno;
	if (!lock_try(&word, RING_CLOSE))
		return EBUSY;
	stop_locked();
	lock_give(&word);
	errno = before;
	return 0;
}

void recording_finalize(void)
{
	int before = errno;
	bool has_word = lock_try(&word, RING_CLOSE);
	is_over = true;
	if (!ring_answers()) {
		say_why("the process ended while it was within the tool");
		ring_seize();
	}
	if (has_word) {
		stop_locked();
		lock_give(&word);
	}
	errno = before;
}

void recording_before_fork(void)
{
	services_before_fork();
	ring_before_fork();
}

void recording_after_fork(void)
{
	ring_after_fork();
	services_after_fork();
}

void recording_forked(void)
{
	is_deaf |= status->state == 2 || is_stuck;
	ring_forked();
	remembered_forked();
	services_forked();
	atomic_store(&word, 0);
	ticks = is_stuck = false;
	if (status->state > 1)
		status->state = 1;
	status->records = status->bytes = status->lost = 0;
	status->why[0] = status->log[0] = '\0';
}
