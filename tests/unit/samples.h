/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_TESTS_SAMPLES_H
#define ROCLATCH_TESTS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"

/* A few instructions and what they are, for people. */
struct sample {
	const char *what;
	uint8_t code[24];
	size_t size;
};

#define SAMPLES(array, one) \
	for (const struct sample *one = array; one < array + sizeof array / sizeof array[0] && one->what; one++)

#endif
