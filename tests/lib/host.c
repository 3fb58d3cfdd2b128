// SPDX-License-Identifier: MIT
#include "host.h"

#include <stdio.h>
#include <string.h>

void worked(const char *file, int line, const char *what, long answer, const struct roclatch_error *error)
{
	if (answer < 0)
		fail("%s:%d: %s: %s (status %d)", file, line, what, error->text, error->status);
	else if (error->status || error->text[0])
		fail("%s:%d: %s worked and says: %s", file, line, what, error->text);
}

void failed_with(const char *file, int line, const char *what, int expected, long answer, const struct roclatch_error *error)
{
	if (answer >= 0)
		fail("%s:%d: %s did not fail", file, line, what);
	else if (error->status != expected || !error->text[0])
		fail("%s:%d: %s: status %d and not %d: %s", file, line, what, error->status, expected, error->text);
}

static struct app start(char *argument)
{
	char program[] = "./watched", *argv[] = { program, argument, NULL }, *variables[] = { NULL };

	return program_start(is_for_musl() ? "root-musl" : "root-bookworm", argv, variables);
}

struct app watched_start(void)
{
	return start(NULL);
}

struct app watched_start_to_exec(void)
{
	char once[] = "once";

	return start(once);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	fixtures = argv[2];
	report_begin(argv[3], argc > 4 ? argv[4] : NULL);
	test_list();
	test_check();
	test_attachment();
	test_sampler();
	test_sampler_ends();
	test_sampler_threads();
	test_frames();
	test_ring();
	return report_end();
}
