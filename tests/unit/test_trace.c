/* SPDX-License-Identifier: MIT */
/* A log with everything in it, read as a recording. */
#include <stdio.h>
#include <sys/stat.h>
#include <unity.h>

#include "made_log_everything.h"
#include "rocp/trace/trace.h"

static char folder[] = "/tmp/roclatch-trace-XXXXXX";
static char path[64];
static struct trace trace;
static struct err err;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	snprintf(path, sizeof path, "%s/log%s", folder, LOG_ENDING);
	made_log_everything(path);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
}

void tearDown(void)
{
	trace_close(&trace);
	unlink(path);
}

#define MOST 64
static struct event seen[MOST];
static size_t count;
static struct counter_value values[MOST][8];

static int keep(void *ctx, const struct event *event, struct err *why)
{
	(void)ctx, (void)why;
	TEST_ASSERT_LESS_THAN(MOST, count);
	TEST_ASSERT_NOT_NULL(event->kind_name);
	TEST_ASSERT_NOT_NULL(event->operation_name);
	if (event->values)
		memcpy(values[count], event->value, event->values * sizeof *event->value);
	seen[count] = *event;
	seen[count].value = values[count];
	count++;
	return 0;
}

static void read_events(unsigned domains)
{
	count = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_each(&trace, domains, keep, NULL, &err), err.text);
}

static void test_circumstances(void)
{
	TEST_ASSERT_EQUAL_STRING(path, trace.path);
	TEST_ASSERT_FALSE(trace.is_rocpd);
	TEST_ASSERT_EQUAL_HEX64(0x1122334455667788u, trace.id[0]);
	TEST_ASSERT_EQUAL(4711, trace.pid);
	TEST_ASSERT_EQUAL(4710, trace.ppid);
	TEST_ASSERT_EQUAL(10300, trace.sdk);
	TEST_ASSERT_EQUAL_UINT64(MADE_START, trace.start);
	TEST_ASSERT_EQUAL_UINT64(MADE_START + 70000, trace.end);
	TEST_ASSERT_EQUAL_UINT64(MADE_REALTIME, trace.start_realtime);
	TEST_ASSERT_EQUAL_STRING("node17", trace.hostname);
	TEST_ASSERT_EQUAL_STRING("0123456789abcdef0123456789abcdef", trace.machine_id);
	TEST_ASSERT_EQUAL_STRING("Linux", trace.system);
	TEST_ASSERT_EQUAL_STRING("6.8.0-31-generic", trace.release);
	TEST_ASSERT_EQUAL_STRING("#31-Ubuntu SMP", trace.version);
	TEST_ASSERT_EQUAL_STRING("x86_64", trace.hardware);
	TEST_ASSERT_EQUAL_STRING("(none)", trace.domain);
	TEST_ASSERT_EQUAL_STRING("/home/user", trace.folder);
	TEST_ASSERT_EQUAL_STRING("/home/user/roclatch-4711.rlog", trace.output);
	TEST_ASSERT_EQUAL_STRING("1.0", trace.tool_version);
	TEST_ASSERT_EQUAL(3, trace.arguments);
	TEST_ASSERT_EQUAL_STRING("a b", trace.argument[2]);
	TEST_ASSERT_EQUAL(2, trace.settings.n);
	TEST_ASSERT_EQUAL_STRING("/home/user=x", env_get(&trace.settings, "ROCPROF_OUTPUT_PATH"));
}

static void test_end(void)
{
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_STRING("", trace.why);
	TEST_ASSERT_EQUAL_STRING("", trace.damage);
	TEST_ASSERT_EQUAL_UINT64(7, trace.lost);
	TEST_ASSERT_EQUAL(2, trace.notes);
	TEST_ASSERT_EQUAL_STRING("counters were asked for that no agent has: FOO", trace.note[0]);
	TEST_ASSERT_EQUAL_STRING("7 records were lost: the disk was slow", trace.note[1]);
}

