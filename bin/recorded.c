/* SPDX-License-Identifier: MIT */
/* What roclatch's own tool records: watched while it does, converted afterwards. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/recording.h"

/* All that is to be known when the log is converted: what was asked for and which of it html is. */
static int settings_of(const struct request *request, struct env *env, struct err *err)
{
	for (size_t i = 0; i < request->env.n; i++)
		if (env_set(env, request->env.v[i].name, request->env.v[i].value, err) < 0)
			return -1;
	return own_tool_formats(request, env, err);
}

int recorded_check(const struct request *request, struct err *err)
{
	struct env env = { 0 };
	int rc = settings_of(request, &env, err);
	if (rc == 0)
		rc = convert_check(&env, err);
	env_free(&env);
	return rc;
}

static void take_numbers(const struct own_log *log, struct outcome *outcome)
{
	outcome->records = log->last.records;
	outcome->bytes = log->last.bytes;
	outcome->lost = log->last.lost;
	snprintf(outcome->log, sizeof outcome->log, "%s", log->path);
}

int recorded_begin(struct recording *recording, struct outcome *outcome)
{
	struct own_log *log = &recording->log;
	int found = own_log_open(log, &recording->attachment, &outcome->err);
	if (found <= 0)
		return found;
	outcome->own = true;
	take_numbers(log, outcome);
	return own_log_records(log, &outcome->err);
}

bool recorded_so_far(struct recording *recording, uint64_t *records, uint64_t *bytes)
{
	if (!recording->log.status || recording->replaced)
		return false;
	own_log_read(&recording->log, &recording->attachment);
	*records = recording->log.last.records;
	*bytes = recording->log.last.bytes;
	return true;
}

const char *recorded_stopped(struct recording *recording)
{
	struct own_log *log = &recording->log;
	if (!log->status || recording->replaced || own_log_read(log, &recording->attachment) < 0 || log->last.state != TOOL_STOPPED || !log->last.why[0])
		return NULL;
	plain_text(log->last.why);
	return log->last.why;
}

/* Errors speak of the folder as the user knows it. */
static void show_folder(struct err *err, const char *folder, const char *shown)
{
	char rest[sizeof err->text];
	char *at = strstr(err->text, folder);
	if (!at || !strcmp(folder, shown))
		return;
	snprintf(rest, sizeof rest, "%.300s%.200s", shown, at + strlen(folder));
	snprintf(at, sizeof err->text - (size_t)(at - err->text), "%s", rest);
}

/* The file is opened once, as its owner: what the target puts in its place later is not looked at. */
static int convert_as_owner(struct order *order, const struct own_log *log, struct converted *converted, struct stat *st, struct err *err)
{
	struct owner_before before;
	if (owner_become(&log->owner, &before, err) < 0)
		return -1;
	order->has_fd = true;
	order->fd = own_log_file(log, st, err);
	int rc = order->fd < 0 ? -1 : convert_recording(order, converted, err);
	owner_return(&before);
	return rc;
}

int recorded_convert(const struct own_log *log, struct outcome *outcome, const struct request *request, struct stat *st,
		     struct err *err)
{
	char folder[PATH_MAX], input[PATH_MAX + NAME_MAX + 2], shown[sizeof log->path];
	struct env env = { 0 };
	if (own_log_folder(log, folder, sizeof folder, err) < 0)
		return -1;
	snprintf(input, sizeof input, "%s/%s", strcmp(folder, "/") ? folder : "", own_log_name(log));
	int n = (int)(strrchr(log->path, '/') - log->path);
	snprintf(shown, sizeof shown, "%.*s", n ? n : 1, log->path);
	int rc = request->env.n ? settings_of(request, &env, err) : 0;
	struct order order = { .input = input, .settings = request->env.n ? &env : NULL, .shown = shown,
			       .progress = outcome->alone && !request->json && isatty(2), .quiet_stdout = request->json };
	if (rc == 0)
		rc = convert_as_owner(&order, log, &outcome->converted, st, err);
	env_free(&env);
	if (rc < 0)
		show_folder(err, folder, shown);
	return rc;
}

