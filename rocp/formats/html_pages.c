/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "elf/xz.h"
#include "rocp/formats/html_text.h"

#define UNPACKED_MAX (4u << 20)

extern const char pages_packed[], pages_packed_end[];

int html_pages_open(struct html_pages *pages, struct err *err)
{
	void *text = NULL;
	size_t size = 0;
	if (xz_unpack(pages_packed, (size_t)(pages_packed_end - pages_packed), UNPACKED_MAX, &text, &size, err) < 0)
		return err_wrap(err, "the text of the page");
	const char *at = text, *end = at + size;
	pages->text = text;
	for (int i = 0; i < PAGE_PARTS; i++) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));
		if (!stop) {
			free(text);
			return err_set(err, ERR_FAILED, 0, "the text of the page is not whole in this roclatch");
		}
		pages->part[i] = (struct html_part){ at, stop };
		at = stop + 1;
	}
	return 0;
}

void html_pages_close(struct html_pages *pages)
{
	free(pages->text);
}
