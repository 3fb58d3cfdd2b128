/* SPDX-License-Identifier: MIT */
/* told FILE: what the sample notes of itself in that file: rounds of work, how many results were wrong, and the first of them. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/fixtures/record.h"

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 2;
	struct record *record = mmap(NULL, sizeof *record, PROT_READ, MAP_SHARED, fd, 0);
	if (record == MAP_FAILED)
		return 1;
	printf("%llu %u %.*s\n", (unsigned long long)record->spins, (unsigned)record->wrong, (int)sizeof record->wrong_text,
	       record->wrong_text);
	return 0;
}
