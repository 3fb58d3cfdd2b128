/* SPDX-License-Identifier: MIT */
#include "arch/machines.h"

#include <elf.h>
#include <stddef.h>

static const struct arch_machine machines[] = {
	{ EM_X86_64, "x86_64", "x32 (32-bit pointers on x86_64)", .cache_flag = 0x0300 /* FLAG_X8664_LIB64 */,
	  .feature_note = 0xc0000002 /* GNU_PROPERTY_X86_FEATURE_1_AND */, .exec_stack = true },
	{ EM_AARCH64, "aarch64", "ILP32 (32-bit pointers on aarch64)", .cache_flag = 0x0a00 /* FLAG_AARCH64_LIB64 */,
	  .feature_note = 0xc0000000 /* GNU_PROPERTY_AARCH64_FEATURE_1_AND */, .signs_returns = true },
};

const struct arch_machine *arch_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}
