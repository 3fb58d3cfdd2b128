/* SPDX-License-Identifier: MIT */
/* BASE_results.html: a page that needs nothing but itself. */
#include "rocp/formats/html_parts.h"

extern const char page_style[], page_style_end[], page_body[], page_body_end[], page_script[], page_script_end[];

static void put_hash(struct file *out, const char *from, const char *to)
{
	unsigned char hash[32];
	html_sha256(from, (size_t)(to - from), hash);
	file_text(out, "'sha256-");
	html_base64(out, hash, sizeof hash);
	file_text(out, "'");
}

/* Nothing may be fetched, and only the style and the script that were built into roclatch are used,
 * whatever a recording's names may contain. */
static void put_head(struct file *out)
{
	file_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		  "style-src ");
	put_hash(out, page_style, page_style_end);
	file_text(out, "; script-src ");
	put_hash(out, page_script, page_script_end);
	file_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
		  "<title>roclatch recording</title>\n<style>");
	file_put(out, page_style, (size_t)(page_style_end - page_style));
	file_text(out, "</style>\n</head>\n");
}

static void put_page(const struct page *page, struct file *out)
{
	put_head(out);
	file_put(out, page_body, (size_t)(page_body_end - page_body));
	page_facts(page, out);
	page_columns(page, out);
	file_text(out, "<script>");
	file_put(out, page_script, (size_t)(page_script_end - page_script));
	file_text(out, "</script>\n</body>\n</html>\n");
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
