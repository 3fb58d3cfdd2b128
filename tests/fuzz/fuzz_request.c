/* SPDX-License-Identifier: MIT */
/*
 * Any words as the command line of an attachment, in each of its styles, with any variables of the caller: the first
 * byte is the style, then a word in each line; one that begins with '$' is a variable.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/formats.h"
#include "rocp/output_name.h"
#include "rocp/request.h"

#define WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int rc, struct err *err)
{
	if (rc < 0 && (err->code == ERR_NONE || !err->text[0]))
		abort();
	err->code = ERR_NONE;
}

/* uint32 count, then name NUL value NUL: exactly as many bytes as are told. */
static void check_encoded(const struct env *env, struct err *err)
{
	void *bytes;
	size_t size;
	uint32_t count;
	if (env_encode(env, &bytes, &size, err) < 0)
		abort();
	memcpy(&count, bytes, sizeof count);
	const char *at = (const char *)bytes + sizeof count, *end = (const char *)bytes + size;
	for (uint32_t i = 0; i < 2 * count; i++)
		at += strlen(at) + 1;
	if (count != env->n || at != end)
		abort();
	free(bytes);
}

static const char *variable(void *ctx, const char *name)
{
	return env_get(ctx, name);
}

static void name_output(struct env *env, struct err *err)
{
	static const char *const arguments[] = { "/bin/a", "b" };
	struct output_facts facts = { .hostname = "h", .pid = 7, .argument = arguments, .arguments = 2, .folder = "/f",
				      .variable = variable, .ctx = env };
	const char *text = env_get(env, OUTPUT_NAME_VARIABLE);
	char out[128];
	if (!text)
		return;
	int rc = output_name_expand(text, &facts, out, sizeof out, err);
	check(rc, err);
	if (rc == 0 && strnlen(out, sizeof out) == sizeof out)
		abort();
	output_name_is_shared(env_get(env, "ROCPROF_OUTPUT_PATH"), text);
}

static void use(struct request *request, struct err *err)
{
	struct settings settings;
	struct env env = { 0 };
	char text[256];
	for (size_t i = 0; i < request->pids; i++)
		if (request->pid[i] <= 0)
			abort();
	if (request->has_duration && !request->duration_ms)
		abort();
	check(request_own_tool(request, text, sizeof text, err), err);
	if (request->tool)
		check(request_tool_string(request->tool, text, sizeof text, err), err);
	check(request_counters(request, "gfx942", err), err);
	if (request_env_for(request, 7, "/t.so", &env, err) < 0 || request_same_services(&env, &env, err) < 0 ||
	    request_same_for_own(&env, &env, err) < 0)
		abort();
	check_encoded(&env, err);
	name_output(&env, err);
	check(settings_from(&settings, &env, err), err);
	settings_free(&settings);
	env_free(&env);
}

/* Files to read and folders to search are not for a fuzzer to name. */
static bool names_files(const char *word)
{
	return word[0] == '-' && (word[1] == '-' ? strchr("iea", word[2]) != NULL : strpbrk(word, "iE") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS + 1] = { NULL }, *environment[WORDS + 1] = { NULL };
	int argc = 0, variables = 0;
	struct request request;
	struct err err = { .code = ERR_NONE };
	if (size < 1 || size > 8192 || memchr(data + 1, '\0', size - 1))
		return 0;
	char *text = strndup((const char *)data + 1, size - 1);
	if (!text)
		abort();
	for (char *rest = text, *word; rest && argc < WORDS && variables < WORDS;) {
		word = strsep(&rest, "\n");
		if (*word == '$')
			environment[variables++] = word + 1;
		else if (!names_files(word))
			argv[argc++] = word;
	}
	int rc = request_read(&request, data[0] % 3, argc, argv, environment, data[0] & 64, &err);
	check(rc, &err);
	if (rc == 0 && !request.help && !request.version && !request.list_avail)
		use(&request, &err);
	request_free(&request);
	free(text);
	return 0;
}
