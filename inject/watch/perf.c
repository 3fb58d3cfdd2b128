/* SPDX-License-Identifier: MIT */
#include "inject/watch/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORD_MAX 65536        /* its size has 16 bits */
#define SHORTEST_NS 10000       /* kernel/events/core.c, perf_swevent_start_hrtimer */

static uint64_t period(const struct perf *perf)
{
	return perf->period_ns < SHORTEST_NS ? SHORTEST_NS : perf->period_ns;
}

static int event_open(const struct perf *perf, pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.size = sizeof attr,
		.sample_period = period(perf),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = UNWIND_PERF_MASK,
		.sample_stack_user = PERF_STACK,
		.exclude_kernel = !perf->kernel,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_begin(struct perf *perf, struct perf_ring *ring, pid_t tid)
{
	*ring = (struct perf_ring){ .perf = perf };
	if (perf->threads >= perf->threads_max)
		return -1;
	ring->fd = event_open(perf, tid);
	if (ring->fd < 0)
		return -1;
	/* counts as locked memory, of which there may be no more */
	void *pages = mmap(NULL, perf->page + perf->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (pages == MAP_FAILED) {
		int saved = errno;
		close(ring->fd);
		errno = saved;
		return -1;
	}
	ring->pages = pages;
	perf->threads++;
	return 0;
}

void perf_end(struct perf_ring *ring)
{
	if (!ring->pages)
		return;
	munmap(ring->pages, ring->perf->page + ring->perf->ring_size);
	close(ring->fd);
	ring->perf->threads--;
	*ring = (struct perf_ring){ 0 };
}

void perf_change(struct perf_ring *ring)
{
	uint64_t wanted = ring->pages ? period(ring->perf) : 0;
	if (wanted)
		ioctl(ring->fd, PERF_EVENT_IOC_PERIOD, &wanted);
}

/* Leave most of what we may open to others. */
static unsigned threads_allowed(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 4 >= PERF_THREADS_MAX)
		return PERF_THREADS_MAX;
	return (unsigned)limit.rlim_cur / 4;
}

/* With the kernel's part if that is allowed: a thread in a system call has a stack, too. */
int perf_open(struct perf *perf, pid_t pid, uint64_t period_ns, struct err *err)
{
	struct perf_ring ring;
	*perf = (struct perf){ .period_ns = period_ns, .kernel = true, .page = (size_t)sysconf(_SC_PAGESIZE) };
	perf->threads_max = threads_allowed();
	perf->ring_size = perf->page > PERF_RING ? perf->page : PERF_RING;
	int rc = perf_begin(perf, &ring, pid);
	if (rc < 0 && (errno == EACCES || errno == EPERM)) {
		perf->kernel = false;
		rc = perf_begin(perf, &ring, pid);
	}
	if (rc < 0)
		return err_set(err, ERR_NOT_POSSIBLE, errno, "sample process %d by perf_event_open", (int)pid);
	perf_end(&ring);
	perf->record = malloc(RECORD_MAX);
	return perf->record ? 0 : err_set(err, ERR_FAILED, ENOMEM, "sample process %d", (int)pid);
}

void perf_close(struct perf *perf)
{
	free(perf->record);
	perf->record = NULL;
}

/* `size` bytes at position `at`, which may go over the end. */
static const uint8_t *ring_bytes(const struct perf *perf, const uint8_t *data, uint64_t at, size_t size)
{
	size_t from = at & (perf->ring_size - 1), first = perf->ring_size - from;
	if (size <= first)
		return data + from;
	memcpy(perf->record, data + from, first);
	memcpy(perf->record + first, data, size - first);
	return perf->record;
}

static bool take_u64(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	if ((size_t)(end - *at) < sizeof *value)
		return false;
	memcpy(value, *at, sizeof *value);
	*at += sizeof *value;
	return true;
}

/* pid and tid, time, kind of registers, registers, size, stack, size that is true */
static bool take_sample(const uint8_t *at, const uint8_t *end, struct stack_copy *copy, uint64_t *time)
{
	uint64_t values[64], ids, abi, size, used;
	if (!take_u64(&at, end, &ids) || !take_u64(&at, end, time) || !take_u64(&at, end, &abi) ||
	    abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (int i = 0; i < __builtin_popcountll(UNWIND_PERF_MASK); i++)
		if (!take_u64(&at, end, &values[i]))
			return false;
	if (!take_u64(&at, end, &size) || size > (size_t)(end - at))
		return false;
	const uint8_t *bytes = at;
	at += size;
	if (!size || !take_u64(&at, end, &used) || used > size || used > copy->room)
		used = 0;
	copy->tid = (pid_t)(ids >> 32);
	copy->way = COPY_PERF;
	copy->regs.known = 0;
	arch_unwind_perf(values, &copy->regs);
	copy->low = copy->regs.v[UNWIND_SP];
	copy->size = used;
	copy->whole = false;
	copy->stopped_ns = 0;
	memcpy(copy->bytes, bytes, used);
	return true;
}

static struct perf_event_header header_at(const struct perf *perf, const uint8_t *data, uint64_t at)
{
	struct perf_event_header header;
	memcpy(&header, ring_bytes(perf, data, at, sizeof header), sizeof header);
	return header;
}

/* struct { header; u64 id; u64 lost; } */
static void count_lost(struct perf *perf, const uint8_t *data, uint64_t at, size_t size)
{
	uint64_t lost;
	if (size < sizeof(struct perf_event_header) + 16)
		return;
	memcpy(&lost, ring_bytes(perf, data, at, size) + sizeof(struct perf_event_header) + 8, sizeof lost);
	perf->lost += lost;
}

/* How long the record at `at` is; 0: there is none. */
static size_t record_size(const struct perf *perf, const uint8_t *data, uint64_t at, uint64_t head)
{
	if (at >= head)
		return 0;
	struct perf_event_header header = header_at(perf, data, at);
	return header.size < sizeof header || header.size > head - at ? 0 : header.size;
}

/* Where the first sample begins, or `head`. */
static uint64_t find_oldest(const struct perf *perf, const uint8_t *data, uint64_t at, uint64_t head)
{
	for (size_t size; (size = record_size(perf, data, at, head)) != 0; at += size)
		if (header_at(perf, data, at).type == PERF_RECORD_SAMPLE)
			return at;
	return head;
}

/* Where the newest sample begins, or `head`. */
static uint64_t find_newest(struct perf *perf, const uint8_t *data, uint64_t at, uint64_t head)
{
	uint64_t newest = head;
	for (size_t size; (size = record_size(perf, data, at, head)) != 0; at += size) {
		uint32_t type = header_at(perf, data, at).type;
		if (type == PERF_RECORD_SAMPLE)
			newest = at;
		else if (type == PERF_RECORD_LOST)
			count_lost(perf, data, at, size);
	}
	return newest;
}

static bool take_at(struct perf *perf, const uint8_t *data, uint64_t at, struct stack_copy *copy, uint64_t *time)
{
	struct perf_event_header header = header_at(perf, data, at);
	const uint8_t *record = ring_bytes(perf, data, at, header.size);
	return take_sample(record + sizeof header, record + header.size, copy, time);
}

bool perf_oldest(struct perf *perf, struct perf_ring *ring, struct stack_copy *copy)
{
	struct perf_event_mmap_page *control = ring->pages;
	const uint8_t *data = (const uint8_t *)ring->pages + perf->page;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE), time;
	uint64_t oldest = find_oldest(perf, data, control->data_tail, head);
	return oldest != head && take_at(perf, data, oldest, copy, &time);
}

bool perf_newest(struct perf *perf, struct perf_ring *ring, struct stack_copy *copy)
{
	struct perf_event_mmap_page *control = ring->pages;
	const uint8_t *data = (const uint8_t *)ring->pages + perf->page;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t newest = find_newest(perf, data, control->data_tail, head);
	bool found = newest != head && take_at(perf, data, newest, copy, &ring->newest_ns);
	__atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
	return found;
}
