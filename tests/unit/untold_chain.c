/* SPDX-License-Identifier: MIT */
/* Built without unwind tables, with frame pointers (build.mk); frames have a size that no prologue tells. */
#include <alloca.h>

#include "untold_chain.h"

#define CHAIN(name, next) \
	__attribute__((noinline, noclone)) int name(int n) \
	{ \
		untold_note((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0))); \
		volatile char *room = alloca((size_t)n * 24 + 40); \
		room[0] = (char)n; \
		return next(n + 1) + room[0]; \
	}

CHAIN(untold_three, untold_last)
CHAIN(untold_two, untold_three)
CHAIN(untold_one, untold_two)

void untold_handler(int number)
{
	untold_note((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)));
	volatile char *room = alloca((size_t)number * 24 + 40);
	room[0] = (char)untold_three(number);
}
