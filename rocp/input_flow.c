/* SPDX-License-Identifier: MIT */
/* JSON, and what YAML writes the same way: [a, b], {a: b}, "a". */
#include <stdarg.h>
#include <string.h>

#include "rocp/input.h"

int input_wrong(const struct input *input, struct err *err, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_USAGE, 0, "line %u: %s", input->line, text);
}

struct node *node_new(struct input *input, enum node_kind kind, struct err *err)
{
	if (++input->nodes > INPUT_NODES) {
		input_wrong(input, err, "too many values");
		return NULL;
	}
	struct node *node = arena_take(input->arena, sizeof *node, err);
	if (node) {
		node->kind = kind;
		node->line = input->line;
	}
	return node;
}

int node_add(struct input *input, struct node *parent, struct node *child, struct err *err)
{
	unsigned keys = 0;      /* bounded, so that many of them do not take long */
	for (const struct node *there = parent->child; child->key && there; there = there->next) {
		if (!strcmp(there->key, child->key))
			return err_set(err, ERR_USAGE, 0, "line %u: '%.60s' is there twice", child->line, child->key);
		if (++keys > 512)
			return input_wrong(input, err, "too many keys");
	}
	if (parent->last)
		parent->last->next = child;
	else
		parent->child = child;
	parent->last = child;
	return 0;
}

/* Blanks, ends of lines and, in YAML, comments. */
static void skip(struct input *input)
{
	for (; input->at < input->end; input->at++) {
		char c = *input->at;
		if (c == '\n')
			input->line++;
		else if (c == '#' && !input->strict)
			while (input->at + 1 < input->end && input->at[1] != '\n')
				input->at++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

static int hex4(const char *at, const char *end, unsigned *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		char c = (char)(at + i < end ? at[i] : '\0');
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ?
			(unsigned)((c | 0x20) - 'a' + 10) : 16;
		if (digit > 15)
			return -1;
		*code = *code << 4 | digit;
	}
	return 0;
}

/* The character behind a backslash; what it stands for goes to *to. */
static int escaped(struct input *input, char **to, struct err *err)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char c = (char)(input->at < input->end ? *input->at++ : '\0');
	const char *known = c ? strchr(names, c) : NULL;
	unsigned code;
	if (known) {
		*(*to)++ = values[known - names];
		return 0;
	}
	if (c != 'u' || hex4(input->at, input->end, &code) < 0 || !code || (code >= 0xd800 && code < 0xe000))
		return input_wrong(input, err, "a backslash and what follows it are not understood");
	input->at += 4;
	if (code < 0x80) {
		*(*to)++ = (char)code;
	} else if (code < 0x800) {
		*(*to)++ = (char)(0xc0 | code >> 6);
		*(*to)++ = (char)(0x80 | (code & 0x3f));
	} else {
		*(*to)++ = (char)(0xe0 | code >> 12);
		*(*to)++ = (char)(0x80 | (code >> 6 & 0x3f));
		*(*to)++ = (char)(0x80 | (code & 0x3f));
	}
	return 0;
}

char *input_quoted(struct input *input, struct err *err)
{
	char quote = *input->at++;
	const char *close = input->at;
	for (; close < input->end && *close != '\n'; close++) {
		if ((*close == '\\' && quote == '"' && close + 1 < input->end) ||
		    (*close == quote && quote == '\'' && close[1] == '\''))
			close++;
		else if (*close == quote)
			break;
	}
	/* No escape is shorter than what it stands for. */
	size_t most = (size_t)(close - input->at);
	char *text = arena_take(input->arena, most + 1, err), *to = text;
	if (!text)
		return NULL;
	while (input->at < input->end && *input->at != '\n') {
		char c = *input->at++;
		if (c == quote) {
			if (quote != '\'' || *input->at != '\'')
				return text;
			input->at++;
		} else if (c == '\\' && quote == '"') {
			if (escaped(input, &to, err) < 0)
				return NULL;
			continue;
		}
		*to++ = c;
	}
	input_wrong(input, err, "the quotation does not end on its line");
	return NULL;
}