static void test_agents(void)
{
	TEST_ASSERT_EQUAL(3, trace.agents);
	TEST_ASSERT_NULL(trace_agent(&trace, 0));
	TEST_ASSERT_NULL(trace_agent(&trace, 101));
	const struct agent *cpu = trace_agent(&trace, MADE_CPU), *gpu = trace_agent(&trace, MADE_GPU2);
	TEST_ASSERT_FALSE(cpu->is_gpu);
	TEST_ASSERT_EQUAL(64, cpu->cpu_cores_count);
	TEST_ASSERT_EQUAL_STRING("AMD EPYC 7763 64-Core Processor", cpu->name);
	TEST_ASSERT_EQUAL_STRING("", cpu->model);
	TEST_ASSERT_TRUE(gpu->is_gpu);
	TEST_ASSERT_EQUAL_STRING("gfx90a", gpu->name);
	TEST_ASSERT_EQUAL_STRING("AMD", gpu->vendor);
	TEST_ASSERT_EQUAL_STRING("AMD Instinct MI250X/MI250", gpu->product);
	TEST_ASSERT_EQUAL_STRING("aqua", gpu->model);
	TEST_ASSERT_EQUAL(2, gpu->node);
	TEST_ASSERT_EQUAL(2, gpu->logical_node);
	TEST_ASSERT_EQUAL(1, gpu->type_node);
	TEST_ASSERT_EQUAL(31, gpu->runtime_visibility);
	TEST_ASSERT_EQUAL(1, gpu->mem_banks_count);
}

/* The builder puts each 4-byte field's place into it. */
static void test_agent_fields(void)
{
	const struct agent *gpu = trace_agent(&trace, MADE_GPU);
	TEST_ASSERT_EQUAL(416, gpu->simd_count);
	TEST_ASSERT_EQUAL(40, gpu->cpu_core_id_base);
	TEST_ASSERT_EQUAL(48, gpu->max_waves_per_simd);
	TEST_ASSERT_EQUAL(52, gpu->lds_size_in_kb);
	TEST_ASSERT_EQUAL(64, gpu->wave_front_size);
	TEST_ASSERT_EQUAL(68, gpu->num_xcc);
	TEST_ASSERT_EQUAL(104, gpu->cu_count);
	TEST_ASSERT_EQUAL(80, gpu->num_shader_banks);
	TEST_ASSERT_EQUAL(4, gpu->simd_per_cu);
	TEST_ASSERT_EQUAL(96, gpu->max_slots_scratch_cu);
	TEST_ASSERT_EQUAL(90010, gpu->gfx_target_version);
	TEST_ASSERT_EQUAL_HEX(0x1002, gpu->vendor_id);
	TEST_ASSERT_EQUAL_HEX(0x740c, gpu->device_id);
	TEST_ASSERT_EQUAL(108, gpu->location_id);
	TEST_ASSERT_EQUAL(112, gpu->domain);
	TEST_ASSERT_EQUAL(116, gpu->drm_render_minor);
	TEST_ASSERT_EQUAL(132, gpu->num_cp_queues);
	TEST_ASSERT_EQUAL(136, gpu->max_engine_clk_ccompute);
	TEST_ASSERT_EQUAL(148, gpu->fw_version);
	TEST_ASSERT_EQUAL(152, gpu->capability);
	TEST_ASSERT_EQUAL(160, gpu->max_waves_per_cu);
	TEST_ASSERT_EQUAL(172, gpu->grid_max_size);
	TEST_ASSERT_EQUAL(51001, gpu->gpu_id);
	TEST_ASSERT_EQUAL(1024, gpu->workgroup_max_dim.z);
	TEST_ASSERT_EQUAL(2147483647, gpu->grid_max_dim.x);
}

