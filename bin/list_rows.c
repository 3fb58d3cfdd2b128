/* SPDX-License-Identifier: MIT */
/* A look of roclatch list, in rows. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "bin/list.h"
#include "bin/output.h"

#define INDENT_MAX 20           /* levels; deeper ones stand below each other */
#define GAP 2

static const struct { const char *head; bool right; } columns[] = {
	{ "PID", true }, { "USER", false }, { "NAME", false }, { "CONTAINER", false }, { "THREADS", true },
	{ "CPU%", true }, { "RUNTIME", false }, { "ATTACH", false },
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* How many columns of a terminal the first character takes; its length in bytes in *length. */
static unsigned character_width(const char *at, size_t *length)
{
	size_t skip;
	*length = 1;
	if (!((unsigned char)at[0] & 0x80))
		return 1;
	size_t found = utf8_length((const unsigned char *)at, strnlen(at, 4), &skip);
	if (found < 2)
		return 1;
	*length = found;
	wchar_t code = (unsigned char)at[0] & (0xff >> (*length + 1));
	for (size_t i = 1; i < *length; i++)
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	int width = wcwidth(code);
	return width < 0 ? 1 : (unsigned)width;
}

static unsigned width_of(const char *text)
{
	unsigned width = 0;
	for (size_t length; *text; text += length)
		width += character_width(text, &length);
	return width;
}

/* As much of the text as fits into what is left of the line. */
static void put(FILE *to, const char *text, unsigned *left)
{
	size_t length;
	for (; *text; text += length) {
		unsigned width = character_width(text, &length);
		if (width > *left) {
			*left = 0;
			return;
		}
		fwrite(text, 1, length, to);
		*left -= width;
	}
}

static void pad(FILE *to, unsigned n, unsigned *left)
{
	for (; n && *left; n--, (*left)--)
		putc(' ', to);
}

static const char *attach_text(const struct process *process)
{
	if (process->attachable)
		return process->attachable->brief;
	return process->unread ? "may not be read" : process->stat.state == 'Z' ? "it has ended" : "-";
}

/* The cells of a process, a NUL behind each, without what a terminal would obey. */
static void put_cells(FILE *to, const struct process *process)
{
	char text[160];
	const struct proc_stat *stat = &process->stat;
	fprintf(to, "%d", (int)stat->pid);
	if (process->inside != stat->pid)
		fprintf(to, " (%d)", (int)process->inside);
	putc(0, to);
	if (process->user)
		output_safe(to, process->user);
	else
		fprintf(to, "%u", (unsigned)process->uid);
	fprintf(to, "%c%*s", 0, (int)(2 * (process->depth < INDENT_MAX ? process->depth : INDENT_MAX)), "");
	output_safe(to, stat->name);
	container_text(&process->container, text, sizeof text);
	putc(0, to);
	output_safe(to, text);
	fprintf(to, "%c%u%c%.1f%c", 0, stat->threads, 0, process->cpu_percent, 0);
	runtimes_text(&process->runtimes, text, sizeof text);
	output_safe(to, text);
	fprintf(to, "%c%s%c", 0, attach_text(process), 0);
}

static const char *measure(const char *cells, size_t rows, unsigned width[COLUMNS])
{
	for (size_t i = 0; i < rows * COLUMNS; i++) {
		unsigned one = width_of(cells);
		if (one > width[i % COLUMNS])
			width[i % COLUMNS] = one;
		cells += strlen(cells) + 1;
	}
	return cells;
}

static const char *put_row(FILE *to, const char *cells, const unsigned width[COLUMNS], const struct list_shape *shape)
{
	unsigned left = shape->width ? shape->width : (unsigned)-1;
	for (size_t i = 0; i < COLUMNS; i++) {
		unsigned room = width[i] - width_of(cells);
		if (i)
			pad(to, GAP, &left);
		if (columns[i].right)
			pad(to, room, &left);
		put(to, cells, &left);
		if (!columns[i].right && i < COLUMNS - 1)
			pad(to, room, &left);
		cells += strlen(cells) + 1;
	}
	fputs(shape->end, to);
	return cells;
}

int list_rows(FILE *to, const struct processes *processes, const struct list_shape *shape)
{
	unsigned width[COLUMNS] = { 0 };
	size_t size, rows = processes->rows;
	char *cells = NULL;
	if (!rows)
		return 0;
	if (shape->lines && rows + 1 > shape->lines)
		rows = shape->lines > 2 ? shape->lines - 2 : 0;
	FILE *made = open_memstream(&cells, &size);
	if (!made)
		return -1;
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(made, "%s%c", columns[i].head, 0);
	for (size_t i = 0; i < rows; i++)
		put_cells(made, processes->row[i]);
	int failed = ferror(made);
	if (fclose(made) || failed) {
		free(cells);
		return -1;
	}
	measure(cells, rows + 1, width);
	const char *at = cells;
	for (size_t i = 0; i <= rows; i++)
		at = put_row(to, at, width, shape);
	if (rows < processes->rows)
		fprintf(to, "... and %zu more%s", processes->rows - rows, shape->end);
	free(cells);
	return 0;
}
