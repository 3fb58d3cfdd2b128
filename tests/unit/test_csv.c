/* SPDX-License-Identifier: MIT */
#include "csv_case.h"

void setUp(void)
{
	case_begin();
}

void tearDown(void)
{
	free(table_text);
	table_text = NULL;
	case_end();
}

static void test_there_is_a_file_for_what_was_recorded_and_no_other(void)
{
	static const char *const names[] = {
		"hip_api_trace", "hsa_api_trace", "marker_api_trace", "rccl_api_trace", "rocdecode_api_trace", "rocjpeg_api_trace",
		"rocshmem_api_trace", "hipfile_api_trace", "other_api_trace", "kernel_trace", "memory_copy_trace",
		"memory_allocation_trace", "scratch_memory_trace", "counter_collection", "agent_info",
	};
	char name[64];
	write_everything();
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(name, sizeof name, "out_%s.csv", names[i]);
		TEST_ASSERT_TRUE_MESSAGE(is_there(name), name);
	}
	TEST_ASSERT_EQUAL(15, files_of(".csv"));
	TEST_ASSERT_EQUAL(15, files_told);
}

static void test_a_log_without_events_has_agents_at_most(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	made_log_close(&log);
	set("ROCPROF_STATS", "1");
	case_open();
	TEST_ASSERT_EQUAL_MESSAGE(0, csv_write(&conversion, &err), err.text);
	TEST_ASSERT_EQUAL(0, files_of(".csv"));
}

static void test_calls(void)
{
	write_everything();
	read_table("out_hip_api_trace.csv");
	heading_is("Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp");
	TEST_ASSERT_EQUAL(1 + 5, rows);
	text_is(1, "Domain", "HIP_RUNTIME_API");
	text_is(1, "Function", "hipMalloc");
	value_is(1, "Process_Id", MADE_PID);
	value_is(1, "Thread_Id", MADE_PID);
	value_is(1, "Correlation_Id", 3);
	value_is(1, "Start_Timestamp", MADE_START + 6000);
	value_is(1, "End_Timestamp", MADE_START + 9000);
	value_is(4, "Thread_Id", 4712);
	text_is(5, "Function", "operation 400");
	read_table("out_hsa_api_trace.csv");
	TEST_ASSERT_EQUAL(1 + 1, rows);
	text_is(1, "Function", "hsa_init");
	text_is(1, "Domain", "HSA_CORE_API");
	read_table("out_other_api_trace.csv");
	text_is(1, "Domain", "OMPT");
	text_is(1, "Function", "omp_thread_begin");
}

static void test_a_marker_is_called_by_its_text_whatever_is_in_it(void)
{
	write_everything();
	read_table("out_marker_api_trace.csv");
	heading_is("Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp");
	TEST_ASSERT_EQUAL(1 + 3, rows);
	text_is(1, "Function", "step 1");
	text_is(2, "Function", MADE_HARD_TEXT);
	value_is(2, "Correlation_Id", 9);
	text_is(3, "Function", "phase");
	text_is(3, "Domain", "MARKER_CORE_RANGE_API");
}

static void test_bytes_that_are_no_utf8_are_replaced(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	made_name(&log, MADE_MARKER, -1, "MARKER_CORE_RANGE_API");
	made_numbered_text(&log, 1, "a\xff" "b\xe2\x82" "c");
	made_marker(&log, 1, 1);
	made_api(&log, MADE_MARKER, 0, 1, 0, 1);
	made_log_close(&log);
	case_open();
	TEST_ASSERT_EQUAL(0, csv_write(&conversion, &err));
	read_table("out_marker_api_trace.csv");
	text_is(1, "Function", "a\xef\xbf\xbd" "b\xef\xbf\xbd" "c");
}

