/* SPDX-License-Identifier: MIT */
/*
 * The page of a job: that of a recording, whose events come from the databases of several ranks, one after the
 * other.  Of many ranks the slow ones and both ends of the kernel time are shown with all they did; of others a
 * bar from their first to their last record, and of very many, some that stand for all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/formats/formats.h"
#include "rocp/formats/idmap.h"
#include "rocp/job/report.h"
#include "rocp/trace/names.h"

#define WHOLE_MOST 24u          /* ranks with all that they did */
#define ENDS 8u
#define BARS_MOST 200u
#define SHOWN (DOMAINS_ALL & ~(DOMAIN_BIT(DOMAIN_COUNTERS) | DOMAIN_BIT(DOMAIN_ALLOCATION) | DOMAIN_BIT(DOMAIN_SCRATCH)))
#define THREADS_OF_ONE 10000000u        /* a thread's number in the page has its rank's place before it */

struct source {
	struct names names;     /* first, as every source's */
	struct job_report *report;
	struct trace *trace;    /* the page's */
	uint32_t whole[WHOLE_MOST + ENDS], bar[BARS_MOST];
	size_t wholes, bars;
	struct idmap agents, kernels;   /* of a rank, to places */
	struct kernel_symbol **kernel;
	size_t kernels_n;
	/* the reading */
	const struct trace *from;
	size_t place;           /* in whole */
	event_visit *visit;
	void *ctx;
	int visited;            /* what the visit answered, if not 0 */
};

static const char *keep(struct source *source, const char *text, struct err *err)
{
	return text ? texts_keep(&source->names.texts, text, strlen(text), err) : NULL;
}

static const struct job_rank *rank_of(const struct source *source)
{
	return &source->report->rank[source->whole[source->place]];
}

/* The agent's number in the page: 0 for none. */
static int map_agent(struct source *source, uint64_t id, uint64_t *ours, struct err *err)
{
	const struct agent *agent = id ? trace_agent(source->from, id) : NULL;
	const struct job_host *clock = &source->report->clock[rank_of(source)->clock];
	uint64_t key = idmap_mix(source->place + 1, id), place;
	char who[320];
	*ours = 0;
	if (!agent)
		return 0;
	if (!idmap_get(&source->agents, key, &place)) {
		struct agent *fresh = array_add(&source->trace->agent, &source->trace->agents, sizeof *fresh, err);
		if (!fresh)
			return -1;
		place = source->trace->agents;
		*fresh = (struct agent){ .id = place, .is_gpu = agent->is_gpu, .node = (uint32_t)place, .cu_count = agent->cu_count,
			.cpu_cores_count = agent->cpu_cores_count, .vendor = "", .model = "", .product = keep(source, agent->product, err) };
		fresh->name = texts_print(&source->names.texts, err, "%s, %s %d%s (clock %+.3f s \302\261 %.3g ms%s)", job_who(rank_of(source), who),
			agent->is_gpu ? "GPU" : "CPU", agent->type_node, rank_of(source)->slow ? ", slow" : "", (double)clock->ahead / 1e9, (double)clock->error / 1e6,
			clock->known ? "" : ", not known");
		if (!fresh->product || !fresh->name || index_put(&source->names.agents, place, place - 1, err) < 0)
			return -1;
		if (idmap_set(&source->agents, key, place) < 0)
			return err_set(err, ERR_FAILED, 0, "out of memory for the page");
	}
	*ours = place;
	return 0;
}

static int map_kernel(struct source *source, struct event *event, struct err *err)
{
	uint64_t key = idmap_mix(source->place + 1, event->kernel->id), place;
	if (!idmap_get(&source->kernels, key, &place)) {
		struct kernel_symbol **slot = array_add(&source->kernel, &source->kernels_n, sizeof *slot, err);
		if (!slot || !(*slot = malloc(sizeof **slot)))
			return err_set(err, ERR_FAILED, 0, "out of memory for the page");
		place = source->kernels_n - 1;
		**slot = *event->kernel;
		(*slot)->name = keep(source, event->kernel->name, err);
		(*slot)->demangled = keep(source, event->kernel->demangled, err);
		(*slot)->truncated = keep(source, event->kernel->truncated, err);
		(*slot)->formatted = keep(source, event->kernel->formatted, err);
		if (!(*slot)->name || !(*slot)->demangled || !(*slot)->truncated || !(*slot)->formatted)
			return -1;
		if (idmap_set(&source->kernels, key, place) < 0)
			return err_set(err, ERR_FAILED, 0, "out of memory for the page");
	}
	event->kernel = source->kernel[place];
	return 0;
}

