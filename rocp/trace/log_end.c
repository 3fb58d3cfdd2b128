/* SPDX-License-Identifier: MIT */
/* What a log says of its end, and what is to be told about it. */
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/log_source.h"

static int take_lost(struct trace *trace, const struct log_lost *record, struct err *err)
{
	struct log_source *log = log_of(trace);
	const char *why = texts_keep(&log->names.texts, record->why, strlen(record->why), err);
	size_t i = 0;
	if (!why)
		return -1;
	while (i < REASONS_MOST - 1 && log->reason[i].why && log->reason[i].why != why)
		i++;
	/* the last place is for all that found none */
	log->reason[i].why = i < REASONS_MOST - 1 ? why : "various reasons";
	log->reason[i].records += record->records;
	log->lost += record->records;
	return 0;
}

int log_take_end(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	struct log_source *log = log_of(trace);
	if (frame->type == LOG_LOST)
		return take_lost(trace, (const void *)frame, err);
	const struct log_end *end = (const void *)frame;
	trace->closed = true;
	trace->end = end->time;
	trace->lost = end->lost;
	log->told_records = end->records;
	trace->why = texts_keep(&log->names.texts, end->why, strlen(end->why), err);
	if (!trace->why)
		return -1;
	if (end->records == log->records)
		return 0;
	return names_note(trace, texts_print(&log->names.texts, err, "%llu records were written and %llu are in the log",
		(unsigned long long)end->records, (unsigned long long)log->records), err);
}

static int note_reasons(struct trace *trace, struct err *err)
{
	struct log_source *log = log_of(trace);
	for (size_t i = 0; i < REASONS_MOST && log->reason[i].why; i++)
		if (names_note(trace, texts_print(&log->names.texts, err, "%llu records were lost: %.200s",
			(unsigned long long)log->reason[i].records, log->reason[i].why), err) < 0)
			return -1;
	return 0;
}

static int note_unknown(struct trace *trace, struct err *err)
{
	struct log_source *log = log_of(trace);
	if (log->unknown && names_note(trace, texts_print(&log->names.texts, err,
		"%llu entries of unknown kinds were left out: the log was made by a newer tool",
		(unsigned long long)log->unknown), err) < 0)
		return -1;
	if (log->unnamed && names_note(trace, texts_print(&log->names.texts, err,
		"%llu names of operations were left out: their numbers are too large",
		(unsigned long long)log->unnamed), err) < 0)
		return -1;
	if (log->dropped_texts && names_note(trace, "there are more texts of markers than can be kept: some are missing", err) < 0)
		return -1;
	return 0;
}

/* A newer tool may count records of its new types or not: they are not to be missed twice. */
static uint64_t missing(const struct log_source *log, bool closed)
{
	uint64_t untold = closed && log->told_records > log->records ? log->told_records - log->records : 0;
	return (untold > log->unknown_records ? untold : log->unknown_records) + log->dropped_texts;
}

static int add_kinds(struct trace *trace, struct err *err)
{
	struct log_source *log = log_of(trace);
	for (int32_t i = 0; i < KINDS_MOST; i++) {
		struct kind_slot *kind = &log->kind[i];
		enum domain domain = domain_of_kind(kind->name);
		kind->domain = domain < DOMAINS && DOMAINS_API & DOMAIN_BIT(domain) ? domain : DOMAIN_OTHER_API;
		trace->events[kind->domain] += kind->records;
		if (!kind->name && !kind->operations && !kind->records)
			continue;
		if (!kind->name && !(kind->name = texts_print(&log->names.texts, err, "kind %d", (int)i)))
			return -1;
		struct kind_names *names = array_add(&trace->kinds, &trace->kind_count, sizeof *names, err);
		if (!names)
			return -1;
		*names = (struct kind_names){ i, kind->name, kind->operation, kind->operations };
		kind->operation = NULL; /* the trace's now */
	}
	/* only when none is added any more do they stay where they are */
	for (size_t i = 0; i < trace->kind_count; i++)
		log->kind[trace->kinds[i].kind].operation = trace->kinds[i].operation;
	return 0;
}

int log_finish_names(struct trace *trace, struct err *err)
{
	struct log_source *log = log_of(trace);
	trace->events[DOMAIN_OTHER_API] += log->other_api;
	if (!trace->closed) {
		trace->lost = log->lost;
		trace->end = log->last > trace->start ? log->last : trace->start;
	}
	trace->missing = missing(log, trace->closed);
	markers_sort(&log->markers);
	return add_kinds(trace, err) < 0 || note_reasons(trace, err) < 0 || note_unknown(trace, err) < 0 ? -1 :
		names_finish(trace, err);
}
