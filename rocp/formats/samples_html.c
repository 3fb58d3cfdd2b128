/* SPDX-License-Identifier: MIT */
/*
 * The page of a profile, which needs nothing but itself:
 *
 *   styles, text         page/page.css, page/samples.css and page/samples.html, as they are
 *   facts                one JSON value: the run, threads, names
 *   columns              base64 of functions, stacks by functions, samples and states over time
 *   script               page/samples*.js and what they share with the page of a recording
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_text.h"
#include "rocp/formats/samples_parts.h"

#define NAME_MOST 4096u
#define NAME_SHORT 64u
#define NAMES_MOST (16u << 20)  /* bytes of all names; behind that they are cut short */
#define STRETCHES_MOST 300000u  /* behind that, those of a thread that are near each other are drawn as one */

/* A stretch as it is drawn. */
struct drawn { uint64_t from, until; uint32_t thread, path, call, samples; uint8_t state; };

struct writer {
	struct samples *samples;
	struct index calls;     /* text -> number from 1 */
	struct index modules;
	struct drawn *drawn;
	size_t drawn_n;
	uint64_t cell;          /* 0: every stretch is drawn by itself */
};

static void put_number(struct file *out, const char *key, uint64_t value)
{
	file_format(out, ",\n\"%s\":", key);
	file_unsigned(out, value);
}

static void put_text(struct file *out, const char *key, const char *value)
{
	file_format(out, ",\n\"%s\":", key);
	html_string(out, value, NAME_MOST);
}

static void put_run(const struct writer *writer, struct file *out)
{
	const struct profile *profile = writer->samples->profile;
	file_format(out, ",\n\"rate\":%.17g", profile->rate > 0 ? profile->rate : 0);
	put_text(out, "name", profile->name);
	put_text(out, "command", profile->command);
	put_text(out, "why", profile->why_no_stacks);
	put_number(out, "pid", (uint64_t)profile->pid);
	put_number(out, "realtime", profile->began_real_ns / 1000000);
	put_number(out, "duration", profile->duration_ns);
	put_number(out, "ticks", profile->ticks);
	put_number(out, "late", profile->late);
	put_number(out, "dropped", profile->dropped);
	put_number(out, "samples", profile->samples);
	put_number(out, "taken", profile->stacks_taken);
	put_number(out, "missed", profile->stacks_missed);
	put_number(out, "outside", profile->by_outside);
	put_number(out, "stops", profile->by_stop);
	put_number(out, "perf", profile->by_perf);
	put_number(out, "longestStop", profile->stop_longest_ns);
	put_number(out, "cut", profile->stretches_cut);
	put_number(out, "cell", writer->cell);
}

static void put_threads(const struct profile *profile, struct file *out)
{
	file_text(out, ",\n\"threads\":[");
	for (size_t i = 0; i < profile->threads_n; i++) {
		const struct watched_thread *thread = &profile->threads[i];
		file_format(out, "%s[%d,", i ? ",\n" : "", (int)thread->tid);
		html_string(out, thread->name, sizeof thread->name);
		file_format(out, ",%llu", (unsigned long long)thread->run_ns);
		for (size_t state = 0; state < TASK_STATES; state++)
			file_format(out, ",%llu", (unsigned long long)thread->in_state[state]);
		file_text(out, "]");
	}
	file_text(out, "]");
}

static int put_names(struct writer *writer, struct file *out, struct err *err)
{
	const struct samples *samples = writer->samples;
	uint64_t before = out->written;
	file_text(out, ",\n\"names\":[");
	for (size_t i = 0; i < samples->functions; i++) {
		file_text(out, i ? ",\n" : "");
		html_string(out, samples->function[i].label, out->written - before < NAMES_MOST ? NAME_MOST : NAME_SHORT);
	}
	file_text(out, "],\n\"modules\":[\"\"");
	for (size_t i = 0; i < samples->functions; i++) {
		const char *module = texts_print(&writer->samples->texts, err, "%s", samples->function[i].module);
		if (!module)
			return -1;
		if (!module[0] || index_get(&writer->modules, (uintptr_t)module) != INDEX_NONE)
			continue;
		if (index_put(&writer->modules, (uintptr_t)module, writer->modules.n + 1, err) < 0)
			return -1;
		file_text(out, ",\n");
		html_string(out, module, NAME_MOST);
	}
	file_text(out, "]");
	return 0;
}

