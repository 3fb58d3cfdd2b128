/* SPDX-License-Identifier: MIT */
/*
 * In a program that uses ROCm and knows nothing of this (LD_PRELOAD): its descriptor is in BENCH_BEAT.  Children do without.
 * For debuggers there are functions that call the register as an attacher does, with the tool of BENCH_TOOL, which writes
 * to BENCH_OUTPUT: some of them cannot bring a string into a process.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beat.h"

static char tool[PATH_MAX], variables[PATH_MAX + 64];

/* How many there are, and each with its value. */
static void encode(const char *output)
{
	static const char first[] = "ROCPROF_KERNEL_TRACE\0001\0ROCPROF_OUTPUT_PATH";
	const uint32_t count = 2;

	memcpy(variables, &count, sizeof count);
	memcpy(variables + sizeof count, first, sizeof first);
	snprintf(variables + sizeof count + sizeof first, sizeof variables - sizeof count - sizeof first, "%s", output);
}

__attribute__((constructor)) static void begin(void)
{
	const char *fd = getenv("BENCH_BEAT"), *output = getenv("BENCH_OUTPUT"), *library = getenv("BENCH_TOOL");

	if (!fd || !output || !library || beat_begin(atoi(fd), 0) != 0)
		_exit(2);
	snprintf(tool, sizeof tool, "%s", library);
	encode(output);
	unsetenv("BENCH_BEAT");
	unsetenv("LD_PRELOAD");
}

static int answered(int answer)
{
	if (!answer)
		bench_call(0);
	return answer;
}

int bench_attach(void);
int bench_attach(void)
{
	int (*attach)(const char *, const char *) = dlsym(RTLD_DEFAULT, "rocprofiler_register_attach");

	return answered(attach ? attach(variables, tool) : -1);
}

int bench_detach(void);
int bench_detach(void)
{
	int (*detach)(void) = dlsym(RTLD_DEFAULT, "rocprofiler_register_detach");

	return answered(detach ? detach() : -1);
}
