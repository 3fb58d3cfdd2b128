/* SPDX-License-Identifier: MIT */
/* The text with its addresses, read and written in one stream. */
#include "rocp/formats/symbolize.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/call.h"
#include "inject/watch/naming.h"
#include "rocp/formats/utf8.h"

#define WINDOW (256u << 10)
#define DIGITS_MAX 16
#define ID_MAX (2 * ELF_BUILD_ID_MAX)
#define BEHIND_MAX (3 + DIGITS_MAX + 1 + ID_MAX + 1)    /* "+0x1a2b[BUILDID]" */
#define NAME_MAX_ESCAPED 2304                           /* 255 bytes, each as \u005cxNN at worst */

struct token {
	size_t start, end;      /* in the window */
	uint64_t vaddr;
	char id[ID_MAX + 1];
};

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);
	return length >= n && !strcasecmp(path + length - n, ending);
}

bool symbolize_is_escaped(const char *path, const char *text, size_t size)
{
	if (ends_with(path, ".json") || ends_with(path, ".html") || ends_with(path, ".htm"))
		return true;
	if (ends_with(path, ".folded") || ends_with(path, ".txt"))
		return false;
	size_t at = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (at < size && isspace((unsigned char)text[at]))
		at++;
	if (at < size && (text[at] == '{' || text[at] == '<'))
		return true;
	if (at == size || text[at] != '[')
		return false;
	do
		at++;
	while (at < size && isspace((unsigned char)text[at]));
	return at < size && strchr("[{\"", text[at]);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* What comes before the '+' at `plus`: a word, in which what is no word is \xNN. */
static size_t name_start(const char *text, size_t from, size_t plus)
{
	size_t at = plus;
	if (plus - from >= 6 && !memcmp(text + plus - 6, "[vdso]", 6))
		return plus - 6;
	while (at > from && plus - at < NAME_MAX_ESCAPED && (naming_is_word((unsigned char)text[at - 1]) || text[at - 1] == '\\'))
		at--;
	return at;
}

/* Is there one whose '+' is at `plus`, and that begins at `from` or behind? */
static bool read_token(const char *text, size_t from, size_t plus, size_t size, struct token *token)
{
	size_t at = plus + 1, digits, id;
	if (size - plus < 3 || text[at] != '0' || text[at + 1] != 'x')
		return false;
	token->vaddr = 0;
	for (at += 2, digits = 0; at < size && is_hex(text[at]) && digits <= DIGITS_MAX; at++, digits++)
		token->vaddr = token->vaddr << 4 | (uint64_t)(text[at] <= '9' ? text[at] - '0' : text[at] - 'a' + 10);
	if (!digits || digits > DIGITS_MAX || at == size || text[at] != '[')
		return false;
	for (at++, id = 0; at < size && is_hex(text[at]) && id < ID_MAX; at++)
		token->id[id++] = text[at];
	token->id[id] = '\0';
	if (id < 4 || id % 2 || at == size || text[at] != ']')
		return false;
	token->end = at + 1;
	token->start = name_start(text, from, plus);
	return token->start < plus;
}

/* As a part of a string in JSON, which may stand in a script of HTML; or of a folded line, where ';' has
 * a meaning.  No control characters. */
static void put_name(struct file *to, const char *name, bool escaped)
{
	const unsigned char *at = (const unsigned char *)name;
	size_t left = strlen(name), skip;
	while (left) {
		size_t length = utf8_length(at, left, &skip), step = length ? length : skip;
		bool control = (length == 1 && (*at < ' ' || *at == 0x7f)) || (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
		if (escaped && !length)
			file_text(to, "\\ufffd");
		else if (escaped && length == 1 && (control || strchr("\"\\<>&", *at)))
			file_format(to, "\\u%04x", *at);
		else if (!escaped && *at == ';')
			file_put(to, ":", 1);
		else if (!escaped && (!length || control))
			for (size_t i = 0; i < step; i++)
				file_format(to, "\\x%02x", at[i]);
		else
			file_put(to, at, step);
		at += step;
		left -= step;
	}
}

/* Write what is sure of the window; *done bytes of it are. */
static int rewrite(struct symbolizer *s, const char *text, size_t size, bool last, struct file *to, size_t *done, struct err *err)
{
	size_t written = 0, sure = last ? size : size - BEHIND_MAX;
	for (const char *plus = text; plus < text + sure && (plus = memchr(plus, '+', (size_t)(text + sure - plus))); plus++) {
		struct token token;
		const char *name;
		if (!read_token(text, written, (size_t)(plus - text), size, &token))
			continue;
		if (symbolize_name(s, token.id, token.vaddr, &name, err) < 0)
			return -1;
		file_put(to, text + written, token.start - written);
		if (name)
			put_name(to, name, s->escaped);
		else
			file_put(to, text + token.start, token.end - token.start);
		written = token.end;
		plus = text + token.end - 1;
	}
	size_t keep = last ? 0 : NAME_MAX_ESCAPED;
	if (sure > keep && sure - keep > written) {
		file_put(to, text + written, sure - keep - written);
		written = sure - keep;
	}
	*done = written;
	return 0;
}

/* Fill the window; *last: there is no more. */
static int fill(int fd, const char *path, char *text, size_t *size, bool *last, struct err *err)
{
	while (*size < WINDOW) {
		ssize_t n = call_stop_signal ? 0 : read(fd, text + *size, WINDOW - *size);
		if (call_stop_signal)   /* also one that came while nothing was read */
			return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by signal %d", call_stop_signal);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_FAILED, errno, "read %s", path);
		*size += (size_t)n;
		*last = n == 0;
		if (*last)
			break;
	}
	return 0;
}

static int check_text(const char *path, const char *text, size_t size, struct err *err)
{
	const char *nul = memchr(text, '\0', size);
	if (!nul)
		return 0;
	err_set(err, ERR_FAILED, 0, "%s is not a text (a NUL at byte %zu)", path, (size_t)(nul - text));
	return err_remedy(err, "give a file that roclatch sample wrote as text, json, folded, speedscope or html");
}

int symbolize(struct symbolizer *s, int fd, const char *path, struct file *to, struct err *err)
{
	char *text = malloc(WINDOW);
	size_t size = 0, done = 0;
	bool last = false, first = true;
	int rc = text ? 0 : err_set(err, ERR_FAILED, ENOMEM, "read %s", path);
	while (!rc && !last && !to->sys) {
		rc = fill(fd, path, text, &size, &last, err);
		if (!rc && first) {
			rc = check_text(path, text, size, err);
			s->escaped = symbolize_is_escaped(path, text, size);
			first = false;
		}
		if (!rc)
			rc = rewrite(s, text, size, last, to, &done, err);
		if (!rc) {
			memmove(text, text + done, size - done);
			size -= done;
		}
	}
	free(text);
	return rc;
}
