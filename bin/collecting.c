/* SPDX-License-Identifier: MIT */
/* --collect: what the tool wrote where the target sees it is brought to where we do. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bin/recording.h"
#include "inject/call.h"
#include "inject/thread.h"
#include "rocp/output_name.h"

#define AWAIT_MS 10000  /* a tool may write its files a moment after the detach */
#define LOOK_MS 100
#define SHOW_AFTER_NS 700000000u

/* How many names at the end of the output's path are its own. */
static unsigned names_of(const struct env *sent)
{
	const char *name = env_get(sent, "ROCPROF_OUTPUT_FILE_NAME");
	unsigned n = 1;
	name = name && *name ? name : OUTPUT_NAME_DEFAULT;
	for (const char *at = name; *at && name[0] != '/'; at++)
		n += *at == '/';
	return n;
}

static int where_to(struct fetched *fetched, const struct request *request, struct err *err)
{
	const char *folder = request->collect ? request->collect : ".";
	fetched->by_default = !request->collect;
	int fd = strlen(folder) < sizeof fetched->folder ? collect_into(folder, err) :
							   err_set(err, ERR_USAGE, 0, "--collect: the path is too long");
	if (fd < 0)
		return -1;
	close(fd);
	snprintf(fetched->folder, sizeof fetched->folder, "%s", folder);
	return 0;
}

int collecting_begin(struct recording *recording, struct outcome *outcome, const struct request *request,
		     const struct env *sent, bool look)
{
	struct attachment *attachment = &recording->attachment;
	struct err *err = &outcome->err, why = { 0 };
	char output[PATH_MAX];
	int rc = own_tool_output(&attachment->target, &attachment->view, sent, output, sizeof output, &why);
	if (!request->collect && (rc < 0 || !collect_is_needed(&attachment->target, output)))
		return 0;
	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (where_to(&outcome->fetched, request, &why) == 0 &&
	    written_hold(&recording->written, &attachment->target, output, names_of(sent), look, &why) == 0) {
		attachment->is_fetched = true;
		return 0;
	}
	written_close(&recording->written);
	outcome->fetched.folder[0] = '\0';
	/* nobody has asked for it: then it stays where it is */
	if (!request->collect) {
		snprintf(outcome->fetched.why, sizeof outcome->fetched.why, "%.280s; it is %.180s*, as the process sees it",
			 why.text, output);
		return 0;
	}
	*err = why;
	return -1;
}

/* ---- the end ---------------------------------------------------------------------------------- */

struct showing { bool on_terminal, line; uint64_t next; };

static bool show(void *ctx, const char *file, uint64_t done, uint64_t size)
{
	struct showing *showing = ctx;
	if (showing->on_terminal && now_ns() >= showing->next) {
		showing->next = now_ns() + SHOW_AFTER_NS / 7;
		showing->line = true;
		fputs("\r\033[K  fetching ", stderr);
		output_safe(stderr, file);
		fprintf(stderr, ": %d %% of %s", size ? (int)((double)done * 100 / (double)size) : 100, bytes_text(size));
		fflush(stderr);
	}
	return call_stop_signal != 0;
}

/* The own tool says what its log is called; files that are made of it are called so, too. */
static void follow_log(struct written *written, const struct own_log *log)
{
	size_t n = strlen(log->path), m = strlen(LOG_ENDING);
	if (log->path[0] == '/' && n > m && !strcmp(log->path + n - m, LOG_ENDING))
		snprintf(written->output, sizeof written->output, "%.*s", (int)(n - m), log->path);
}

/* With another tool files may come late. */
static int fetch(struct collection *collection, const struct written *written, bool patient, struct err *err)
{
	uint64_t end = now_ns() + AWAIT_MS * UINT64_C(1000000);
	for (;;) {
		int rc = collect_written(collection, written, err);
		if (collection->files || collection->refused || !patient || now_ns() >= end || call_stop_signal)
			return rc;
		*err = (struct err){ 0 };
		nanosleep(&(struct timespec){ 0, LOOK_MS * 1000000 }, NULL);
	}
}

/* Nothing was to be made: less was recorded than --minimum-output-data, or only a summary was asked for. */
static bool is_nothing(const struct outcome *outcome)
{
	return outcome->own && outcome->was_converted && !outcome->converted.files && !outcome->log_stays;
}

