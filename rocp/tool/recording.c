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
static _Atomic bool ticker_stops;
static futex ticker_ended;

static struct tool_status *const status = &roclatch_tool_status;

static int fail(const char *what, const char *more, int sys)
{
	snprintf(status->why, sizeof status->why, "%s: %s", what, more);
	status->sys = sys;
	status->state = 3;
	return sys ? sys : EIO;
}

/* The target is not to work for nothing. */
static void give_up(void)
{
	services_stop();
	services_flush();
	ring_settle();
}

static void *tick(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "roclatch-ticker");
	for (unsigned n = 1;; n++) {
		uint32_t seen = atomic_load(&ring_alarm);
		if (atomic_load(&ticker_stops))
			break;
		if (ring_is_broken()) {
			give_up();
			break;
		}
		threads_put(n % TICKS_OF_NAMES == 0);
		futex_wait(&ring_alarm, seen, TICK);
		services_flush();
		ring_hurry();
	}
	atomic_store(&ticker_ended, 1);
	futex_wake(&ticker_ended);
	return NULL;
}

static void stop_ticker(void)
{
	uint64_t until = now_by(CLOCK_MONOTONIC) + RING_CLOSE, now;
	if (!ticks)
		return;
	ticks = false;
	atomic_store(&ticker_stops, 1);
	futex_change(&ring_alarm);
	while (!atomic_load(&ticker_ended) && (now = now_by(CLOCK_MONOTONIC)) < until)
		futex_wait(&ticker_ended, 0, until - now);
	is_stuck = !atomic_load(&ticker_ended);
	if (is_stuck)
		thread_abandon(ticker);
	else
		thread_join(ticker);
}

static void close_log(void)
{
	stop_ticker();
	services_flush();
	threads_put(true);
	remembered_close();
	ring_stop();
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
		return fail("there is no room for another thread or its memory", strerror(sys), sys);
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
	status->state = 2;
	int wrong = start_ticker();
	if (wrong) {
		close_log();
		return fail("there is no room for another thread", strerror(wrong), wrong);
	}
	if ((wrong = services_start())) {
		services_stop();
		close_log();
		return fail("the SDK would not start", sdk_words(wrong), 0);
	}
	return 0;
}

static int start_locked(void)
{
	if (status->state == 2 && !ring_is_broken())
		return EBUSY;
	if (is_stuck && !atomic_load(&ticker_ended))
		return fail("the recording before has not ended", "the SDK does not give back a buffer", EBUSY);
	close_log();            /* one that broke */
	services_flush();       /* what is left from before is nobody's */
	status->records = status->bytes = status->lost = 0;
	status->why[0] = '\0';
	status->sys = 0;
	int wrong = open_log();
	return wrong ? wrong : record();
}

int recording_start(void)
{
	lock_take(&word);
	int before = errno, wrong = start_locked();
	errno = before;
	lock_give(&word);
	return wrong;
}

int recording_stop(void)
{
	lock_take(&word);
	int before = errno;
	services_stop();
	close_log();
	if (status->state == 2)
		status->state = 3;
	errno = before;
	lock_give(&word);
	return 0;
}

void recording_forked(void)
{
	ring_forked();
	remembered_forked();
	atomic_store(&word, 0);
	ticks = is_stuck = false;
	if (status->state > 1)
		status->state = 1;
	status->records = status->bytes = status->lost = 0;
	status->why[0] = status->log[0] = '\0';
}
