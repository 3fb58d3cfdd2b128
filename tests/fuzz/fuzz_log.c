/* SPDX-License-Identifier: MIT */
/*
 * The input is a log.  One that begins as logs do is mended before it is read:
 * checks, numbers and sizes of its head and blocks are made right, so that what
 * is in the blocks is reached.  Others are read as they are, with an R for an r.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rocp/log.h"
#include "rocp/trace/stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend_head(uint8_t *data)
{
	struct log_head head;
	memcpy(&head, data, sizeof head);
	memcpy(head.magic, LOG_MAGIC, 8);
	head.version = LOG_VERSION;
	head.size = sizeof head;
	head.check = 0;
	head.check = log_check(&head, sizeof head);
	memcpy(data, &head, sizeof head);
}

static void mend(uint8_t *data, size_t size)
{
	if (size < sizeof(struct log_head))
		return;
	mend_head(data);
	uint64_t number = 0;
	for (size_t at = sizeof(struct log_head); at + sizeof(struct log_block) <= size;) {
		struct log_block block;
		size_t left = size - at - sizeof block;
		memcpy(&block, data + at, sizeof block);
		if (block.size > left || block.size % 8)
			block.size = (uint32_t)left & ~7u;
		uint64_t *payload = malloc(block.size + 8);
		memcpy(payload, data + at + sizeof block, block.size);
		block.magic = LOG_BLOCK_MAGIC;
		block.number = number++;
		block.check = log_check(payload, block.size);
		free(payload);
		memcpy(data + at, &block, sizeof block);
		at += sizeof block + block.size;
	}
}

static int look(void *ctx, const struct event *event, struct err *err)
{
	uint64_t *visits = ctx;
	(void)err;
	if (!event->kind_name || !event->operation_name || event->domain >= DOMAINS || !*stats_name(event) != !strlen(stats_name(event)))
		abort();
	if ((event->domain == DOMAIN_KERNEL || event->domain == DOMAIN_COUNTERS) && (!event->kernel || !event->kernel->formatted))
		abort();
	double sum = 0;
	for (size_t i = 0; i < event->values; i++)
		sum += event->value[i].value;
	visits[event->domain] += 1 + (sum > 1e300);
	return visits[event->domain] > 1u << 30;
}

static void use(struct trace *trace)
{
	struct err err = { .code = ERR_NONE };
	struct stats stats;
	uint64_t visits[DOMAINS] = { 0 };
	if (trace_each(trace, DOMAINS_ALL, look, visits, &err))
		abort();
	for (size_t i = 0; i < DOMAINS; i++)
		if (visits[i] < trace->events[i])
			abort();
	for (size_t i = 0; i < trace->kernels; i++)
		if (!trace->kernel[i].demangled || !trace->kernel[i].truncated || (i && trace->kernel[i - 1].id >= trace->kernel[i].id))
			abort();
	for (size_t i = 0; i < trace->agents; i++)
		if (!trace_agent(trace, trace->agent[i].id) || !trace->agent[i].model)
			abort();
	for (size_t i = 0; i < trace->threads; i++)
		if (!trace_thread_name(trace, trace->thread[i].tid))
			abort();
	trace_naming(trace, NAMING_TRUNCATED, false);
	if (stats_read(&stats, trace, &err))
		abort();
	stats_free(&stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[32];
	struct trace trace;
	struct err err = { .code = ERR_NONE };
	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	uint8_t *copy = malloc(size + 1);
	memcpy(copy, data, size);
	if (size && copy[0] == 'R')
		copy[0] = 'r';
	else
		mend(copy, size);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, copy, size, 0) != (ssize_t)size)
		abort();
	free(copy);
	if (trace_open(&trace, path, &err)) {
		if (err.code == ERR_NONE || !err.text[0])
			abort();
		return 0;
	}
	use(&trace);
	trace_close(&trace);
	return 0;
}
