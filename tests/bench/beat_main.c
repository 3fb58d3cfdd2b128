/* SPDX-License-Identifier: MIT */
/* beat FD: a program that does nothing else. */
#include <stdlib.h>

#include "beat.h"

int main(int argc, char **argv)
{
	if (beat_begin(argc == 2 ? atoi(argv[1]) : -1, 1) != 0)
		return 2;
	beat((void *)(uintptr_t)0);
	return 0;
}