static int name_thread(struct source *source, uint64_t number, uint64_t tid, const char *name, struct err *err)
{
	char who[320];
	if (index_get(&source->names.threads, number) != INDEX_NONE)
		return 0;
	struct trace_thread *thread = array_add(&source->trace->thread, &source->trace->threads, sizeof *thread, err);
	if (!thread)
		return -1;
	thread->tid = number;
	if (!source->from)      /* not of a rank */
		thread->name = name;
	else if (tid)
		thread->name = texts_print(&source->names.texts, err, "%s, thread %llu %s", job_who(rank_of(source), who),
					   (unsigned long long)tid, name ? name : "");
	else
		thread->name = texts_print(&source->names.texts, err, "%s, thread not recorded", job_who(rank_of(source), who));
	return thread->name ? index_put(&source->names.threads, number, source->trace->threads - 1, err) : -1;
}

static uint64_t map_correlation(const struct source *source, uint64_t id)
{
	return id ? (source->place + 1) << 40 | (id & 0xffffffffff) : 0;
}

static int pass_on(void *ctx, const struct event *theirs, struct err *err)
{
	struct source *source = ctx;
	struct event event = *theirs;
	uint64_t shift = (uint64_t)source->report->clock[rank_of(source)->clock].shift;
	event.start += event.start ? shift : 0;
	event.end += event.end ? shift : 0;
	event.thread = (source->place + 1) * THREADS_OF_ONE + theirs->thread % THREADS_OF_ONE;
	event.correlation = map_correlation(source, theirs->correlation);
	event.ancestor = map_correlation(source, theirs->ancestor);
	event.kind_name = keep(source, theirs->kind_name, err);
	event.operation_name = keep(source, theirs->operation_name, err);
	event.text = keep(source, theirs->text, err);
	event.rename = keep(source, theirs->rename, err);
	if (!event.kind_name || !event.operation_name || (theirs->text && !event.text) || (theirs->rename && !event.rename) ||
	    map_agent(source, theirs->agent, &event.agent, err) < 0 || map_agent(source, theirs->agent2, &event.agent2, err) < 0 ||
	    (event.kernel && map_kernel(source, &event, err) < 0) ||
	    name_thread(source, event.thread, theirs->thread, trace_thread_name(source->from, theirs->thread), err) < 0)
		return source->visited = -1;
	return source->visited = source->visit(source->ctx, &event, err);
}

static int show_bar(struct source *source, const struct job_rank *rank, struct err *err)
{
	char who[320];
	struct event bar = { .domain = DOMAIN_MARKER, .kind_name = "MARKER_CORE_RANGE_API", .operation_name = "rank", .thread = 1,
			     .start = rank->first, .end = rank->last };
	bar.text = texts_print(&source->names.texts, err, "%s: %llu kernels in %.3f s, waits %.3f s%s", job_who(rank, who),
			       (unsigned long long)rank->dispatches, (double)rank->kernel_ns / 1e9,
			       (double)(rank->wait_ns + rank->together_ns) / 1e9, rank->slow ? ", slow" : "");
	if (!bar.text || name_thread(source, 1, 0, "ranks, each from its first to its last record", err) < 0)
		return -1;
	return source->visit(source->ctx, &bar, err);
}

/* What cannot be read of a database was told when it was merged. */
static int show_file(struct source *source, const struct job_file *file, unsigned domains, struct err *err)
{
	struct trace from;
	int fd = job_file_is_database(file) ? job_file_open(rank_of(source), file, NULL) : -1;
	if (fd < 0 || trace_open_fd(&from, fd, file->name, NULL) < 0)
		return 0;
	source->from = &from;
	source->visited = 0;
	trace_each(&from, domains & SHOWN, pass_on, source, err);
	trace_close(&from);
	source->from = NULL;
	return source->visited;
}