static void test_kernels(void)
{
	TEST_ASSERT_EQUAL(5, trace.kernels);
	for (size_t i = 1; i < trace.kernels; i++)
		TEST_ASSERT_TRUE(trace.kernel[i - 1].id < trace.kernel[i].id);
	const struct kernel_symbol *first = &trace.kernel[0], *unnamed = &trace.kernel[4];
	TEST_ASSERT_EQUAL_STRING("_Z15matrixTransposePfS_i.kd", first->name);
	TEST_ASSERT_EQUAL_STRING("matrixTranspose(float*, float*, int)", first->demangled);
	TEST_ASSERT_EQUAL_STRING("matrixTranspose", first->truncated);
	TEST_ASSERT_EQUAL_STRING(first->demangled, first->formatted);
	TEST_ASSERT_EQUAL(24, first->arch_vgprs);
	TEST_ASSERT_EQUAL(4, first->accum_vgprs);
	TEST_ASSERT_EQUAL(32, first->sgprs);
	TEST_ASSERT_EQUAL_HEX64(0x7f1000000040u, first->object);
	TEST_ASSERT_EQUAL(42, unnamed->id);
	TEST_ASSERT_EQUAL_STRING("kernel 42", unnamed->formatted);
	trace_naming(&trace, NAMING_TRUNCATED, true);
	TEST_ASSERT_EQUAL_STRING("vectorized_elementwise_kernel", trace.kernel[1].formatted);
	trace_naming(&trace, NAMING_MANGLED, true);
	TEST_ASSERT_EQUAL_STRING("Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1.kd", trace.kernel[2].formatted);
	trace_naming(&trace, NAMING_DEMANGLED, true);
	TEST_ASSERT_EQUAL_STRING("Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1", trace.kernel[2].formatted);
}

static void test_other_names(void)
{
	TEST_ASSERT_EQUAL(2, trace.code_objects);
	TEST_ASSERT_EQUAL_STRING("memory://4711#offset=0x5600000000&size=32768", trace.code_object[1].uri);
	TEST_ASSERT_EQUAL(MADE_GPU2, trace.code_object[1].agent);
	TEST_ASSERT_EQUAL(2, trace.code_object[1].storage);
	TEST_ASSERT_EQUAL(3, trace.counters);
	const struct counter_info *counter = trace_counter(&trace, 7003);
	TEST_ASSERT_EQUAL_STRING("MeanOccupancy", counter->name);
	TEST_ASSERT_EQUAL_STRING("reduce(SQ_LEVEL_WAVES,sum)/GRBM_GUI_ACTIVE", counter->expression);
	TEST_ASSERT_TRUE(counter->is_derived);
	TEST_ASSERT_EQUAL_STRING("SQ", trace_counter(&trace, 7001)->block);
	TEST_ASSERT_NULL(trace_counter(&trace, 7004));
	TEST_ASSERT_EQUAL(2, trace.threads);
	TEST_ASSERT_EQUAL_STRING("worker-1", trace_thread_name(&trace, 4712));
	TEST_ASSERT_EQUAL_STRING("solver", trace_thread_name(&trace, 4711));
	TEST_ASSERT_NULL(trace_thread_name(&trace, 1));
	TEST_ASSERT_EQUAL(3, trace.streams);
	TEST_ASSERT_EQUAL_HEX64(0x5581bb00, trace.stream[2].value);
	TEST_ASSERT_EQUAL_STRING("HIP_RUNTIME_API", trace_kind_name(&trace, MADE_HIP));
	TEST_ASSERT_NULL(trace_kind_name(&trace, 33));
}

static void test_counts_are_those_of_the_visits(void)
{
	static const uint64_t expected[DOMAINS] = {
		[DOMAIN_HIP] = 5, [DOMAIN_HSA] = 1, [DOMAIN_MARKER] = 3, [DOMAIN_RCCL] = 1, [DOMAIN_ROCDECODE] = 1,
		[DOMAIN_ROCJPEG] = 1, [DOMAIN_ROCSHMEM] = 1, [DOMAIN_HIPFILE] = 1, [DOMAIN_OTHER_API] = 2,
		[DOMAIN_KERNEL] = 6, [DOMAIN_COPY] = 3, [DOMAIN_ALLOCATION] = 2, [DOMAIN_SCRATCH] = 2, [DOMAIN_COUNTERS] = 2,
	};
	uint64_t total = 0;
	for (unsigned i = 0; i < DOMAINS; i++) {
		read_events(DOMAIN_BIT(i));
		TEST_ASSERT_EQUAL_MESSAGE(expected[i], trace.events[i], domain_key(i));
		TEST_ASSERT_EQUAL_MESSAGE(expected[i], count, domain_key(i));
		for (size_t k = 0; k < count; k++)
			TEST_ASSERT_EQUAL(i, seen[k].domain);
		total += count;
	}
	read_events(DOMAINS_ALL);
	TEST_ASSERT_EQUAL(total, count);
}

