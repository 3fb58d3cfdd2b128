/* SPDX-License-Identifier: MIT */
/* rocpd databases as recordings: rocprofv3's, and merged ones. */
#include <fcntl.h>
#include <unistd.h>
#include <unity.h>

#include "made_rocpd.h"
#include "rocp/trace/trace.h"

static char folder[] = "/tmp/roclatch-rocpd-XXXXXX";
static char path[64];
static struct trace trace;
static struct err err;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	trace = (struct trace){ .pid = 0 };
	snprintf(path, sizeof path, "%s/results.db", folder);
}

void tearDown(void)
{
	trace_close(&trace);
	unlink(path);
}

#define MOST 64
static struct event seen[MOST];
static size_t count;
static struct counter_value values[MOST][4];

static int keep(void *ctx, const struct event *event, struct err *why)
{
	(void)ctx, (void)why;
	TEST_ASSERT_LESS_THAN(MOST, count);
	TEST_ASSERT_LESS_OR_EQUAL(4, event->values);
	if (event->values)
		memcpy(values[count], event->value, event->values * sizeof *event->value);
	seen[count] = *event;
	seen[count].value = values[count];
	count++;
	return 0;
}

static void read_events(unsigned domains)
{
	uint64_t counted = 0;
	count = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_each(&trace, domains, keep, NULL, &err), err.text);
	for (size_t i = 0; i < DOMAINS; i++)
		counted += domains & DOMAIN_BIT(i) ? trace.events[i] : 0;
	TEST_ASSERT_EQUAL_UINT64(counted, count);
}

static void open_made(void)
{
	made_rocpd(path);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
}

static void test_circumstances(void)
{
	open_made();
	TEST_ASSERT_TRUE(trace.is_rocpd && trace.closed && !trace.says_how_it_ended);
	TEST_ASSERT_EQUAL_HEX64(0x0190a1b2c3d47e5fu, trace.id[0]);
	TEST_ASSERT_EQUAL_HEX64(0x8091a2b3c4d5e6f7u, trace.id[1]);
	TEST_ASSERT_EQUAL(4711, trace.pid);
	TEST_ASSERT_EQUAL(4710, trace.ppid);
	TEST_ASSERT_EQUAL(1000, trace.start);
	TEST_ASSERT_EQUAL(90000, trace.end);
	TEST_ASSERT_EQUAL_STRING("node17", trace.hostname);
	TEST_ASSERT_EQUAL_STRING("abc123", trace.machine_id);
	TEST_ASSERT_EQUAL_STRING("(none)", trace.domain);
	TEST_ASSERT_EQUAL_STRING("", trace.why);
	TEST_ASSERT_EQUAL(3, trace.arguments);
	TEST_ASSERT_EQUAL_STRING("--size", trace.argument[1]);
	TEST_ASSERT_EQUAL(1, trace.settings.n);
	TEST_ASSERT_EQUAL_STRING("1", env_get(&trace.settings, "ROCPROF_KERNEL_TRACE"));
	TEST_ASSERT_EQUAL(0, trace.notes);
}

static void test_names(void)
{
	open_made();
	TEST_ASSERT_EQUAL(2, trace.agents);
	const struct agent *gpu = trace_agent(&trace, 200), *cpu = trace_agent(&trace, 1);
	TEST_ASSERT_NOT_NULL(gpu);
	TEST_ASSERT_NOT_NULL(cpu);
	TEST_ASSERT_TRUE(gpu->is_gpu && !cpu->is_gpu);
	TEST_ASSERT_EQUAL_STRING("gfx90a", gpu->name);
	TEST_ASSERT_EQUAL_STRING("AMD", gpu->vendor);
	TEST_ASSERT_EQUAL_STRING("MI250X", gpu->product);
	TEST_ASSERT_EQUAL_STRING("aqua", gpu->model);
	TEST_ASSERT_EQUAL(1, gpu->node);
	TEST_ASSERT_EQUAL(104, gpu->cu_count);
	TEST_ASSERT_EQUAL(416, gpu->simd_count);
	TEST_ASSERT_EQUAL(51001, gpu->gpu_id);
	TEST_ASSERT_EQUAL(1025, gpu->workgroup_max_dim.y);
	TEST_ASSERT_EQUAL(2, trace.kernels);
	TEST_ASSERT_EQUAL_STRING("_Z3runIfEvPT_.kd", trace.kernel[0].name);
	TEST_ASSERT_EQUAL_STRING("void run<float>(float*)", trace.kernel[0].formatted);
	TEST_ASSERT_EQUAL(24, trace.kernel[0].arch_vgprs);
	TEST_ASSERT_EQUAL_STRING("kernel 8", trace.kernel[1].formatted);
	TEST_ASSERT_EQUAL_STRING("solver", trace_thread_name(&trace, 4711));
	TEST_ASSERT_EQUAL(2, trace.streams);
	TEST_ASSERT_EQUAL(1, trace.code_objects);
	TEST_ASSERT_EQUAL(1, trace.code_object[0].storage);
	TEST_ASSERT_EQUAL(-16, trace.code_object[0].load_delta);
	TEST_ASSERT_EQUAL(6, trace.code_object[0].memory_size);
	TEST_ASSERT_EQUAL(200, trace.code_object[0].agent);
	TEST_ASSERT_EQUAL_STRING("a/b", trace_counter(&trace, 7002)->expression);
	TEST_ASSERT_TRUE(trace_counter(&trace, 7002)->is_derived);
	TEST_ASSERT_EQUAL_STRING("HIP_RUNTIME_API", trace_kind_name(&trace, 5));
}

