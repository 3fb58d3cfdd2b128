/* SPDX-License-Identifier: MIT */
#include "inject/stack.h"

#include <string.h>

static const struct mapping *below(const struct maps *maps, const struct mapping *m)
{
	return m > maps->v ? m - 1 : NULL;
}

static bool is_stack(const struct maps *maps, const struct mapping *m)
{
	if (!m->r || !m->w || m->x || m->shared || m->inode)
		return false;
	if (!strcmp(m->path, "[stack]"))
		return true;
	const struct mapping *guard = below(maps, m);
	return !m->path[0] && guard && guard->end == m->start && !guard->r && !guard->w && !guard->x;
}

/* How much stack is below `top`; 0 if that is not surely a stack. */
static uint64_t room_in(const struct maps *maps, raddr top)
{
	const struct mapping *m = maps_at(maps, top);
	return m && is_stack(maps, m) ? top - m->start : 0;
}

static uint64_t room_below(struct images *images, raddr top)
{
	uint64_t room = room_in(&images->maps, top);
	struct maps fresh;
	/* The stack may be newer than the mappings that we know. */
	if (!room && target_maps(images->target, &fresh, NULL) == 0) {
		room = room_in(&fresh, top);
		maps_free(&fresh);
	}
	return room;
}

/* The bytes between the end of a library's data and the end of its page belong
 * to nobody.  (musl gives them to malloc, so not there.) */
static bool tail_room(struct images *images, size_t size, raddr *at)
{
	uint8_t seen[16384], zeros[sizeof seen] = { 0 };
	if (images->target->libc != LIBC_GLIBC || size > sizeof seen)
		return false;
	for (size_t i = 0; i < images->n; i++) {
		struct image *image = &images->v[i];
		if (image_open(images, image, NULL) < 0 || !image->elf.high || !image->path[0])
			continue;
		const char *name = strrchr(image->path, '/');
		if (!name || !strncmp(name, "/ld", 3))  /* ld.so uses its own for its first malloc */
			continue;
		raddr end = (image->elf.high + images->target->page - 1) & ~(raddr)(images->target->page - 1);
		const struct mapping *m = maps_at(&images->maps, end - 1);
		if (end - image->elf.high < size + 16 || !m || !m->w || m->shared || m->end != end)
			continue;
		*at = end - size;
		if (memory_read(&images->target->memory, *at, seen, size, NULL) == 0 &&
		    !memcmp(seen, zeros, size))
			return true;
	}
	return false;
}

int stack_room(struct images *images, raddr top, size_t size, raddr *at, struct err *err)
{
	uint64_t room = room_below(images, top);
	if (room >= size + images->target->page) {
		*at = top - size;
		return 0;
	}
	if (tail_room(images, size, at))
		return 0;
	return err_set(err, ERR_NOT_POSSIBLE, 0,
		       room ? "its stack has no room" : "its stack is in memory that others may use");
}
