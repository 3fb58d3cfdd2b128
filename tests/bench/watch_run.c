/* SPDX-License-Identifier: MIT */
/* The tools, and what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

const char *roclatch;

void tools_find(struct tool *tools, unsigned n)
{
	for (struct tool *tool = tools; tool < tools + n; tool++) {
		const char *words[PROGRAM_WORDS];
		unsigned k;

		if (!tool->argv[0] || tool->there)
			continue;
		k = program_find(strcmp(tool->argv[0], "roclatch") ? tool->argv[0] : roclatch, words);
		tool->there = k > 0;
		if (!k) {
			printf("%s is not installed\n", tool->argv[0]);
			continue;
		}
		memmove(tool->argv + k, tool->argv + 1, (TOOL_WORDS - PROGRAM_WORDS) * sizeof *tool->argv);
		memcpy(tool->argv, words, k * sizeof *words);
	}
}

pid_t tool_begin(const struct tool *tool, pid_t target, int *out)
{
	const char *argv[TOOL_WORDS];
	char number[16];

	snprintf(number, sizeof number, "%d", (int)target);
	for (unsigned i = 0; i < TOOL_WORDS; i++)
		argv[i] = tool->argv[i] && !strcmp(tool->argv[i], TOOL_PID) ? number : tool->argv[i];
	return program_begin(argv, out);
}

bool tool_run(const struct tool *tool, pid_t target, struct ran *ran)
{
	uint64_t begun = clock_ns();
	int out;
	pid_t pid = tool_begin(tool, target, &out);
	bool worked = program_finish(pid, out, ran);

	ran->wall_ms = (double)(clock_ns() - begun) / 1e6;
	return worked;
}

double said_number(const char *said, const char *key)
{
	const char *at = strstr(said, key);

	return at ? strtod(at + strlen(key), NULL) : -1;
}
