/* SPDX-License-Identifier: MIT */
#include "json_case.h"

#define BIG 0xfffffffffffffff7u         /* more than a double can hold */
#define BIG_TEXT "18446744073709551607"

void setUp(void)
{
	json_begin();
}

void tearDown(void)
{
	json_end();
}

static void write_log(void)
{
	case_open();
	TEST_ASSERT_EQUAL_MESSAGE(0, json_write(&conversion, &err), err.text);
	json_load("out_results.json");
}

static void write_everything(void)
{
	made_log_everything(log_path);
	write_log();
}

static void test_every_event_is_there_once(void)
{
	static const struct { const char *path; size_t n; } sections[] = {
		{ "hip_api", 5 }, { "hsa_api", 1 }, { "marker_api", 3 }, { "rccl_api", 1 }, { "rocdecode_api", 1 },
		{ "rocjpeg_api", 1 }, { "rocshmem_api", 1 }, { "hipfile_api", 1 }, { "other_api", 2 }, { "kernel_dispatch", 6 },
		{ "memory_copy", 3 }, { "memory_allocation", 2 }, { "scratch_memory", 2 }, { "pc_sample_host_trap", 0 },
		{ "pc_sample_stochastic", 0 },
	};
	char path[64];
	write_everything();
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
		snprintf(path, sizeof path, ".buffer_records.%s", sections[i].path);
		length_is(path, sections[i].n);
	}
	length_is(".callback_records.counter_collection", 2);
}

static void test_calls(void)
{
	write_everything();
	keys_are(".buffer_records.hsa_api[0]", "size kind operation correlation_id start_timestamp end_timestamp thread_id");
	keys_are(".buffer_records.hip_api[1]",
		 "size kind operation correlation_id start_timestamp end_timestamp thread_id stream_id");
	is_number(".buffer_records.hip_api[1].size", 64);
	is_number(".buffer_records.hip_api[1].kind", MADE_HIP);
	is_number(".buffer_records.hip_api[1].operation", 259);
	is(".buffer_records.hip_api[1].correlation_id", "{\"internal\":4,\"external\":77,\"ancestor\":1}");
	is_number(".buffer_records.hip_api[1].start_timestamp", MADE_START + 10000);
	is_number(".buffer_records.hip_api[1].end_timestamp", MADE_START + 19000);
	is_number(".buffer_records.hip_api[3].thread_id", 4712);
}

static void test_kernels(void)
{
	write_everything();
	keys_are(".buffer_records.kernel_dispatch[0]", "size kind operation thread_id correlation_id start_timestamp "
							"end_timestamp dispatch_info stream_id");
	is_number(".buffer_records.kernel_dispatch[0].size", 184);
	is_number(".buffer_records.kernel_dispatch[5].size", 192);
	is_number(".buffer_records.kernel_dispatch[0].operation", 2);
	is(".buffer_records.kernel_dispatch[0].correlation_id", "{\"internal\":5,\"external\":0}");
	is_number(".buffer_records.kernel_dispatch[1].end_timestamp", MADE_START + 31500);
	is(".buffer_records.kernel_dispatch[1].dispatch_info",
	   "{\"size\":72,\"agent_id\":{\"handle\":200},\"queue_id\":{\"handle\":1},\"kernel_id\":1,\"dispatch_id\":2,"
	   "\"private_segment_size\":16,\"group_segment_size\":1024,\"workgroup_size\":{\"x\":256,\"y\":1,\"z\":1},"
	   "\"grid_size\":{\"x\":1024,\"y\":2,\"z\":1}}");
	is(".buffer_records.kernel_dispatch[1].stream_id", "{\"handle\":2}");
	is_number(".buffer_records.kernel_dispatch[4].dispatch_info.kernel_id", 42);
}

static void test_a_renamed_kernel_leads_to_its_name(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	write_everything();
	is(".strings.correlation_id.external", "[{\"key\":1,\"value\":\"step 1\"}]");
	is(".buffer_records.kernel_dispatch[0].correlation_id", "{\"internal\":5,\"external\":0}");
	is(".buffer_records.kernel_dispatch[1].correlation_id", "{\"internal\":6,\"external\":1}");
}

static void test_very_many_names_keep_their_numbers(void)
{
	enum { NAMES = 1000 };
	char text[32], path[128], expected[64];
	struct made_log log;
	made_log_begin(&log, log_path);
	for (uint32_t i = 1; i <= NAMES; i++) {
		snprintf(text, sizeof text, "name %u", i);
		made_numbered_text(&log, i, text);
	}
	for (uint32_t i = 0; i < 3 * NAMES; i++)
		made_dispatch(&log, MADE_GPU, 1, i, i, i, i + 1)->external = LOG_EXTERNAL(0, i % NAMES + 1);
	made_log_close(&log);
	set("ROCPROF_KERNEL_RENAME", "1");
	write_log();
	length_is(".strings.correlation_id.external", NAMES);
	for (uint32_t i = 0; i < 3 * NAMES; i += 333) {
		snprintf(path, sizeof path, ".buffer_records.kernel_dispatch[%u].correlation_id.external", i);
		unsigned long number = strtoul(value_at(path), NULL, 10);
		TEST_ASSERT_TRUE(number >= 1 && number <= NAMES);
		snprintf(path, sizeof path, ".strings.correlation_id.external[%lu]", number - 1);
		snprintf(expected, sizeof expected, "{\"key\":%lu,\"value\":\"name %u\"}", number, i % NAMES + 1);
		is(path, expected);
	}
}