static int each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err)
{
	struct source *source = trace->reading;
	struct job_report *report = source->report;
	int rc = 0;
	source->visit = visit;
	source->ctx = ctx;
	for (size_t i = 0; rc == 0 && domains & DOMAIN_BIT(DOMAIN_MARKER) && i < source->bars; i++)
		rc = show_bar(source, &report->rank[source->bar[i]], err);
	for (source->place = 0; rc == 0 && source->place < source->wholes; source->place++) {
		const struct job_rank *rank = rank_of(source);
		for (size_t i = 0; rc == 0 && rank->merged && i < rank->files; i++)
			rc = show_file(source, &report->file[rank->file + i], domains, err);
	}
	return rc;
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static int choose(struct source *source, struct err *err)
{
	struct job_report *report = source->report;
	uint32_t *place = job_by_work(report, err);
	size_t n = 0, slow = 0;
	if (!place)
		return -1;
	while (n < report->ranks && report->rank[place[n]].merged)
		n++;
	for (size_t i = 0; i < n; i++)
		if (n <= WHOLE_MOST || i < ENDS || i >= n - ENDS || (report->rank[place[i]].slow && slow++ < ENDS))
			source->whole[source->wholes++] = place[i];
	for (size_t i = 0; n > WHOLE_MOST && i < n && i < BARS_MOST; i++)
		source->bar[source->bars++] = place[n <= BARS_MOST ? i : i * (n - 1) / (BARS_MOST - 1)];
	free(place);
	qsort(source->whole, source->wholes, sizeof *source->whole, by_place);
	return 0;
}

static int note(struct source *source, const char *text, struct err *err)
{
	const char **slot = text ? array_add(&source->trace->note, &source->trace->notes, sizeof *slot, err) : NULL;
	return slot ? (*slot = text, 0) : -1;
}

static int write_notes(struct source *source, struct err *err)
{
	const struct job_report *report = source->report;
	struct texts *texts = &source->names.texts;
	struct index told = { .n = 0 };
	int rc = note(source, report->verdict, err);
	for (size_t i = 1; rc == 0 && i < report->slow_whys; i++)
		rc = note(source, report->slow_why[i], err);
	for (size_t i = 0; rc == 0 && i < report->problems && i < JOB_TELL_MOST; i++)
		rc = note(source, report->problem[i], err);
	if (rc == 0 && source->bars)
		rc = note(source, texts_print(texts, err, "%zu of %zu ranks are shown with all that they did: the slow ones, and those with most "
			"and least kernel time; %zu have a bar.  The table of all is in the text and in --json.", source->wholes, report->ranks,
			source->bars), err);
	/* of the hosts of those that are shown, in their order */
	for (size_t i = 0; rc == 0 && i < source->wholes; i++) {
		const struct job_host *host = &report->clock[report->rank[source->whole[i]].clock];
		rc = index_get(&told, (uintptr_t)host) != INDEX_NONE ? 0 : index_put(&told, (uintptr_t)host, 0, err) < 0 ? -1 :
			note(source, texts_print(texts, err, "clock of %s: %+.3f s against the others, \302\261 %.3g ms; its times were moved by "
				"%+.6f s%s", host->host, (double)host->ahead / 1e9, (double)host->error / 1e6, (double)host->shift / 1e9,
				host->known ? "" : " (it did not tell its clocks)"), err);
	}
	index_free(&told);
	return rc;
}

static void describe(struct source *source, const char **name)
{
	const struct job_report *report = source->report;
	struct trace *trace = source->trace;
	static char hosts[64];
	snprintf(hosts, sizeof hosts, "%zu host%s", report->clocks, report->clocks == 1 ? "" : "s");
	*name = report->rank[0].name;
	trace->ranks = (uint32_t)report->ranks;
	trace->start = report->first;
	for (size_t i = 0; i < report->ranks; i++) {
		const struct job_rank *rank = &report->rank[i];
		trace->end = rank->last > trace->end ? rank->last : trace->end;
		trace->lost += rank->lost;
	}
	trace->start_realtime = (uint64_t)report->clock[report->rank[0].clock].offset + trace->start;
	trace->argument = name;
	trace->arguments = 1;
	trace->hostname = report->clocks == 1 ? report->clock[0].host : hosts;
	trace->machine_id = trace->system = trace->release = trace->version = trace->hardware = trace->domain = trace->output =
		trace->tool_version = "";
	trace->folder = report->folder;
	trace->why = report->problems ? report->problem[0] : "";
	trace->closed = trace->says_how_it_ended = true;
	snprintf(trace->path, sizeof trace->path, "%s", report->folder);
}

static void told(void *ctx, const char *path, uint64_t bytes)
{
	struct job_report *report = ctx;
	snprintf(report->page, sizeof report->page, "%s", path);
	report->page_bytes = bytes;
}

static void free_source(struct source *source)
{
	source->trace->argument = NULL;         /* not of its own */
	names_free(source->trace);
	for (size_t i = 0; i < source->kernels_n; i++)
		free(source->kernel[i]);
	free(source->kernel);
	idmap_free(&source->agents);
	idmap_free(&source->kernels);
	free(source);
}

int job_report_page(struct job_report *report, const char *base, struct err *err)
{
	static const struct trace_source reading = { .each = each };
	static const struct settings settings = { .formats = FORMAT_HTML, .kernel_rename = true };
	struct trace trace = { .source = &reading };
	struct source *source = calloc(1, sizeof *source);
	struct stats stats = { .rows = { 0 } };
	const char *name;
	if (!source)
		return err_set(err, ERR_FAILED, 0, "out of memory for the page");
	source->report = report;
	source->trace = &trace;
	trace.reading = source;
	describe(source, &name);
	struct conversion conversion = { .trace = &trace, .stats = &stats, .settings = &settings, .base = base, .wrote = told, .ctx = report };
	int rc = choose(source, err) < 0 || write_notes(source, err) < 0 || stats_read(&stats, &trace, err) != 0 ? -1 : 0;
	for (size_t i = 0; i < DOMAINS; i++)
		trace.events[i] = stats.calls[i];
	if (rc == 0)
		rc = html_write(&conversion, err);
	stats_free(&stats);
	free_source(source);
	return rc;
}
