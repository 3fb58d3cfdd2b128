/* SPDX-License-Identifier: MIT */
/* roclatch symbolize: names for what was sampled where there were none. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/watched.h"
#include "rocp/formats/symbolize.h"

#define MISSING_SHOWN 8

const char symbolize_text[] =
	"Replaces the addresses that roclatch sample, stack and threads write for code without symbols,\n"
	"NAME+0xADDRESS[BUILDID], by function names: later, or on another machine that has the debug\n"
	"files.  FILE is their output as text, folded, json, speedscope or html; - is stdin.  FILE itself\n"
	"is not changed.  Debug files are found by build id: FOLDER/.build-id/ab/cdef.debug below each\n"
	"--debug-dir and in /usr/lib/debug, and any file below a --debug-dir that has the build id\n"
	"itself, such as an unstripped library (at most 10000 files are looked at).\n"
	"\n"
	"examples:\n"
	"  roclatch symbolize sample.txt --debug-dir /srv/debug -o named.txt\n";

static int open_input(const char *path, struct err *err)
{
	struct stat file;
	int fd = !strcmp(path, "-") ? dup(0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_set(err, ERR_FAILED, errno, "cannot open %s", path);
	if (fstat(fd, &file) == 0 && S_ISDIR(file.st_mode)) {
		close(fd);
		err_set(err, ERR_FAILED, 0, "%s is a folder, not a file", path);
		return err_remedy(err, "name a file in it");
	}
	return fd;
}

static size_t count_missing(const struct symbolizer *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->builds; i++)
		n += !s->build[i].file;
	return n;
}

static void tell_json(const struct symbolizer *s, struct json *json)
{
	json_unsigned(json, "named", s->named);
	json_unsigned(json, "unnamed", s->unnamed);
	json_unsigned(json, "build_ids_missing", count_missing(s));
	json_array(json, "build_ids");
	for (size_t i = 0; i < s->builds; i++) {
		json_object(json, NULL);
		json_text(json, "id", s->build[i].id);
		json_text(json, "file", s->build[i].file);
		json_unsigned(json, "named", s->build[i].named);
		json_unsigned(json, "unnamed", s->build[i].unnamed);
		json_end(json);
	}
	json_end(json);
	json_unsigned(json, "files_looked_at", s->scanned.looked);
	json_bool(json, "files_cut", s->scanned.cut);
}

static void tell_missing(const struct symbolizer *s, struct output *out)
{
	size_t shown = 0, missing = count_missing(s);
	for (size_t i = 0; i < s->builds && shown < MISSING_SHOWN; i++)
		if (!s->build[i].file) {
			output_note(out, "  no debug file for build id %s (%" PRIu64 " addresses)", s->build[i].id, s->build[i].unnamed);
			shown++;
		}
	if (missing > shown)
		output_note(out, "  ... and %zu more", missing - shown);
}

static void tell(const struct symbolizer *s, struct output *out)
{
	if (out->json) {
		tell_json(s, &out->writer);
		return;
	}
	output_note(out, "%" PRIu64 " addresses named, %" PRIu64 " not; %zu of %zu build ids have no debug file",
		    s->named, s->unnamed, count_missing(s), s->builds);
	tell_missing(s, out);
	for (size_t i = 0; out->verbose && i < s->builds; i++)
		if (s->build[i].file)
			output_note(out, "  %s: %s, %" PRIu64 " named, %" PRIu64 " not", s->build[i].id, s->build[i].file,
				    s->build[i].named, s->build[i].unnamed);
	if (s->scanned.cut)
		output_note(out, "  only the first %d files below --debug-dir were looked at", DEBUG_FOLDER_MOST);
}

static int check_named(const struct symbolizer *s, const char *path, struct err *err)
{
	if (s->named)
		return 0;
	if (!s->unnamed) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s has no addresses to be named (NAME+0xADDRESS[BUILDID])", path);
		return err_remedy(err, "give what roclatch sample, stack or threads wrote; where all has names, nothing is to be done");
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "none of the %" PRIu64 " addresses in %s could be named: %s", s->unnamed, path,
		count_missing(s) == s->builds ? "there is no debug file for them" : "the debug files do not know them");
	return err_remedy(err, "give folders with debug files or unstripped libraries of the same build by --debug-dir");
}

static int rewrite(struct symbolizer *s, const struct settings *settings, const char *path, int fd, struct output *out, struct err *err)
{
	struct file to;
	if ((settings->output ? file_create(&to, settings->output, "", err) : file_borrow(&to, 1, "stdout", err)) < 0)
		return -1;
	if (symbolize(s, fd, path, &to, err) < 0) {
		file_abandon(&to);
		return -1;
	}
	if (to.sys)
		return file_finish(&to, err);
	tell(s, out);
	int rc = check_named(s, path, err);
	/* A pipe gets its text in any case; a file that would say nothing new is not made. */
	if (rc == 0 || !settings->output)
		return file_finish(&to, rc ? NULL : err) < 0 ? -1 : rc;
	file_abandon(&to);
	return -1;
}

int command_symbolize(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	const char *folders[OPTION_LIST_MAX + 1] = { NULL };
	struct symbolizer symbolizer = { .folders = folders };
	(void)n;
	for (size_t i = 0; i < settings->debug_dirs.n; i++)
		folders[i] = settings->debug_dirs.v[i];
	if (settings->json && !settings->output) {
		err_set(err, ERR_USAGE, 0, "symbolize: --json needs -o FILE, as stdout is for the JSON object then");
		return -1;
	}
	if (watched_folders(&settings->debug_dirs, err) < 0)
		return -1;
	int fd = open_input(operands[0], err);
	if (fd < 0)
		return -1;
	int rc = rewrite(&symbolizer, settings, operands[0], fd, out, err);
	close(fd);
	symbolizer_free(&symbolizer);
	return rc;
}
