/* SPDX-License-Identifier: MIT */
/* roclatch report: what the attachments of a job left in a folder, as one. */
#include "bin/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bin/converting.h"
#include "bin/help.h"
#include "rocp/formats/formats.h"
#include "rocp/job/report.h"

#define TEXT 32u                /* beside enum format */

struct report_wish {
	bool help, version, json, verbose;
	struct option_list formats;
	const char *folder, *name;
	uint64_t expect;
};

#define AT(member) offsetof(struct report_wish, member)

static const struct option reporting[] = {
	{ "output-format", 'f', OPTION_LIST, AT(formats), "rocpd|html|text", 0, 0,
	  "one database, one page, the whole table; several with\n"
	  "',' between; default: all three" },
	{ "output-directory", 'd', OPTION_TEXT, AT(folder), "FOLDER", 0, 0, "where to write, default: the folder of the job" },
	{ "output-file", 'o', OPTION_TEXT, AT(name), "NAME", 0, 0, "how the files are to be called, default: report" },
	{ "expect", 0, OPTION_NUMBER, AT(expect), "N", 1, JOB_RANKS_MOST, "how many ranks there must be, default: as they say" },
	{ .name = NULL },
};

_Static_assert(AT(verbose) == offsetof(struct general, verbose), "as general_options fills it");

const struct option_group options_report[] = {
	{ "options", reporting, 0 }, { "general options", general_options, 0 }, { .options = NULL },
};

const char report_text[] =
	"Reads what the attaches of a job have left in FOLDER and in the folders directly in it: their\n"
	"statuses (*.roclatch.json) and the rocpd databases that the statuses name.  Checks that every\n"
	"rank is there once and has not failed, merges all databases into one with a common time line,\n"
	"writes a page and a table, and says which rank is slow.  If something is missing or damaged, it\n"
	"is named, the rest is merged, and the status is 7; the same if one of the files cannot be\n"
	"written.  If FOLDER has no status file, the status is 3.  Existing files are never overwritten.\n"
	"\n"
	"examples:\n"
	"  roclatch report /shared/run42 --expect 64\n";

static int read_formats(const struct option_list *list, unsigned *formats, struct err *err)
{
	static const struct { const char *word; unsigned bit; } known[] = { { "rocpd", FORMAT_ROCPD }, { "html", FORMAT_HTML }, { "text", TEXT } };
	*formats = list->n ? 0 : FORMAT_ROCPD | FORMAT_HTML | TEXT;
	for (size_t i = 0; i < list->n; i++)
		for (const char *at = list->v[i]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
			size_t n = strcspn(at, ","), k = 0;
			while (k < 3 && (strlen(known[k].word) != n || strncmp(known[k].word, at, n)))
				k++;
			if (k == 3)
				return err_set(err, ERR_USAGE, 0, "-f: '%.*s' is none of rocpd, html, text", (int)n, at);
			*formats |= known[k].bit;
		}
	return 0;
}