static void test_calls(void)
{
	open_made();
	read_events(DOMAIN_BIT(DOMAIN_HIP));
	TEST_ASSERT_EQUAL(2, count);
	size_t at = seen[0].correlation == 10 ? 0 : 1;
	TEST_ASSERT_EQUAL_STRING("hipMemcpy", seen[at].operation_name);
	TEST_ASSERT_EQUAL_STRING("HIP_RUNTIME_API", seen[at].kind_name);
	TEST_ASSERT_EQUAL(5, seen[at].kind);
	TEST_ASSERT_EQUAL_STRING(seen[at].operation_name, trace.kinds[5].operation[seen[at].operation]);
	TEST_ASSERT_EQUAL(9, seen[at].ancestor);
	TEST_ASSERT_EQUAL(55, seen[at].external);
	TEST_ASSERT_EQUAL(2000, seen[at].start);
	TEST_ASSERT_EQUAL(3000, seen[at].end);
	TEST_ASSERT_EQUAL(4711, seen[at].thread);
	TEST_ASSERT_EQUAL(4712, seen[!at].thread);      /* by its row */
	TEST_ASSERT_EQUAL(64, seen[at].size);
	read_events(DOMAIN_BIT(DOMAIN_OTHER_API));
	TEST_ASSERT_EQUAL(2, count);
	TEST_ASSERT_EQUAL_STRING("OMPT", seen[0].kind_name);
	TEST_ASSERT_EQUAL_STRING("NEWER_API", seen[1].kind_name);
	TEST_ASSERT_EQUAL_STRING("unknown operation", seen[1].operation_name);
}

static void test_markers(void)
{
	open_made();
	read_events(DOMAIN_BIT(DOMAIN_MARKER));
	TEST_ASSERT_EQUAL(2, count);
	TEST_ASSERT_EQUAL_STRING("a \"text\"", seen[0].text);
	TEST_ASSERT_EQUAL_STRING("roctxThreadRangeA", seen[0].operation_name);
	TEST_ASSERT_EQUAL(1, seen[0].operation);
	TEST_ASSERT_EQUAL_STRING("now", seen[1].text);
	TEST_ASSERT_EQUAL_STRING("roctxMarkA", seen[1].operation_name);
	TEST_ASSERT_EQUAL(7000, seen[1].start);
	TEST_ASSERT_EQUAL(7000, seen[1].end);
	TEST_ASSERT_EQUAL(4711, seen[1].thread);
}

static void test_dispatches_and_counters(void)
{
	open_made();
	read_events(DOMAIN_BIT(DOMAIN_KERNEL));
	TEST_ASSERT_EQUAL(2, count);
	TEST_ASSERT_EQUAL(11, seen[0].kind);
	TEST_ASSERT_EQUAL(2, seen[0].operation);
	TEST_ASSERT_EQUAL(184, seen[0].size);
	TEST_ASSERT_EQUAL(200, seen[0].agent);
	TEST_ASSERT_EQUAL(1, seen[0].queue);
	TEST_ASSERT_EQUAL(3, seen[0].stream);
	TEST_ASSERT_EQUAL(1, seen[0].dispatch);
	TEST_ASSERT_EQUAL(11, seen[0].correlation);
	TEST_ASSERT_EQUAL(0, seen[0].external);
	TEST_ASSERT_EQUAL(256, seen[0].workgroup.x);
	TEST_ASSERT_EQUAL(2, seen[0].grid.y);
	TEST_ASSERT_EQUAL(1024, seen[0].group_segment);
	TEST_ASSERT_NULL(seen[0].rename);
	TEST_ASSERT_EQUAL_STRING("step 1", seen[1].rename);
	read_events(DOMAIN_BIT(DOMAIN_COUNTERS));
	TEST_ASSERT_EQUAL(2, count);
	TEST_ASSERT_EQUAL(2, seen[0].values);
	TEST_ASSERT_EQUAL(7001, seen[0].value[0].counter);
	TEST_ASSERT_TRUE(seen[0].value[0].value == 64 && seen[0].value[1].value == 0.25);
	TEST_ASSERT_EQUAL(1, seen[1].values);
	TEST_ASSERT_EQUAL(2, seen[1].dispatch);
	TEST_ASSERT_EQUAL_STRING("kernel 8", seen[1].kernel->name);
}