static void test_kernels(void)
{
	write_everything();
	read_table("out_kernel_trace.csv");
	heading_is("Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name Correlation_Id "
		   "Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count "
		   "Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z");
	TEST_ASSERT_EQUAL(1 + 6, rows);
	text_is(1, "Kind", "KERNEL_DISPATCH");
	text_is(1, "Agent_Id", "Agent 1");
	value_is(1, "Queue_Id", 1);
	value_is(1, "Stream_Id", 1);
	value_is(1, "Thread_Id", MADE_PID);
	value_is(1, "Dispatch_Id", 1);
	value_is(1, "Kernel_Id", 1);
	text_is(1, "Kernel_Name", "matrixTranspose(float*, float*, int)");
	value_is(1, "Correlation_Id", 5);
	value_is(1, "Start_Timestamp", MADE_START + 21000);
	value_is(1, "End_Timestamp", MADE_START + 25000);
	value_is(1, "LDS_Block_Size", 1024);    /* the kernel's 1000, to the next 512 */
	value_is(1, "Scratch_Size", 16);
	value_is(1, "VGPR_Count", 24);
	value_is(1, "Accum_VGPR_Count", 4);
	value_is(1, "SGPR_Count", 32);
	value_is(1, "Workgroup_Size_X", 256);
	value_is(1, "Workgroup_Size_Z", 1);
	value_is(1, "Grid_Size_X", 1024);
	value_is(1, "Grid_Size_Y", 2);
	text_is(2, "Kernel_Name", "matrixTranspose(float*, float*, int)");
	value_is(2, "Stream_Id", 2);
	text_is(3, "Agent_Id", "Agent 2");
	text_is(5, "Kernel_Name", "kernel 42");
	value_is(5, "LDS_Block_Size", 0);
}

static void test_kernels_are_called_as_the_settings_say(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	set("ROCPROF_TRUNCATE_KERNELS", "1");
	set("ROCPROF_AGENT_INDEX", "type-relative");
	write_everything();
	read_table("out_kernel_trace.csv");
	text_is(1, "Kernel_Name", "matrixTranspose");
	text_is(2, "Kernel_Name", "step 1");
	text_is(1, "Agent_Id", "GPU 0");
	text_is(3, "Agent_Id", "GPU 1");
	read_table("out_memory_copy_trace.csv");
	text_is(1, "Source_Agent_Id", "CPU 0");
}

static void test_mangled_names(void)
{
	set("ROCPROF_DEMANGLE_KERNELS", "0");
	set("ROCPROF_AGENT_INDEX", "absolute");
	write_everything();
	read_table("out_kernel_trace.csv");
	text_is(1, "Kernel_Name", "_Z15matrixTransposePfS_i.kd");
	text_is(3, "Agent_Id", "Agent 2");
}

static void test_copies(void)
{
	write_everything();
	read_table("out_memory_copy_trace.csv");
	heading_is("Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id Correlation_Id Start_Timestamp End_Timestamp");
	TEST_ASSERT_EQUAL(1 + 3, rows);
	text_is(1, "Kind", "MEMORY_COPY");
	text_is(1, "Direction", "MEMORY_COPY_HOST_TO_DEVICE");
	value_is(1, "Stream_Id", 2);
	text_is(1, "Source_Agent_Id", "Agent 0");
	text_is(1, "Destination_Agent_Id", "Agent 1");
	value_is(1, "Correlation_Id", 4);
	value_is(1, "Start_Timestamp", MADE_START + 11000);
	value_is(1, "End_Timestamp", MADE_START + 15000);
	text_is(2, "Source_Agent_Id", "Agent 2");
	text_is(2, "Destination_Agent_Id", "Agent 0");
}

static void test_allocations(void)
{
	write_everything();
	read_table("out_memory_allocation_trace.csv");
	heading_is("Kind Operation Agent_Id Allocation_Size Address Correlation_Id Start_Timestamp End_Timestamp");
	TEST_ASSERT_EQUAL(1 + 2, rows);
	text_is(1, "Operation", "MEMORY_ALLOCATION_ALLOCATE");
	text_is(1, "Agent_Id", "Agent 1");
	value_is(1, "Allocation_Size", 1 << 20);
	text_is(1, "Address", "0x00007f2000000000");
	value_is(1, "Correlation_Id", 3);
	text_is(2, "Operation", "MEMORY_ALLOCATION_FREE");
	text_is(2, "Agent_Id", "");
}

static void test_scratch_memory(void)
{
	write_everything();
	read_table("out_scratch_memory_trace.csv");
	heading_is("Kind Operation Agent_Id Queue_Id Thread_Id Alloc_Flags Start_Timestamp End_Timestamp Allocation_Size");
	TEST_ASSERT_EQUAL(1 + 2, rows);
	text_is(1, "Operation", "SCRATCH_MEMORY_ALLOC");
	text_is(1, "Agent_Id", "Agent 1");
	value_is(1, "Queue_Id", 1);
	value_is(1, "Alloc_Flags", 1);
	value_is(1, "Allocation_Size", 0);
	value_is(2, "Allocation_Size", 65536);
	value_is(2, "End_Timestamp", MADE_START + 42500);
}

