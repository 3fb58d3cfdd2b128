/* SPDX-License-Identifier: MIT */
/* Block mappings and lists by indentation, with what input_flow.c reads as values. */
#include <string.h>

#include "rocp/input.h"

static struct node *block(struct input *input, size_t indent, struct err *err);

static bool is_item(const char *at)
{
	return at[0] == '-' && strchr(" \r\n", at[1]);
}

/* To the next line that says something; its indentation, -1 at the end, or -2 with an error. */
static long next_line(struct input *input, struct err *err)
{
	while (input->at < input->end) {
		size_t blanks = strspn(input->at, " ");
		const char *first = input->at + blanks;
		size_t length = strcspn(first, "\n");
		if (*first == '\t') {
			input_wrong(input, err, "a tab indents here; YAML takes blanks only");
			return -2;
		}
		bool marker = !blanks && !strncmp(first, "---", 3) && strspn(first + 3, " \t\r") == length - 3;
		if (length && *first != '#' && *first != '\r' && !marker) {
			return (long)blanks;
		}
		input->at = first + length + (first[length] == '\n');
		input->line += first[length] == '\n';
	}
	return -1;
}

/* Behind a value there may be blanks and a comment. */
static int end_line(struct input *input, struct err *err)
{
	size_t blanks = strspn(input->at, " \t\r");
	const char *at = input->at + blanks;
	if (*at == '#' && blanks)
		at += strcspn(at, "\n");
	size_t rest = strcspn(at, "\r\n");
	if (at < input->end && *at != '\n')
		return input_wrong(input, err, "'%.*s' is not understood behind the value", rest > 40 ? 40 : (int)rest, at);
	input->line += at < input->end;
	input->at = at < input->end ? at + 1 : at;
	return 0;
}

/* A word without quotes ends with its line or before a comment. */
static size_t plain_length(const char *at)
{
	size_t length = 0;
	while (at[length] && at[length] != '\n' &&
	       !(at[length] == '#' && length && (at[length - 1] == ' ' || at[length - 1] == '\t')))
		length++;
	while (length && strchr(" \t\r", at[length - 1]))
		length--;
	return length;
}

static struct node *value(struct input *input, struct err *err)
{
	struct node *node;
	if (strchr("[{\"'", *input->at)) {
		node = input_flow(input, err);
	} else if (strchr("&*!|>%@`", *input->at)) {
		input_wrong(input, err, "'%c' begins something that is not understood in input files", *input->at);
		return NULL;
	} else {
		size_t length = plain_length(input->at);
		node = input_word(input, input->at, length, err);
		input->at += length;
	}
	return node && end_line(input, err) == 0 ? node : NULL;
}

/* What stands behind "key:" or "-" on its own lines; nothing is nothing. */
static struct node *below(struct input *input, size_t indent, bool lists_too, struct err *err)
{
	if (end_line(input, err) < 0)
		return NULL;
	long next = next_line(input, err);
	if (next == -2)
		return NULL;
	bool list = next >= 0 && is_item(input->at + next);
	if (next > (long)indent || (next == (long)indent && list && lists_too)) {
		input->at += next;
		return block(input, (size_t)next, err);
	}
	return node_new(input, NODE_NULL, err);
}

/* "key:" at input->at; NULL without an error if there is none. */
static char *key(struct input *input, struct err *err)
{
	const char *at = input->at;
	char *text;
	if (*at == '"' || *at == '\'') {
		text = input_quoted(input, err);
		if (!text)
			return NULL;
		input->at += strspn(input->at, " ");
	} else {
		size_t length = strcspn(at, ":#\n[]{},");
		text = arena_text(input->arena, at, length, err);
		input->at += length;
		for (size_t end = length; text && end && text[end - 1] == ' '; end--)
			text[end - 1] = '\0';
	}
	if (!text || !*text || *input->at != ':' || (input->at[1] && !strchr(" \t\r\n", input->at[1]))) {
		input->at = at;
		return NULL;
	}
	input->at++;
	return text;
}

static struct node *after_key(struct input *input, size_t indent, struct err *err)
{
	size_t blanks = strspn(input->at, " \t");
	char first = input->at[blanks];
	if (!first || first == '\n' || first == '\r' || (first == '#' && blanks))
		return below(input, indent, true, err);
	input->at += blanks;
	return value(input, err);
}

static struct node *map(struct input *input, size_t indent, struct err *err)
{
	struct node *node = node_new(input, NODE_MAP, err);
	while (node) {
		unsigned line = input->line;
		if (err)
			err->code = ERR_NONE;
		char *name = key(input, err);
		if (!name) {
			input_wrong(input, err, "'key: value' is expected");
			return NULL;
		}
		struct node *child = after_key(input, indent, err);
		if (!child)
			return NULL;
		child->key = name;
		child->line = line;
		if (node_add(input, node, child, err) < 0)
			return NULL;
		long next = next_line(input, err);
		if (next == -2)
			return NULL;
		if (next < (long)indent)
			break;
		if (next > (long)indent) {
			input_wrong(input, err, "this line is indented more than its mapping");
			return NULL;
		}
		input->at += indent;
	}
	return node;
}

/* Behind "- ": a mapping that begins on this line, or a value. */
static struct node *item(struct input *input, size_t indent, struct err *err)
{
	size_t blanks = strspn(input->at, " ");
	char first = input->at[blanks];
	if (!first || first == '\n' || first == '\r' || first == '#')
		return below(input, indent, false, err);
	input->at += blanks;
	const char *at = input->at;
	struct err ignored;
	if (*at != '[' && *at != '{') {
		bool is_key = key(input, &ignored) != NULL;
		bool is_list = *at == '-' && at[1] == ' ';
		input->at = at;
		if (is_key || is_list)
			return block(input, indent + 1 + blanks, err);
	}
	return value(input, err);
}

static struct node *list(struct input *input, size_t indent, struct err *err)
{
	struct node *node = node_new(input, NODE_LIST, err);
	while (node) {
		input->at++;
		struct node *child = item(input, indent, err);
		if (!child || node_add(input, node, child, err) < 0)
			return NULL;
		long next = next_line(input, err);
		if (next == -2)
			return NULL;
		if (next < (long)indent)
			break;
		if (next > (long)indent) {
			input_wrong(input, err, "this line is indented more than its list");
			return NULL;
		}
		/* "key:" and its list may stand at the same column. */
		if (!is_item(input->at + indent))
			break;
		input->at += indent;
	}
	return node;
}

static struct node *block(struct input *input, size_t indent, struct err *err)
{
	struct node *node = NULL;
	if (++input->depth > INPUT_DEPTH)
		input_wrong(input, err, "too deep");
	else if (is_item(input->at))
		node = list(input, indent, err);
	else if (input->at[0] == '{' || input->at[0] == '[')
		node = value(input, err);
	else
		node = map(input, indent, err);
	input->depth--;
	return node;
}

struct node *input_yaml(void **arena, const char *text, size_t size, struct err *err)
{
	struct input input = { .arena = arena, .at = text, .end = text + size, .line = 1 };
	long indent = next_line(&input, err);
	if (indent == -2)
		return NULL;
	if (indent < 0) {
		input_wrong(&input, err, "the file says nothing");
		return NULL;
	}
	input.at += indent;
	struct node *node = block(&input, (size_t)indent, err);
	long more = node ? next_line(&input, err) : -1;
	if (more == -2)
		return NULL;
	if (more >= 0 && strncmp(input.at + more, "...", 3)) {
		input_wrong(&input, err, "this line belongs to nothing above");
		return NULL;
	}
	return node;
}
