/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_TESTS_TOOL_TESTS_H
#define ROCLATCH_TESTS_TOOL_TESTS_H

#include "app.h"

/* As app_start; ended when the test has ended. */
struct app *run(const char *libraries, bool for_attach, const char *more);

void test_records(bool brief);
void test_trouble(void);

#endif
