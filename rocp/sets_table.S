/* SPDX-License-Identifier: MIT */
/* rocp/sets.tsv: kind (set or block), name, GPUs, counters; rocprof-compute's of August 2025. */
#include "elf/packed.h"
	packed sets_packed, sets.tsv.xz
