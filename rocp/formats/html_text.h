/* SPDX-License-Identifier: MIT */
/* What pages are made of, whatever they show. */
#ifndef ROCLATCH_ROCP_FORMATS_HTML_TEXT_H
#define ROCLATCH_ROCP_FORMATS_HTML_TEXT_H

#include "rocp/formats/file.h"

/* html_text.c: a JSON string that is also safe inside of a script element, of any bytes. */
void html_string(struct file *out, const char *text, size_t most);
void html_base64(struct file *out, const void *data, size_t n);        /* whole */

/* html_hash.c: for the page's Content-Security-Policy. */
void html_sha256(const void *data, size_t n, unsigned char hash[32]);

/* html_head.c: where a page begins and ends.  What it is built of is used as it is: `more` is a second style, or empty. */
struct html_part { const char *from, *to; };
void html_head(struct file *out, const char *title, struct html_part style, struct html_part more, struct html_part script);
void html_part(struct file *out, struct html_part part);
void html_foot(struct file *out, struct html_part script);

/* html_pages.c: what the pages of a recording and of samples are built of; build.mk puts it together. */
enum page_part { PAGE_STYLE, PAGE_BODY, PAGE_SCRIPT, SAMPLES_STYLE, SAMPLES_BODY, SAMPLES_SCRIPT, PAGE_PARTS };
struct html_pages { char *text; struct html_part part[PAGE_PARTS]; };
int html_pages_open(struct html_pages *pages, struct err *err);        /* 0, or -1 with err and nothing to close */
void html_pages_close(struct html_pages *pages);

/* html_column.c: numbers as a script element that no browser runs: base64 of little-endian base-128 numbers, or
 * of words. */
struct column { struct file *out; unsigned char part[3 * 1024]; size_t used; };
struct column column_begin(struct file *out, const char *name);
void column_put(struct column *column, const void *data, size_t n);
void column_number(struct column *column, uint64_t number);
void column_end(struct column *column);

#endif
