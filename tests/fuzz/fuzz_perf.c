/* SPDX-License-Identifier: MIT */
/* Any bytes in the ring that is shared with the kernel; the first four say where its head and tail are. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "inject/watch/perf.h"

#define RING 8192u              /* smaller than ours, so that records go over its end */
#define RECORD_MAX 65536
#define PAGE 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct stack_copy *copy)
{
	if (copy->size > copy->room || copy->way != COPY_PERF || copy->low != copy->regs.v[UNWIND_SP] || !copy->regs.known)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint16_t tail, length;
	if (size < 4 || size - 4 > RING)
		return 0;
	memcpy(&tail, data, 2);
	memcpy(&length, data + 2, 2);
	struct perf perf = { .page = PAGE, .ring_size = RING, .record = malloc(RECORD_MAX) };
	struct perf_ring ring = { .perf = &perf, .fd = -1, .pages = calloc(1, PAGE + RING) };
	struct stack_copy copy = { .room = 512, .bytes = malloc(512) };
	if (!perf.record || !ring.pages || !copy.bytes)
		abort();
	struct perf_event_mmap_page *control = ring.pages;
	uint8_t *bytes = (uint8_t *)ring.pages + PAGE;
	control->data_tail = tail;
	control->data_head = tail + (uint64_t)(length <= RING ? length : RING);
	/* what is in the ring begins at its tail */
	for (size_t i = 0; i < size - 4; i++)
		bytes[(tail + i) % RING] = data[4 + i];
	bool any = perf_oldest(&perf, &ring, &copy);
	if (any)
		check(&copy);
	if (control->data_tail != tail)
		abort();
	if (perf_newest(&perf, &ring, &copy))
		check(&copy);
	if (control->data_tail != control->data_head || perf_newest(&perf, &ring, &copy))
		abort();
	free(perf.record);
	free(ring.pages);
	free(copy.bytes);
	return 0;
}