/* What is not as it should be with a recording that was converted; false if nothing is. */
static bool find_fault(const struct outcome *outcome, bool alive, struct err *fault)
{
	const struct converted *result = &outcome->converted;
	*fault = (struct err){ 0 };
	if (result->why[0])
		err_set(fault, ERR_RESIDUE, 0, "the recording stopped early: %s", result->why);
	else if (result->damage[0])
		err_set(fault, ERR_RESIDUE, 0, "the log is damaged and was converted up to there: %s", result->damage);
	else if (alive && !result->closed)
		err_set(fault, ERR_RESIDUE, 0, "the tool has not closed its log: the end of the recording may not be there");
	else if (result->missing)
		err_set(fault, ERR_RESIDUE, 0, "the recording is incomplete: %s", missing_text(result));
	else if (outcome->lost)
		err_set(fault, ERR_RESIDUE, 0, "the recording is incomplete: %s records were lost", count_text(outcome->lost));
	if (result->why[0])
		err_remedy(fault, "let it write there (df, ulimit -f) or name another folder (-d); what is there was converted; the log is kept: %.150s",
			   outcome->log);
	else if (fault->code)
		err_remedy(fault, "what is there was converted; the log is kept: %.200s", outcome->log);
	return fault->code != ERR_NONE;
}

/* The first thing that went wrong counts; where the log is says so itself. */
static void blame(struct outcome *outcome, const struct err *why, const struct err *fault)
{
	struct err *err = &outcome->err;
	if (err->code) {
		if (outcome->was_converted && err->code == ERR_TARGET_EXITED)
			err_remedy(err, "what was recorded until then was converted");
	} else if (!outcome->was_converted) {
		*err = *why;
		err->code = ERR_RESIDUE;
		err_wrap(err, "what was recorded could not be converted");
		err_remedy(err, "the log is kept: roclatch convert %.200s", outcome->log);
	} else if (fault->code) {
		*err = *fault;
	}
}

/* Only what this target has recorded now is removed: its status, which says what it is called, is its own word. */
static bool is_its_log(const struct own_log *log, const struct converted *converted)
{
	return !converted->is_rocpd && converted->pid == log->pid && (uint64_t)converted->session + 1 == log->last.sessions;
}

static void convert_own(struct recording *recording, struct outcome *outcome, const struct request *request, bool alive)
{
	const struct own_log *log = &recording->log;
	struct converted *converted = &outcome->converted;
	struct err err = { 0 }, fault = { 0 };
	struct stat st;
	outcome->was_converted = recorded_convert(log, outcome, request, &st, &err) == 0;
	if (outcome->was_converted) {   /* the tool counts the texts of markers too, and a target that died had no last word */
		outcome->records = converted_records(converted);
		outcome->bytes = converted->input_bytes;
		/* nor has a log on a full disk */
		outcome->lost = converted->lost = converted->lost > outcome->lost ? converted->lost : outcome->lost;
	}
	if (outcome->was_converted && !converted->why[0]) {
		snprintf(converted->why, sizeof converted->why, "%s", log->last.why);
		plain_text(converted->why);
	}
	bool whole = outcome->was_converted && !find_fault(outcome, alive, &fault);
	blame(outcome, &err, &fault);
	if (whole && !request->keep_log && is_its_log(log, converted))
		outcome->log_stays = !own_log_remove(log, &st);
}

void recorded_end(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	struct own_log *log = &recording->log;
	if (!log->status) {
		recorded_page(recording, outcome, request);
		return;
	}
	outcome->own = true;
	bool alive = !recording->replaced && own_log_read(log, &recording->attachment) == 0;
	/* A roclatch that was killed before its recording began: the log that the tool tells of is an earlier one's, and gone. */
	if (log->idle && log->folder < 0)
		return;
	take_numbers(log, outcome);
	outcome->log_stays = outcome->log[0] != '\0';
	if (!outcome->log[0])
		return;
	if (!alive || log->last.state != TOOL_RECORDING) {
		convert_own(recording, outcome, request, alive);
	} else if (!outcome->err.code) {
		err_set(&outcome->err, ERR_RESIDUE, 0, "detached, but the tool says that it records still");
		err_remedy(&outcome->err, "when it has ended: roclatch convert %.200s", outcome->log);
	}
}