static void test_api_events(void)
{
	read_events(DOMAIN_BIT(DOMAIN_HIP) | DOMAIN_BIT(DOMAIN_OTHER_API));
	TEST_ASSERT_EQUAL_STRING("HIP_RUNTIME_API", seen[1].kind_name);
	TEST_ASSERT_EQUAL_STRING("hipMemcpy", seen[1].operation_name);
	TEST_ASSERT_EQUAL(64, seen[1].size);
	TEST_ASSERT_EQUAL_UINT64(MADE_START + 10000, seen[1].start);
	TEST_ASSERT_EQUAL_UINT64(MADE_START + 19000, seen[1].end);
	TEST_ASSERT_EQUAL(4, seen[1].correlation);
	TEST_ASSERT_EQUAL(77, seen[1].external);
	TEST_ASSERT_EQUAL(1, seen[1].ancestor);
	TEST_ASSERT_EQUAL(4712, seen[3].thread);
	TEST_ASSERT_EQUAL_STRING("operation 400", seen[4].operation_name);
	TEST_ASSERT_EQUAL_STRING("OMPT", seen[5].kind_name);
	TEST_ASSERT_EQUAL_STRING("kind 200", seen[6].kind_name);
	TEST_ASSERT_EQUAL_STRING("operation 17", seen[6].operation_name);
}

static void test_markers(void)
{
	read_events(DOMAIN_BIT(DOMAIN_MARKER));
	TEST_ASSERT_EQUAL_STRING("step 1", seen[0].text);
	TEST_ASSERT_EQUAL_STRING("roctxThreadRangeA", seen[0].operation_name);
	TEST_ASSERT_EQUAL_STRING(MADE_HARD_TEXT, seen[1].text);
	TEST_ASSERT_EQUAL_STRING("phase", seen[2].text);
}

static void test_dispatches(void)
{
	read_events(DOMAIN_BIT(DOMAIN_KERNEL));
	TEST_ASSERT_EQUAL_STRING("KERNEL_DISPATCH", seen[0].kind_name);
	TEST_ASSERT_EQUAL(184, seen[0].size);
	TEST_ASSERT_EQUAL(0, seen[0].external);
	TEST_ASSERT_EQUAL(1, seen[0].stream);
	TEST_ASSERT_NULL(seen[0].rename);
	TEST_ASSERT_EQUAL(MADE_GPU, seen[0].agent);
	TEST_ASSERT_EQUAL(1, seen[0].queue);
	TEST_ASSERT_EQUAL(1, seen[0].dispatch);
	TEST_ASSERT_EQUAL(16, seen[0].private_segment);
	TEST_ASSERT_EQUAL(1024, seen[0].group_segment);
	TEST_ASSERT_EQUAL(256, seen[0].workgroup.x);
	TEST_ASSERT_EQUAL(2, seen[0].grid.y);
	TEST_ASSERT_EQUAL_PTR(&trace.kernel[0], seen[0].kernel);
	TEST_ASSERT_EQUAL(2, seen[1].stream);
	TEST_ASSERT_EQUAL(0, seen[1].external);
	TEST_ASSERT_EQUAL_STRING("step 1", seen[1].rename);
	TEST_ASSERT_EQUAL_STRING("kernel 42", seen[4].kernel->name);
	TEST_ASSERT_EQUAL(192, seen[5].size);
}

