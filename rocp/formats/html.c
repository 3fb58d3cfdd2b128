/* SPDX-License-Identifier: MIT */
/* BASE_results.html: a page that needs nothing but itself. */
#include "rocp/formats/html_parts.h"

static void put_page(const struct page *page, const struct html_part part[PAGE_PARTS], struct file *out)
{
	html_head(out, "roclatch recording", part[PAGE_STYLE], (struct html_part){ .from = NULL }, part[PAGE_SCRIPT]);
	html_part(out, part[PAGE_BODY]);
	page_facts(page, out);
	page_columns(page, out);
	html_foot(out, part[PAGE_SCRIPT]);
}

int html_write_most(const struct conversion *conversion, uint64_t most, struct err *err)
{
	struct html_pages pages;
	struct page page;
	struct file out;
	if (file_create(&out, conversion->base, "_results.html", err) < 0)
		return -1;
	if (page_read(&page, conversion, most, err) < 0 || html_pages_open(&pages, err) < 0) {
		page_free(&page);
		file_abandon(&out);
		return err_wrap(err, "%s", out.path);
	}
	put_page(&page, pages.part, &out);
	html_pages_close(&pages);
	page_free(&page);
	uint64_t bytes = out.written;
	if (file_finish(&out, err) < 0)
		return -1;
	if (conversion->progress)
		conversion->progress(conversion->ctx, "html", 1);
	if (conversion->wrote)
		conversion->wrote(conversion->ctx, out.path, bytes);
	return 0;
}

int html_write(const struct conversion *conversion, struct err *err)
{
	return html_write_most(conversion, HTML_EVENTS_MOST, err);
}
