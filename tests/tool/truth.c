/* SPDX-License-Identifier: MIT */
/*
 * Both sides become lines of text of the same form, which are sorted and compared:
 * what the stand-in says it delivered (tests/rocm/truth.h), and what a reader finds
 * in the logs.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "rocp/trace/trace.h"
#include "unity.h"

#define FIELDS 80

struct lines { char **v; size_t n, room; };

static void add(struct lines *lines, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct lines *lines, const char *fmt, ...)
{
	va_list list;
	if (lines->n == lines->room) {
		lines->room = lines->room ? lines->room * 2 : 1024;
		lines->v = realloc(lines->v, lines->room * sizeof *lines->v);
		TEST_ASSERT_NOT_NULL(lines->v);
	}
	va_start(list, fmt);
	TEST_ASSERT_GREATER_THAN(0, vasprintf(&lines->v[lines->n++], fmt, list));
	va_end(list);
}

static void drop(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->v[i]);
	free(lines->v);
	memset(lines, 0, sizeof *lines);
}

/* ---- the stand-in's side -------------------------------------------------------------------------- */

/* By number: texts of markers by what they are correlated to, names of kernels by id. */
struct text { unsigned long long number; char *text; };
struct texts { struct text *v; size_t n, room; };

static void put_text(struct texts *texts, const char *number, const char *text)
{
	if (texts->n == texts->room) {
		texts->room = texts->room ? texts->room * 2 : 1024;
		texts->v = realloc(texts->v, texts->room * sizeof *texts->v);
		TEST_ASSERT_NOT_NULL(texts->v);
	}
	texts->v[texts->n++] = (struct text){ strtoull(number, NULL, 10), strdup(text) };
}

static int by_number(const void *a, const void *b)
{
	unsigned long long x = ((const struct text *)a)->number, y = ((const struct text *)b)->number;
	return (x > y) - (x < y);
}

static const char *get_text(const struct texts *texts, const char *number)
{
	struct text key = { strtoull(number, NULL, 10), NULL };
	const struct text *found = texts->n ? bsearch(&key, texts->v, texts->n, sizeof key, by_number) : NULL;
	return found ? found->text : "-";
}

static void drop_texts(struct texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		free(texts->v[i].text);
	free(texts->v);
	memset(texts, 0, sizeof *texts);
}

static size_t split(char *line, char **field)
{
	size_t n = 0;
	line[strcspn(line, "\n")] = '\0';
	for (char *tab; n < FIELDS && line; line = tab) {
		field[n++] = line;
		tab = strchr(line, '\t');
		if (tab)
			*tab++ = '\0';
	}
	return n;
}

/* In place: \t \n \r \\. */
static char *plain(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from == '\\' && from[1])
			*to++ = *++from == 't' ? '\t' : *from == 'n' ? '\n' : *from == 'r' ? '\r' : *from;
		else
			*to++ = *from;
	*to = '\0';
	return text;
}

static void join(char *joined, size_t size, char **field, size_t from, size_t to)
{
	size_t n = 0;
	joined[0] = '\0';
	for (size_t i = from; i < to && n < size; i++)
		n += (size_t)snprintf(joined + n, size - n, " %s", field[i]);
}

static unsigned long long low(const char *external)
{
	return strtoull(external, NULL, 10) & 0xffffffffu;
}

/* Lines that others need. */
static void keep_texts(char **f, size_t n, struct texts *markers, struct texts *kernels)
{
	if (!strcmp(f[0], "marker") && n >= 10 && !strcmp(f[3], "21") && atoi(f[4]) <= 2 && !strcmp(f[2], "1"))
		put_text(markers, f[5], plain(f[9]));
	if (!strcmp(f[0], "kernel") && n >= 16 && !strcmp(f[2], "1"))
		put_text(kernels, f[3], plain(f[15]));
}

