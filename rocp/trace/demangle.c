/* SPDX-License-Identifier: MIT */
#include <demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/demangle.h"

/* A short name can stand for an endless one: each part may repeat all that is before it. */
struct output {
	jmp_buf too_much;
	char *text;
	size_t used, most;
};

static void put(const char *text, size_t n, void *ctx)
{
	struct output *output = ctx;
	if (n > output->most - output->used)
		longjmp(output->too_much, 1);
	memcpy(output->text + output->used, text, n);
	output->used += n;
}

/* The demangler has limits that fit a small stack and refuse what Composable Kernel is full of.
 * 1: it is a C++ name and stands in output; 0: it is not, or it cannot be told. */
static int demangle(struct output *output, const char *name, size_t length)
{
	int options = DMGL_PARAMS | DMGL_ANSI | (length > DEMANGLE_PLAIN ? DMGL_NO_RECURSE_LIMIT : 0);
	if (setjmp(output->too_much))
		return 0;
	return cplus_demangle_v3_callback(name, options, put, output) && output->used;
}

static const char *no_memory(struct err *err)
{
	err_set(err, ERR_FAILED, 0, "out of memory for the names of kernels");
	return NULL;
}

const char *demangled_name(struct texts *texts, const char *name, struct err *err)
{
	size_t length = strlen(name);
	if (length > 3 && !strcmp(name + length - 3, ".kd"))
		length -= 3;
	const char *plain = texts_keep(texts, name, length, err);
	if (!plain || strncmp(plain, "_Z", 2) || length > DEMANGLE_MOST)
		return plain;
	struct output *output = calloc(1, sizeof *output);
	if (!output)
		return no_memory(err);
	output->most = 32 * length + 1024;
	output->text = malloc(output->most);
	const char *kept = !output->text ? no_memory(err) : !demangle(output, plain, length) ? plain :
		texts_keep(texts, output->text, output->used, err);
	free(output->text);
	free(output);
	return kept;
}

/* The length of text without the bracketed parts and blanks at its end. */
static size_t without_brackets(const char *text, size_t length)
{
	while (length) {
		char last = text[length - 1];
		int first = last == ')' ? '(' : last == '>' ? '<' : last == ']' ? '[' : 0;
		if (last != ' ' && !first)
			break;
		length--;
		for (size_t depth = first ? 1 : 0; depth && length; length--)
			depth += (text[length - 1] == last) - (text[length - 1] == first);
	}
	return length;
}

/* The last word before the arguments, without its templates: what -T shows. */
const char *truncated_name(struct texts *texts, const char *demangled, struct err *err)
{
	size_t end = without_brackets(demangled, strlen(demangled)), begin = end;
	while (begin && demangled[begin - 1] != ' ' && demangled[begin - 1] != ':')
		begin--;
	return begin == end ? demangled : texts_keep(texts, demangled + begin, end - begin, err);
}
