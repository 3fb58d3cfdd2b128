/* SPDX-License-Identifier: MIT */
#include "bin/converting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/call.h"
#include "inject/thread.h"
#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"
#include "rocp/log.h"
#include "rocp/output_name.h"

#define SHOW_AFTER_NS 700000000u
#define TRIES 20
#define SUMMARIES 10000u

struct work {
	const struct order *order;
	struct converted *converted;
	struct trace trace;
	struct settings settings;
	struct stats stats;
	struct trace_source source;     /* the trace's own, with an ear for Ctrl-C */
	const struct trace_source *inner;
	uint64_t begun, shown;
	bool line;              /* something stands on the terminal's last line */
	char folder[PATH_MAX];  /* of the input */
	char name[NAME_MAX + 1];
};

/* ---- Ctrl-C ends a long reading: the formats then remove what they began ---------------------- */

struct listening { event_visit *visit; void *ctx; };

static int visit_or_stop(void *ctx, const struct event *event, struct err *err)
{
	const struct listening *listening = ctx;
	if (call_stop_signal)
		return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
	return listening->visit(listening->ctx, event, err);
}

static int each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	const struct work *work = (const struct work *)((const char *)trace - offsetof(struct work, trace));
	return work->inner->each(trace, domains, visit_or_stop, &(struct listening){ visit, ctx }, err);
}

static void listen(struct work *work)
{
	work->inner = work->trace.source;
	work->source = (struct trace_source){ .each = each, .close = work->inner->close };
	work->trace.source = &work->source;
}

/* ---- what the formats tell -------------------------------------------------------------------- */

/* Files are shown in the folder as the user knows it. */
static void show_path(const struct work *work, const char *path, char *out, size_t size)
{
	size_t n = strlen(work->folder);
	if (work->order->shown && !strncmp(path, work->folder, n) && path[n] == '/')
		snprintf(out, size, "%s%s", strcmp(work->order->shown, "/") ? work->order->shown : "", path + n);
	else
		snprintf(out, size, "%s", path);
}

static void wrote(void *ctx, const char *path, uint64_t bytes)
{
	struct work *work = ctx;
	struct converted *converted = work->converted;
	if (converted->files < MADE_MAX) {
		struct made *made = &converted->file[converted->files];
		/* a path that was cut would be another file's */
		snprintf(made->path, sizeof made->path, "%s", strlen(path) < sizeof made->path ? path : "");
		made->bytes = bytes;
	}
	converted->files++;
}

static void clear_line(struct work *work)
{
	if (work->line)
		fputs("\r\033[K", stderr);
	work->line = false;
}

static void progress(void *ctx, const char *what, double part)
{
	struct work *work = ctx;
	uint64_t now = now_ns();
	if (!work->order->progress || now - work->begun < SHOW_AFTER_NS || now - work->shown < SHOW_AFTER_NS / 7)
		return;
	work->shown = now;
	work->line = true;
	fprintf(stderr, "\r\033[K  %s: %d %%", what, (int)(part * 100));
	fflush(stderr);
}

/* ---- settings and names ----------------------------------------------------------------------- */

/* The recording's own, or what the caller says; a database is made a page of. */
static int read_settings(struct work *work, struct err *err)
{
	struct env env = { 0 };
	int rc = converting_variables(&env, work->order, &work->trace, work->converted, err);
	if (rc == 0)
		rc = settings_from(&work->settings, &env, err);
	env_free(&env);
	return rc;
}

static const char *variable(void *ctx, const char *name)
{
	const struct work *work = ctx;
	const char *value = env_get(&work->trace.settings, name);
	return value ? value : getenv(name);
}

static void split_input(struct work *work)
{
	const char *input = work->order->input, *slash = strrchr(input, '/');
	snprintf(work->folder, sizeof work->folder, "%.*s", slash ? (int)(slash - input) + (slash == input) : 1, slash ? input : ".");
	snprintf(work->name, sizeof work->name, "%s", slash ? slash + 1 : input);
	static const char *const endings[] = { LOG_ENDING, "_results.db", ".db" };
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(work->name), m = strlen(endings[i]);
		if (n > m && !strcmp(work->name + n - m, endings[i])) {
			work->name[n - m] = '\0';
			return;
		}
	}
}

static int expand(struct work *work, const char *text, char *out, size_t size, struct err *err)
{
	const struct trace *trace = &work->trace;
	const struct output_facts facts = {
		.hostname = trace->hostname, .pid = trace->pid, .ppid = trace->ppid, .argument = trace->argument,
		.arguments = trace->arguments, .folder = trace->folder, .launched = (int64_t)(trace->start_realtime / 1000000000u),
		.variable = variable, .ctx = work,
	};
	return output_name_expand(text, &facts, out, size, err);
}

/* ---- the work --------------------------------------------------------------------------------- */

static bool is_stream(const char *output)
{
	return !strcmp(output, "stderr") || !strcmp(output, "stdout");
}

/* Where an absolute path says.  If there is such a file, from an earlier run or of another process, _1, _2, ... comes
 * before the ending: other files are not made anew for that. */
static int create_numbered(struct file *file, const char *path, struct err *err)
{
	char base[PATH_MAX], number[16] = "";
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash, '.');
	int n = dot && dot > slash + 1 ? (int)(dot - path) : (int)strlen(path), rc = -1;
	for (unsigned i = 0; i < SUMMARIES; i++) {
		if (i)
			snprintf(number, sizeof number, "_%u", i);
		if (snprintf(base, sizeof base, "%.*s%s", n, path, number) >= (int)sizeof base)
			return err_set(err, ERR_USAGE, 0, "the path %.200s... is too long", path);
		rc = file_create(file, base, path + n, err);
		if (rc == 0 || err->sys != EEXIST)
			break;
	}
	return rc;
}

