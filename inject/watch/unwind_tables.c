/* SPDX-License-Identifier: MIT */
/* Unwind tables by image, opened when an address in it is first asked for. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/watch/unwind_parts.h"

#define FILES_MAX 32
/* Behind so much no more are read: what a hostile process can make us hold. */
#define FUNCTIONS_MAX ((size_t)1 << 30)

static bool is_of(const struct tables *tables, const struct image *image)
{
	return tables->start == image->start && tables->inode == image->inode &&
	       tables->dev_major == image->dev_major && tables->dev_minor == image->dev_minor;
}

/* The first one that does not start below. */
static size_t place_of(const struct unwinder *u, raddr start)
{
	size_t low = 0, high = u->tables_n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (u->tables[middle]->start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct unwinder *u)
{
	if (u->tables_n < u->tables_room)
		return true;
	size_t room = u->tables_room ? u->tables_room * 2 : 16;
	struct tables **v = realloc(u->tables, room * sizeof(void *));
	if (!v)
		return false;
	u->tables = v;
	u->tables_room = room;
	return true;
}

static struct tables *add(struct unwinder *u, const struct image *image, size_t place)
{
	struct tables *tables = make_room(u) ? calloc(1, sizeof *tables) : NULL;
	if (!tables)
		return NULL;
	*tables = (struct tables){ .start = image->start, .inode = image->inode, .dev_major = image->dev_major,
				   .dev_minor = image->dev_minor, .elf = image->elf, .fd = -1 };
	segments_read(&tables->code, &tables->elf, u->images->target->page, PF_X);
	/* One without tables is kept too, so that it is not looked at again. */
	cfi_open(&tables->cfi, &tables->elf, NULL, NULL);
	memmove(u->tables + place + 1, u->tables + place, (u->tables_n - place) * sizeof *u->tables);
	u->tables[place] = tables;
	u->tables_n++;
	return tables;
}

struct tables *tables_at(struct unwinder *u, raddr pc)
{
	struct image *image = images_at(u->images, pc);
	if (!image)
		return NULL;
	size_t place = place_of(u, image->start);
	bool known = place < u->tables_n && is_of(u->tables[place], image);
	struct tables *tables = known ? u->tables[place] : add(u, image, place);
	/* Code between its segments is not its own. */
	return tables && segments_hold(&tables->code, pc - tables->elf.bias) ? tables : NULL;
}

static size_t size_of(const struct functions *functions)
{
	return functions->room * sizeof *functions->v + functions->names_room;
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
	u->functions_size -= size_of(&tables->functions);
	functions_free(&tables->functions);
	if (tables->fd >= 0) {
		close(tables->fd);
		u->files--;
	}
	free(tables);
}

static void read_functions(struct unwinder *u, struct tables *tables, raddr pc)
{
	tables->functions_tried = true;
	if (u->functions_size > FUNCTIONS_MAX)
		return;
	functions_add_dynamic(&tables->functions, &tables->elf, NULL);
	if (tables_file(u, tables, pc))
		functions_add_file(&tables->functions, &tables->file, NULL);
	functions_find(&tables->functions, 0);  /* puts them in order */
	u->functions_size += size_of(&tables->functions);
}

raddr symbol_start(struct unwinder *u, raddr pc)
{
	struct tables *tables = tables_at(u, pc);
	if (!tables)
		return 0;
	if (!tables->functions_tried)
		read_functions(u, tables, pc);
	const struct function *function = functions_find(&tables->functions, pc - tables->elf.bias);
	return function && function->rank & FUNCTION_SIZED ? function->start + tables->elf.bias : 0;
}
