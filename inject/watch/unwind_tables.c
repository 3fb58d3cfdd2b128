/* SPDX-License-Identifier: MIT */
/* Unwind tables by image, opened when an address in it is first asked for. */
#include <stdlib.h>
#include <unistd.h>

#include "inject/watch/unwind_parts.h"

#define FILES_MAX 32

static bool is_of(const struct tables *tables, const struct image *image)
{
	return tables->start == image->start && tables->inode == image->inode &&
	       tables->dev_major == image->dev_major && tables->dev_minor == image->dev_minor;
}

static struct tables *add(struct unwinder *u, const struct image *image)
{
	if (u->tables_n == u->tables_room) {
		size_t room = u->tables_room ? u->tables_room * 2 : 16;
		struct tables **v = realloc(u->tables, room * sizeof(void *));
		if (!v)
			return NULL;
		u->tables = v;
		u->tables_room = room;
	}
	struct tables *tables = calloc(1, sizeof *tables);
	if (!tables)
		return NULL;
	*tables = (struct tables){ .start = image->start, .inode = image->inode, .dev_major = image->dev_major,
				   .dev_minor = image->dev_minor, .elf = image->elf, .fd = -1 };
	/* One without tables is kept too, so that it is not looked at again. */
	cfi_open(&tables->cfi, &tables->elf, NULL, NULL);
	u->tables[u->tables_n++] = tables;
	return tables;
}

struct tables *tables_at(struct unwinder *u, raddr pc)
{
	struct image *image = images_at(u->images, pc);
	if (!image)
		return NULL;
	for (size_t i = 0; i < u->tables_n; i++)
		if (is_of(u->tables[i], image))
			return u->tables[i];
	return add(u, image);
}

bool tables_file(struct unwinder *u, struct tables *tables, raddr pc)
{
	if (tables->file_tried)
		return tables->fd >= 0;
	tables->file_tried = true;
	struct image *image = images_at(u->images, pc);
	if (!image || u->files == FILES_MAX)
		return false;
	int fd = image_file(u->images, image, NULL);
	if (fd < 0)
		return false;
	if (elf_file_open(&tables->file, fd, NULL) < 0) {
		close(fd);
		return false;
	}
	tables->fd = fd;
	u->files++;
	cfi_close(&tables->cfi);
	cfi_open(&tables->cfi, &tables->elf, &tables->file, NULL);
	return true;
}

void tables_free(struct unwinder *u, struct tables *tables)
{
	cfi_close(&tables->cfi);
	if (tables->fd >= 0) {
		close(tables->fd);
		u->files--;
	}
	free(tables);
}

raddr symbol_start(struct unwinder *u, raddr pc)
{
	char name[8];
	uint64_t offset;
	struct tables *tables = tables_at(u, pc);
	if (!tables)
		return 0;
	if (elf_symbol_at(&tables->elf, pc, name, sizeof name, &offset, NULL) == 1)
		return pc - offset;
	if (tables_file(u, tables, pc) &&
	    elf_file_symbol_at(&tables->file, pc - tables->elf.bias, name, sizeof name, &offset, NULL) == 1)
		return pc - offset;
	return 0;
}
