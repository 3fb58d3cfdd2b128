// SPDX-License-Identifier: MIT
/* Stands in for a program that uses ROCm: the real rocprofiler-register called from inside, for tests of what it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rocprofiler-register/rocprofiler-register.h>

#include "app.h"

/* Not in the public header, and not what this library has to be for. */
_Static_assert(ROCP_REG_SUCCESS == 0 && ROCP_REG_NO_TOOLS == 1 && ROCP_REG_DEADLOCK == 2 &&
	       ROCP_REG_BAD_API_TABLE_LENGTH == 3 && ROCP_REG_UNSUPPORTED_API == 4 && ROCP_REG_INVALID_API_ADDRESS == 5 &&
	       ROCP_REG_ROCPROFILER_ERROR == 6 && ROCP_REG_EXCESS_API_INSTANCES == 7 && ROCP_REG_INVALID_ARGUMENT == 8 &&
	       ROCP_REG_ATTACHMENT_NOT_AVAILABLE == 9 && ROCP_REG_ERROR_CODE_END == 10, "codes of the public header");
_Static_assert(sizeof(rocprofiler_register_error_code_t) == 4, "an int");
_Static_assert(sizeof(rocprofiler_register_library_indentifier_t) == 8, "a handle");
_Static_assert(sizeof(rocprofiler_register_registration_info_t) == 32 &&
	       offsetof(rocprofiler_register_registration_info_t, common_name) == 8 &&
	       offsetof(rocprofiler_register_registration_info_t, lib_version) == 16 &&
	       offsetof(rocprofiler_register_registration_info_t, api_table_length) == 24, "registration info");

static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		app_wrong("%s is not there", name);
	return found;
}

/* The words of line behind the tool, each NAME=VALUE, as the register takes them. */
static char *encode(char *words)
{
	size_t size = strlen(words) + 8;
	char *buffer = calloc(1, size), *at = buffer + 4, *rest = NULL;
	uint32_t count = 0;

	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *equal = strchr(word, '=');

		if (!equal)
			continue;
		*equal = 0;
		at = stpcpy(at, word) + 1;
		at = stpcpy(at, equal + 1) + 1;
		count++;
	}
	memcpy(buffer, &count, sizeof(count));
	return buffer;
}

static int attach(char *line)
{
	int (*attach_function)(const char *, const char *);
	char *tool = line, *words = strchr(line, ' '), none[] = "", *buffer;
	int status;

	if (words)
		*words++ = 0;
	buffer = encode(words ? words : none);
	*(void **)&attach_function = find("rocprofiler_register_attach");
	status = attach_function(buffer, tool);
	free(buffer);
	return status;
}

static int call(const char *name)
{
	int (*function)(void);

	*(void **)&function = find(name);
	return function ? function() : -1;
}

static int put_name(rocprofiler_register_registration_info_t *info, void *answer)
{
	strcat(answer, info->common_name);
	strcat(answer, " ");
	return 0;
}

void app_register(char *line, char *answer)
{
	static const char *const orders[][2] = {
		{ "detach", "rocprofiler_register_detach" },
		{ "late", "rocprofiler_register_invoke_nonpropagated_registrations" },
		{ "all", "rocprofiler_register_invoke_all_registrations" },
	};

	if (!strncmp(line, "attach ", 7)) {
		snprintf(answer, ANSWER - 1, "%d", attach(line + 7));
		return;
	}
	if (!strcmp(line, "tables")) {
		rocprofiler_register_iterate_registration_info(put_name, answer);
		return;
	}
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (!strcmp(line, orders[i][0])) {
			snprintf(answer, ANSWER - 1, "%d", call(orders[i][1]));
			return;
		}
	if (!app_tell_sdk(line, answer))
		snprintf(answer, ANSWER - 1, "no such order");
}
