/* SPDX-License-Identifier: MIT */
/*
 * A lock and a way to wait, on the kernel's futex alone: they can be made anew in
 * a forked child by writing 0, and need no library.
 */
#ifndef ROCLATCH_ROCP_TOOL_FUTEX_H
#define ROCLATCH_ROCP_TOOL_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull

typedef _Atomic uint32_t futex;         /* of a lock: 0 free, 1 held, 2 held and waited for */

static inline uint64_t now_by(clockid_t clock)
{
	struct timespec time = { 0 };
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* What takes a system call is not to be in every place anew. */
#define RARE __attribute__((noinline, unused)) static

/* The system call leaves no errno behind in a thread of the target. */
RARE void futex_call(futex *word, int operation, uint32_t value, const struct timespec *wait)
{
	int before = errno;
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, wait, NULL, 0);
	errno = before;
}

/* Until the word is another than `value`, or `ns` have gone; may return early. */
RARE void futex_wait(futex *word, uint32_t value, uint64_t ns)
{
	struct timespec wait = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };
	futex_call(word, FUTEX_WAIT, value, &wait);
}

static inline void futex_wake(futex *word)
{
	futex_call(word, FUTEX_WAKE, INT_MAX, NULL);
}

RARE void futex_change(futex *word)
{
	atomic_fetch_add(word, 1);
	futex_wake(word);
}

RARE void lock_wait(futex *lock)
{
	while (atomic_exchange_explicit(lock, 2, memory_order_acquire))
		futex_call(lock, FUTEX_WAIT, 2, NULL);
}

static inline void lock_take(futex *lock)
{
	uint32_t free = 0;
	if (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed))
		lock_wait(lock);
}

/* For a caller that may itself be within: not longer than `ns`. */
RARE bool lock_try(futex *lock, uint64_t ns)
{
	uint64_t until = now_by(CLOCK_MONOTONIC) + ns, now;
	uint32_t free = 0;
	if (atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed))
		return true;
	while (atomic_exchange_explicit(lock, 2, memory_order_acquire)) {
		now = now_by(CLOCK_MONOTONIC);
		if (now >= until)
			return false;
		futex_wait(lock, 2, until - now);
	}
	return true;
}

RARE void lock_wake(futex *lock)
{
	futex_call(lock, FUTEX_WAKE, 1, NULL);
}

static inline void lock_give(futex *lock)
{
	if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
		lock_wake(lock);
}

#endif
