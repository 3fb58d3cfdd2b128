/* SPDX-License-Identifier: MIT */
/* roclatch convert: recordings into what people open. */
#include "bin/convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bin/converting.h"
#include "bin/help.h"

/* What the options say. */
struct wish {
	bool help, version, json, verbose;
	struct option_list formats, groups;
	const char *folder, *name, *units, *summary_output, *agent_index;
	bool stats, summary, per_domain, mangled, truncated, by_queue, rename;
};

#define AT(member) offsetof(struct wish, member)

static const struct option converting[] = {
	{ "output-format", 'f', OPTION_LIST, AT(formats), "csv|json|pftrace|rocpd|html", 0, 0,
	  "one, or several with ',' between; may be given again.\n"
	  "Default: what was asked for when it was recorded, else\n"
	  "rocpd; of a database: html" },
	{ "output-directory", 'd', OPTION_TEXT, AT(folder), "FOLDER", 0, 0,
	  "where to write, default: the folder of the input" },
	{ "output-file", 'o', OPTION_TEXT, AT(name), "NAME", 0, 0,
	  "how the files are to be called, default: as the input.\n"
	  "Both take rocprofv3's keys: %pid%, %hostname%, ..." },
	{ "stats", 0, OPTION_FLAG, AT(stats), NULL, 0, 0, "statistics too (with csv and json)" },
	{ "summary", 'S', OPTION_FLAG, AT(summary), NULL, 0, 0, "print one summary of all" },
	{ "summary-per-domain", 'D', OPTION_FLAG, AT(per_domain), NULL, 0, 0, "print a summary of each domain" },
	{ "summary-groups", 0, OPTION_LIST, AT(groups), "REGEX", 0, 0,
	  "domains that are summed up together; may be given again" },
	{ "summary-units", 'u', OPTION_TEXT, AT(units), "sec|msec|usec|nsec", 0, 0, "unit of times there" },
	{ "summary-output-file", 0, OPTION_TEXT, AT(summary_output), "FILE", 0, 0, "stderr (the default), stdout, or a file" },
	{ "mangled-kernels", 'M', OPTION_FLAG, AT(mangled), NULL, 0, 0, "kernel names as the compiler made them" },
	{ "truncate-kernels", 'T', OPTION_FLAG, AT(truncated), NULL, 0, 0, "kernel names without arguments" },
	{ "kernel-rename", 0, OPTION_FLAG, AT(rename), NULL, 0, 0, "ROCTx ranges as kernel names" },
	{ "group-by-queue", 0, OPTION_FLAG, AT(by_queue), NULL, 0, 0, "by HSA queue instead of HIP stream" },
	{ "agent-index", 'A', OPTION_TEXT, AT(agent_index), "absolute|relative|type-relative", 0, 0, "how GPUs are numbered" },
	{ .name = NULL },
};

_Static_assert(AT(verbose) == offsetof(struct general, verbose), "as general_options fills it");

const struct option_group options_convert[] = {
	{ "options", converting, 0 }, { "general options", general_options, 0 }, { .options = NULL },
};

const char convert_text[] =
	"Turns recordings into files for people and other programs.  Inputs are logs of roclatch's own\n"
	"tool (.rlog) and rocpd databases, including those of AMD's tool.  Existing files are never\n"
	"overwritten: if one of the names is taken, all new files get _1, _2, ... in their name.  A log\n"
	"that ends early (the process was killed, the disk was full) is converted as far as it goes.  If\n"
	"it is damaged, or records are missing from it, this is reported and the status is 7.\n"
	"\n"
	"examples:\n"
	"  roclatch convert run.rlog -f csv,pftrace\n"
	"  roclatch convert 4711_results.db\n";

static int join(struct env *env, const char *variable, const struct option_list *list, const char *separator, struct err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (env_append(env, variable, list->v[i], separator, err) < 0)
			return -1;
	return 0;
}

/* Options become the variables that an attachment would have recorded: there is one reader for both. */
static int write_variables(const struct wish *wish, struct env *env, struct err *err)
{
	const struct { const char *variable, *value; } all[] = {
		{ "ROCPROF_STATS", wish->stats ? "1" : NULL },
		{ "ROCPROF_STATS_SUMMARY", wish->summary ? "1" : NULL },
		{ "ROCPROF_STATS_SUMMARY_PER_DOMAIN", wish->per_domain ? "1" : NULL },
		{ "ROCPROF_STATS_SUMMARY_UNITS", wish->units },
		{ "ROCPROF_STATS_SUMMARY_OUTPUT", wish->summary_output },
		{ "ROCPROF_DEMANGLE_KERNELS", wish->mangled ? "0" : NULL },
		{ "ROCPROF_TRUNCATE_KERNELS", wish->truncated ? "1" : NULL },
		{ "ROCPROF_KERNEL_RENAME", wish->rename ? "1" : NULL },
		{ "ROCPROF_GROUP_BY_QUEUE", wish->by_queue ? "1" : NULL },
		{ "ROCPROF_AGENT_INDEX", wish->agent_index },
		{ "ROCPROF_MINIMUM_OUTPUT_BYTES", "0" },        /* who converts by hand wants it */
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].value && env_set(env, all[i].variable, all[i].value, err) < 0)
			return -1;
	return join(env, "ROCPROF_OUTPUT_FORMAT", &wish->formats, ",", err) < 0 ||
	       join(env, "ROCPROF_STATS_SUMMARY_GROUPS", &wish->groups, "##@@##", err) < 0 ? -1 : 0;
}

