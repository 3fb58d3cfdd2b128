/* SPDX-License-Identifier: MIT */
/* How much is allocated on each agent.  A free says neither how much nor where: its allocation did. */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_parts.h"
#include "rocp/trace/texts.h"

#define LIVE_MOST (1u << 20)

static size_t home(const struct memory *memory, uint64_t address)
{
	return text_hash((const char *)&address, sizeof address) & (memory->slots - 1);
}

/* Where it is, or the empty place where it belongs; an empty one has bytes 0. */
static struct live *find(const struct memory *memory, uint64_t address)
{
	size_t at = home(memory, address);
	while (memory->live[at].bytes && memory->live[at].address != address)
		at = (at + 1) & (memory->slots - 1);
	return &memory->live[at];
}

static int grow(struct memory *memory, struct err *err)
{
	struct memory larger = { .slots = memory->slots ? 2 * memory->slots : 1024, .n = memory->n };
	larger.live = calloc(larger.slots, sizeof *larger.live);
	if (!larger.live)
		return err_set(err, ERR_FAILED, 0, "out of memory for the page's charts");
	for (size_t i = 0; i < memory->slots; i++)
		if (memory->live[i].bytes)
			*find(&larger, memory->live[i].address) = memory->live[i];
	free(memory->live);
	memory->live = larger.live;
	memory->slots = larger.slots;
	return 0;
}

/* Those behind it that would not be found any more over the gap move into it. */
static void take_out(struct memory *memory, struct live *live)
{
	size_t gap = (size_t)(live - memory->live), mask = memory->slots - 1;
	for (size_t at = (gap + 1) & mask; memory->live[at].bytes; at = (at + 1) & mask) {
		if (((at - home(memory, memory->live[at].address)) & mask) < ((at - gap) & mask))
			continue;
		memory->live[gap] = memory->live[at];
		gap = at;
	}
	memory->live[gap].bytes = 0;
	memory->n--;
}

static int change(struct series *series, uint64_t agent, uint64_t time, double by, struct err *err)
{
	struct series_key key = { .agent = agent };
	return series_add(series, &key, (struct point){ .start = time, .end = time, .value = by, .peak = by, .of = 1 }, err);
}

static int allocated(struct memory *memory, const struct event *event, struct series *series, struct err *err)
{
	if (!event->bytes)
		return 0;
	if (2 * memory->n >= memory->slots && grow(memory, err) < 0)
		return -1;
	struct live *live = find(memory, event->address);
	if (!live->bytes && memory->n >= LIVE_MOST) {
		memory->left_out++;
		return 0;
	}
	/* That it was freed in between was not seen. */
	if (live->bytes && change(series, live->agent, event->start, -(double)live->bytes, err) < 0)
		return -1;
	memory->n += !live->bytes;
	*live = (struct live){ event->address, event->bytes, event->agent };
	return change(series, event->agent, event->end, (double)event->bytes, err);
}

int memory_event(struct memory *memory, const struct event *event, struct series *series, struct err *err)
{
	if (!strstr(event->operation_name, "FREE"))
		return allocated(memory, event, series, err);
	struct live *live = memory->slots ? find(memory, event->address) : NULL;
	if (!live || !live->bytes) {
		memory->unknown++;
		return 0;
	}
	struct live was = *live;
	take_out(memory, live);
	return change(series, was.agent, event->end, -(double)was.bytes, err);
}

void memory_free(struct memory *memory)
{
	free(memory->live);
	*memory = (struct memory){ 0 };
}
