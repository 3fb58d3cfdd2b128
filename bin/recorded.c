/* SPDX-License-Identifier: MIT */
/* What roclatch's own tool records: watched while it does, converted afterwards. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/recording.h"

#define RECORDING 2     /* as TOOL_STATE answers */

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
	if (log->last.state == RECORDING)
		return 0;
	err_set(&outcome->err, ERR_CALLED_CODE, log->last.sys, "roclatch's own tool does not record%s%s (state %d)",
		log->last.why[0] ? ": " : "", log->last.why, (int)log->last.state);
	return err_remedy(&outcome->err, "choose another folder with -d, one that the process can write to");
}

bool recorded_so_far(struct recording *recording, uint64_t *records, uint64_t *bytes)
{
	if (!recording->log.status)
		return false;
	own_log_read(&recording->log, &recording->attachment);
	*records = recording->log.last.records;
	*bytes = recording->log.last.bytes;
	return true;
}

/* Files in the target's folder belong to its user, as if the process had written them; and a folder of
 * somebody else is no way to make root write elsewhere. */
struct owner { uid_t uid; gid_t gid; bool changed; };

static void become(struct owner *owner, const struct stat *of)
{
	owner->changed = geteuid() == 0 && (of->st_uid != 0 || of->st_gid != 0);
	if (!owner->changed)
		return;
	owner->gid = (gid_t)setfsgid(of->st_gid);
	owner->uid = (uid_t)setfsuid(of->st_uid);
}

static void become_again(const struct owner *owner)
{
	if (!owner->changed)
		return;
	setfsuid(owner->uid);
	setfsgid(owner->gid);
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

int recorded_convert(const struct own_log *log, struct outcome *outcome, const struct request *request, struct err *err)
{
	char folder[PATH_MAX], input[PATH_MAX + NAME_MAX + 2], shown[sizeof log->path];
	struct env env = { 0 };
	struct stat st;
	struct owner owner;
	if (own_log_folder(log, folder, sizeof folder, err) < 0)
		return -1;
	snprintf(input, sizeof input, "%s/%s", strcmp(folder, "/") ? folder : "", own_log_name(log));
	if (stat(input, &st) < 0)
		return err_set(err, ERR_FAILED, errno, "the log %s", log->path);
	int n = (int)(strrchr(log->path, '/') - log->path);
	snprintf(shown, sizeof shown, "%.*s", n ? n : 1, log->path);
	int rc = request->env.n ? settings_of(request, &env, err) : 0;
	struct order order = { .input = input, .settings = request->env.n ? &env : NULL, .shown = shown,
			       .progress = outcome->alone && !request->json && isatty(2), .quiet_stdout = request->json };
	become(&owner, &st);
	if (rc == 0)
		rc = convert_recording(&order, &outcome->converted, err);
	become_again(&owner);
	env_free(&env);
	if (rc < 0)
		show_folder(err, folder, shown);
	return rc;
}

/* The first thing that went wrong counts; where the log is says so itself. */
static void blame(struct outcome *outcome, const struct err *why, bool converted)
{
	const struct converted *result = &outcome->converted;
	struct err *err = &outcome->err;
	const char *early = result->why[0] ? result->why : NULL;
	if (err->code) {
		if (converted && err->code == ERR_TARGET_EXITED)
			err_remedy(err, "what was recorded until then was converted");
		return;
	}
	if (!converted) {
		err_set(err, ERR_RESIDUE, why->sys, "what was recorded could not be converted: %.300s", why->text);
		err_remedy(err, "the log is kept: roclatch convert %.200s", outcome->log);
	} else if (early) {
		err_set(err, ERR_RESIDUE, 0, "the recording stopped early: %s", early);
		err_remedy(err, "what was recorded until then was converted; the log is kept");
	} else if (result->damage[0]) {
		err_set(err, ERR_RESIDUE, 0, "the log is damaged and was converted up to there: %s", result->damage);
		err_remedy(err, "the log is kept: %.200s", outcome->log);
	}
}

void recorded_end(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	struct own_log *log = &recording->log;
	struct err err = { 0 };
	if (!log->status) {
		recorded_page(recording, outcome, request);
		return;
	}
	outcome->own = true;
	bool alive = own_log_read(log, &recording->attachment) == 0;
	take_numbers(log, outcome);
	outcome->log_stays = outcome->log[0] != '\0';
	if (!outcome->log[0] || (alive && log->last.state == RECORDING))
		return;         /* there is none, or it is not at its end */
	outcome->was_converted = recorded_convert(log, outcome, request, &err) == 0;
	if (outcome->was_converted && !alive) {        /* the last status is older than its end */
		outcome->records = converted_records(&outcome->converted);
		outcome->bytes = outcome->converted.input_bytes;
	}
	if (outcome->was_converted && !outcome->converted.why[0] && log->last.why[0])
		snprintf(outcome->converted.why, sizeof outcome->converted.why, "%s", log->last.why);
	blame(outcome, &err, outcome->was_converted);
	if (outcome->was_converted && !request->keep_log && !outcome->converted.why[0] && !outcome->converted.damage[0])
		outcome->log_stays = unlinkat(log->folder, own_log_name(log), 0) < 0;
}