static void test_memory(void)
{
	read_events(DOMAIN_BIT(DOMAIN_COPY) | DOMAIN_BIT(DOMAIN_ALLOCATION) | DOMAIN_BIT(DOMAIN_SCRATCH));
	TEST_ASSERT_EQUAL_STRING("MEMORY_COPY_HOST_TO_DEVICE", seen[0].operation_name);
	TEST_ASSERT_EQUAL(96, seen[0].size);
	TEST_ASSERT_EQUAL(MADE_GPU, seen[0].agent);
	TEST_ASSERT_EQUAL(MADE_CPU, seen[0].agent2);
	TEST_ASSERT_EQUAL(1 << 20, seen[0].bytes);
	TEST_ASSERT_EQUAL_HEX64(0x7f2000000000u, seen[0].address);
	TEST_ASSERT_EQUAL_HEX64(0x7f3000000000u, seen[0].address2);
	TEST_ASSERT_EQUAL(2, seen[0].stream);
	TEST_ASSERT_EQUAL_STRING("MEMORY_ALLOCATION_ALLOCATE", seen[3].operation_name);
	TEST_ASSERT_EQUAL(88, seen[3].size);
	TEST_ASSERT_EQUAL(1 << 20, seen[3].bytes);
	TEST_ASSERT_EQUAL(0, seen[4].agent);
	TEST_ASSERT_EQUAL(88, seen[5].size);
	TEST_ASSERT_EQUAL(0, seen[5].bytes);
	TEST_ASSERT_EQUAL(96, seen[6].size);
	TEST_ASSERT_EQUAL(65536, seen[6].bytes);
	TEST_ASSERT_EQUAL(1, seen[6].flags);
}

static void test_counters_of_a_dispatch_are_one_event(void)
{
	read_events(DOMAIN_BIT(DOMAIN_COUNTERS));
	TEST_ASSERT_EQUAL(4, seen[0].values);
	TEST_ASSERT_EQUAL(7001, seen[0].value[1].counter);
	TEST_ASSERT_TRUE(seen[0].value[1].value == 36);
	TEST_ASSERT_TRUE(seen[0].value[3].value == 0.125);
	TEST_ASSERT_EQUAL(1, seen[0].dispatch);
	TEST_ASSERT_EQUAL(1, seen[0].stream);
	TEST_ASSERT_EQUAL_PTR(&trace.kernel[0], seen[0].kernel);
	TEST_ASSERT_EQUAL(3, seen[1].values);
	TEST_ASSERT_EQUAL(2, seen[1].dispatch);
}

static int stop(void *ctx, const struct event *event, struct err *why)
{
	(void)event, (void)why;
	return ++*(int *)ctx == 3 ? 17 : 0;
}

static void test_a_visit_can_stop(void)
{
	int visits = 0;
	TEST_ASSERT_EQUAL(17, trace_each(&trace, DOMAINS_ALL, stop, &visits, &err));
	TEST_ASSERT_EQUAL(3, visits);
	read_events(DOMAINS_ALL);       /* and it can be read again */
	TEST_ASSERT_EQUAL(31, count);
}

static void test_domains_of_kinds(void)
{
	TEST_ASSERT_EQUAL(DOMAIN_HIP, domain_of_kind("HIP_COMPILER_API_EXT"));
	TEST_ASSERT_EQUAL(DOMAIN_HIPFILE, domain_of_kind("HIPFILE_API"));
	TEST_ASSERT_EQUAL(DOMAIN_HSA, domain_of_kind("HSA_AMD_EXT_API"));
	TEST_ASSERT_EQUAL(DOMAIN_MARKER, domain_of_kind("MARKER_CONTROL_API"));
	TEST_ASSERT_EQUAL(DOMAIN_KERNEL, domain_of_kind("KERNEL_DISPATCH"));
	TEST_ASSERT_EQUAL(DOMAINS, domain_of_kind("OMPT"));
	TEST_ASSERT_EQUAL(DOMAINS, domain_of_kind(NULL));
	TEST_ASSERT_EQUAL_STRING("hip_api", domain_key(DOMAIN_HIP));
	TEST_ASSERT_EQUAL_STRING("memory_allocation", domain_key(DOMAIN_ALLOCATION));
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_circumstances);
	RUN_TEST(test_end);
	RUN_TEST(test_agents);
	RUN_TEST(test_agent_fields);
	RUN_TEST(test_kernels);
	RUN_TEST(test_other_names);
	RUN_TEST(test_counts_are_those_of_the_visits);
	RUN_TEST(test_api_events);
	RUN_TEST(test_markers);
	RUN_TEST(test_dispatches);
	RUN_TEST(test_memory);
	RUN_TEST(test_counters_of_a_dispatch_are_one_event);
	RUN_TEST(test_a_visit_can_stop);
	RUN_TEST(test_domains_of_kinds);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
