/* SPDX-License-Identifier: MIT */
#include "rocp/tool/remembered.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/tool/ring.h"

#define CLOSE_WAIT (2000 * MS)
#define TEXT_MOST (30u << 10)           /* four of them fit in a record */

struct item { struct item *_Atomic next; _Alignas(8) unsigned char record[]; };

/* A child that is forked while another thread adds finds whole items: one is linked when it is complete, and
 * `last` may be behind. */
static futex word;
static struct item *_Atomic first;
static struct item *last;
static bool is_open;

static size_t text_length(const char *text)
{
	return text ? strnlen(text, TEXT_MOST) : 0;
}

static void link_item(struct item *item)
{
	struct item *_Atomic *place = last ? &last->next : &first;
	while (*place)
		place = &(*place)->next;
	*place = item;
	last = item;
}

/* Fills what was zeroed. */
static void fill(void *record, size_t whole, const void *head, size_t size, const char *const *text, size_t texts)
{
	unsigned char *at = (unsigned char *)record + size;
	memcpy(record, head, size);
	((struct log_frame *)record)->size = (uint32_t)whole;
	for (size_t i = 0; i < texts; i++) {
		size_t length = text_length(text[i]);
		if (length)
			memcpy(at, text[i], length);
		at += length + 1;
	}
}

static size_t whole_size(size_t size, const char *const *text, size_t texts)
{
	size_t all = size;
	for (size_t i = 0; i < texts; i++)
		all += text_length(text[i]) + 1;
	return (all + 7) & ~(size_t)7;
}

void remember(const void *head, size_t size, const char *const *text, size_t texts)
{
	size_t whole = whole_size(size, text, texts);
	struct item *item = calloc(1, sizeof *item + whole);
	if (!item)
		return;
	fill(item->record, whole, head, size, text, texts);
	lock_take(&word);
	link_item(item);
	if (is_open)
		ring_put(item->record);
	lock_give(&word);
}

void remember_name(int32_t kind, int32_t operation, const char *text)
{
	struct log_name name = { .frame.type = LOG_NAME, .kind = kind, .operation = operation };
	remember(&name, sizeof name, &text, 1);
}

void remember_note(const char *fmt, ...)
{
	struct log_frame frame = { .type = LOG_NOTE };
	char text[1024];
	const char *note = text;
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	remember(&frame, sizeof frame, &note, 1);
}

void remembered_open(void)
{
	lock_take(&word);
	for (struct item *item = first; item; item = item->next)
		ring_put(item->record);
	is_open = true;
	lock_give(&word);
}

/* An exit in a signal handler may have left the lock behind. */
void remembered_close(void)
{
	bool has_lock = lock_try(&word, CLOSE_WAIT);
	is_open = false;
	if (has_lock)
		lock_give(&word);
}

void remembered_forked(void)
{
	atomic_store(&word, 0);
	is_open = false;
}

void log_text(uint16_t type, uint16_t part, const char *text)
{
	struct log_frame frame = { .type = type, .part = part };
	size_t whole = whole_size(sizeof frame, &text, 1);
	ring_lock();
	void *place = ring_take(whole);
	if (place) {
		memset(place, 0, whole);
		fill(place, whole, &frame, sizeof frame, &text, 1);
	}
	ring_unlock();
}
