/* SPDX-License-Identifier: MIT */
/* Any bytes as a rocpd database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rocp/trace/stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int look(void *ctx, const struct event *event, struct err *err)
{
	(void)ctx, (void)err;
	if (!event->kind_name || !event->operation_name || event->domain >= DOMAINS || !stats_name(event))
		abort();
	return 0;
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
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	if (trace_open(&trace, path, &err)) {
		if (err.code == ERR_NONE || !err.text[0])
			abort();
		return 0;
	}
	if (trace_each(&trace, DOMAINS_ALL, look, NULL, &err) && !err.text[0])
		abort();
	trace_close(&trace);
	return 0;
}
