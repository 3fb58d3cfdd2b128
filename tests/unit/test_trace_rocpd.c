/* SPDX-License-Identifier: MIT */
/* rocpd databases as recordings: rocprofv3's, merged ones, and those that mean harm. */
#include <fcntl.h>
#include <unistd.h>
#include <unity.h>

#include "made_rocpd.h"
#include "rocp/trace/stats.h"

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
	TEST_ASSERT_TRUE(trace.is_rocpd && trace.closed);
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
}

static void refused(const char *with)
{
	TEST_ASSERT_EQUAL(-1, trace_open(&trace, path, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, with), err.text);
}

static void test_other_databases_are_refused(void)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, "", "CREATE TABLE addresses (name TEXT)");
	sqlite3_close(db);
	refused("has no tables of rocpd");
	db = made_rocpd_begin(path);
	made_sql(db, MADE_SUFFIX, made_tables);
	made_sql(db, MADE_SUFFIX, made_rows);
	made_sql(db, MADE_SUFFIX, "ALTER TABLE rocpd_region@ RENAME COLUMN start TO began");
	sqlite3_close(db);
	refused("no such column");
	/* a view in place of a table, which would never end */
	db = made_rocpd_begin(path);
	made_sql(db, "", made_tables);
	made_sql(db, "", made_rows);
	made_sql(db, "", "DROP TABLE rocpd_string; CREATE VIEW rocpd_string AS WITH RECURSIVE r(id, string) AS "
		"(SELECT 1, 'a' UNION ALL SELECT id + 1, 'a' FROM r) SELECT * FROM r");
	sqlite3_close(db);
	refused("has no tables of rocpd");
}

static void test_a_write_ahead_log_is_told(void)
{
	made_rocpd(path);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	TEST_ASSERT_EQUAL(2, pwrite(fd, "\2\2", 2, 18));
	close(fd);
	refused("write-ahead log");
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "journal_mode"));
}

static int number(void *ctx, const struct event *event, struct err *why)
{
	(void)why;
	*(uint64_t *)ctx += strlen(event->operation_name) + strlen(stats_name(event));
	return 0;
}

/* Cut off and damaged: an error or what can be read, never more. */
static void test_damaged_databases(void)
{
	static unsigned char whole[1 << 20];
	made_rocpd(path);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t size = read(fd, whole, sizeof whole);
	TEST_ASSERT_TRUE(size > 0 && size < (ssize_t)sizeof whole);
	unsigned random = 1;
	for (int i = 0; i < 200; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < 8; k++) {
			random = random * 1103515245u + 12345u;
			size_t at = 100 + (random >> 4) % ((size_t)size - 100);
			whole[at] ^= (unsigned char)(1u << (random >> 29));
		}
		if (i % 20 == 0) {      /* and anew */
			made_rocpd(path);
			close(fd);
			fd = open(path, O_RDWR | O_CLOEXEC);
			TEST_ASSERT_EQUAL(size, pread(fd, whole, sizeof whole, 0));
		}
		TEST_ASSERT_EQUAL(size, pwrite(fd, whole, (size_t)size, 0));
		TEST_ASSERT_EQUAL(0, ftruncate(fd, i % 3 ? size : size / 4096 / 2 * 4096));
		err = (struct err){ .code = ERR_NONE };
		if (trace_open(&trace, path, &err) == 0)
			trace_each(&trace, DOMAINS_ALL, number, &sum, &err);
		else
			TEST_ASSERT_TRUE(*err.text);
		trace_close(&trace);
	}
	close(fd);
}

static void test_nothing_is_written(void)
{
	made_rocpd(path);
	char journal[80];
	snprintf(journal, sizeof journal, "%s-journal", path);
	int fd = open(journal, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	TEST_ASSERT_EQUAL(8, write(fd, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8));
	close(fd);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(0, access(journal, F_OK));
	unlink(journal);
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
	RUN_TEST(test_fewer_tables);
	RUN_TEST(test_other_databases_are_refused);
	RUN_TEST(test_a_write_ahead_log_is_told);
	RUN_TEST(test_damaged_databases);
	RUN_TEST(test_nothing_is_written);
	RUN_TEST(test_a_file_without_a_name);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
