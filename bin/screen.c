/* SPDX-License-Identifier: MIT */
#include "bin/screen.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "rocp/formats/utf8.h"

#define CHARACTER_MAX 4         /* bytes of UTF-8 */
#define STYLES_ROOM 256         /* for the styles of one line */
#define MOVE_ROOM 32            /* "\033[500;1H", "\033[0m\033[K" */

void screen_free(struct screen *screen)
{
	free(screen->lines);
	free(screen->shown);
	free(screen->used);
	free(screen->shown_used);
	free(screen->bytes);
	*screen = (struct screen){ .columns = 0 };
}

int screen_resize(struct screen *screen, unsigned columns, unsigned rows)
{
	screen_free(screen);
	columns = columns < 1 ? 1 : columns > SCREEN_COLUMNS_MAX ? SCREEN_COLUMNS_MAX : columns;
	rows = rows < 1 ? 1 : rows > SCREEN_ROWS_MAX ? SCREEN_ROWS_MAX : rows;
	screen->room = (size_t)columns * CHARACTER_MAX + STYLES_ROOM;
	screen->lines = calloc(rows, screen->room);
	screen->shown = calloc(rows, screen->room);
	screen->used = calloc(rows, sizeof *screen->used);
	screen->shown_used = calloc(rows, sizeof *screen->shown_used);
	screen->bytes = malloc(rows * (screen->room + MOVE_ROOM) + MOVE_ROOM);
	if (!screen->lines || !screen->shown || !screen->used || !screen->shown_used || !screen->bytes) {
		screen_free(screen);
		return -1;
	}
	screen->columns = columns;
	screen->rows = rows;
	screen->fresh = true;
	return 0;
}

void screen_begin(struct screen *screen)
{
	memset(screen->used, 0, screen->rows * sizeof *screen->used);
	screen_line(screen, 0);
}

void screen_line(struct screen *screen, unsigned row)
{
	screen->row = row;
	screen->column = 0;
}

static void put(struct screen *screen, const char *bytes, size_t n)
{
	size_t *used = &screen->used[screen->row];
	if (*used + n > screen->room)
		return;
	memcpy(screen->lines + screen->row * screen->room + *used, bytes, n);
	*used += n;
}

void screen_style(struct screen *screen, enum style style)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[2m", "\033[7m" };
	if (screen->row < screen->rows)
		put(screen, codes[style], strlen(codes[style]));
}

static uint32_t decode(const unsigned char *at, size_t length)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = at[0] & first[length];
	for (size_t i = 1; i < length; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/* One character of foreign text as it may be shown: bytes to `as`, columns are returned. */
static unsigned character(const unsigned char *at, size_t left, size_t *step, char as[20], size_t *size)
{
	size_t skip = 1, length = utf8_length(at, left, &skip);
	int width = length ? wcwidth((wchar_t)decode(at, length)) : -1;
	*step = length ? length : skip;
	if (width > 0) {
		memcpy(as, at, length);
		*size = length;
		return (unsigned)width;
	}
	/* what has no width could hide or turn around what stands beside it */
	*size = 0;
	for (size_t i = 0; i < *step && i < CHARACTER_MAX; i++)
		*size += (size_t)snprintf(as + *size, 5, "\\x%02x", at[i]);
	return (unsigned)*size;
}

/* Up to the column `end`. */
static void put_text(struct screen *screen, const char *text, unsigned end)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = strlen(text), step, size;
	char as[20];
	if (screen->row >= screen->rows)
		return;
	while (left) {
		unsigned width = character(at, left, &step, as, &size);
		if (screen->column + width > end)
			break;
		put(screen, as, size);
		screen->column += width;
		at += step;
		left -= step;
	}
}

static void blanks(struct screen *screen, unsigned end)
{
	end = end < screen->columns ? end : screen->columns;
	for (; screen->row < screen->rows && screen->column < end; screen->column++)
		put(screen, " ", 1);
}

void screen_text(struct screen *screen, const char *text)
{
	put_text(screen, text, screen->columns);
}

void screen_format(struct screen *screen, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	screen_text(screen, text);
}

static unsigned text_width(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = strlen(text), step, size;
	char as[20];
	unsigned width = 0;
	for (; left && width < SCREEN_COLUMNS_MAX; at += step, left -= step)
		width += character(at, left, &step, as, &size);
	return width;
}

void screen_cell(struct screen *screen, int width, const char *text)
{
	unsigned wide = (unsigned)(width < 0 ? -width : width), is = width < 0 ? text_width(text) : wide;
	unsigned end = screen->column + wide < screen->columns ? screen->column + wide : screen->columns;
	unsigned from = is < wide ? screen->column + wide - is : screen->column;
	blanks(screen, from);
	put_text(screen, text, end);
	blanks(screen, end);
}

void screen_fill(struct screen *screen)
{
	blanks(screen, screen->columns);
}

size_t screen_end(struct screen *screen, const char **bytes)
{
	size_t n = 0;
	if (screen->fresh)
		n += (size_t)sprintf(screen->bytes, "\033[0m\033[2J");
	for (unsigned row = 0; row < screen->rows; row++) {
		const char *line = screen->lines + row * screen->room;
		char *shown = screen->shown + row * screen->room;
		size_t used = screen->used[row];
		if (!screen->fresh && used == screen->shown_used[row] && !memcmp(line, shown, used))
			continue;
		n += (size_t)sprintf(screen->bytes + n, "\033[%u;1H", row + 1);
		memcpy(screen->bytes + n, line, used);
		n += used;
		n += (size_t)sprintf(screen->bytes + n, "\033[0m\033[K");
		memcpy(shown, line, used);
		screen->shown_used[row] = used;
	}
	screen->fresh = false;
	*bytes = screen->bytes;
	return n;
}