static void test_copies(void)
{
	write_everything();
	keys_are(".buffer_records.memory_copy[0]", "size kind operation thread_id correlation_id start_timestamp end_timestamp "
						    "dst_agent_id src_agent_id bytes stream_id");
	is(".buffer_records.memory_copy[0].dst_agent_id", "{\"handle\":200}");
	is(".buffer_records.memory_copy[0].src_agent_id", "{\"handle\":100}");
	is_number(".buffer_records.memory_copy[0].bytes", 1 << 20);
	is_number(".buffer_records.memory_copy[0].operation", 2);
	is(".buffer_records.memory_copy[1].stream_id", "{\"handle\":2}");
}

static void test_allocations(void)
{
	write_everything();
	keys_are(".buffer_records.memory_allocation[0]", "size kind operation thread_id correlation_id start_timestamp "
							  "end_timestamp agent_id address allocation_size stream_id");
	is_text(".buffer_records.memory_allocation[0].address", "0x00007f2000000000");
	is_number(".buffer_records.memory_allocation[0].allocation_size", 1 << 20);
	is(".buffer_records.memory_allocation[1].agent_id", "{\"handle\":0}");
}

static void test_scratch_memory(void)
{
	write_everything();
	keys_are(".buffer_records.scratch_memory[0]", "size kind operation agent_id queue_id thread_id start_timestamp "
						       "end_timestamp correlation_id flags allocation_size");
	is_number(".buffer_records.scratch_memory[0].size", 88);
	is_number(".buffer_records.scratch_memory[1].size", 96);
	is_number(".buffer_records.scratch_memory[1].allocation_size", 65536);
	is_number(".buffer_records.scratch_memory[1].flags", 1);
}

static void test_counters_of_a_dispatch(void)
{
	write_everything();
	keys_are(".callback_records.counter_collection[0]", "thread_id dispatch_data records stream_id");
	keys_are(".callback_records.counter_collection[0].dispatch_data",
		 "size correlation_id start_timestamp end_timestamp dispatch_info");
	is(".callback_records.counter_collection[0].records",
	   "[{\"counter_id\":{\"handle\":7001},\"value\":64.0},{\"counter_id\":{\"handle\":7001},\"value\":36.0},"
	   "{\"counter_id\":{\"handle\":7002},\"value\":12345.0},{\"counter_id\":{\"handle\":7003},\"value\":0.125}]");
	is_number(".callback_records.counter_collection[1].dispatch_data.dispatch_info.dispatch_id", 2);
	length_is(".callback_records.counter_collection[1].records", 3);
}

static void test_numbers_keep_all_their_bits(void)
{
	struct log_value value[] = { { 1, BIG, 0.1 }, { 1, 2, 1e300 }, { 1, 3, -1.5 }, { 1, 4, 1.0 / 3 }, { 1, 5, 1e-300 } };
	struct made_log log;
	made_log_begin(&log, log_path);
	made_copy(&log, 2, BIG, BIG, BIG, BIG, 0, 1);
	made_counters(&log, BIG, 1, BIG, BIG, 0, 1, value, 5);
	made_log_close(&log);
	write_log();
	is(".buffer_records.memory_copy[0].bytes", BIG_TEXT);
	is(".buffer_records.memory_copy[0].dst_agent_id", "{\"handle\":" BIG_TEXT "}");
	is(".callback_records.counter_collection[0].records[0].counter_id.handle", BIG_TEXT);
	is(".callback_records.counter_collection[0].records[0].value", "0.1");
	for (size_t i = 0; i < 5; i++) {
		char path[96];
		snprintf(path, sizeof path, ".callback_records.counter_collection[0].records[%zu].value", i);
		TEST_ASSERT_TRUE(strtod(value_at(path), NULL) == value[i].value);
	}
}

static void test_what_is_no_number_is_null(void)
{
	struct log_value value[] = { { 1, 1, 0.0 / 1 }, { 1, 2, __builtin_nan("") }, { 1, 3, __builtin_inf() } };
	struct made_log log;
	made_log_begin(&log, log_path);
	made_counters(&log, 1, 1, 1, 1, 0, 1, value, 3);
	made_log_close(&log);
	write_log();
	is(".callback_records.counter_collection[0].records[0].value", "0.0");
	is(".callback_records.counter_collection[0].records[1].value", "null");
	is(".callback_records.counter_collection[0].records[2].value", "null");
}

static void test_what_is_there_is_not_written_over(void)
{
	char path[192];
	made_log_everything(log_path);
	case_open();
	snprintf(path, sizeof path, "%s_results.json", base);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	TEST_ASSERT_EQUAL(-1, json_write(&conversion, &err));
	char *text = content_of("out_results.json");
	TEST_ASSERT_EQUAL_STRING("", text);
	free(text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_event_is_there_once);
	RUN_TEST(test_calls);
	RUN_TEST(test_kernels);
	RUN_TEST(test_a_renamed_kernel_leads_to_its_name);
	RUN_TEST(test_very_many_names_keep_their_numbers);
	RUN_TEST(test_copies);
	RUN_TEST(test_allocations);
	RUN_TEST(test_scratch_memory);
	RUN_TEST(test_counters_of_a_dispatch);
	RUN_TEST(test_numbers_keep_all_their_bits);
	RUN_TEST(test_what_is_no_number_is_null);
	RUN_TEST(test_what_is_there_is_not_written_over);
	return UNITY_END();
}
