/* SPDX-License-Identifier: MIT */
#include "rocp/formats/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void number_text(double value, char out[32])
{
	int digits = 0;
	do
		snprintf(out, 32, "%.*e", digits, value);
	while (digits++ < 16 && strtod(out, NULL) != value);
	const char *exponent = strchr(out, 'e');
	int power = exponent ? (int)strtol(exponent + 1, NULL, 10) : 0, behind = digits - 1 - power;
	if (exponent && power >= -4 && power < 16)
		snprintf(out, 32, "%.*f", behind > 0 ? behind : 0, value);
}