static int show_progress(void *ctx, double part)
{
	const struct output *out = ctx;
	static int shown = -1;
	if (!out->json && isatty(2) && (int)(part * 100) != shown) {
		shown = (int)(part * 100);
		fprintf(stderr, "\rreading %d %%\033[K", shown);
		if (part >= 1)
			fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	return call_stop_signal;
}

static void rank_json(struct json *json, const struct job_report *report, const struct job_rank *rank)
{
	const struct job_host *clock = &report->clock[rank->clock];
	json_object(json, NULL);
	json_signed(json, "rank", rank->rank);
	json_text(json, "host", rank->host);
	json_signed(json, "pid", rank->pid);
	json_text(json, "name", rank->name);
	json_signed(json, "status", rank->status);
	json_bool(json, "attached", rank->attached);
	json_text(json, "why", rank->why);
	json_bool(json, "slow", rank->slow);
	json_unsigned(json, "databases", rank->merged);
	json_unsigned(json, "records", rank->records);
	json_unsigned(json, "lost", rank->lost);
	json_unsigned(json, "kernels", rank->dispatches);
	json_unsigned(json, "kernel_ns", rank->kernel_ns);
	json_unsigned(json, "collective_ns", rank->together_ns);
	json_text(json, "busiest", rank->busiest);
	json_unsigned(json, "busiest_ns", rank->busiest_ns);
	json_unsigned(json, "api_ns", rank->api_ns);
	json_unsigned(json, "wait_ns", rank->wait_ns + rank->together_ns);
	json_unsigned(json, "start_ns", rank->first ? rank->first - report->first : 0);
	json_unsigned(json, "length_ns", rank->last - rank->first);
	json_bool(json, "clock_known", clock->known);
	json_bool(json, "clock_synchronised", clock->synchronised);
	json_signed(json, "clock_ahead_ns", clock->ahead);
	json_signed(json, "clock_error_ns", clock->error);
	json_signed(json, "moved_ns", clock->shift);
	json_end(json);
}

static void report_json(struct json *json, const struct job_report *report)
{
	static const char *const measures[] = { "kernels", "busy", "pace", "wait" };
	json_unsigned(json, "statuses", report->ranks);
	json_signed(json, "expected", report->expected);
	json_unsigned(json, "missing", report->missing);
	json_unsigned(json, "failed", report->failed);
	json_unsigned(json, "twice", report->twice);
	json_text(json, "judgement", report->verdict);
	json_unsigned(json, "slow", report->slow);
	json_text(json, "measure", report->judged ? measures[report->measure] : NULL);
	json_number(json, "median", report->median);
	json_number(json, "mad", report->mad);
	json_number(json, "limit", report->limit);
	json_array(json, "problems");
	for (size_t i = 0; i < report->problems; i++)
		json_text(json, NULL, report->problem[i]);
	json_end(json);
	json_unsigned(json, "problems_not_named", report->problems_left);
	json_array(json, "ranks");
	for (size_t i = 0; i < report->ranks; i++)
		rank_json(json, report, &report->rank[i]);
	json_end(json);
}

/* What became of the files: those that were made, and why the others were not. */
struct result {
	char text[PATH_MAX + 16];       /* the table's path, or "" */
	struct err failed[2];
	size_t failures;
};

static int write_text(const struct job_report *report, const char *base, struct result *result, struct err *err)
{
	struct file file;
	if (file_create(&file, base, "_results.txt", err) < 0)
		return -1;
	job_report_table(report, &file, true);
	if (file_finish(&file, err) < 0)
		return -1;
	snprintf(result->text, sizeof result->text, "%s_results.txt", base);
	return 0;
}

/* One that cannot be written does not take the others with it: the database is there by now. */
static void write_files(struct job_report *report, unsigned formats, const char *base, struct result *result)
{
	struct err *err = &result->failed[0];
	if ((formats & FORMAT_HTML) && job_report_page(report, base, err) < 0)
		err = &result->failed[++result->failures];
	if ((formats & TEXT) && write_text(report, base, result, err) < 0)
		result->failures++;
}

static void show_files(const struct job_report *report, const struct result *result, struct output *out)
{
	const char *path[] = { report->database, report->page, result->text };
	if (out->json)
		json_array(&out->writer, "files");
	for (size_t i = 0; i < 3; i++) {
		if (path[i][0] && out->json)
			json_text(&out->writer, NULL, path[i]);
		else if (path[i][0])
			output_note(out, "wrote %s", path[i]);
	}
	if (out->json) {
		json_end(&out->writer);
		json_array(&out->writer, "not_written");
	}
	for (size_t i = 0; i < result->failures; i++) {
		if (out->json)
			json_text(&out->writer, NULL, result->failed[i].text);
		else
			output_note(out, "not written: %s", result->failed[i].text);
	}
	if (out->json)
		json_end(&out->writer);
}

static int show(const struct job_report *report, const struct result *result, struct output *out, struct err *err)
{
	struct file file;
	int rc = 0;
	if (out->json) {
		report_json(&out->writer, report);
	} else if ((rc = file_borrow(&file, 1, "stdout", err)) == 0) {
		job_report_table(report, &file, false);
		rc = file_finish(&file, err);
	}
	show_files(report, result, out);
	for (size_t i = 0; i < report->problems; i++)
		output_note(out, "%s", report->problem[i]);
	if (report->problems_left)
		output_note(out, "and %s more", count_text(report->problems_left));
	return rc;
}

/* "failed" would not be true of a run that has left files. */
static int judge_files(const struct job_report *report, const struct result *result, struct err *err)
{
	size_t written = (report->database[0] != '\0') + (report->page[0] != '\0') + (result->text[0] != '\0');
	if (result->failures) {
		*err = result->failed[0];
		err_wrap(err, "%zu of %zu files could not be written", result->failures, result->failures + written);
	}
	if (err->code == ERR_FAILED && written)
		err->code = ERR_RESIDUE;
	return err->code ? -1 : 0;
}

static int make(struct job_report *report, const struct report_wish *wish, unsigned formats, struct output *out, struct err *err)
{
	char base[PATH_MAX];
	struct result result = { .failures = 0 };
	unsigned suffix = 0;
	if (free_base(wish->folder ? wish->folder : report->folder, wish->name ? wish->name : "report", formats & ~TEXT, &suffix, base,
		      sizeof base, err) < 0)
		return -1;
	int rc = job_report_merge(report, formats & FORMAT_ROCPD ? base : NULL, show_progress, out, err);
	show_progress(out, 1);
	if (rc < 0 && call_stop_signal)
		return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
	if (rc < 0) {
		if (report->database[0])
			show_files(report, &result, out);
		return judge_files(report, &result, err);
	}
	*err = (struct err){ 0 };       /* what the merge could do without */
	write_files(report, formats, base, &result);
	show(report, &result, out, err);
	if (judge_files(report, &result, err) < 0)
		return -1;
	if (!report->problems)
		return 0;
	if (report->problems == 1)
		err_set(err, ERR_RESIDUE, 0, "the job is incomplete: %s", report->problem[0]);
	else
		err_set(err, ERR_RESIDUE, 0, "the job is incomplete, for %zu reasons, the first: %s",
			report->problems + (size_t)report->problems_left, report->problem[0]);
	return err_remedy(err, "use what was merged, which is all the rest; or record the job again into a new folder");
}

int report_main(int argc, char **argv, struct output *out, struct err *err)
{
	struct report_wish wish = { .help = false };
	static struct job_report report;
	unsigned formats;
	int n = options_parse(options_report, &wish, argc, argv, err);
	if (n < 0)
		return err_wrap(err, "report");
	if (wish.help)
		return help_named("report");
	if (wish.version)
		return help_version();
	output_begin(out, "report", wish.json, wish.verbose, false);
	if (n != 1) {
		err_set(err, ERR_USAGE, 0, "report: %s", n ? "too many arguments" : "missing arguments");
		return err_remedy(err, "usage: roclatch report [OPTION...] FOLDER");
	}
	if (read_formats(&wish.formats, &formats, err) < 0)
		return -1;
	int rc = job_report_open(&report, argv[0], wish.expect, err);
	if (rc == 0)
		rc = make(&report, &wish, formats, out, err);
	job_report_close(&report);
	return rc;
}
