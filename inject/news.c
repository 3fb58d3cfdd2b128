/* SPDX-License-Identifier: MIT */
#include "inject/news.h"

#include <string.h>

static bool is_code_of_file(const struct mapping *m)
{
	return m->x && m->inode != 0;
}

static bool has_code_of(const struct mapping *v, size_t n, const struct mapping *file)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].inode == file->inode && is_code_of_file(&v[i]) && v[i].dev_major == file->dev_major &&
		    v[i].dev_minor == file->dev_minor)
			return true;
	return false;
}

void news_libraries(const struct maps *then, const struct maps *now, void (*each)(void *ctx, const char *path), void *ctx)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct mapping *m = &now->v[i];
		if (!is_code_of_file(m))
			continue;
		const struct mapping *there = maps_at(then, m->start);  /* mostly it is where it was */
		if (there && has_code_of(there, 1, m))
			continue;
		if (!has_code_of(then->v, then->n, m) && !has_code_of(now->v, i, m))
			each(ctx, m->path);
	}
}

/* Memory of no file; "[vdso]" and its like are the kernel's. */
static bool is_anonymous(const struct mapping *m)
{
	return m->inode == 0 && strncmp(m->path, "[v", 2) != 0;
}

void news_memory(const struct maps *then, const struct maps *now,
		 void (*each)(void *ctx, const struct mapping *mapping), void *ctx)
{
	size_t old = 0;
	for (size_t i = 0; i < now->n; i++) {
		struct mapping rest = now->v[i];
		if (!is_anonymous(&rest))
			continue;
		while (old < then->n && then->v[old].end <= rest.start)
			old++;
		/* what was anonymous before is cut out; mappings merge and split freely */
		for (size_t j = old; j < then->n && then->v[j].start < rest.end; j++) {
			if (!is_anonymous(&then->v[j]))
				continue;
			struct mapping piece = rest;
			piece.end = then->v[j].start;
			if (piece.start < piece.end)
				each(ctx, &piece);
			rest.start = then->v[j].end;
			if (rest.start >= rest.end)
				break;
		}
		if (rest.start < rest.end)
			each(ctx, &rest);
	}
}