/* The first thing that went wrong counts; this is told beside it. */
static void blame(struct outcome *outcome, const struct collection *collection, const struct written *written,
		  struct err *why)
{
	struct fetched *fetched = &outcome->fetched;
	struct err err = { 0 };
	if (!why->code)
		err_set(why, ERR_RESIDUE, 0, "no file %.200s* that is new was found in the file system of process %d", written->output,
			(int)outcome->pid);
	snprintf(fetched->why, sizeof fetched->why, "%s", why->text);
	err_set(&err, ERR_RESIDUE, 0, "what was recorded is not %s: %.400s", collection->files ? "all here" : "here", why->text);
	if (collection->stopped)
		err_remedy(&err, "roclatch detach -p %d --collect %.150s goes on where it ended", (int)outcome->pid, fetched->folder);
	else if (why->remedy[0])
		err_remedy(&err, "%s; then roclatch detach -p %d --collect FOLDER", why->remedy, (int)outcome->pid);
	else
		err_remedy(&err, "look at what the process sees there: ls -l /proc/%d/root%.150s*", (int)outcome->pid, written->output);
	fetched->told = !outcome->err.code;
	if (fetched->told)
		outcome->err = err;
}

void collecting_end(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	static struct collection collection;
	struct written *written = &recording->written;
	struct fetched *fetched = &outcome->fetched;
	struct showing showing = { .on_terminal = outcome->alone && !request->json && isatty(2), .next = now_ns() + SHOW_AFTER_NS };
	struct err why = { 0 };
	if (written->root < 0)
		return;
	if (!outcome->detached && outcome->err.code != ERR_TARGET_EXITED) {
		fetched->folder[0] = '\0';
		return;
	}
	if (recording->log.status)
		follow_log(written, &recording->log);
	collection = (struct collection){ .into = collect_into(fetched->folder, &why), .progress = show, .ctx = &showing };
	int rc = collection.into < 0 ? -1 : fetch(&collection, written, !outcome->own && outcome->detached, &why);
	collection.ctx = NULL;
	if (collection.into >= 0)
		close(collection.into);
	if (showing.line)
		fputs("\r\033[K", stderr);
	fetched->files = collection.files;
	fetched->before = collection.before;
	fetched->same = collection.same;
	fetched->bytes = collection.bytes;
	memcpy(fetched->names, collection.names, sizeof fetched->names);
	memcpy(fetched->notes, collection.notes, sizeof fetched->notes);
	if (rc < 0 || (!collection.files && !is_nothing(outcome)))
		blame(outcome, &collection, written, &why);
}

/* ---- what is told ----------------------------------------------------------------------------- */

void report_collected(const struct outcome *outcome, struct output *out)
{
	const struct fetched *fetched = &outcome->fetched;
	if (fetched->same)
		output_note(out, "  not copied: %zu file%s, as the process sees the folder %s, too", fetched->same,
			    fetched->same == 1 ? "" : "s", fetched->folder);
	if (fetched->files > fetched->same)
		output_note(out, "  fetched %zu file%s, %llu bytes, into %s", fetched->files - fetched->same,
			    fetched->files - fetched->same == 1 ? "" : "s",
			    (unsigned long long)fetched->bytes,
			    fetched->by_default ? "the current folder, as the process has a root of its own (--collect names another)" :
						  fetched->folder);
	if (fetched->before)
		output_note(out, "  %zu of them were there from an earlier run", fetched->before);
	if (fetched->files > fetched->same && (out->verbose || outcome->alone))
		output_lines(out, "fetched", fetched->names);
	output_lines(out, "note", fetched->notes);
	if (fetched->why[0] && !fetched->told)
		output_note(out, "  not fetched: %s", fetched->why);
}

void json_collected(struct json *json, const struct outcome *outcome)
{
	const struct fetched *fetched = &outcome->fetched;
	if (!fetched->folder[0] && !fetched->why[0]) {
		json_null(json, "collected");
		return;
	}
	json_object(json, "collected");
	json_text(json, "folder", fetched->folder[0] ? fetched->folder : NULL);
	json_lines(json, "files", fetched->names);
	json_unsigned(json, "bytes", fetched->bytes);
	json_unsigned(json, "before", fetched->before);
	json_unsigned(json, "same", fetched->same);
	json_lines(json, "notes", fetched->notes);
	json_text(json, "missing", fetched->why[0] ? fetched->why : NULL);
	json_end(json);
}
