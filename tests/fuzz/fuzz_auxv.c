/* SPDX-License-Identifier: MIT */
/* Any bytes as /proc/PID/auxv. */
#include <stdlib.h>

#include "inject/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct auxv auxv;
	struct err err;
	if (auxv_parse(&auxv, data, size, &err) == 0 &&
	    (auxv.page_size < 4096 || auxv.page_size & (auxv.page_size - 1) || !auxv.phdr))
		abort();
	return 0;
}
