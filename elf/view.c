/* SPDX-License-Identifier: MIT */
#include "elf/view.h"

#include <string.h>

void elf_view_init(struct elf_view *view, struct elf_source source, uint64_t *bytes_read)
{
	view->source = source;
	view->bytes_read = bytes_read;
	view->steps = 0;
	view->steps_max = ELF_VIEW_STEPS_MAX;
	view->fills = 0;
	for (size_t i = 0; i < ELF_VIEW_WINDOWS; i++) {
		view->window[i].size = 0;
		view->window[i].used = 0;
	}
}

static int fill(struct elf_view *view, struct elf_window *window, uint64_t addr, size_t size)
{
	if (view->fills == ELF_VIEW_FILLS_MAX)
		return -1;
	view->fills++;
	*view->bytes_read += size;
	if (view->source.read(view->source.ctx, addr, window->data, size))
		return -1;
	window->addr = addr;
	window->size = size;
	return 0;
}

/* A page that can be read in part only (at the start or the end of a segment in
 * a file, of a buffer): as much as can be had around what is needed, so that
 * the page is not asked for again. */
static int fill_part(struct elf_view *view, struct elf_window *window, uint64_t addr, size_t want)
{
	uint64_t start = addr & ~(uint64_t)(ELF_VIEW_PAGE - 1);
	uint64_t end = start + ELF_VIEW_PAGE;

	if (want > end - addr)
		want = end - addr;
	size_t good = addr - start + want;
	if (fill(view, window, start, good)) {
		start = addr;
		good = want;
		if (fill(view, window, start, good))
			return -1;
	}
	size_t bad = end - start + 1;
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;
		if (fill(view, window, start, middle))
			bad = middle;
		else
			good = middle;
	}
	/* What failed last may have left half of something. */
	return fill(view, window, start, good);
}

static int fill_page(struct elf_view *view, struct elf_window *window, uint64_t addr, size_t want)
{
	uint64_t page = addr & ~(uint64_t)(ELF_VIEW_PAGE - 1);

	return fill(view, window, page, ELF_VIEW_PAGE) ? fill_part(view, window, addr, want) : 0;
}

const uint8_t *elf_view_span(struct elf_view *view, uint64_t addr, size_t want, size_t *size)
{
	struct elf_window *oldest = view->window;

	if (addr > UINT64_MAX - 2 * ELF_VIEW_PAGE || view->steps >= view->steps_max)
		return NULL;
	view->steps++;
	for (size_t i = 0; i < ELF_VIEW_WINDOWS; i++) {
		struct elf_window *window = &view->window[i];
		if (window->size && addr >= window->addr && addr - window->addr < window->size) {
			window->used = view->steps;
			*size = window->size - (addr - window->addr);
			return window->data + (addr - window->addr);
		}
		if (window->used < oldest->used)
			oldest = window;
	}
	oldest->size = 0;
	if (fill_page(view, oldest, addr, want)) {
		oldest->size = 0;
		return NULL;
	}
	oldest->used = view->steps;
	*size = oldest->size - (addr - oldest->addr);
	return oldest->data + (addr - oldest->addr);
}

int elf_view_read(struct elf_view *view, uint64_t addr, void *buf, size_t size)
{
	uint8_t *out = buf;

	while (size) {
		size_t have;
		const uint8_t *bytes = elf_view_span(view, addr, size, &have);
		if (!bytes)
			return -1;
		if (have > size)
			have = size;
		memcpy(out, bytes, have);
		out += have;
		addr += have;
		size -= have;
	}
	return 0;
}

int elf_view_equal(struct elf_view *view, uint64_t addr, const void *bytes, size_t size)
{
	const uint8_t *expected = bytes;

	while (size) {
		size_t have;
		const uint8_t *there = elf_view_span(view, addr, 1, &have);
		if (!there)
			return -1;
		if (have > size)
			have = size;
		if (memcmp(there, expected, have) != 0)
			return 0;
		expected += have;
		addr += have;
		size -= have;
	}
	return 1;
}

int elf_view_text(struct elf_view *view, uint64_t addr, uint64_t limit, char *buf, size_t size)
{
	size_t used = 0;

	if (!size)
		return 0;
	buf[0] = '\0';
	while (used < size - 1 && used < limit) {
		size_t have;
		const uint8_t *there = elf_view_span(view, addr + used, 1, &have);
		if (!there) {
			buf[0] = '\0';
			return -1;
		}
		if (have > size - 1 - used)
			have = size - 1 - used;
		if (have > limit - used)
			have = limit - used;
		size_t length = strnlen((const char *)there, have);
		memcpy(buf + used, there, length);
		used += length;
		buf[used] = '\0';
		if (length < have)
			break;
	}
	return 0;
}
