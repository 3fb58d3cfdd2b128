/* SPDX-License-Identifier: MIT */
/* The system call's data, then any bytes as a filter program: it must end, and
 * always with the same answer. */
#include <stdlib.h>
#include <string.h>

#include "inject/seccomp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seccomp_data call;
	if (size < sizeof call)
		return 0;
	memcpy(&call, data, sizeof call);
	size_t length = (size - sizeof call) / sizeof(struct sock_filter);
	struct sock_filter *program = malloc(length ? length * sizeof *program : 1);
	if (!program)
		return 0;
	memcpy(program, data + sizeof call, length * sizeof *program);
	uint32_t answer = seccomp_evaluate(program, length, &call);
	if (seccomp_evaluate(program, length, &call) != answer)
		abort();
	if (length == 0 && answer != SECCOMP_RET_KILL_PROCESS)
		abort();
	free(program);
	return 0;
}
