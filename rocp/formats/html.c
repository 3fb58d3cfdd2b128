/* SPDX-License-Identifier: MIT */
/* BASE_results.html: a page that needs nothing but itself. */
#include "rocp/formats/html_parts.h"

extern const char page_style[], page_style_end[], page_body[], page_body_end[], page_script[], page_script_end[];

static void put_page(const struct page *page, struct file *out)
{
	const struct html_part script = { page_script, page_script_end };
	html_head(out, "roclatch recording", (struct html_part){ page_style, page_style_end }, (struct html_part){ .from = NULL }, script);
	html_part(out, (struct html_part){ page_body, page_body_end });
	page_facts(page, out);
	page_columns(page, out);
	html_foot(out, script);
}

int html_write_most(const struct conversion *conversion, uint64_t most, struct err *err)
{
	struct page page;
	struct file out;
	if (file_create(&out, conversion->base, "_results.html", err) < 0)
		return -1;
	if (page_read(&page, conversion, most, err) < 0) {
		page_free(&page);
		file_abandon(&out);
		return err_wrap(err, "%s", out.path);
	}
	put_page(&page, &out);
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
