/* SPDX-License-Identifier: MIT */
/* The functions of a file, for each test anew. */
#ifndef ROCLATCH_TESTS_UNIT_FUNCTIONS_CASE_H
#define ROCLATCH_TESTS_UNIT_FUNCTIONS_CASE_H

#include <string.h>
#include <unistd.h>

#include "elf/functions.h"
#include "unity.h"

static struct functions functions;
static struct elf_file file;
static struct err err;
static int fd;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	fd = -1;
}

void tearDown(void)
{
	functions_free(&functions);
	if (fd >= 0)
		close(fd);
}

#endif
