/* SPDX-License-Identifier: MIT */
/* A log with everything, written as a rocpd database and read again: what the model says is the same. */
#include <stdio.h>
#include <unity.h>

#include "made_log_everything.h"
#include "rocp/formats/formats.h"

static char folder[] = "/tmp/roclatch-again-XXXXXX";
static char path[64], base[64], database[80];
static struct trace before, after;
static struct err err;

static bool made;

static void write_and_read_again(void)
{
	struct stats stats;
	struct settings settings = { .formats = FORMAT_ROCPD };
	if (!made)
		made_log_everything(path);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&before, path, &err), err.text);
	for (size_t i = 0; i < before.agents; i++) {
		before.agent[i].fw_version = 0xdeadbeef - i;
		before.agent[i].sdma_fw_version = 0xfedcba98 + i;
		before.agent[i].capability = 0xcafebabe ^ i;
		before.agent[i].runtime_visibility = 0x8000000b + (uint32_t)i;
	}
	TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &before, &err), err.text);
	struct conversion conversion = { .trace = &before, .stats = &stats, .settings = &settings, .base = base };
	TEST_ASSERT_EQUAL_MESSAGE(0, rocpd_write(&conversion, &err), err.text);
	stats_free(&stats);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&after, database, &err), err.text);
}

void setUp(void)
{
	made = false;
	write_and_read_again();
}

void tearDown(void)
{
	trace_close(&before);
	trace_close(&after);
	unlink(path);
	unlink(database);
}

static void same_words(const char **a, size_t a_count, const char **b, size_t b_count)
{
	TEST_ASSERT_EQUAL(a_count, b_count);
	for (size_t i = 0; i < a_count; i++)
		TEST_ASSERT_EQUAL_STRING(a[i], b[i]);
}

static void test_circumstances(void)
{
	TEST_ASSERT_TRUE(after.is_rocpd);
	TEST_ASSERT_EQUAL(before.pid, after.pid);
	TEST_ASSERT_EQUAL(before.ppid, after.ppid);
	TEST_ASSERT_EQUAL(before.sdk, after.sdk);
	TEST_ASSERT_EQUAL_UINT64(before.start, after.start);
	TEST_ASSERT_EQUAL_UINT64(before.end, after.end);
	TEST_ASSERT_EQUAL_UINT64(before.start_realtime, after.start_realtime);
	TEST_ASSERT_EQUAL_UINT64(before.lost, after.lost);
	TEST_ASSERT_EQUAL(before.closed, after.closed);
	TEST_ASSERT_EQUAL_STRING(before.hostname, after.hostname);
	TEST_ASSERT_EQUAL_STRING(before.machine_id, after.machine_id);
	TEST_ASSERT_EQUAL_STRING(before.tool_version, after.tool_version);
	TEST_ASSERT_EQUAL_STRING(before.folder, after.folder);
	TEST_ASSERT_EQUAL_STRING(before.why, after.why);
	TEST_ASSERT_EQUAL_UINT64(before.missing, after.missing);
	TEST_ASSERT_TRUE(after.says_how_it_ended);
	same_words(before.argument, before.arguments, after.argument, after.arguments);
	same_words(before.note, before.notes, after.note, after.notes);
	TEST_ASSERT_EQUAL(before.settings.n, after.settings.n);
	for (size_t i = 0; i < before.settings.n; i++)
		TEST_ASSERT_EQUAL_STRING(before.settings.v[i].value, env_get(&after.settings, before.settings.v[i].name));
}

