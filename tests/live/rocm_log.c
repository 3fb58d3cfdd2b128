// SPDX-License-Identifier: MIT
/* The file in which the stand-in for AMD's tool says what was called. */
#include <stdlib.h>
#include <string.h>

#include "rocm.h"

static const char *read_log(const struct app *app, const char *file)
{
	static char text[LOG_SIZE];

	read_text(text, sizeof(text), "%s/%s.callbacks", app->output, file);
	return text;
}

/* "3 attach tid=..." */
static bool is_callback(const char *line, const char *name)
{
	size_t digits = strspn(line, "0123456789"), length = strlen(name);

	return digits && line[digits] == ' ' && !strncmp(line + digits + 1, name, length) && line[digits + 1 + length] == ' ';
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

const char *log_names(const struct app *app, const char *file)
{
	static char names[LOG_SIZE];
	size_t n = 0;

	for (const char *line = read_log(app, file); *line; line = next_line(line)) {
		const char *name = strchr(line, ' ');

		if (*line == '\t' || !name)
			continue;
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.*s", n ? " " : "", (int)strcspn(name + 1, " \n"), name + 1);
	}
	names[n] = 0;
	return names;
}

void log_of(const struct app *app, const char *file, const char *names)
{
	const char *got = log_names(app, file);

	check(!strcmp(got, names), "the tool of %s was called for \"%s\" and not \"%s\"", file, got, names);
}

void log_is(const struct app *app, const char *names)
{
	log_of(app, "out", names);
}

static const char *last(const struct app *app, const char *name, unsigned *times)
{
	const char *found = NULL;

	*times = 0;
	for (const char *line = read_log(app, "out"); *line; line = next_line(line))
		if (is_callback(line, name)) {
			found = line;
			++*times;
		}
	return found;
}

bool log_waits_for(const struct app *app, const char *name, unsigned times, unsigned ms)
{
	int64_t end = now_ns() + ms * INT64_C(1000000);
	unsigned seen;

	for (;;) {
		last(app, name, &seen);
		if (seen >= times)
			return true;
		if (now_ns() > end)
			return false;
		sleep_ms(2);
	}
}

long log_number(const struct app *app, const char *name, const char *key)
{
	unsigned times;
	const char *line = last(app, name, &times), *found = line ? strstr(line, key) : NULL;

	return found && found < next_line(line) ? strtol(found + strlen(key), NULL, 10) : -1;
}

const char *log_variables(const struct app *app, const char *name)
{
	static char text[LOG_SIZE];
	unsigned times;
	const char *line = last(app, name, &times);
	size_t n = 0;

	text[0] = 0;
	for (line = line ? next_line(line) : ""; *line == '\t'; line = next_line(line))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s\n", (int)strcspn(line + 1, "\n"), line + 1);
	return text;
}

void log_variable(const struct app *app, const char *callback, const char *variable, const char *value)
{
	char wanted[4096];
	const char *all = log_variables(app, callback), *found;

	snprintf(wanted, sizeof(wanted), "%s=", variable);
	for (found = all; *found && strncmp(found, wanted, strlen(wanted)); found = next_line(found))
		;
	if (!value) {
		check(!*found, "%s saw %s, which should not be there", callback, variable);
		return;
	}
	snprintf(wanted, sizeof(wanted), "%s=%s\n", variable, value);
	check(!strncmp(found, wanted, strlen(wanted)), "%s saw \"%.*s\" and not %.*s", callback, (int)strcspn(found, "\n"), found,
		(int)strlen(wanted) - 1, wanted);
}