static void tell_more(const struct converted *converted, struct output *out)
{
	for (int domain = 0; domain < DOMAINS; domain++)
		if (converted->events[domain])
			output_note(out, "  %s: %s", domain_key((enum domain)domain), count_text(converted->events[domain]));
	for (size_t i = 0; i < converted->files && i < MADE_MAX; i++)
		output_note(out, "  wrote %s (%s)", converted->file[i].path, bytes_text(converted->file[i].bytes));
}

static void tell(const struct converted *converted, const char *input, struct output *out)
{
	output_note(out, "%s: %s records of process %u in %.1f s%s", input, count_text(converted_records(converted)), converted->pid,
		    (double)converted->recorded_ns / 1e9, converted->closed ? "" : "; the log was not closed: its process was killed, or records still");
	if (converted->lost)
		output_note(out, "  %s records were lost while it was recorded", count_text(converted->lost));
	if (converted->missing)
		output_note(out, "  %s", missing_text(converted));
	if (converted->why[0])
		output_note(out, "  the recording stopped early: %s", converted->why);
	output_lines(out, "note", converted->notes);
	if (out->verbose)
		tell_more(converted, out);
	for (size_t i = 0; !out->json && i < converted->files && i < MADE_MAX; i++)
		puts(converted->file[i].path);
	fflush(stdout);
}

static void one_json(struct json *json, const char *input, const struct converted *converted, const struct err *err)
{
	json_object(json, NULL);
	json_text(json, "input", input);
	if (converted->opened)
		json_converted(json, converted);
	json_text(json, "error", err->code ? err->text : NULL);
	json_end(json);
}

static int convert_each(const struct wish *wish, char **input, int n, const struct env *over, struct output *out, struct err *err)
{
	static struct converted converted;
	struct err first = { 0 };
	int failed = 0, i = 0;
	if (out->json)
		json_array(&out->writer, "inputs");
	for (; i < n && !call_stop_signal; i++) {
		struct err one = { 0 };
		struct order order = { .input = input[i], .over = over, .folder = wish->folder, .name = wish->name,
				       .progress = !wish->json && isatty(2), .quiet_stdout = wish->json };
		int rc = convert_recording(&order, &converted, &one);
		if (rc == 0) {
			one = (struct err){ 0 };
			tell(&converted, input[i], out);
			if (converted.damage[0])
				err_set(&one, ERR_RESIDUE, 0, "%s is damaged and was converted up to there: %s", input[i], converted.damage);
			else if (converted.missing)
				err_set(&one, ERR_RESIDUE, 0, "%s is incomplete: %s", input[i], missing_text(&converted));
		}
		if (out->json)
			one_json(&out->writer, input[i], &converted, &one);
		if (one.code && n > 1)
			output_note(out, "%s: %s", input[i], one.text);
		/* what failed counts before what is not whole */
		if (one.code && (!first.code || (first.code == ERR_RESIDUE && one.code != ERR_RESIDUE)))
			first = one;
		failed += one.code != ERR_NONE;
	}
	if (out->json)
		json_end(&out->writer);
	/* the signal may have come between two of them: then no conversion has failed by it */
	if (i < n && first.code < ERR_SIGNAL)
		return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal after %d of %d recordings", i, n);
	if (!failed)
		return 0;
	*err = first;
	return n > 1 ? err_wrap(err, "%d of %d recordings, the first", failed, n) : -1;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int convert_main(int argc, char **argv, struct output *out, struct err *err)
{
	struct wish wish = { .help = false };
	struct env over = { 0 };
	if (wants_help(argc, argv))
		return help_named("convert");
	int n = options_parse(options_convert, &wish, argc, argv, err);
	if (n < 0)
		return err_wrap(err, "convert");
	if (wish.version)
		return help_version();
	output_begin(out, "convert", wish.json, wish.verbose, false);
	if (n == 0) {
		err_set(err, ERR_USAGE, 0, "convert: missing arguments");
		return err_remedy(err, "usage: roclatch convert [OPTION...] FILE...");
	}
	int rc = write_variables(&wish, &over, err);
	if (rc == 0)
		rc = convert_each(&wish, argv, n, &over, out, err);
	env_free(&over);
	return rc;
}