static void keep_line(char **f, size_t n, const struct texts *markers, const struct texts *kernels, struct lines *out)
{
	char rest[1024];
	if (!strcmp(f[0], "api") && n >= 13) {
		bool range = !strcmp(f[11], "MARKER_CORE_RANGE_API") && atoi(f[4]) <= 2;
		join(rest, sizeof rest, f, 3, 13);
		add(out, "api%s text=%s", rest, range ? get_text(markers, f[5]) : "-");
	} else if (!strcmp(f[0], "dispatch") && n >= 22) {
		join(rest, sizeof rest, f, 7, 22);
		add(out, "dispatch %s %s %s %llu%s %s", f[3], f[4], f[5], low(f[6]), rest, get_text(kernels, f[12]));
	} else if (!strcmp(f[0], "copy") && n >= 15) {
		join(rest, sizeof rest, f, 7, 15);
		add(out, "copy %s %s %s %llu%s", f[3], f[4], f[5], low(f[6]), rest);
	} else if ((!strcmp(f[0], "allocation") && n >= 14) || (!strcmp(f[0], "scratch") && n >= 15)) {
		join(rest, sizeof rest, f, 3, n);
		add(out, "%s%s", f[0], rest);
	} else if (!strcmp(f[0], "counted") && n >= 11) {
		join(rest, sizeof rest, f, 4, 10);
		add(out, "counted %s %llu%s %s", f[2], low(f[3]), rest, f[10]);
	} else if (!strcmp(f[0], "value") && n >= 7) {
		add(out, "value %s %s %s %s %.17g", f[2], f[3], f[4], f[5], strtod(f[6], NULL));
	} else if (!strcmp(f[0], "code_object") && n >= 12 && !strcmp(f[2], "1")) {
		join(rest, sizeof rest, f, 3, 11);
		add(out, "object%s %s", rest, plain(f[11]));
	} else if (!strcmp(f[0], "kernel") && n >= 16 && !strcmp(f[2], "1")) {
		join(rest, sizeof rest, f, 3, 15);
		add(out, "kernel%s %s", rest, plain(f[15]));
	}
}

static void read_truth(const struct app *app, struct lines *out)
{
	char path[128], *line = NULL, *field[FIELDS];
	size_t size = 0;
	struct texts markers = { 0 }, kernels = { 0 };
	snprintf(path, sizeof path, "%s/truth.%d", app->folder, (int)app->pid);
	FILE *file = fopen(path, "re");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	while (getline(&line, &size, file) > 0)
		keep_texts(field, split(line, field), &markers, &kernels);
	qsort(markers.v, markers.n, sizeof *markers.v, by_number);
	qsort(kernels.v, kernels.n, sizeof *kernels.v, by_number);
	rewind(file);
	while (getline(&line, &size, file) > 0)
		keep_line(field, split(line, field), &markers, &kernels, out);
	fclose(file);
	free(line);
	drop_texts(&markers);
	drop_texts(&kernels);
}

/* ---- the log's side --------------------------------------------------------------------------------- */

#define U PRIu64
static int add_event(void *ctx, const struct event *e, struct err *err)
{
	struct lines *out = ctx;
	(void)err;
	switch (e->domain) {
	case DOMAIN_KERNEL:
		add(out, "dispatch %d %d %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %u %u %u %u %u %u %u %u %s",
		    e->kind, e->operation, e->correlation, e->stream, e->thread, e->start, e->end, e->agent, e->queue,
		    e->kernel->id, e->dispatch, e->private_segment, e->group_segment, e->workgroup.x, e->workgroup.y,
		    e->workgroup.z, e->grid.x, e->grid.y, e->grid.z, e->kernel->object || e->kernel->code_object ? e->kernel->name : "-");
		break;
	case DOMAIN_COPY:
		add(out, "copy %d %d %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U, e->kind, e->operation,
		    e->correlation, e->stream, e->thread, e->start, e->end, e->agent, e->agent2, e->bytes, e->address, e->address2);
		break;
	case DOMAIN_ALLOCATION:
		add(out, "allocation %d %d %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U, e->kind, e->operation,
		    e->correlation, e->external, e->ancestor, e->thread, e->start, e->end, e->agent, e->address, e->bytes);
		break;
	case DOMAIN_SCRATCH:
		add(out, "scratch %d %d %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %d %" U, e->kind, e->operation,
		    e->correlation, e->external, e->ancestor, e->agent, e->queue, e->thread, e->start, e->end, e->flags, e->bytes);
		break;
	case DOMAIN_COUNTERS:
		add(out, "counted %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %zu", e->correlation, e->stream, e->start,
		    e->end, e->agent, e->queue, e->kernel->id, e->dispatch, e->values);
		for (size_t i = 0; i < e->values; i++)
			add(out, "value %" U " %" U " %" U " %" U " %.17g", e->dispatch, e->agent, e->value[i].counter,
			    e->value[i].instance, e->value[i].value);
		break;
	default:
		add(out, "api %d %d %" U " %" U " %" U " %" U " %" U " %" U " %s %s text=%s", e->kind, e->operation, e->correlation,
		    e->external, e->ancestor, e->start, e->end, e->thread, e->kind_name, e->operation_name, e->text ? e->text : "-");
	}
	return 0;
}

