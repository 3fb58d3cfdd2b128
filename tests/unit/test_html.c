/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html_sample.h"
#include "rocp/formats/html_parts.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* test_html BASE STEPS [MOST]: a log of so many steps, BASE.rlog, and its page, for a browser. */
static int write_page(char **argv, int argc)
{
	struct trace trace;
	struct stats stats = { .owned = NULL };
	struct settings settings = { .formats = FORMAT_HTML };
	struct err err = { .code = ERR_NONE };
	struct conversion conversion = { .trace = &trace, .stats = &stats, .settings = &settings, .base = argv[1] };
	char log[4096];
	snprintf(log, sizeof log, "%s.rlog", argv[1]);
	sample_log(log, strtoull(argv[2], NULL, 10));
	if (trace_open(&trace, log, &err) < 0 || stats_read(&stats, &trace, &err) < 0 ||
	    html_write_most(&conversion, argc > 3 ? strtoull(argv[3], NULL, 10) : HTML_EVENTS_MOST, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	stats_free(&stats);
	trace_close(&trace);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return write_page(argv, argc);
	UNITY_BEGIN();
	return UNITY_END();
}
