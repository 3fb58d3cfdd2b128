/* SPDX-License-Identifier: MIT */
/* roclatch sample: look at a process again and again, and tell where its threads were. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bin/amounts.h"
#include "bin/sample.h"
#include "bin/wait.h"
#include "inject/thread.h"
#include "inject/watch/sampler.h"
#include "rocp/formats/samples.h"

#define RATE_DEFAULT 100
#define SUFFIX_MAX 9999
#define NAME_EVERY_NS 1000000000u

const char sample_text[] =
	"Looks at all threads of the process at a fixed rate, and writes what it has seen: states, system\n"
	"calls, stacks.  It ends after the duration, on Enter, on Ctrl-C, or when the process ends.  No\n"
	"thread is stopped, unless --stacks all asks for stacks of running threads and perf events are\n"
	"not permitted here.  A summary is printed on stderr, unless text goes to stdout.\n"
	"\n"
	"text, json, folded (for flame graphs) and speedscope are written to stdout, pftrace (for\n"
	"ui.perfetto.dev) and html (one page with a flame graph) to PID_sample.pftrace or PID_sample.html\n"
	"in the current folder.  -o names another file.\n"
	"\n"
	"examples:\n"
	"  roclatch sample 4711 --duration-msec 5000\n"
	"  roclatch sample 4711 --duration-msec 5000 --stacks all -f html -o where.html\n";

struct sampling {
	struct watched watched;
	struct sampler *sampler;
	struct profile *profile;
	struct err ended;       /* why the process is no more to be looked at */
	size_t named;           /* places of the profile */
	uint64_t named_ns;
	struct file file;       /* fd -1: nothing is written */
};

/* While the process is there: when it has gone, some of its files cannot be found any more. */
static void name_places(struct sampling *sampling, uint64_t now)
{
	struct frame_name name;
	struct profile *profile = sampling->profile;
	if (!sampling->watched.readable || now < sampling->named_ns + NAME_EVERY_NS)
		return;
	for (; sampling->named < profile->places_n; sampling->named++) {
		const struct place *place = &profile->places[sampling->named];
		if (!place->end)
			naming_at(sampling->watched.naming, place->pc, place->exact, &name);
	}
	sampling->named_ns = now;
}

static uint64_t due(void *ctx)
{
	const struct sampling *sampling = ctx;
	return sampler_next_ns(sampling->sampler);
}

static bool over(void *ctx, size_t i)
{
	struct sampling *sampling = ctx;
	const struct target *target = &sampling->watched.target;
	uint64_t now = now_ns();
	if (i == 0 && !target_alive(target)) {
		err_set(&sampling->ended, ERR_TARGET_EXITED, 0, "process %d (%s) has ended", (int)target->pid, target->status.name);
		return true;
	}
	if (now < sampler_next_ns(sampling->sampler))
		return false;
	if (sampler_tick(sampling->sampler, &sampling->ended) < 0)
		return true;
	name_places(sampling, now);
	return false;
}

static void so_far(void *ctx, char *text, size_t size)
{
	const struct profile *profile = ((struct sampling *)ctx)->profile;
	snprintf(text, size, "%.0f Hz, %s samples of %zu thread%s, %s late, %s left out", profile->rate,
		 count_text(profile->samples), profile->threads_n, profile->threads_n == 1 ? "" : "s", count_text(profile->late), count_text(profile->dropped));
}

static enum wait_end sample_until(struct sampling *sampling, const struct settings *settings)
{
	return wait_for_end(&(struct waiting){
		.has_duration = settings->duration_msec, .duration_ms = settings->duration_msec,
		.fd = &sampling->watched.target.pidfd, .n = 1, .over = over, .ctx = sampling, .due = due,
		.show = !settings->json, .doing = "sampling", .so_far = so_far });
}

/* PID_sample, or with _1, _2, ... behind it: never over another. */
static int create_new(struct sampling *sampling, const char *ending, struct err *err)
{
	char base[64];
	int rc = -1;
	for (unsigned i = 0; i <= SUFFIX_MAX && rc < 0; i++) {
		int n = snprintf(base, sizeof base, "%d_sample", (int)sampling->watched.target.pid);
		if (i)
			snprintf(base + n, sizeof base - (size_t)n, "_%u", i);
		rc = file_create(&sampling->file, base, ending, err);
		if (rc < 0 && err->sys != EEXIST)
			break;
	}
	return rc;
}

