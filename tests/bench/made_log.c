/* SPDX-License-Identifier: MIT */
/*
 * made_log FILE RECORDS [api|kernels|markers|mixed]: a log of that many records
 * in the proportions of a busy program (mixed), or of one kind, to measure what
 * is made of logs.  cc -I. -Itests/unit tests/bench/made_log.c
 */
#include <stdio.h>

#include "made_log_everything.h"

#define KERNELS 500

static void make_names(struct made_log *log)
{
	char name[128];
	made_circumstances(log);
	made_kinds(log);
	made_things(log);
	for (uint64_t i = 0; i < 400; i++) {
		snprintf(name, sizeof name, "hipOperationNumber%d", (int)i);
		made_name(log, MADE_HIP, (int32_t)i, name);
	}
	for (uint64_t i = 0; i < KERNELS; i++) {
		snprintf(name, sizeof name, "_ZN6solver6detail12apply_kernelILi%dENS0_5ScaleIfEESt5arrayIPcLm1EEEEviT0_T1_.kd", (int)i);
		made_kernel(log, 100 + i, 1, name);
	}
}

static void make_marker(struct made_log *log, uint64_t i)
{
	char text[64];
	snprintf(text, sizeof text, "step %llu", (unsigned long long)(i / 2));
	made_numbered_text(log, i + 10, text);
	made_marker(log, i, i + 10);
	made_api(log, MADE_MARKER, 1, i, i * 100, i * 100 + 90);
}

static void make_kernel(struct made_log *log, uint64_t i)
{
	made_dispatch(log, i % 2 ? MADE_GPU : MADE_GPU2, 100 + i * 7 % KERNELS, i, i, i * 100, i * 100 + 50 + i % 40);
}

static void make_mixed(struct made_log *log, uint64_t i)
{
	switch (i % 16) {
	case 0: case 1: case 2: case 3: make_kernel(log, i); break;
	case 4: made_copy(log, 2 + (int32_t)(i / 16 % 3), MADE_GPU, MADE_CPU, i % 65536, i, i * 100, i * 100 + 60); break;
	case 5: made_allocation(log, 1 + 2 * (int32_t)(i / 16 % 2), MADE_GPU, 4096, i, i * 100, i * 100 + 30); break;
	case 6: made_api(log, MADE_HSA, (int32_t)(i / 16 % 4), i, i * 100, i * 100 + 20); break;
	case 7: i % 256 == 7 ? make_marker(log, i) : (void)made_api(log, MADE_HIP, 259, i, i * 100, i * 100 + 10); break;
	default: made_api(log, MADE_HIP, (int32_t)(i % 400), i, i * 100, i * 100 + 70)->thread = MADE_PID + i % 8;
	}
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: made_log FILE RECORDS [api|kernels|markers|mixed]\n");
		return 2;
	}
	const char *what = argc > 3 ? argv[3] : "mixed";
	struct made_log log;
	made_log_begin(&log, argv[1]);
	log.block = 256 << 10;
	make_names(&log);
	for (uint64_t i = 1, n = strtoull(argv[2], NULL, 10); log.records < n; i++) {
		if (!strcmp(what, "api"))
			made_api(&log, MADE_HIP, (int32_t)(i % 400), i, i * 100, i * 100 + 70);
		else if (!strcmp(what, "kernels"))
			make_kernel(&log, i);
		else if (!strcmp(what, "markers"))
			make_marker(&log, i);
		else
			make_mixed(&log, i);
	}
	made_end(&log, UINT32_MAX, "");
	made_log_close(&log);
	printf("%llu records, %llu bytes\n", (unsigned long long)log.records, (unsigned long long)log.bytes);
	return 0;
}
