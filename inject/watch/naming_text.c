/* SPDX-License-Identifier: MIT */
/* A place of code as a text: for people, and to be found again by roclatch symbolize. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inject/watch/naming.h"

struct text {
	char *at;
	size_t left;
};

static void put(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text->at, text->left, fmt, ap);
	va_end(ap);
	size_t step = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left - 1;
	text->at += step;
	text->left -= step;
}

/* C0, DEL, and C1, which is c2 80 to c2 9f in UTF-8. */
static bool is_control(const unsigned char *at)
{
	return *at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

static void put_function(struct text *text, const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
		if (!is_control(at))
			put(text, "%c", *at);
		else if (*at != 0xc2)
			put(text, "\\x%02x", *at);
		else
			put(text, "\\xc2\\x%02x", *++at);
	}
}

/* In folded lines, JSON and HTML alike the name stays one word that nothing needs to escape. */
static void put_module(struct text *text, const char *name)
{
	bool ours = !strcmp(name, "[vdso]");
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		put(text, ours || naming_is_word(*at) ? "%c" : "\\x%02x", *at);
}

bool naming_is_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("._+-@~%", c));
}

void naming_text(const struct frame_name *name, bool with_offset, char *text, size_t size)
{
	struct text to = { text, size };
	if (!size)
		return;
	*text = '\0';
	if (name->function) {
		put_function(&to, name->function);
		if (with_offset)
			put(&to, "+0x%llx", (unsigned long long)name->offset);
		return;
	}
	put_module(&to, name->module);
	put(&to, "%s0x%llx", name->module[0] ? "+" : "", (unsigned long long)name->vaddr);
	if (name->module[0] && name->build_id[0])
		put(&to, "[%s]", name->build_id);
}
