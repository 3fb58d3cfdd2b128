/* SPDX-License-Identifier: MIT */
#include "json_case.h"

#include "rocp/formats/settings.h"

#define BIG 0xfffffffffffffff7u         /* more than a double can hold */

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
	TEST_ASSERT_EQUAL(1, files_told);
	json_load("out_results.json");
}

static void write_everything(void)
{
	made_log_everything(log_path);
	write_log();
}

static void test_sections_stand_in_upstreams_order(void)
{
	write_everything();
	TEST_ASSERT_EQUAL_STRING("rocprofiler-sdk-tool", ask("SELECT key FROM document, json_each(text)", NULL));
	keys_are("", "metadata agents counters strings code_objects kernel_symbols host_functions summary "
		     "callback_records buffer_records");
	keys_are(".metadata", "node pid init_time fini_time command config");
	keys_are(".metadata.node", "id hash machine_id system_name hostname release version hardware_name domain_name");
	keys_are(".strings", "callback_records buffer_records marker_api correlation_id counters pc_sample_instructions "
			     "pc_sample_comments att_filenames code_object_snapshot_filenames");
	keys_are(".buffer_records", "kernel_dispatch hip_api hsa_api marker_api rccl_api memory_copy memory_allocation "
				    "scratch_memory rocdecode_api rocjpeg_api hipfile_api rocshmem_api other_api "
				    "pc_sample_host_trap pc_sample_stochastic");
}

static void test_where_and_when(void)
{
	write_everything();
	is_number(".metadata.pid", MADE_PID);
	is_number(".metadata.init_time", MADE_START);
	is_number(".metadata.fini_time", MADE_START + 70000);
	is(".metadata.command", "[\"/opt/app/solver\",\"--size\",\"a b\"]");
	is_text(".metadata.node.hostname", "node17");
	is_text(".metadata.node.machine_id", "0123456789abcdef0123456789abcdef");
	is_text(".metadata.node.domain_name", "(none)");
}

static void test_settings_in_effect(void)
{
	set("ROCPROF_OUTPUT_FORMAT", "json,csv");
	set("ROCPROF_STATS_SUMMARY_UNITS", "msec");
	set("ROCPROF_STATS_SUMMARY_GROUPS", "HIP.*##@@##HSA.*");
	set("ROCPROF_MINIMUM_OUTPUT_BYTES", "17");
	write_everything();
	is(".metadata.config.kernel_trace", "true");
	is(".metadata.config.hip_runtime_api_trace", "false");
	is_text(".metadata.config.raw_output_path", "/home/user=x");
	is_text(".metadata.config.output_path", folder);
	is_text(".metadata.config.output_file", "out");
	is(".metadata.config.csv_output", "true");
	is(".metadata.config.json_output", "true");
	is(".metadata.config.rocpd_output", "false");
	is(".metadata.config.demangle", "true");
	is(".metadata.config.summary_groups", "[\"HIP.*\",\"HSA.*\"]");
	is_text(".metadata.config.summary_unit", "msec");
	is_number(".metadata.config.minimum_output_bytes", 17);
}

static void test_groups_of_counters_in_the_settings(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	made_fact(&log, FACT_SETTING, "ROCPROF_COUNTER_GROUPS=pmc: SQ_WAVES  GRBM_COUNT\npmc:TCC_HIT");
	made_log_close(&log);
	write_log();
	is(".metadata.config.counters", "[[\"SQ_WAVES\",\"GRBM_COUNT\"],[\"TCC_HIT\"]]");
}

static void test_agents_have_the_sdks_fields(void)
{
	write_everything();
	length_is(".agents", 3);
	is(".agents[1].id", "{\"handle\":200}");
	is_number(".agents[1].type", 2);
	is_number(".agents[0].type", 1);
	is_number(".agents[0].cpu_cores_count", 64);
	is_number(".agents[1].mem_banks_count", 1);
	is_number(".agents[1].gfx_target_version", 90010);
	is_number(".agents[1].num_xcc", 68);
	is_number(".agents[1].fw_version.uCode", 148);
	/* capability is 152: bits 3, 4 and 7 */
	is_number(".agents[1].capability.QueueSizePowerOfTwo", 1);
	is_number(".agents[1].capability.QueueSize32bit", 1);
	is_number(".agents[1].capability.WatchPointsSupported", 1);
	is_number(".agents[1].capability.VALimit", 0);
	is(".agents[1].workgroup_max_dim", "{\"x\":1024,\"y\":1024,\"z\":1024}");
	is_number(".agents[2].logical_node_type_id", 1);
	is_text(".agents[1].product_name", "AMD Instinct MI250X/MI250");
	is_number(".agents[1].runtime_visibility.hip", 1);
}

static void test_counters_that_can_be_had(void)
{
	write_everything();
	length_is(".counters", 3);
	is(".counters[2].agent_id", "{\"handle\":200}");
	is(".counters[2].id", "{\"handle\":7003}");
	is_number(".counters[2].is_derived", 1);
	is_text(".counters[2].expression", "reduce(SQ_LEVEL_WAVES,sum)/GRBM_GUI_ACTIVE");
	is_text(".counters[0].block", "SQ");
}