static void test_memory(void)
{
	open_made();
	read_events(DOMAIN_BIT(DOMAIN_COPY) | DOMAIN_BIT(DOMAIN_ALLOCATION) | DOMAIN_BIT(DOMAIN_SCRATCH));
	TEST_ASSERT_EQUAL(4, count);
	TEST_ASSERT_EQUAL_STRING("MEMORY_COPY_HOST_TO_DEVICE", seen[0].operation_name);
	TEST_ASSERT_EQUAL(2, seen[0].operation);
	TEST_ASSERT_EQUAL(200, seen[0].agent);
	TEST_ASSERT_EQUAL(1, seen[0].agent2);
	TEST_ASSERT_EQUAL(4096, seen[0].bytes);
	TEST_ASSERT_EQUAL_HEX64(0x123456, seen[0].address);
	TEST_ASSERT_EQUAL(3, seen[0].stream);
	TEST_ASSERT_EQUAL_STRING("MEMORY_ALLOCATION_VMEM_ALLOCATE", seen[1].operation_name);
	TEST_ASSERT_EQUAL(9, seen[1].ancestor);
	TEST_ASSERT_EQUAL_STRING("MEMORY_ALLOCATION_FREE", seen[2].operation_name);
	TEST_ASSERT_EQUAL(3, seen[2].operation);
	TEST_ASSERT_EQUAL(0, seen[2].agent);
	TEST_ASSERT_EQUAL(DOMAIN_SCRATCH, seen[3].domain);
	TEST_ASSERT_EQUAL_STRING("SCRATCH_MEMORY_ALLOC", seen[3].operation_name);
	TEST_ASSERT_EQUAL(2, seen[3].flags);
	TEST_ASSERT_EQUAL(65536, seen[3].bytes);
	TEST_ASSERT_EQUAL(1, seen[3].queue);
}

static void test_two_processes_in_one_database(void)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, MADE_SUFFIX, made_tables);
	made_sql(db, MADE_SUFFIX, made_rows);
	made_sql(db, MADE_SUFFIX2, made_tables);
	made_sql(db, MADE_SUFFIX2, made_rows);
	made_sql(db, MADE_SUFFIX2, "UPDATE rocpd_info_process@ SET pid = 5000; UPDATE rocpd_info_kernel_symbol@ SET kernel_name = 'other'");
	sqlite3_close(db);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL(4711, trace.pid);
	TEST_ASSERT_EQUAL(1, trace.notes);
	TEST_ASSERT_EQUAL(4, trace.agents);
	TEST_ASSERT_EQUAL(4, trace.kernels);
	read_events(DOMAIN_BIT(DOMAIN_KERNEL));
	TEST_ASSERT_EQUAL(4, count);
	TEST_ASSERT_EQUAL_STRING("other", seen[2].kernel->name);
	TEST_ASSERT_TRUE(seen[2].agent != seen[0].agent && seen[2].dispatch != seen[0].dispatch);
	TEST_ASSERT_EQUAL_STRING("gfx90a", trace_agent(&trace, seen[2].agent)->name);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(2 * 14, count);
}

/* One of two was not ended in order, and tells it. */
static void test_what_the_second_process_lacks_is_told(void)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, MADE_SUFFIX, made_tables);
	made_sql(db, MADE_SUFFIX, made_rows);
	made_sql(db, MADE_SUFFIX2, made_tables);
	made_sql(db, MADE_SUFFIX2, made_rows);
	made_sql(db, MADE_SUFFIX2, "UPDATE rocpd_info_process@ SET extdata = "
		"'{\"closed\":false,\"lost\":7,\"missing\":3,\"notes\":[\"the disk was full\"]}'");
	sqlite3_close(db);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_TRUE(trace.says_how_it_ended && !trace.closed);
	TEST_ASSERT_EQUAL_UINT64(7, trace.lost);
	TEST_ASSERT_EQUAL_UINT64(3, trace.missing);
	TEST_ASSERT_EQUAL(2, trace.notes);
	TEST_ASSERT_EQUAL_STRING("the disk was full", trace.note[0]);
}

