/* SPDX-License-Identifier: MIT */
/*
 * rocprofv3's input files as a tree.  JSON, the part of YAML that such files
 * use, and lines of "pmc:".  Sizes and depth are bounded.
 */
#ifndef ROCLATCH_ROCP_INPUT_H
#define ROCLATCH_ROCP_INPUT_H

#include "rocp/arena.h"

#define INPUT_MOST (1 << 20)    /* bytes of a file */
#define INPUT_NODES 65536
#define INPUT_DEPTH 32

enum node_kind { NODE_NULL, NODE_TEXT, NODE_LIST, NODE_MAP };

struct node {
	enum node_kind kind;
	unsigned line;
	const char *key;        /* in a map */
	const char *text;
	struct node *child, *last, *next;
};

/* A text being read; it ends with a NUL at `end`. */
struct input {
	void **arena;
	const char *at, *end;
	unsigned line, nodes, depth;
	bool strict;            /* JSON: no words without quotes, no comments */
};

/* NULL with ERR_USAGE, text "line N: ...". */
struct node *input_json(void **arena, const char *text, size_t size, struct err *err);
struct node *input_yaml(void **arena, const char *text, size_t size, struct err *err);
struct node *input_lines(void **arena, const char *text, size_t size, struct err *err);

/* The parts that the parsers share. */
int input_wrong(const struct input *input, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct node *node_new(struct input *input, enum node_kind kind, struct err *err);
/* A key that is there already is an error. */
int node_add(struct input *input, struct node *parent, struct node *child, struct err *err);
/* A list, a map, or a word in quotes, over as many lines as it takes; input->at is at its first character. */
struct node *input_flow(struct input *input, struct err *err);
char *input_quoted(struct input *input, struct err *err);
/* A word without quotes: NODE_NULL if it means nothing. */
struct node *input_word(struct input *input, const char *word, size_t length, struct err *err);

#endif
