/* SPDX-License-Identifier: MIT */
#include "bin/lib/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "bin/command.h"
#include "inject/thread.h"

__attribute__((constructor)) static void be_quiet(void)
{
	thread_quiet = true;
}

const char *roclatch_version(void)
{
	return ROCLATCH_VERSION;
}

char *answer_plain(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	return text;
}

int answer_error(struct roclatch_error *public, const struct err *err)
{
	if (public) {
		*public = (struct roclatch_error){ .status = (int)err->code };
		snprintf(public->text, sizeof public->text, "%s", err->text);
		snprintf(public->remedy, sizeof public->remedy, "%s", err->remedy);
		answer_plain(public->text);
		answer_plain(public->remedy);
	}
	return err->code ? -1 : 0;
}

int answer_options(void *options, size_t size, const void *given, struct err *err)
{
	size_t said;
	memset(options, 0, size);
	if (!given)
		return 0;
	memcpy(&said, given, sizeof said);
	if (said < sizeof said)
		return err_set(err, ERR_USAGE, 0, "the size of the options is not set");
	for (size_t i = size; i < said; i++)
		if (((const char *)given)[i])
			return err_set(err, ERR_USAGE, 0, "the options ask for something that roclatch " ROCLATCH_VERSION " does not know");
	memcpy(options, given, said < size ? said : size);
	return 0;
}

int answer_room(const void *wanted, struct err *err)
{
	size_t said = sizeof said;
	if (wanted)
		memcpy(&said, wanted, sizeof said);
	return said < sizeof said ? err_set(err, ERR_USAGE, 0, "the size of the structure to fill in is not set") : 0;
}

void answer_result(void *wanted, const void *result, size_t size)
{
	size_t said;
	if (!wanted)
		return;
	memcpy(&said, wanted, sizeof said);
	memset(wanted, 0, said);
	memcpy(wanted, result, said < size ? said : size);
	memcpy(wanted, &said, sizeof said);
}

/* What the program does and a library does not. */
static int refuse(const struct request *request, struct err *err)
{
	const char *what = request->help || request->version || request->list_avail || request->json || request->dry_run ||
					   request->announce || request->echo ? "an option that prints" :
			   request->pids != 1 || request->name || request->all ? "an option that chooses processes" :
			   request->has_duration || request->keep ? "a duration" :
			   request->html && !request->own_tool ? "-f html with another tool than roclatch's own" : NULL;
	return what ? err_set(err, ERR_USAGE, 0, "%s is not for the library", what) : 0;
}

static int read_words(struct request *request, pid_t pid, const struct roclatch_attach_options *options, struct err *err)
{
	char option[] = "-p", id[16], *none[] = { NULL };
	size_t n = options->arguments ? options->arguments_n : 0;
	char **words = n < 65536 ? calloc(n + 3, sizeof *words) : NULL;
	if (!words)
		return err_set(err, ERR_FAILED, ENOMEM, "read %zu options", n);
	snprintf(id, sizeof id, "%d", (int)pid);
	words[0] = option;
	words[1] = id;
	for (size_t i = 0; i < n && options->arguments[i]; i++)
		words[i + 2] = (char *)options->arguments[i];
	while (n && !words[n + 1])
		n--;
	char *const *variables = options->environment ? (char *const *)options->environment : none;
	int rc = request_read(request, STYLE_ROCLATCH, (int)n + 2, words, variables, getauxval(AT_SECURE) != 0, err);
	free(words);
	return rc;
}

int answer_request(struct request *request, pid_t pid, const struct roclatch_attach_options *given, struct err *err)
{
	struct roclatch_attach_options options;
	*request = (struct request){ .late = false };
	if (pid <= 0)
		return err_set(err, ERR_USAGE, 0, "%d is not a process id", (int)pid);
	if (answer_options(&options, sizeof options, given, err) < 0 || read_words(request, pid, &options, err) < 0 ||
	    refuse(request, err) < 0)
		return -1;
	return request_counters_here(request, err);
}