/* What threads are blocked in, numbered as it comes: 0 runs. */
static int call_of(struct writer *writer, const char *blocked, uint32_t *number, struct err *err)
{
	*number = 0;
	if (!blocked)
		return 0;
	const char *text = texts_print(&writer->samples->texts, err, "%s", blocked);
	if (!text)
		return -1;
	size_t at = index_get(&writer->calls, (uintptr_t)text);
	if (at == INDEX_NONE) {
		at = writer->calls.n + 1;
		if (index_put(&writer->calls, (uintptr_t)text, at, err) < 0)
			return -1;
	}
	*number = (uint32_t)at;
	return 0;
}

static int put_calls(const struct writer *writer, struct file *out, struct err *err)
{
	const char **text = samples_array(writer->calls.n, sizeof *text, err);
	size_t at = 0;
	uint64_t key;
	if (!text)
		return -1;
	while (index_each(&writer->calls, &at, &key))
		text[index_get(&writer->calls, key) - 1] = (const char *)(uintptr_t)key;
	file_text(out, ",\n\"calls\":[");
	html_string(out, task_state_text(TASK_RUNNING), NAME_MOST);
	for (size_t i = 0; i < writer->calls.n; i++) {
		file_text(out, ",");
		html_string(out, text[i], NAME_MOST);
	}
	file_text(out, "]");
	free(text);
	return 0;
}

/* Into the one before if both are in the same cell of the same thread: the longer one shows what it was. */
static bool joins(const struct writer *writer, struct drawn *before, const struct drawn *one)
{
	if (!writer->cell || before->thread != one->thread || before->from / writer->cell != one->from / writer->cell)
		return false;
	struct drawn both = one->until - one->from > before->until - before->from ? *one : *before;
	both.from = before->from;
	both.until = one->until;
	both.samples = before->samples + one->samples;
	*before = both;
	return true;
}

static int draw(struct writer *writer, struct err *err)
{
	const struct samples *samples = writer->samples;
	const struct profile *profile = samples->profile;
	writer->drawn = samples_array(profile->stretches_n, sizeof *writer->drawn, err);
	if (profile->stretches_n > STRETCHES_MOST)
		writer->cell = profile->duration_ns / (STRETCHES_MOST / (profile->threads_n + 1) + 1) + 1;
	for (size_t i = 0; writer->drawn && i < profile->stretches_n; i++) {
		const struct stretch *stretch = &profile->stretches[samples->in_time[i]];
		char text[64];
		struct drawn one = { stretch->from_ns, samples_until(samples, i), stretch->thread, samples_path(samples, stretch->stack), 0,
				     stretch->samples, stretch->state };
		if (call_of(writer, samples_blocked(stretch->state, stretch->call, text, sizeof text), &one.call, err) < 0)
			return -1;
		if (stretch->thread < profile->threads_n &&
		    (!writer->drawn_n || !joins(writer, &writer->drawn[writer->drawn_n - 1], &one)))
			writer->drawn[writer->drawn_n++] = one;
	}
	return writer->drawn ? 0 : -1;
}

static int put_facts(struct writer *writer, struct file *out, struct err *err)
{
	uint32_t unused;
	for (size_t i = 0; i < writer->samples->stacks; i++)
		if (call_of(writer, writer->samples->stack[i].blocked, &unused, err) < 0)
			return -1;
	file_text(out, "<script type=\"application/json\" id=\"facts\">\n{\"version\":1");
	put_run(writer, out);
	put_threads(writer->samples->profile, out);
	if (put_names(writer, out, err) < 0 || put_calls(writer, out, err) < 0)
		return -1;
	put_number(out, "paths", writer->samples->paths);
	put_number(out, "stacks", writer->samples->stacks);
	put_number(out, "stretches", writer->drawn_n);
	file_text(out, "}\n</script>\n");
	return 0;
}