/* What is wrong with a recording stays told, and an argument stays one. */
static void test_a_log_with_troubles(void)
{
	static const char *const argument[] = { "/opt/it's here/app", "", "a  \"b\"\\", "\xc3\xa4\n" };
	struct made_log log;
	tearDown();
	made_log_begin(&log, path);
	made_fact(&log, FACT_MACHINE_ID, "0123");
	for (size_t i = 0; i < 4; i++)
		made_fact(&log, FACT_ARGUMENT, argument[i]);
	made_note(&log, "it's a \"note\"");
	made_record(&log, LOG_MARKER + 3, 0, 16);
	made_api(&log, MADE_HIP, 1, 1, 0, 1);
	made_lost(&log, 12, "the disk was slow");
	made_log_close(&log);
	made = true;
	write_and_read_again();
	TEST_ASSERT_FALSE(after.closed);
	TEST_ASSERT_EQUAL_UINT64(12, after.lost);
	TEST_ASSERT_EQUAL_UINT64(1, after.missing);
	TEST_ASSERT_EQUAL(3, after.notes);
	TEST_ASSERT_EQUAL(4, after.arguments);
	test_circumstances();
}

static void test_agents(void)
{
	TEST_ASSERT_EQUAL(before.agents, after.agents);
	for (size_t i = 0; i < before.agents; i++) {
		const struct agent *a = &before.agent[i], *b = trace_agent(&after, a->id);
		TEST_ASSERT_NOT_NULL(b);
#define SAME(field) TEST_ASSERT_EQUAL_UINT64_MESSAGE(a->field, b->field, #field);
		AGENT_FIELDS(SAME)
		SAME(is_gpu) SAME(node) SAME(logical_node) SAME(type_node) SAME(mem_banks_count) SAME(runtime_visibility)
		SAME(workgroup_max_dim.z) SAME(grid_max_dim.x)
#undef SAME
		TEST_ASSERT_EQUAL_STRING(a->name, b->name);
		TEST_ASSERT_EQUAL_STRING(a->vendor, b->vendor);
		TEST_ASSERT_EQUAL_STRING(a->product, b->product);
		TEST_ASSERT_EQUAL_STRING(a->model, b->model);
	}
}

static void test_kernels_and_counters(void)
{
	TEST_ASSERT_EQUAL(before.kernels, after.kernels);
	for (size_t i = 0; i < before.kernels; i++) {
		const struct kernel_symbol *a = &before.kernel[i], *b = &after.kernel[i];
		TEST_ASSERT_EQUAL_UINT64(a->id, b->id);
		TEST_ASSERT_EQUAL_STRING(a->name, b->name);
		TEST_ASSERT_EQUAL_STRING(a->demangled, b->demangled);
		TEST_ASSERT_EQUAL_STRING(a->truncated, b->truncated);
		TEST_ASSERT_EQUAL_UINT64(a->object, b->object);
		TEST_ASSERT_EQUAL_UINT64(a->address, b->address);
		TEST_ASSERT_EQUAL(a->entry_offset, b->entry_offset);
		TEST_ASSERT_EQUAL(a->arch_vgprs, b->arch_vgprs);
		TEST_ASSERT_EQUAL(a->group_segment, b->group_segment);
	}
	TEST_ASSERT_EQUAL(before.counters, after.counters);
	for (size_t i = 0; i < before.counters; i++) {
		const struct counter_info *a = &before.counter[i], *b = trace_counter(&after, a->id);
		TEST_ASSERT_NOT_NULL(b);
		TEST_ASSERT_EQUAL_STRING(a->name, b->name);
		TEST_ASSERT_EQUAL_STRING(a->expression, b->expression);
		TEST_ASSERT_EQUAL(a->agent, b->agent);
		TEST_ASSERT_EQUAL(a->is_derived, b->is_derived);
	}
}

struct list { struct event event[64]; struct counter_value value[64][8]; size_t n; };

static int keep(void *ctx, const struct event *event, struct err *why)
{
	struct list *list = ctx;
	(void)why;
	TEST_ASSERT_LESS_THAN(64, list->n);
	if (event->values)
		memcpy(list->value[list->n], event->value, event->values * sizeof *event->value);
	list->event[list->n++] = *event;
	return 0;
}