/* --summary: on a stream of ours, or in a file beside the others (or where an absolute path says). */
static int write_summary(struct work *work, const struct conversion *conversion, struct err *err)
{
	const struct settings *settings = &work->settings;
	const char *output = settings->summary_output ? settings->summary_output : "stderr";
	char ending[512];
	struct file file;
	if (!settings->summary && !settings->summary_per_domain)
		return 0;
	clear_line(work);
	bool stream = is_stream(output);
	bool out = !strcmp(output, "stdout") && !work->order->quiet_stdout;
	snprintf(ending, sizeof ending, "_%s%s", output, strchr(output, '.') ? "" : ".txt");
	fflush(stdout);
	int rc = stream ? file_borrow(&file, out ? 1 : 2, output, err) :
		 output[0] == '/' ? create_numbered(&file, output, err) : file_create(&file, conversion->base, ending, err);
	if (rc < 0)
		return -1;
	if (summary_write(conversion, &file, err) < 0) {
		file_abandon(&file);
		return -1;
	}
	uint64_t bytes = file.written;
	if (file_finish(&file, err) < 0)
		return -1;
	if (!stream)
		wrote(work, file.path, bytes);
	return 0;
}

static int write_to(struct work *work, const char *base, struct err *err)
{
	struct conversion conversion = {
		.trace = &work->trace, .stats = &work->stats, .settings = &work->settings, .base = base,
		.wrote = wrote, .progress = progress, .ctx = work,
	};
	if (formats_write(&conversion, err) == 0 && write_summary(work, &conversion, err) == 0)
		return 0;
	clear_line(work);
	remove_made(work->converted);
	return -1;
}

/* Somebody else may take a name between our look and our writing: then the next one. */
static int write_all(struct work *work, struct err *err)
{
	const struct order *order = work->order;
	char folder[PATH_MAX], name[PATH_MAX], base[PATH_MAX];
	unsigned suffix = 0;
	if (expand(work, order->folder ? order->folder : ".", folder, sizeof folder, err) < 0 ||
	    expand(work, order->name ? order->name : ".", name, sizeof name, err) < 0)
		return -1;
	for (int i = 0; i < TRIES; i++, suffix++) {
		if (free_base(order->folder ? folder : work->folder, order->name ? name : work->name, work->settings.formats,
			      &suffix, base, sizeof base, err) < 0)
			return -1;
		int rc = write_to(work, base, err);
		if (rc == 0 || err->sys != EEXIST)
			return rc;
	}
	return -1;
}

static void take_facts(struct work *work)
{
	struct converted *converted = work->converted;
	const struct trace *trace = &work->trace;
	converted->opened = true;
	converted->is_rocpd = trace->is_rocpd;
	converted->closed = trace->closed;
	converted->pid = trace->pid;
	converted->session = trace->session;
	memcpy(converted->events, trace->events, sizeof converted->events);
	converted->lost = trace->lost;
	converted->missing = trace->missing;
	converted->recorded_ns = trace->end > trace->start ? trace->end - trace->start : 0;
	snprintf(converted->why, sizeof converted->why, "%s", trace->why ? trace->why : "");
	snprintf(converted->damage, sizeof converted->damage, "%s", trace->damage);
	plain_text(converted->why);
	plain_text(converted->damage);
	for (size_t i = 0; i < trace->notes; i++)
		converted_note(converted, trace->note[i]);
}

static int open_input(struct work *work, struct err *err)
{
	const struct order *order = work->order;
	struct stat st;
	char path[PATH_MAX];
	int known = order->has_fd ? fstat(order->fd, &st) : stat(order->input, &st);
	work->converted->input_bytes = known == 0 ? (uint64_t)st.st_size : 0;
	if (!order->has_fd)
		return trace_open(&work->trace, order->input, err);
	show_path(work, order->input, path, sizeof path);
	return trace_open_fd(&work->trace, order->fd, path, err);
}

static int convert_open(struct work *work, struct err *err)
{
	if (read_settings(work, err) < 0)
		return -1;
	int rc = 0;
	if (!work->trace.is_rocpd && work->converted->input_bytes < work->settings.least_bytes)
		work->converted->too_small = true;
	else {
		trace_naming(&work->trace, work->settings.naming, work->settings.kernel_rename);
		rc = stats_read(&work->stats, &work->trace, err) < 0 ? -1 : write_all(work, err);
	}
	stats_free(&work->stats);
	settings_free(&work->settings);
	return rc;
}

int convert_recording(const struct order *order, struct converted *converted, struct err *err)
{
	struct work *work = calloc(1, sizeof *work);
	*converted = (struct converted){ .files = 0 };
	if (!work) {
		if (order->has_fd)
			close(order->fd);
		return err_set(err, ERR_FAILED, ENOMEM, "convert %s", order->input);
	}
	work->order = order;
	work->converted = converted;
	work->begun = now_ns();
	split_input(work);
	int rc = open_input(work, err);
	if (rc == 0) {
		take_facts(work);
		listen(work);
		rc = convert_open(work, err);
		trace_close(&work->trace);
	}
	clear_line(work);
	for (size_t i = 0; rc == 0 && i < converted->files && i < MADE_MAX; i++) {
		char path[sizeof converted->file[i].path];
		show_path(work, converted->file[i].path, path, sizeof path);
		memcpy(converted->file[i].path, path, sizeof path);
	}
	free(work);
	return rc;
}
