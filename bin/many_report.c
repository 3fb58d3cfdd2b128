/* SPDX-License-Identifier: MIT */
/* What is told of several attachments together, and of the moment that they began. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bin/recording.h"

#define PIDS_SHOWN 8

void report_at(const struct request *request, struct output *out)
{
	int64_t left = request->at_ns - wall_ns();
	time_t seconds = (time_t)(request->at_ns / 1000000000);
	struct tm tm = { 0 };
	char text[32] = "";
	if (left <= 0) {
		output_note(out, "the time to attach was %.1f s ago: attaching at once", (double)-left / 1e9);
		return;
	}
	localtime_r(&seconds, &tm);
	strftime(text, sizeof text, "%F %T", &tm);
	output_note(out, "ready; attaching at %s, in %.1f s", text, (double)left / 1e9);
}

/* The first and the last of a moment that each of those selected had; false if none had. */
static bool range(const struct outcomes *outcomes, bool began, int64_t *first, int64_t *last, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < outcomes->n; i++) {
		const struct outcome *outcome = &outcomes->v[i];
		int64_t at = began ? outcome->began_at_ns : outcome->attached_at_ns;
		if (!outcome->attached_at_ns || outcome->followed)
			continue;
		*first = !*n || at < *first ? at : *first;
		*last = !*n || at > *last ? at : *last;
		++*n;
	}
	return *n != 0;
}

void report_together(const struct outcomes *outcomes, const struct request *request, struct output *out)
{
	int64_t first, last;
	size_t n;
	if (request->style != STYLE_ROCLATCH)
		return;         /* upstream's words are its own */
	if (request->at_ns && range(outcomes, true, &first, &last, &n)) {
		double early = (double)(first - request->at_ns) / 1e6, late = (double)(last - request->at_ns) / 1e6;
		if (n == 1)
			output_note(out, "started %.1f ms after the time", early);
		else
			output_note(out, "started %.1f to %.1f ms after the time", early, late);
	}
	if (range(outcomes, false, &first, &last, &n) && n > 1)
		output_note(out, "%zu processes attached within %.1f ms", n, (double)(last - first) / 1e6);
}

/* What went wrong, or what helps, without the id of the process, so that equal reasons are equal. */
static void without_id(const struct outcome *outcome, const char *at, char *text, size_t size)
{
	char id[16];
	size_t length = (size_t)snprintf(id, sizeof id, "%d", (int)outcome->pid), used = 0;
	while (*at && used + 4 < size) {
		if (!strncmp(at, id, length) && (at[length] < '0' || at[length] > '9')) {
			used += (size_t)snprintf(text + used, size - used, "PID");
			at += length;
			continue;
		}
		text[used++] = *at++;
	}
	text[used] = '\0';
}

struct sums { size_t attached, failed, skipped; uint64_t records, bytes, lost; };

static struct sums add_up(const struct outcomes *outcomes)
{
	struct sums sums = { 0 };
	for (size_t i = 0; i < outcomes->n; i++) {
		const struct outcome *outcome = &outcomes->v[i];
		sums.attached += outcome->attached_at_ns != 0;
		sums.failed += outcome->err.code && !outcome->skipped;
		sums.skipped += outcome->skipped;
		sums.records += outcome->records;
		sums.bytes += outcome->bytes;
		sums.lost += outcome->lost;
	}
	return sums;
}

static void tell_reason(const struct outcomes *outcomes, const size_t *same, size_t n, const char *reason, struct output *out)
{
	const struct outcome *first = &outcomes->v[same[0]];
	char ids[PIDS_SHOWN * 12 + 8] = "", remedy[sizeof first->err.remedy];
	size_t used = 0;
	for (size_t i = 0; i < n && i < PIDS_SHOWN; i++)
		used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%d", i ? " " : "", (int)outcomes->v[same[i]].pid);
	if (n > PIDS_SHOWN)
		snprintf(ids + used, sizeof ids - used, " ...");
	output_note(out, "  %zu %s (%s): %s", n, first->skipped ? "skipped" : "failed", ids, reason);
	if (!out->json)
		return;
	json_object(&out->writer, NULL);
	json_text(&out->writer, "reason", reason);
	without_id(first, first->err.remedy, remedy, sizeof remedy);
	json_text(&out->writer, "remedy", remedy[0] ? remedy : NULL);
	json_bool(&out->writer, "skipped", first->skipped);
	json_unsigned(&out->writer, "count", n);
	json_array(&out->writer, "pids");
	for (size_t i = 0; i < n; i++)
		json_signed(&out->writer, NULL, outcomes->v[same[i]].pid);
	json_end(&out->writer);
	json_end(&out->writer);
}

/* Each reason once, with those that it holds for. */
static void tell_reasons(const struct outcomes *outcomes, struct output *out)
{
	typedef char reason[sizeof((struct err *)0)->text];
	reason *reasons = calloc(outcomes->n, sizeof *reasons);
	size_t *same = calloc(outcomes->n, sizeof *same);
	for (size_t i = 0; reasons && same && i < outcomes->n; i++)
		if (outcomes->v[i].err.code)
			without_id(&outcomes->v[i], outcomes->v[i].err.text, reasons[i], sizeof reasons[i]);
	for (size_t i = 0; reasons && same && i < outcomes->n; i++) {
		size_t n = 0;
		if (!reasons[i][0])
			continue;
		for (size_t k = i; k < outcomes->n; k++) {
			if (outcomes->v[k].skipped != outcomes->v[i].skipped || strcmp(reasons[k], reasons[i]))
				continue;
			same[n++] = k;
			if (k > i)
				reasons[k][0] = '\0';
		}
		tell_reason(outcomes, same, n, reasons[i], out);
	}
	free(reasons);
	free(same);
}

void report_summary(const struct outcomes *outcomes, const struct request *request, struct output *out)
{
	struct sums sums = add_up(outcomes);
	struct json *json = &out->writer;
	int64_t first, last;
	size_t n;
	bool known = range(outcomes, false, &first, &last, &n);
	char within[48] = "", records[96] = "";
	if (out->json && known)
		json_unsigned(json, "skew_ns", (uint64_t)(last - first));
	if (out->json && request->at_ns)
		json_signed(json, "asked_at_ns", request->at_ns);
	if ((outcomes->n < 2 && !request->follow) || request->dry_run || (request->style != STYLE_ROCLATCH && !out->json))
		return;
	if (known && n > 1)
		snprintf(within, sizeof within, " within %.1f ms", (double)(last - first) / 1e6);
	if (sums.records)
		snprintf(records, sizeof records, "; %s records, %s", count_text(sums.records), bytes_text(sums.bytes));
	output_note(out, "in all: %zu of %zu processes attached%s%s", sums.attached, outcomes->n, within, records);
	if (request->follow)
		output_note(out, "  %zu came meanwhile, in %zu of them was no ROCm", outcomes->born, outcomes->without_rocm);
	if (out->json) {
		json_object(json, "summary");
		json_unsigned(json, "processes", outcomes->n);
		json_unsigned(json, "attached", sums.attached);
		json_unsigned(json, "failed", sums.failed);
		json_unsigned(json, "skipped", sums.skipped);
		json_unsigned(json, "records", sums.records);
		json_unsigned(json, "bytes", sums.bytes);
		json_unsigned(json, "lost", sums.lost);
		if (request->follow) {
			json_unsigned(json, "born", outcomes->born);
			json_unsigned(json, "without_rocm", outcomes->without_rocm);
		}
		json_array(json, "reasons");
	}
	tell_reasons(outcomes, out);
	if (out->json) {
		json_end(json);
		json_end(json);
	}
}