/* Instants stand in a table of their own, so that the order is another. */
static int by_time(const void *left, const void *right)
{
	const struct event *a = left, *b = right;
	return a->start != b->start ? (a->start < b->start ? -1 : 1) : a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static void same_text(const char *a, const char *b)
{
	if (a && b)
		TEST_ASSERT_EQUAL_STRING(a, b);
	else
		TEST_ASSERT_EQUAL_PTR(a, b);
}

static void same_event(const struct event *a, const struct event *b)
{
	TEST_ASSERT_EQUAL_STRING(a->kind_name, b->kind_name);
	TEST_ASSERT_EQUAL_STRING(a->operation_name, b->operation_name);
	TEST_ASSERT_EQUAL_UINT64(a->start, b->start);
	TEST_ASSERT_EQUAL_UINT64(a->end, b->end);
	TEST_ASSERT_EQUAL_UINT64(a->thread, b->thread);
	TEST_ASSERT_EQUAL_UINT64(a->correlation, b->correlation);
	TEST_ASSERT_EQUAL_UINT64(a->external, b->external);
	TEST_ASSERT_EQUAL_UINT64(a->ancestor, b->ancestor);
	TEST_ASSERT_EQUAL_UINT64(a->stream, b->stream);
	TEST_ASSERT_EQUAL_UINT64(a->agent, b->agent);
	TEST_ASSERT_EQUAL_UINT64(a->agent2, b->agent2);
	TEST_ASSERT_EQUAL_UINT64(a->queue, b->queue);
	TEST_ASSERT_EQUAL_UINT64(a->dispatch, b->dispatch);
	TEST_ASSERT_EQUAL_UINT64(a->address, b->address);
	TEST_ASSERT_EQUAL_UINT64(a->address2, b->address2);
	TEST_ASSERT_EQUAL_UINT64(a->bytes, b->bytes);
	TEST_ASSERT_EQUAL(a->flags, b->flags);
	TEST_ASSERT_EQUAL(a->private_segment, b->private_segment);
	TEST_ASSERT_EQUAL(a->group_segment, b->group_segment);
	TEST_ASSERT_EQUAL_MEMORY(&a->workgroup, &b->workgroup, sizeof a->workgroup);
	TEST_ASSERT_EQUAL_MEMORY(&a->grid, &b->grid, sizeof a->grid);
	same_text(a->text, b->text);
	same_text(a->rename, b->rename);
	same_text(a->kernel ? a->kernel->name : NULL, b->kernel ? b->kernel->name : NULL);
	TEST_ASSERT_EQUAL(a->values, b->values);
}

static void test_events(void)
{
	static struct list a, b;
	for (unsigned domain = 0; domain < DOMAINS; domain++) {
		a.n = b.n = 0;
		TEST_ASSERT_EQUAL(0, trace_each(&before, DOMAIN_BIT(domain), keep, &a, &err));
		TEST_ASSERT_EQUAL(0, trace_each(&after, DOMAIN_BIT(domain), keep, &b, &err));
		TEST_ASSERT_EQUAL_MESSAGE(before.events[domain], after.events[domain], domain_key(domain));
		TEST_ASSERT_EQUAL(a.n, b.n);
		for (size_t i = 0; i < a.n && domain == DOMAIN_COUNTERS; i++)
			for (size_t k = 0; k < a.event[i].values; k++)
				TEST_ASSERT_TRUE(a.value[i][k].counter == b.value[i][k].counter && a.value[i][k].value == b.value[i][k].value);
		qsort(a.event, a.n, sizeof a.event[0], by_time);
		qsort(b.event, b.n, sizeof b.event[0], by_time);
		for (size_t i = 0; i < a.n; i++)
			same_event(&a.event[i], &b.event[i]);
	}
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/log%s", folder, LOG_ENDING);
	snprintf(base, sizeof base, "%s/out", folder);
	snprintf(database, sizeof database, "%s_results.db", base);
	UNITY_BEGIN();
	RUN_TEST(test_circumstances);
	RUN_TEST(test_a_log_with_troubles);
	RUN_TEST(test_agents);
	RUN_TEST(test_kernels_and_counters);
	RUN_TEST(test_events);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
