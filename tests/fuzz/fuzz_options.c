/* SPDX-License-Identifier: MIT */
/* Any words as the command line of one of the commands (the first byte says which), then as keys that are pressed. */
#include <stdlib.h>
#include <string.h>

#include "bin/command.h"
#include "bin/keys.h"

#define WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct option_group *const tables[] = {
	options_general, options_call, options_check, options_detach, options_list, options_threads, options_stack,
	options_sample, options_top, options_symbolize, options_wait,
};

static void check_number(const char *text)
{
	uint64_t value;
	char *end;
	int base = text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
	if (options_number(text, &value) && (strtoull(text, &end, base) != value || *end))
		abort();
}

static void parse(const struct option_group *groups, int argc, char **argv)
{
	struct settings settings = { 0 };
	struct err err = { .code = ERR_NONE };
	char *words[WORDS + 1];
	memcpy(words, argv, sizeof words);
	int first = options_first_operand(groups, argc, words, &err);
	if (first > argc || (first < 0 && err.code != ERR_USAGE))
		abort();
	err.code = ERR_NONE;
	int n = options_parse(groups, &settings, argc, words, &err);
	if (n > argc || (n < 0 && (err.code != ERR_USAGE || !err.text[0])))
		abort();
	if (n < 0)
		return;
	if (settings.debug_dirs.n > OPTION_LIST_MAX || settings.pid > PID_HIGHEST || settings.thread > PID_HIGHEST)
		abort();
	/* operands are words of the command line, in their order */
	for (int i = 0, at = 0; i < n; i++, at++) {
		while (at < argc && argv[at] != words[i])
			at++;
		if (at == argc)
			abort();
	}
}

static void press(const uint8_t *data, size_t size)
{
	struct keys keys = { .n = 0 };
	for (size_t at = 0; at < size; at += 7) {
		keys_put(&keys, data + at, size - at < 7 ? size - at : 7);
		while (keys_next(&keys, data[at] & 1) != KEY_NONE)
			if (keys.n > sizeof keys.bytes)
				abort();
	}
	while (keys_next(&keys, true) != KEY_NONE)
		;
	if (keys.n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS + 1] = { NULL };
	int argc = 0;
	if (!size)
		return 0;
	press(data + 1, size - 1);
	if (memchr(data + 1, '\0', size - 1))
		return 0;
	char *text = strndup((const char *)data + 1, size - 1);
	if (!text)
		abort();
	for (char *rest = text; rest && argc < WORDS;)
		argv[argc++] = strsep(&rest, "\n");
	for (int i = 0; i < argc; i++)
		check_number(argv[i]);
	parse(tables[data[0] % (sizeof tables / sizeof *tables)], argc, argv);
	free(text);
	return 0;
}
