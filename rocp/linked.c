/* SPDX-License-Identifier: MIT */
#include "rocp/linked.h"

#include <stdio.h>

#include "rocp/search.h"

#define LINKED_MAX 65536

/* <link.h>, the same in glibc and musl */
struct debug_start { int32_t version, pad; uint64_t map; };
struct link { uint64_t addr, name, dynamic, next, previous; };

/* Where the list begins, or 0. */
static raddr list_of(struct images *images, struct image *loader)
{
	struct memory *memory = &images->target->memory;
	struct elf_symbol symbol;
	struct debug_start debug;
	raddr at = 0;
	if (!loader || image_open(images, loader, NULL) < 0)
		return 0;
	if (elf_symbol_find(&loader->elf, "_r_debug", &symbol, NULL) == 1)
		at = symbol.addr;
	else if (elf_symbol_find(&loader->elf, "_dl_debug_addr", &symbol, NULL) != 1 ||
		 memory_read(memory, symbol.addr, &at, sizeof at, NULL) < 0)
		return 0;
	return at && memory_read(memory, at, &debug, sizeof debug, NULL) == 0 ? debug.map : 0;
}

bool linked_name(struct images *images, struct image *image, char *path, size_t size)
{
	struct memory *memory = &images->target->memory;
	struct link link = { .next = list_of(images, images_interpreter(images)) };
	char name[PATH_MAX], folder[PATH_MAX] = "";
	if (image_open(images, image, NULL) < 0 || !image->elf.dynamic)
		return false;
	for (unsigned i = 0; i < LINKED_MAX && link.next; i++) {
		if (memory_read(memory, link.next, &link, sizeof link, NULL) < 0)
			return false;
		if (link.dynamic != image->elf.dynamic)
			continue;
		if (memory_read_text(memory, link.name, name, sizeof name, NULL) < 0 || !name[0] ||
		    (name[0] != '/' && search_current(images->target, folder, sizeof folder) < 0))
			return false;
		int length = snprintf(path, size, "%s%s%s", folder, name[0] == '/' ? "" : "/", name);
		return length > 0 && (size_t)length < size;
	}
	return false;
}