static int put_functions(struct writer *writer, struct file *out, struct err *err)
{
	const struct samples *samples = writer->samples;
	struct column column = column_begin(out, "module");
	for (size_t i = 0; i < samples->functions; i++) {
		const char *module = texts_print(&writer->samples->texts, err, "%s", samples->function[i].module);
		if (!module)
			return -1;
		column_number(&column, module[0] ? index_get(&writer->modules, (uintptr_t)module) : 0);
	}
	column_end(&column);
	return 0;
}

/* NO_STACK becomes 0, as numbers that are small are short. */
static void put_paths(const struct samples *samples, struct file *out)
{
	struct column column = column_begin(out, "parent");
	for (size_t i = 0; i < samples->paths; i++)
		column_number(&column, samples->path[i].parent == NO_STACK ? 0 : i - samples->path[i].parent);
	column_end(&column);
	column = column_begin(out, "function");
	for (size_t i = 0; i < samples->paths; i++)
		column_number(&column, samples->path[i].function);
	column_end(&column);
}

enum what { STACK_THREAD, STACK_PATH, STACK_CALL, STACK_SAMPLES, STACK_COLUMNS };

static int put_stacks(struct writer *writer, struct file *out, struct err *err)
{
	static const char *const names[STACK_COLUMNS] = { "stack-thread", "stack-path", "stack-call", "stack-samples" };
	for (enum what what = STACK_THREAD; what < STACK_COLUMNS; what++) {
		struct column column = column_begin(out, names[what]);
		for (size_t i = 0; i < writer->samples->stacks; i++) {
			const struct sampled_stack *stack = &writer->samples->stack[i];
			uint32_t call;
			if (call_of(writer, stack->blocked, &call, err) < 0)
				return -1;
			column_number(&column, what == STACK_THREAD ? stack->thread : what == STACK_CALL ? call :
				      what == STACK_SAMPLES ? stack->samples : stack->path == NO_STACK ? 0 : stack->path + 1u);
		}
		column_end(&column);
	}
	return 0;
}

enum stretch_what { FROM, LENGTH, THREAD, PATH, CALL, STATE, SAMPLES, STRETCH_COLUMNS };

static void put_stretches(const struct writer *writer, struct file *out)
{
	static const char *const names[STRETCH_COLUMNS] = { "from", "length", "thread", "path", "call", "state", "samples" };
	for (enum stretch_what what = FROM; what < STRETCH_COLUMNS; what++) {
		struct column column = column_begin(out, names[what]);
		for (size_t i = 0; i < writer->drawn_n; i++) {
			const struct drawn *one = &writer->drawn[i];
			bool first = !i || one[-1].thread != one->thread;
			uint64_t value[STRETCH_COLUMNS] = { one->from - (first ? 0 : one[-1].from), one->until - one->from, one->thread,
				one->path == NO_STACK ? 0 : one->path + 1u, one->call, one->state, one->samples };
			column_number(&column, value[what]);
		}
		column_end(&column);
	}
}

static int put_page(struct writer *writer, const struct html_part part[PAGE_PARTS], struct file *out, struct err *err)
{
	html_head(out, "roclatch samples", part[PAGE_STYLE], part[SAMPLES_STYLE], part[SAMPLES_SCRIPT]);
	html_part(out, part[SAMPLES_BODY]);
	if (draw(writer, err) < 0 || put_facts(writer, out, err) < 0 || put_functions(writer, out, err) < 0)
		return -1;
	put_paths(writer->samples, out);
	if (put_stacks(writer, out, err) < 0)
		return -1;
	put_stretches(writer, out);
	html_foot(out, part[SAMPLES_SCRIPT]);
	return 0;
}

int samples_html(struct samples *samples, struct err *err)
{
	struct writer writer = { .samples = samples };
	struct html_pages pages;
	if (html_pages_open(&pages, err) < 0)
		return -1;
	int rc = put_page(&writer, pages.part, samples->file, err);
	html_pages_close(&pages);
	index_free(&writer.calls);
	index_free(&writer.modules);
	free(writer.drawn);
	return rc;
}
