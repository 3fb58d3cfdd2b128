/* SPDX-License-Identifier: MIT */
/* The first reading of a log: names are kept, events are counted, everything is checked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/trace/log_source.h"

static void count_api(struct log_source *log, int32_t kind)
{
	if (kind >= 0 && kind < KINDS_MOST)
		log->kind[kind].records++;
	else
		log->other_api++;
}

static void see_end(struct log_source *log, uint64_t end)
{
	if (end > log->last)
		log->last = end;
}

static int count_counters(struct trace *trace, const struct log_counters *record, struct err *err)
{
	struct log_source *log = log_of(trace);
	trace->events[DOMAIN_COUNTERS] += !counters_continue(&log->gathered, record);
	see_end(log, record->end);
	return names_dispatched(trace, record->info.kernel, err);
}

static int count_event(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	struct log_source *log = log_of(trace);
	const void *record = frame;
	const struct log_api *api = record;
	const struct log_dispatch *dispatch = record;
	const struct log_marker *marker = record;
	log->records++;
	switch (frame->type) {
	case LOG_API:
		count_api(log, api->kind);
		see_end(log, api->end);
		return 0;
	case LOG_DISPATCH:
		trace->events[DOMAIN_KERNEL]++;
		see_end(log, dispatch->end);
		return names_dispatched(trace, dispatch->info.kernel, err);
	case LOG_COPY:
		trace->events[DOMAIN_COPY]++;
		see_end(log, ((const struct log_copy *)record)->end);
		return 0;
	case LOG_ALLOCATION:
		trace->events[DOMAIN_ALLOCATION]++;
		see_end(log, ((const struct log_allocation *)record)->end);
		return 0;
	case LOG_SCRATCH:
		trace->events[DOMAIN_SCRATCH]++;
		see_end(log, ((const struct log_scratch *)record)->end);
		return 0;
	case LOG_COUNTERS:
		return count_counters(trace, record, err);
	default:
		return markers_mark(&log->markers, marker->correlation, marker->text, err);
	}
}

static int take(struct trace *trace, const struct log_frame *frame, struct err *err)
{
	if (frame->type >= LOG_API && frame->type <= LOG_MARKER)
		return count_event(trace, frame, err);
	if (frame->type == LOG_LOST || frame->type == LOG_END)
		return log_take_end(trace, frame, err);
	return log_take_name(trace, frame, err);
}

static int read_all(struct trace *trace, struct err *err)
{
	struct log_source *log = log_of(trace);
	const struct log_frame *frame;
	while ((frame = log_next(&log->file, NULL))) {
		trace->closed = false;  /* unless this is the last, and the end */
		if (take(trace, frame, err) < 0)
			return -1;
	}
	log->end = log->file.at;
	memcpy(trace->damage, log->file.damage, sizeof trace->damage);
	return log_finish_names(trace, err);
}

static void close_log(struct trace *trace)
{
	struct log_source *log = log_of(trace);
	log_file_close(&log->file);
	markers_free(&log->markers);
	free(log->value);
	for (size_t i = 0; !trace->kind_count && i < KINDS_MOST; i++)
		free(log->kind[i].operation);
}

static void take_head(struct trace *trace, const struct log_head *head)
{
	memcpy(trace->id, head->id, sizeof trace->id);
	trace->start = head->start;
	trace->start_realtime = head->start_realtime;
	trace->pid = head->pid;
	trace->ppid = head->ppid;
	trace->sdk = head->sdk;
	trace->session = head->session;
}

/* Those that the log does not tell are empty rather than NULL. */
static void fill_facts(struct trace *trace)
{
	const char **const fact[] = {
		&trace->hostname, &trace->machine_id, &trace->system, &trace->release, &trace->version, &trace->hardware,
		&trace->domain, &trace->folder, &trace->output, &trace->tool_version, &trace->why,
	};
	for (size_t i = 0; i < sizeof fact / sizeof fact[0]; i++)
		if (!*fact[i])
			*fact[i] = "";
}

int log_open(struct trace *trace, int fd, struct err *err)
{
	static const struct trace_source source = { log_each, close_log };
	struct log_source *log = calloc(1, sizeof *log);
	if (!log) {
		close(fd);
		return err_set(err, ERR_FAILED, ENOMEM, "read %s", trace->path);
	}
	trace->reading = log;
	trace->source = &source;
	if (log_file_open(&log->file, fd, trace->path, err) < 0)
		return -1;
	take_head(trace, &log->file.head);
	if (read_all(trace, err) < 0)
		return err_wrap(err, "%s", trace->path);
	fill_facts(trace);
	trace->says_how_it_ended = true;
	return 0;
}
