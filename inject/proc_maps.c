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

/* A path being copied, and the last one that was: the mappings of a file follow one another. */
struct paths {
	struct cursor last;     /* in the text, with its mark */
	const struct mapping *has_it;
	char *next;             /* room for one as long as what is left of the text */
};

/* The kernel writes a newline in a path as \012 and nothing else that way. */
static char *copy_path(char *to, const char *from, const char *end)
{
	while (from < end) {
		if (end - from >= 4 && memcmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to++ = '\0';
	return to;
}

static bool is_last_again(const struct cursor *c, const struct cursor *last)
{
	size_t size = (size_t)(last->end - last->at), left = (size_t)(c->end - c->at);
	return size && left > size && c->at[size] == '\n' && cursor_common(c->at, last->at, size) == size;
}

/* The rest of the line.  False if it has a NUL, at which it would seem to end. */
static bool parse_path(struct cursor *c, struct mapping *m, struct paths *paths)
{
	static const char mark[] = " (deleted)";
	const size_t mark_size = sizeof mark - 1;

	if (is_last_again(c, &paths->last)) {
		m->path = paths->has_it->path;
		m->deleted = paths->has_it->deleted;
		c->at += paths->last.end - paths->last.at + 1;
		return true;
	}
	struct cursor line = cursor_line(c);
	size_t size = (size_t)(line.end - line.at);
	m->path = "";
	if (!size)
		return true;
	if (memchr(line.at, '\0', size))
		return false;
	paths->last = line;
	paths->has_it = m;
	m->deleted = size > mark_size && memcmp(line.end - mark_size, mark, mark_size) == 0;
	m->path = paths->next;
	paths->next = copy_path(paths->next, line.at, line.end - (m->deleted ? mark_size : 0));
	return true;
}

/* As cursor_number with a base known to the compiler, where `most` digits always fit.  The NUL behind the text is none. */
static inline bool number(struct cursor *c, unsigned base, int most, uint64_t *value)
{
	const char *at = c->at;
	uint64_t sum = 0;
	for (unsigned digit; (digit = cursor_digits[(unsigned char)*at] - 1u) < base; at++)
		sum = sum * base + digit;
	if (at - c->at > most)
		return cursor_number(c, base, value);
	bool some = at > c->at;
	c->at = at;
	*value = sum;
	return some;
}

static inline bool hexadecimal(struct cursor *c, uint64_t *value)
{
	return number(c, 16, 16, value);
}

/* The kernel puts paths below one another. */
static void pass_blanks(struct cursor *c)
{
	while (c->end - c->at >= 8 && cursor_same_eight(c->at, "        "))
		c->at += 8;
	cursor_blanks(c);
}

/* (A newline is none of what is expected before the path, so a line that ends too early is malformed.) */
static bool parse_line(struct cursor *c, struct mapping *m, struct paths *paths)
{
	uint64_t major, minor;
	bool ok = hexadecimal(c, &m->start) && cursor_take(c, '-') &&
		  hexadecimal(c, &m->end) && cursor_take(c, ' ') &&
		  parse_flags(c, m) && cursor_take(c, ' ') &&
		  hexadecimal(c, &m->offset) && cursor_take(c, ' ') &&
		  hexadecimal(c, &major) && cursor_take(c, ':') &&
		  hexadecimal(c, &minor) && cursor_take(c, ' ') &&
		  number(c, 10, 19, &m->inode);
	if (!ok || m->start >= m->end || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	m->dev_major = (unsigned)major;
	m->dev_minor = (unsigned)minor;
	if (cursor_more(c) && *c->at != ' ' && *c->at != '\n')
		return false;
	pass_blanks(c);
	return parse_path(c, m, paths);
}

/* No line is shorter, but the last may be without its newline. */
#define LINE_MIN (sizeof "0-1 ---p 0 0:0 0\n" - 1)

static int parse_lines(struct maps *maps, char *room, struct err *err)
{
	struct cursor rest = {maps->text, maps->text + maps->size};
	struct paths paths = {.next = room};
	raddr last_end = 0;
	while (cursor_more(&rest)) {
		struct mapping *m = &maps->v[maps->n];
		*m = (struct mapping){0};
		if (!parse_line(&rest, m, &paths) || m->start < last_end)
			return err_set(err, ERR_FAILED, 0, "line %zu of the mappings is malformed or out of order", maps->n + 1);
		last_end = m->end;
		maps->n++;
	}
	return 0;
}

int maps_take(struct maps *maps, char *text, size_t size, struct err *err)
{
	*maps = (struct maps){.text = text, .size = size};
	size_t most = size / LINE_MIN + 1;      /* what is not used costs nothing */
	if (text)
		maps->v = malloc(most * sizeof *maps->v + size + 1);
	int rc = maps->v ? parse_lines(maps, (char *)(maps->v + most), err) : err_set(err, ERR_FAILED, ENOMEM, "read the mappings");
	if (rc < 0)
		maps_free(maps);
	return rc;
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

static size_t common_tail(const char *a_end, const char *b_end, size_t most)
{
	size_t n = 0;
	while (most - n >= 8 && cursor_same_eight(a_end - n - 8, b_end - n - 8))
		n += 8;
	while (n < most && *(a_end - n - 1) == *(b_end - n - 1))
		n++;
	return n;
}

static bool begins_line(const char *text, size_t at)
{
	return at == 0 || text[at - 1] == '\n';
}

size_t maps_cut(char *text, size_t size, const struct cursor *then)
{
	size_t then_size = (size_t)(then->end - then->at), most = size < then_size ? size : then_size;
	size_t head = cursor_common(text, then->at, most);
	while (!begins_line(text, head))
		head--;
	size_t tail = common_tail(text + size, then->end, most - head);
	/* (a line may be the end of another one) */
	while (tail > 0 && !(begins_line(text, size - tail) && begins_line(then->at, then_size - tail)))
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