/* Tables without a suffix, and only some of them. */
static void test_fewer_tables(void)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, "", made_tables);
	made_sql(db, "", made_rows);
	made_sql(db, "", "DROP TABLE rocpd_info_agent; DROP TABLE rocpd_track; DROP TABLE rocpd_memory_copy; DROP TABLE rocpd_info_thread; DROP TABLE rocpd_metadata");
	sqlite3_close(db);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(14 - 2, count);
	TEST_ASSERT_EQUAL(0, trace.agents);
	TEST_ASSERT_EQUAL_UINT64(1, trace.missing);     /* the sample: its track is not there */
}

static void test_rows_that_belong_to_nothing_are_missing(void)
{
	made_rocpd_changed(path, "INSERT INTO rocpd_pmc_event@ (event_id, pmc_id, value) VALUES (999, 7001, 1), (NULL, 7001, 1), (5, 7001, 2);"
		     "INSERT INTO rocpd_sample@ (track_id, timestamp, event_id) VALUES (99, 7000, 4);");
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(3, trace.missing);
	TEST_ASSERT_EQUAL(1, trace.notes);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(trace.note[0], "3 rows were left out"), trace.note[0]);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(14, count);
	trace_close(&trace);
	made_rocpd_changed(path, "DROP TABLE rocpd_event@");
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(5 + 1 + 2 + 1 + 3 + 3, trace.missing);
	trace_close(&trace);
	/* a second process of which only some tables are there */
	made_rocpd_changed(path, "CREATE TABLE rocpd_region_0123 AS SELECT * FROM rocpd_region@");
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_UINT64(5, trace.missing);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(14, count);
}

/* As rocprofv3 writes them, and as numbers. */
static void test_words_of_agents_by_their_parts(void)
{
	made_rocpd_changed(path, "UPDATE rocpd_info_agent@ SET extdata = '{\"id\":{\"handle\":200},\"runtime_visibility\":{\"hsa\":1,\"hip\":1,"
		     "\"rccl\":0,\"rocdecode\":1},\"fw_version\":{\"uCode\":3,\"Major\":2,\"Minor\":200,\"Stepping\":255},"
		     "\"sdma_fw_version\":{\"uCodeRes\":1,\"uCodeSDMA\":2},\"capability\":{\"DoorbellType\":7,\"Unheard\":1}}' WHERE id = 1;"
		     "UPDATE rocpd_info_agent@ SET extdata = '{\"id\":{\"handle\":1},\"runtime_visibility\":5,\"fw_version\":77}' WHERE id = 0");
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	const struct agent *gpu = trace_agent(&trace, 200), *cpu = trace_agent(&trace, 1);
	TEST_ASSERT_EQUAL_HEX64(0xb, gpu->runtime_visibility);
	TEST_ASSERT_EQUAL_HEX64(3 | 2 << 10 | 200 << 16 | (uint64_t)255 << 24, gpu->fw_version);
	TEST_ASSERT_EQUAL_HEX64(2 | 1 << 10, gpu->sdma_fw_version);
	TEST_ASSERT_EQUAL_HEX64(3 << 12, gpu->capability);
	TEST_ASSERT_EQUAL(5, cpu->runtime_visibility);
	TEST_ASSERT_EQUAL(77, cpu->fw_version);
}

static void test_kinds_that_nobody_knows_have_small_numbers(void)
{
	open_made();
	for (size_t i = 0; i < trace.kind_count; i++)
		TEST_ASSERT_LESS_THAN(KINDS_MOST, trace.kinds[i].kind);
}

/* A file that has no name any more, as those of another mount namespace have none here. */
static void test_a_file_without_a_name(void)
{
	made_rocpd(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	char name[64];
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, name, &err), err.text);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(14, count);
	close(fd);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_circumstances);
	RUN_TEST(test_names);
	RUN_TEST(test_calls);
	RUN_TEST(test_markers);
	RUN_TEST(test_dispatches_and_counters);
	RUN_TEST(test_memory);
	RUN_TEST(test_two_processes_in_one_database);
	RUN_TEST(test_what_the_second_process_lacks_is_told);
	RUN_TEST(test_fewer_tables);
	RUN_TEST(test_rows_that_belong_to_nothing_are_missing);
	RUN_TEST(test_words_of_agents_by_their_parts);
	RUN_TEST(test_kinds_that_nobody_knows_have_small_numbers);
	RUN_TEST(test_a_file_without_a_name);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
