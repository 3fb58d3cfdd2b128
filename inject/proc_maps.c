/* SPDX-License-Identifier: MIT */
/* /proc/PID/maps; the lines are made by fs/proc/task_mmu.c:show_map_vma. */
#include <errno.h>
#include <stdlib.h>

#include "inject/cursor.h"
#include "inject/proc.h"

static bool parse_flags(struct cursor *c, struct mapping *m)
{
	if (c->end - c->at < 4)
		return false;
	const char *f = c->at;
	c->at += 4;
	m->r = f[0] == 'r';
	m->w = f[1] == 'w';
	m->x = f[2] == 'x';
	m->shared = f[3] == 's';
	return (m->r || f[0] == '-') && (m->w || f[1] == '-') && (m->x || f[2] == '-') &&
	       (m->shared || f[3] == 'p');
}

/* The kernel writes a newline in a path as \012 and nothing else that way. */
static void unescape(char *path)
{
	char *to = strchr(path, '\\');
	if (!to)
		return;
	for (const char *from = to; *from;) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static void parse_path(struct cursor *c, struct mapping *m)
{
	static const char mark[] = " (deleted)";
	const size_t mark_size = sizeof mark - 1;

	struct cursor line = cursor_line(c);
	char *path = (char *)line.at;   /* points into maps->text, which is ours */
	size_t size = (size_t)(line.end - line.at);
	if (size > mark_size && memcmp(path + size - mark_size, mark, mark_size) == 0) {
		m->deleted = true;
		size -= mark_size;
	}
	path[size] = '\0';              /* over the newline, or the NUL behind the text */
	unescape(path);
	m->path = path;
}

/* (A newline is none of what is expected before the path, so a line that ends too early is malformed.) */
static bool parse_line(struct cursor *c, struct mapping *m)
{
	uint64_t major, minor;
	bool ok = cursor_number(c, 16, &m->start) && cursor_take(c, '-') &&
		  cursor_number(c, 16, &m->end) && cursor_take(c, ' ') &&
		  parse_flags(c, m) && cursor_take(c, ' ') &&
		  cursor_number(c, 16, &m->offset) && cursor_take(c, ' ') &&
		  cursor_number(c, 16, &major) && cursor_take(c, ':') &&
		  cursor_number(c, 16, &minor) && cursor_take(c, ' ') &&
		  cursor_number(c, 10, &m->inode);
	if (!ok || m->start >= m->end || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	m->dev_major = (unsigned)major;
	m->dev_minor = (unsigned)minor;
	if (cursor_more(c) && *c->at != ' ' && *c->at != '\n')
		return false;
	cursor_blanks(c);
	parse_path(c, m);
	return true;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t lines = 1;
	for (const char *end = text + size; size && (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		lines++;
	return lines;
}

int maps_take(struct maps *maps, char *text, size_t size, struct err *err)
{
	*maps = (struct maps){.text = text};
	if (text)
		maps->v = calloc(count_lines(text, size), sizeof *maps->v);
	if (!maps->v) {
		maps_free(maps);
		return err_set(err, ERR_FAILED, ENOMEM, "read the mappings");
	}

	struct cursor rest = {maps->text, maps->text + size};
	raddr last_end = 0;
	bool text_ends = memchr(text, '\0', size) != NULL;      /* before its end, so that a path would */
	while (cursor_more(&rest)) {
		struct mapping *m = &maps->v[maps->n];
		if (text_ends || !parse_line(&rest, m) || m->start < last_end) {
			size_t line = maps->n + 1;
			maps_free(maps);
			return err_set(err, ERR_FAILED, 0, "line %zu of the mappings is malformed or out of order", line);
		}
		last_end = m->end;
		maps->n++;
	}
	return 0;
}

int maps_parse(struct maps *maps, const char *text, size_t size, struct err *err)
{
	char *copy = malloc(size + 1);
	if (copy) {
		if (size)
			memcpy(copy, text, size);
		copy[size] = '\0';
	}
	return maps_take(maps, copy, size, err);
}

static bool same_eight(const char *a, const char *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x == y;
}

static size_t common_head(const char *a, const char *b, size_t most)
{
	size_t n = 0;
	while (most - n >= 8 && same_eight(a + n, b + n))
		n += 8;
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

static size_t common_tail(const char *a_end, const char *b_end, size_t most)
{
	size_t n = 0;
	while (most - n >= 8 && same_eight(a_end - n - 8, b_end - n - 8))
		n += 8;
	while (n < most && *(a_end - n - 1) == *(b_end - n - 1))
		n++;
	return n;
}

static bool begins_line(const char *text, size_t at)
{
	return at == 0 || text[at - 1] == '\n';
}

size_t maps_cut(char *text, size_t size, const struct maps *then)
{
	size_t most = size < then->kept_size ? size : then->kept_size;
	size_t head = common_head(text, then->kept, most);
	while (!begins_line(text, head))
		head--;
	size_t tail = common_tail(text + size, then->kept + then->kept_size, most - head);
	/* (a line may be the end of another one) */
	while (tail > 0 && !(begins_line(text, size - tail) && begins_line(then->kept, then->kept_size - tail)))
		tail--;

	size -= head + tail;
	memmove(text, text + head, size);
	text[size] = '\0';
	return size;
}

void maps_free(struct maps *maps)
{
	free(maps->v);
	free(maps->text);
	free(maps->kept);
	*maps = (struct maps){0};
}

const struct mapping *maps_at(const struct maps *maps, raddr addr)
{
	size_t low = 0, high = maps->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (maps->v[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == maps->n || maps->v[low].start > addr)
		return NULL;
	return &maps->v[low];
}
