/* SPDX-License-Identifier: MIT */
#include "elf/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, int sys, const char *fmt, ...)
{
	if (!err)
		return -1;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	err->code = code;
	err->lack = LACK_NOTHING;
	err->sys = sys;
	err->remedy[0] = '\0';
	if (sys) {
		size_t used = strlen(err->text);
		snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(sys));
	}
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	if (!err)
		return -1;
	char inner[sizeof err->text];
	memcpy(inner, err->text, sizeof inner);

	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);

	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", inner);
	return -1;
}

int err_remedy(struct err *err, const char *fmt, ...)
{
	if (!err)
		return -1;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->remedy, sizeof err->remedy, fmt, ap);
	va_end(ap);
	return -1;
}