static void test_counters_are_added_up_over_instances(void)
{
	write_everything();
	read_table("out_counter_collection.csv");
	heading_is("Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id Grid_Size Kernel_Id Kernel_Name "
		   "Workgroup_Size LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count Counter_Name "
		   "Counter_Value Start_Timestamp End_Timestamp");
	TEST_ASSERT_EQUAL(1 + 3 + 2, rows);
	value_is(1, "Correlation_Id", 5);
	value_is(1, "Dispatch_Id", 1);
	text_is(1, "Agent_Id", "Agent 1");
	value_is(1, "Process_Id", MADE_PID);
	value_is(1, "Grid_Size", 2048);
	value_is(1, "Workgroup_Size", 256);
	value_is(1, "LDS_Block_Size", 1024);
	text_is(1, "Kernel_Name", "matrixTranspose(float*, float*, int)");
	text_is(1, "Counter_Name", "SQ_WAVES");
	number_is(1, "Counter_Value", "100.000000");
	text_is(2, "Counter_Name", "GRBM_GUI_ACTIVE");
	number_is(2, "Counter_Value", "12345.000000");
	text_is(3, "Counter_Name", "MeanOccupancy");
	number_is(3, "Counter_Value", "1.25000000e-01");
	value_is(3, "Start_Timestamp", MADE_START + 21000);
	value_is(4, "Dispatch_Id", 2);
	value_is(5, "End_Timestamp", MADE_START + 31500);
}

/* Counters that come in turns, twice; sizes whose product has more than 32 bits. */
static void test_many_counters_are_added_up_each_by_itself(void)
{
	enum { COUNTERS = 10, INSTANCES = 50 };
	struct log_value value[COUNTERS * INSTANCES];
	struct made_log log;
	made_log_begin(&log, log_path);
	for (size_t i = 0; i < COUNTERS * INSTANCES; i++)
		value[i] = (struct log_value){ .counter = i % COUNTERS ? i % COUNTERS : UINT64_MAX, .value = (double)(i % COUNTERS) };
	struct log_counters *record = made_counters(&log, 1, 1, 1, 1, 0, 1, value, COUNTERS * INSTANCES);
	for (size_t i = 0; i < 3; i++)
		record->info.grid[i] = record->info.workgroup[i] = 1 << 20;
	record->info.grid[2] = 1;
	made_counters(&log, 1, 1, 2, 2, 0, 1, value + 3, 2);
	made_log_close(&log);
	case_open();
	TEST_ASSERT_EQUAL_MESSAGE(0, csv_write(&conversion, &err), err.text);
	read_table("out_counter_collection.csv");
	TEST_ASSERT_EQUAL(1 + COUNTERS + 2, rows);
	for (size_t i = 1; i < COUNTERS; i++)
		TEST_ASSERT_EQUAL(i * INSTANCES, strtoul(cell[i][column("Counter_Value")], NULL, 10));
	text_is(1, "Counter_Name", "counter 1");
	text_is(COUNTERS, "Counter_Name", "counter 18446744073709551615");
	value_is(1, "Grid_Size", (uint64_t)1 << 40);
	value_is(1, "Workgroup_Size", (uint64_t)1 << 60);
	text_is(COUNTERS + 1, "Counter_Name", "counter 3");
	number_is(COUNTERS + 2, "Counter_Value", "4.000000");
}

