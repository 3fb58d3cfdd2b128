/* SPDX-License-Identifier: MIT */
/* A log with everything in it, as a trace of Perfetto: each event is a slice, with its name and its times. */
#include "made_log_everything.h"
#include "pftrace_reader.h"
#include "rocp/formats/formats.h"

static struct trace trace;
static struct err err;
static char folder[40], log_path[64], base[64], path[96];
static struct settings settings;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	memset(&settings, 0, sizeof settings);
	strcpy(folder, "/tmp/pftrace-log-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(log_path, sizeof log_path, "%s/made.rlog", folder);
	snprintf(base, sizeof base, "%s/out", folder);
	snprintf(path, sizeof path, "%s_results.pftrace", base);
	made_log_everything(log_path);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, log_path, &err), err.text);
}

void tearDown(void)
{
	free_pftrace();
	trace_close(&trace);
	unlink(log_path);
	unlink(path);
	rmdir(folder);
}

static void write_and_read(void)
{
	struct conversion conversion = { .trace = &trace, .settings = &settings, .base = base };
	TEST_ASSERT_EQUAL_MESSAGE(0, pftrace_write(&conversion, &err), err.text);
	read_pftrace(path);
}

static int find(void *ctx, const struct event *event, struct err *why)
{
	(void)why;
	const char *name = event->kernel ? event->kernel->formatted : event->text ? event->text : event->operation_name;
	if (settings.kernel_rename && event->rename)
		name = event->rename;
	size_t found = 0;
	for (size_t i = 0; i < read_trace.slices; i++) {
		const struct read_slice *slice = &read_trace.slice[i];
		found += slice->start == event->start && slice->end == event->end && slice->flow == event->correlation &&
			 strcmp(slice->name, name) == 0 && strcmp(slice->category, domain_key(event->domain)) == 0;
	}
	TEST_ASSERT_EQUAL_MESSAGE(1, found, name);
	++*(size_t *)ctx;
	return 0;
}

static void find_all(void)
{
	size_t seen = 0;
	write_and_read();
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAINS_API | DOMAIN_BIT(DOMAIN_KERNEL) | DOMAIN_BIT(DOMAIN_COPY), find, &seen, &err));
	TEST_ASSERT_EQUAL(seen, read_trace.slices);
}

static void test_every_call_kernel_and_copy_of_a_log_is_a_slice(void)
{
	find_all();
}

static void test_by_queue_and_with_kernels_renamed(void)
{
	settings.group_by_queue = settings.kernel_rename = true;
	trace_naming(&trace, settings.naming, true);
	find_all();
}

static double total_of(const char *begins)
{
	double total = 0;
	for (size_t i = 0; i < read_trace.values; i++)
		if (strncmp(read_trace.value[i].track, begins, strlen(begins)) == 0)
			total += read_trace.value[i].value;
	return total;
}

static void test_counters_of_a_log_are_tracks(void)
{
	write_and_read();
	TEST_ASSERT_TRUE(200.0 == total_of("SQ_WAVES on Agent [1] (GPU)"));
	TEST_ASSERT_TRUE(24690.0 == total_of("GRBM_GUI_ACTIVE on Agent [1] (GPU)"));
	TEST_ASSERT_TRUE(0.125 == total_of("MeanOccupancy on Agent [1] (GPU)"));
	TEST_ASSERT_TRUE(1048576.0 == total_of("COPY BYTES to Agent [1] (GPU)"));
	TEST_ASSERT_TRUE(4096.0 == total_of("COPY BYTES to Agent [0] (CPU)"));
	TEST_ASSERT_TRUE(1048576.0 == total_of("ALLOCATE BYTES on Agent [1] (GPU)"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_call_kernel_and_copy_of_a_log_is_a_slice);
	RUN_TEST(test_by_queue_and_with_kernels_renamed);
	RUN_TEST(test_counters_of_a_log_are_tracks);
	return UNITY_END();
}
