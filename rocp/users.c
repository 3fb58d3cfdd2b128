/* SPDX-License-Identifier: MIT */
#include "rocp/users.h"

#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"
#include "inject/proc.h"

static int compare(const void *a, const void *b)
{
	const struct known_user *x = a, *y = b;
	if (x->uid != y->uid)
		return x->uid > y->uid ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);       /* the first in the file wins */
}

/* "name:password:uid:...": the name is cut out where it stands. */
static bool read_line(struct known_user *user, char *line, const char *end)
{
	char *colon = memchr(line, ':', (size_t)(end - line));
	char *second = colon ? memchr(colon + 1, ':', (size_t)(end - colon - 1)) : NULL;
	if (!second || colon == line || !*line)
		return false;
	struct cursor c = { second + 1, end };
	uint64_t uid;
	if (!cursor_number(&c, 10, &uid) || uid > UINT32_MAX)
		return false;
	*colon = '\0';
	*user = (struct known_user){ (uid_t)uid, line };
	return true;
}

void users_read(struct users *users, const char *file)
{
	size_t size = 0, lines = 1;
	*users = (struct users){ .text = proc_read(&size, NULL, "%s", file) };
	for (size_t i = 0; i < size; i++)
		lines += users->text[i] == '\n';
	users->v = users->text ? calloc(lines, sizeof *users->v) : NULL;
	if (!users->v)
		return;
	for (char *at = users->text, *end = at + size; at < end;) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		users->n += read_line(&users->v[users->n], at, newline ? newline : end);
		at = newline ? newline + 1 : end;
	}
	qsort(users->v, users->n, sizeof *users->v, compare);
}

const char *users_name(const struct users *users, uid_t uid)
{
	size_t low = 0, high = users->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (users->v[middle].uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < users->n && users->v[low].uid == uid ? users->v[low].name : NULL;
}

void users_free(struct users *users)
{
	free(users->text);
	free(users->v);
	*users = (struct users){ 0 };
}
