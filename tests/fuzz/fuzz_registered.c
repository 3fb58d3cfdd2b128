/* SPDX-License-Identifier: MIT */
/* Any bytes as the register's data, which is searched for its list of tables.  We are the process; the data lies at a
 * place that is always the same, so that pointers in it can be right. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rocp/registered.h"

#define DATA 0x500000000000    /* where AddressSanitizer leaves room */
#define CODE 0x500000010000
#define ROOM 0x2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct target target;
static struct images images = { .target = &target };

static void open_self(void)
{
	static const char text[] =
		"500000000000-500000002000 rw-p 00000000 00:01 7 /r.so\n"
		"500000010000-500000011000 r-xp 00000000 00:01 7 /r.so\n";
	void *at = mmap((void *)DATA, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (at != (void *)DATA || memory_open(&target.memory, getpid(), NULL) < 0 ||
	    maps_parse(&images.maps, text, sizeof text - 1, NULL) < 0)
		abort();
	target.pid = getpid();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct registered_table tables[4];
	struct image reg = { .path = "/r.so", .elf = { .low = DATA, .high = CODE + 0x1000 } };
	if (size > ROOM)
		return 0;
	if (!target.pid)
		open_self();
	memset((void *)DATA, 0, ROOM);
	memcpy((void *)DATA, data, size);
	size_t n = registered_tables(&images, &reg, tables, 4);
	if (n > 4)
		abort();
	for (size_t i = 0; i < n; i++)
		if (strnlen(tables[i].name, sizeof tables[i].name) == sizeof tables[i].name || strlen(tables[i].name) < 2)
			abort();
	return 0;
}
