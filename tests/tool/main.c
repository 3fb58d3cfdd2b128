/* SPDX-License-Identifier: MIT */
/* tool [--brief] --fixtures DIR [--roclatch PATH].  Brief: of what is the same on every CPU, the first. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "tests.h"
#include "unity.h"

static struct app *running;

void setUp(void)
{
}

/* Also after a test that has failed. */
void tearDown(void)
{
	if (running && running->pid > 0)
		app_end(running);
	running = NULL;
}

struct app *run(const char *libraries, bool for_attach, const char *more)
{
	static struct app app;
	app = app_start(libraries, for_attach, more);
	running = &app;
	return &app;
}

int main(int argc, char **argv)
{
	int first = argc > 1 && !strcmp(argv[1], "--brief") ? 2 : 1;
	for (int i = first; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--fixtures"))
			fixtures = realpath(argv[i + 1], NULL);
	if (!fixtures)
		return 2;
	UNITY_BEGIN();
	test_records(first == 2);
	if (first == 1)
		test_trouble();
	return UNITY_END();
}