struct node *input_word(struct input *input, const char *word, size_t length, struct err *err)
{
	bool nothing = !length || (length == 1 && *word == '~') || (length == 4 && !memcmp(word, "null", 4));
	struct node *node = node_new(input, nothing ? NODE_NULL : NODE_TEXT, err);
	if (node && !nothing && !(node->text = arena_text(input->arena, word, length, err)))
		return NULL;
	return node;
}

static size_t flow_word_length(const struct input *input)
{
	const char *at = input->at;
	while (at < input->end && !strchr(",[]{}\n", *at) && !(*at == ':' && (at + 1 == input->end || strchr(" ,]}\n", at[1]))) &&
	       !(*at == '#' && at > input->at && (at[-1] == ' ' || at[-1] == '\t')))
		at++;
	size_t length = (size_t)(at - input->at);
	while (length && strchr(" \t\r", input->at[length - 1]))
		length--;
	return length;
}

/* JSON has numbers, true, false and null. */
static bool is_json_word(const char *word, size_t length)
{
	if ((length == 4 && (!memcmp(word, "true", 4) || !memcmp(word, "null", 4))) || (length == 5 && !memcmp(word, "false", 5)))
		return true;
	for (size_t i = 0; i < length; i++)
		if (!strchr("+-.0123456789eE", word[i]))
			return false;
	return length && strchr("-0123456789", word[0]);
}

static struct node *flow_word(struct input *input, struct err *err)
{
	size_t length = flow_word_length(input);
	if (!length || (input->strict && !is_json_word(input->at, length)) || (!input->strict && strchr("&*!|>%@`", *input->at))) {
		input_wrong(input, err, length ? "'%.*s' is not understood here" : "a value is missing%.*s",
			    (int)(length < 60 ? length : 60), input->at);
		return NULL;
	}
	struct node *node = input_word(input, input->at, length, err);
	input->at += length;
	return node;
}

static struct node *flow_key(struct input *input, struct err *err)
{
	const char *key = NULL;
	if (*input->at == '"' || (*input->at == '\'' && !input->strict)) {
		key = input_quoted(input, err);
	} else {
		size_t length = input->strict ? 0 : flow_word_length(input);
		if (!length) {
			input_wrong(input, err, "a key is missing");
			return NULL;
		}
		key = arena_text(input->arena, input->at, length, err);
		input->at += length;
	}
	if (!key)
		return NULL;
	skip(input);
	if (*input->at != ':') {
		input_wrong(input, err, "there is no ':' behind the key '%.60s'", key);
		return NULL;
	}
	input->at++;
	skip(input);
	struct node *node = input_flow(input, err);
	if (node)
		node->key = key;
	return node;
}

static struct node *flow_collection(struct input *input, struct err *err)
{
	bool map = *input->at++ == '{';
	char close = map ? '}' : ']';
	struct node *node = node_new(input, map ? NODE_MAP : NODE_LIST, err);
	if (!node)
		return NULL;
	for (bool first = true;; first = false) {
		skip(input);
		if (*input->at == close && (first || !input->strict))
			break;
		struct node *child = map ? flow_key(input, err) : input_flow(input, err);
		if (!child || node_add(input, node, child, err) < 0)
			return NULL;
		skip(input);
		if (*input->at == close)
			break;
		if (*input->at != ',') {
			input_wrong(input, err, "',' or '%c' is missing", close);
			return NULL;
		}
		input->at++;
	}
	input->at++;
	return node;
}

struct node *input_flow(struct input *input, struct err *err)
{
	struct node *node = NULL;
	char c = *input->at;
	if (++input->depth > INPUT_DEPTH) {
		input_wrong(input, err, "too deep");
	} else if (c == '[' || c == '{') {
		node = flow_collection(input, err);
	} else if (c == '"' || (c == '\'' && !input->strict)) {
		node = node_new(input, NODE_TEXT, err);
		if (node && !(node->text = input_quoted(input, err)))
			node = NULL;
	} else {
		node = flow_word(input, err);
	}
	input->depth--;
	return node;
}

struct node *input_json(void **arena, const char *text, size_t size, struct err *err)
{
	struct input input = { .arena = arena, .at = text, .end = text + size, .line = 1, .strict = true };
	skip(&input);
	struct node *node = input_flow(&input, err);
	skip(&input);
	if (node && input.at < input.end) {
		input_wrong(&input, err, "there is more behind the end");
		return NULL;
	}
	return node;
}
