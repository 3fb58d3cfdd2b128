/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of /proc/PID/status, stat and syscall. */
#include <stdlib.h>
#include <string.h>

#include "inject/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct err err;
	struct proc_status status;
	struct proc_stat stat;
	struct proc_syscall call;
	if (status_parse(&status, text, size, &err) == 0 &&
	    (status.nspid_count > PROC_NSPID_MAX || strnlen(status.name, sizeof status.name) == sizeof status.name ||
	     status.tgid <= 0 || status.tracer < 0))
		abort();
	if (stat_parse(&stat, text, size, &err) == 0 && stat.pid < 0)
		abort();
	if (syscall_parse(&call, text, size, &err) == 0 && call.running && call.nr != -1)
		abort();
	return 0;
}
