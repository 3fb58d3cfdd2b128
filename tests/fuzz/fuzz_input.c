/* SPDX-License-Identifier: MIT */
/* Any text as an input file of each kind, read by the parsers alone and as -i reads it; then as words of a command line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/input.h"
#include "rocp/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every node is where it belongs, and there is an end. */
static unsigned walk(const struct node *node, bool keyed, unsigned depth)
{
	unsigned n = 1;
	if (depth > INPUT_DEPTH + 2 || keyed != (node->key != NULL) || (node->kind == NODE_TEXT) != (node->text != NULL))
		abort();
	for (const struct node *child = node->child; child; child = child->next)
		n += walk(child, node->kind == NODE_MAP, depth + 1);
	return n;
}

static void parse(struct node *(*parser)(void **, const char *, size_t, struct err *), const char *text, size_t size)
{
	void *arena = NULL;
	struct err err = { .code = ERR_NONE };
	struct node *node = parser(&arena, text, size, &err);
	if (!node && (err.code == ERR_NONE || !err.text[0]))
		abort();
	if (node && walk(node, false, 0) > INPUT_NODES)
		abort();
	arena_free(&arena);
}

static void ask(int argc, char **argv)
{
	struct request request;
	struct err err = { .code = ERR_NONE };
	int rc = request_read(&request, STYLE_ROCPROFV3, argc, argv, NULL, false, &err);
	if (rc < 0 && (err.code == ERR_NONE || !err.text[0]))
		abort();
	if (rc == 0 && !request.help && !request.version && !request.list_avail && !request.pids && !request.name && !request.all)
		abort();
	request_free(&request);
}

static void ask_with_file(const char *ending, const char *text, size_t size)
{
	static char path[64], pid[] = "-p42", option[] = "-i";
	char *argv[] = { pid, option, path, NULL };
	snprintf(path, sizeof path, "/tmp/fuzz-input-%d%s", (int)getpid(), ending);
	FILE *file = fopen(path, "w");
	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		abort();
	ask(3, argv);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char pid[] = "-p42";
	char *argv[66] = { pid };
	int argc = 1;
	if (size > 65536 || memchr(data, '\0', size))
		return 0;
	char *text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	parse(input_json, text, size);
	parse(input_yaml, text, size);
	parse(input_lines, text, size);
	/* Folders to search and files to read are not for a fuzzer to name. */
	if (!strstr(text, "att_") && !strstr(text, "extra")) {
		ask_with_file(".json", text, size);
		ask_with_file(".yaml", text, size);
		ask_with_file(".txt", text, size);
	}
	if (!strstr(text, "-i") && !strstr(text, "-E") && !strstr(text, "att") && !strstr(text, "extra") && !strstr(text, "input"))
		for (char *word = strtok(text, "\n"); word && argc < 65; word = strtok(NULL, "\n"))
			argv[argc++] = word;
	ask(argc, argv);
	free(text);
	return 0;
}
