/* SPDX-License-Identifier: MIT */
#include "rocp/formats/html_text.h"

static void put_hash(struct file *out, struct html_part part)
{
	unsigned char hash[32];
	html_sha256(part.from, (size_t)(part.to - part.from), hash);
	file_text(out, " 'sha256-");
	html_base64(out, hash, sizeof hash);
	file_text(out, "'");
}

static void put_style(struct file *out, struct html_part style)
{
	file_text(out, "<style>");
	html_part(out, style);
	file_text(out, "</style>\n");
}

void html_part(struct file *out, struct html_part part)
{
	file_put(out, part.from, (size_t)(part.to - part.from));
}

/* Nothing may be fetched, and only the styles and the script that were built into roclatch are used,
 * whatever the names of a process may contain. */
void html_head(struct file *out, const char *title, struct html_part style, struct html_part more, struct html_part script)
{
	file_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		  "style-src");
	put_hash(out, style);
	if (more.from)
		put_hash(out, more);
	file_text(out, "; script-src");
	put_hash(out, script);
	file_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	file_text(out, title);
	file_text(out, "</title>\n");
	put_style(out, style);
	if (more.from)
		put_style(out, more);
	file_text(out, "</head>\n");
}

void html_foot(struct file *out, struct html_part script)
{
	file_text(out, "<script>");
	html_part(out, script);
	file_text(out, "</script>\n</body>\n</html>\n");
}