static void add_names(const struct trace *trace, struct lines *out)
{
	for (size_t i = 0; i < trace->code_objects; i++) {
		const struct code_object *o = &trace->code_object[i];
		add(out, "object %" U " %" U " %" U " %" U " %" PRId64 " %u %" U " %" U " %s", o->id, o->agent, o->load_base, o->load_size,
		    o->load_delta, o->storage, o->memory_base, o->memory_size, o->uri);
	}
	for (size_t i = 0; i < trace->kernels; i++) {
		const struct kernel_symbol *k = &trace->kernel[i];
		if (!k->object && !k->code_object)
			continue;       /* the reader's own, for one that nobody told of */
		add(out, "kernel %" U " %" U " %" U " %u %u %u %u %u %u %u %" PRId64 " %" U " %s", k->id, k->code_object, k->object,
		    k->kernarg_size, k->kernarg_alignment, k->group_segment, k->private_segment, k->sgprs, k->arch_vgprs,
		    k->accum_vgprs, k->entry_offset, k->address, k->name);
	}
}

static unsigned long read_log(const struct app *app, const char *name, bool with_names, struct lines *out)
{
	struct err err = { 0 };
	struct trace trace;
	char path[256];
	unsigned long sum = 0;
	snprintf(path, sizeof path, "%s/%s", app->folder, name);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_STRING("", trace.damage);
	TEST_ASSERT_EQUAL_STRING("", trace.why);
	TEST_ASSERT_TRUE_MESSAGE(trace.closed, name);
	TEST_ASSERT_EQUAL_UINT64(0, trace.lost);
	TEST_ASSERT_EQUAL(4, trace.agents);
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAINS_ALL, add_event, out, &err));
	if (with_names)
		add_names(&trace, out);
	for (unsigned i = 0; i < DOMAINS; i++)
		sum += trace.events[i];
	trace_close(&trace);
	return sum;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Both are sorted. */
static void compare(const struct lines *expected, const struct lines *got)
{
	size_t i = 0, k = 0, missing = 0, extra = 0;
	const char *first_missing = "", *first_extra = "";
	char text[1024];
	while (i < expected->n || k < got->n) {
		int order = i == expected->n ? 1 : k == got->n ? -1 : strcmp(expected->v[i], got->v[k]);
		if (order < 0 && !missing++)
			first_missing = expected->v[i];
		if (order > 0 && !extra++)
			first_extra = got->v[k];
		i += order <= 0;
		k += order >= 0;
	}
	if (!missing && !extra)
		return;
	snprintf(text, sizeof text, "of %zu that were delivered %zu are not in the log: <%.400s>; %zu of the log were not delivered: <%.400s>",
		 expected->n, missing, first_missing, extra, first_extra);
	TEST_FAIL_MESSAGE(text);
}

static void sort(struct lines *lines)
{
	qsort(lines->v, lines->n, sizeof *lines->v, by_text);
}

unsigned long same_as_truth(const struct app *app, const char *logs)
{
	struct lines expected = { 0 }, got = { 0 };
	char list[1024], *rest = NULL;
	unsigned long events = 0;
	bool first = true;
	read_truth(app, &expected);
	snprintf(list, sizeof list, "%s", logs);
	for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest), first = false)
		events += read_log(app, name, first, &got);
	sort(&expected);
	sort(&got);
	compare(&expected, &got);
	drop(&expected);
	drop(&got);
	return events;
}