static void test_agents(void)
{
	write_everything();
	read_table("out_agent_info.csv");
	heading_is("Node_Id Logical_Node_Id Agent_Type Cpu_Cores_Count Simd_Count Cpu_Core_Id_Base Simd_Id_Base "
		   "Max_Waves_Per_Simd Lds_Size_In_Kb Gds_Size_In_Kb Num_Gws Wave_Front_Size Num_Xcc Cu_Count Array_Count "
		   "Num_Shader_Banks Simd_Arrays_Per_Engine Cu_Per_Simd_Array Simd_Per_Cu Max_Slots_Scratch_Cu "
		   "Gfx_Target_Version Vendor_Id Device_Id Location_Id Domain Drm_Render_Minor Num_Sdma_Engines "
		   "Num_Sdma_Xgmi_Engines Num_Sdma_Queues_Per_Engine Num_Cp_Queues Max_Engine_Clk_Ccompute "
		   "Max_Engine_Clk_Fcompute Sdma_Fw_Version Fw_Version Capability Cu_Per_Engine Max_Waves_Per_Cu Family_Id "
		   "Workgroup_Max_Size Grid_Max_Size Local_Mem_Size Hive_Id Gpu_Id Workgroup_Max_Dim_X Workgroup_Max_Dim_Y "
		   "Workgroup_Max_Dim_Z Grid_Max_Dim_X Grid_Max_Dim_Y Grid_Max_Dim_Z Name Vendor_Name Product_Name Model_Name");
	TEST_ASSERT_EQUAL(1 + 3, rows);
	text_is(1, "Agent_Type", "CPU");
	value_is(1, "Cpu_Cores_Count", 64);
	text_is(1, "Name", "AMD EPYC 7763 64-Core Processor");
	value_is(2, "Node_Id", 1);
	text_is(2, "Agent_Type", "GPU");
	value_is(2, "Simd_Count", 416);
	value_is(2, "Cu_Count", 104);
	value_is(2, "Gfx_Target_Version", 90010);
	value_is(2, "Vendor_Id", 0x1002);
	value_is(2, "Device_Id", 0x740c);
	value_is(2, "Capability", 152);         /* made of their offsets in the SDK's structure */
	value_is(2, "Grid_Max_Size", 172);
	value_is(2, "Gpu_Id", 51001);
	value_is(2, "Workgroup_Max_Dim_Y", 1024);
	value_is(2, "Grid_Max_Dim_Z", 2147483647);
	text_is(2, "Product_Name", "AMD Instinct MI250X/MI250");
	text_is(3, "Model_Name", "aqua");
}

static void test_agents_stand_by_their_nodes(void)
{
	struct made_log log;
	made_log_begin(&log, log_path);
	made_agent(&log, 30, 3, 1, 90010, "third", "");
	made_agent(&log, 10, 0, 0, 0, "first", "");
	made_agent(&log, 20, 2, 0, 90010, "second", "");
	made_log_close(&log);
	case_open();
	TEST_ASSERT_EQUAL(0, csv_write(&conversion, &err));
	read_table("out_agent_info.csv");
	text_is(1, "Name", "first");
	text_is(2, "Name", "second");
	text_is(3, "Name", "third");
}

static void test_what_is_there_is_not_written_over(void)
{
	char path[192];
	made_log_everything(log_path);
	case_open();
	snprintf(path, sizeof path, "%s_kernel_trace.csv", base);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	TEST_ASSERT_EQUAL(4, write(fd, "mine", 4));
	close(fd);
	TEST_ASSERT_EQUAL(-1, csv_write(&conversion, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "kernel_trace.csv"), err.text);
	char *text = content_of("out_kernel_trace.csv");
	TEST_ASSERT_EQUAL_STRING("mine", text);
	free(text);
	TEST_ASSERT_EQUAL(1, files_of(".csv"));         /* what was begun is gone */
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_there_is_a_file_for_what_was_recorded_and_no_other);
	RUN_TEST(test_a_log_without_events_has_agents_at_most);
	RUN_TEST(test_calls);
	RUN_TEST(test_a_marker_is_called_by_its_text_whatever_is_in_it);
	RUN_TEST(test_bytes_that_are_no_utf8_are_replaced);
	RUN_TEST(test_kernels);
	RUN_TEST(test_kernels_are_called_as_the_settings_say);
	RUN_TEST(test_mangled_names);
	RUN_TEST(test_copies);
	RUN_TEST(test_allocations);
	RUN_TEST(test_scratch_memory);
	RUN_TEST(test_counters_are_added_up_over_instances);
	RUN_TEST(test_many_counters_are_added_up_each_by_itself);
	RUN_TEST(test_agents);
	RUN_TEST(test_agents_stand_by_their_nodes);
	RUN_TEST(test_what_is_there_is_not_written_over);
	return UNITY_END();
}