/* text, json, folded and speedscope can be piped on; --json has stdout for itself. */
static int open_file(struct sampling *sampling, const struct settings *settings, struct err *err)
{
	bool to_stdout = !settings->output && settings->format < SAMPLES_PFTRACE;
	if (settings->output && !strcmp(settings->output, "-"))
		to_stdout = true;
	if (to_stdout && settings->json) {
		if (settings->output || settings->format != SAMPLES_TEXT)
			return err_set(err, ERR_USAGE, 0, "--json needs stdout for itself: give a file with -o");
		return 0;
	}
	if (to_stdout)
		return file_borrow(&sampling->file, STDOUT_FILENO, "stdout", err);
	if (settings->output)
		return file_create(&sampling->file, settings->output, "", err);
	return create_new(sampling, samples_endings[settings->format], err);
}

static void tell_counts(const struct sampling *sampling, struct output *out, enum wait_end end)
{
	const struct profile *profile = sampling->profile;
	output_text(out, "ended_by", wait_end_name(end));
	output_number(out, "ticks", profile->ticks);
	output_number(out, "samples", profile->samples);
	output_number(out, "late", profile->late);
	output_number(out, "dropped", profile->dropped);
	output_number(out, "stacks", profile->stacks_taken);
	output_number(out, "stacks_missed", profile->stacks_missed);
	output_number(out, "stacks_from_outside", profile->by_outside);
	output_number(out, "stacks_by_perf", profile->by_perf);
	output_number(out, "stacks_by_stops", profile->by_stop);
	output_number(out, "longest_stop_ns", profile->stop_longest_ns);
	output_number(out, "duration_ns", profile->duration_ns);
	if (profile->why_no_stacks[0])
		output_text(out, "no_stacks", profile->why_no_stacks);
}

static int write_out(struct sampling *sampling, const struct settings *settings, struct output *out, struct err *err)
{
	/* the text on stdout begins with the same */
	bool readable_already = sampling->file.borrowed && settings->format == SAMPLES_TEXT;
	if (sampling->watched.readable)
		profile_name(sampling->profile, sampling->watched.naming);
	if (!readable_already)
		sample_summary(out, &sampling->watched, sampling->profile);
	if (sampling->file.fd < 0)
		return 0;
	if (samples_write((enum samples_format)settings->format, sampling->profile, &sampling->file, err) < 0 ||
	    file_finish(&sampling->file, err) < 0)
		return -1;
	if (sampling->file.borrowed)
		return 0;
	output_text(out, "file", sampling->file.path);
	if (!settings->verbose)
		output_note(out, "wrote %s", sampling->file.path);
	return 0;
}

static int sample(struct sampling *sampling, const struct settings *settings, struct output *out, struct err *err)
{
	struct watched *watched = &sampling->watched;
	struct sampler_options options = { .rate = settings->rate ? (double)settings->rate : RATE_DEFAULT,
					   .stacks = (enum sample_stacks)settings->stacks, .stops_max = (unsigned)settings->stops,
					   .no_perf = settings->no_perf };
	if (open_file(sampling, settings, err) < 0)
		return -1;
	sampling->sampler = sampler_open(watched->target.pid, watched->readable ? &watched->images : NULL, &options, err);
	if (!sampling->sampler)
		return -1;
	sampling->profile = sampler_profile(sampling->sampler);
	if (!watched->readable)
		output_note(out, "without system calls and stacks: %s", watched->why.text);
	wait_catch_signals();
	sampler_short_turns();
	enum wait_end end = sample_until(sampling, settings);
	tell_counts(sampling, out, end);
	int rc = write_out(sampling, settings, out, err);
	if (rc == 0 && end == WAIT_GONE) {
		*err = sampling->ended;
		rc = -1;
	}
	return rc;
}

int command_sample(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	static struct sampling sampling;
	(void)operands;
	(void)n;
	sampling.file.fd = -1;
	if (watched_open(&sampling.watched, settings, false, out, err) < 0)
		return -1;
	int rc = sample(&sampling, settings, out, err);
	file_abandon(&sampling.file);
	if (sampling.sampler)
		sampler_close(sampling.sampler);
	watched_close(&sampling.watched);
	return rc;
}