static void test_names_stand_at_their_numbers(void)
{
	write_everything();
	is_text(".strings.buffer_records[0].kind", "NONE");
	is_text(".strings.buffer_records[5].kind", "HIP_RUNTIME_API");
	is_text(".strings.buffer_records[5].operations[215]", "hipMalloc");
	is_text(".strings.buffer_records[6].kind", "");
	is_text(".strings.buffer_records[10].operations[2]", "MEMORY_COPY_HOST_TO_DEVICE");
	is_text(".code_objects[1].uri", "file:///opt/app/solver#offset=4096&size=32768");
	is_number(".code_objects[2].code_object_id", 2);
	is_number(".code_objects[0].code_object_id", 0);
	is_number(".code_objects[2].memory_size", 0x8000);
	length_is(".code_objects", 3);
	length_is(".kernel_symbols", 43);       /* the last is one that nothing names */
	is_number(".kernel_symbols[3].kernel_id", 3);
	is_number(".kernel_symbols[5].kernel_id", 0);
	is_text(".kernel_symbols[1].kernel_name", "_Z15matrixTransposePfS_i.kd");
	is_text(".kernel_symbols[1].formatted_kernel_name", "matrixTranspose(float*, float*, int)");
	is_text(".kernel_symbols[1].demangled_kernel_name", "matrixTranspose(float*, float*, int)");
	is_text(".kernel_symbols[1].truncated_kernel_name", "matrixTranspose");
	is_number(".kernel_symbols[1].arch_vgpr_count", 24);
	is_number(".kernel_symbols[1].kernel_code_entry_byte_offset", 0x1000);
}

static void test_ids_far_apart_do_not_fill_the_disk(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	made_code_object(&log, BIG, 1, "memory://1");
	made_kernel(&log, BIG, BIG, "far");
	made_kernel(&log, 7, BIG, "near");
	made_name(&log, 2000000000, -1, "FAR_API");
	made_log_close(&log);
	write_log();
	length_is(".code_objects", 1);
	length_is(".kernel_symbols", 2);
	is(".kernel_symbols[1].kernel_id", "18446744073709551607");
	length_is(".strings.buffer_records", 0);
}

static void test_texts_of_markers(void)
{
	write_everything();
	length_is(".strings.marker_api", 3);
	is(".strings.marker_api[0]", "{\"key\":1,\"value\":\"step 1\"}");
	is_number(".strings.marker_api[1].key", 9);
	is_text(".strings.marker_api[1].value", MADE_HARD_TEXT);
	is_number(".strings.marker_api[2].key", 10);
}

static void test_any_bytes_make_valid_json(void)
{
	char text[300], expected[900] = "";
	size_t n = 0;
	struct made_log log;
	for (int c = 1; c < 256; c++) {
		text[n++] = (char)c;
		size_t end = strlen(expected);
		if (c < 0x80)
			expected[end] = (char)c;
		else
			strcpy(expected + end, "\xef\xbf\xbd");
	}
	text[n] = '\0';
	made_log_begin(&log, log_path);
	made_name(&log, MADE_MARKER, -1, "MARKER_CORE_RANGE_API");
	made_numbered_text(&log, 1, text);
	made_marker(&log, 1, 1);
	made_api(&log, MADE_MARKER, 0, 1, 0, 1);
	made_log_close(&log);
	write_log();
	is_text(".strings.marker_api[0].value", expected);
}

static void test_summary_is_for_those_who_asked(void)
{
	write_everything();
	is(".summary", "[]");
}

static void test_summary(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	set("ROCPROF_STATS", "1");
	write_everything();
	length_is(".summary", 13);
	is_text(".summary[0].domain", "HSA_API");
	is_text(".summary[3].domain", "KERNEL_DISPATCH");
	keys_are(".summary[3].stats", "count sum sqr min max mean stddev variance operations");
	is_number(".summary[3].stats.count", 6);
	is_number(".summary[3].stats.sum", 15101);
	is_number(".summary[3].stats.min", 1);
	is_number(".summary[3].stats.max", 6000);
	length_is(".summary[3].stats.operations", 5);
	is_text(".summary[3].stats.operations[0].key", "matrixTranspose(float*, float*, int)");
	is(".summary[3].stats.operations[0].value.mean", "3000.0");
	is(".summary[3].stats.operations[0].value.sqr", "20000000.0");
	TEST_ASSERT_EQUAL_STRING("1", ask("SELECT abs((text ->> ?) - 2000000) < 1e-6 FROM document",
		PROCESS ".summary[3].stats.operations[0].value.variance"));
}

static void test_settings_file(void)
{
	set("ROCPROF_OUTPUT_CONFIG_FILE", "1");
	made_log_everything(log_path);
	case_open();
	TEST_ASSERT_EQUAL_MESSAGE(0, config_write(&conversion, &err), err.text);
	json_load("out_config.json");
	is_number(".metadata.pid", MADE_PID);
	is(".metadata.config.kernel_trace", "true");
	is(".metadata.environment", "{\"ROCPROF_KERNEL_TRACE\":\"1\",\"ROCPROF_OUTPUT_PATH\":\"/home/user=x\"}");
	is_number(".metadata.build_spec.sdk_version", 10300);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_sections_stand_in_upstreams_order);
	RUN_TEST(test_where_and_when);
	RUN_TEST(test_settings_in_effect);
	RUN_TEST(test_groups_of_counters_in_the_settings);
	RUN_TEST(test_agents_have_the_sdks_fields);
	RUN_TEST(test_counters_that_can_be_had);
	RUN_TEST(test_names_stand_at_their_numbers);
	RUN_TEST(test_ids_far_apart_do_not_fill_the_disk);
	RUN_TEST(test_texts_of_markers);
	RUN_TEST(test_any_bytes_make_valid_json);
	RUN_TEST(test_summary_is_for_those_who_asked);
	RUN_TEST(test_summary);
	RUN_TEST(test_settings_file);
	return UNITY_END();
}
