/* SPDX-License-Identifier: MIT */
/* Names of kernels as people read them; those that are made to break a demangler go through a log, as theirs would. */
#include <stdio.h>
#include <unity.h>

#include "made_log.h"
#include "rocp/trace/names.h"

static struct texts texts;
static struct err err;

void setUp(void) { }

void tearDown(void)
{
	texts_free(&texts);
}

static const struct { const char *name, *demangled, *truncated; } table[] = {
	{ "_Z15matrixTransposePfS_i.kd", "matrixTranspose(float*, float*, int)", "matrixTranspose" },
	{ "_Z15matrixTransposePfS_i", "matrixTranspose(float*, float*, int)", "matrixTranspose" },
	{ "_ZN12_GLOBAL__N_16hiddenIiEEvT_.kd", "void (anonymous namespace)::hidden<int>(int)", "hidden" },
	{ "_ZN6solver2fnEPFiiERA4_iSt8functionIFviEE", "solver::fn(int (*)(int), int (&) [4], std::function<void (int)>)", "fn" },
	{ "_ZN6solver4halfEPKDF16_m", "solver::half(_Float16 const*, unsigned long)", "half" },
	{ "_ZN6solver4textERKSs", "solver::text(std::string const&)", "text" },
	{ "_ZN6solver4manyIJifNS_2OpEEEEvDpT_", "void solver::many<int, float, solver::Op>(int, float, solver::Op)", "many" },
	{ "_ZN6solver6detail11gemm_kernelINS0_4TileINS0_8RowMajorENS0_11ColumnMajorENS0_5ShapeIJLi8ELi32ELi1EEEELNS0_4TailE1ELb0EEELb1ELS7_0EEEvNT_8ArgumentE.kd",
	  "void solver::detail::gemm_kernel<solver::detail::Tile<solver::detail::RowMajor, solver::detail::ColumnMajor, "
	  "solver::detail::Shape<8, 32, 1>, (solver::detail::Tail)1, false>, true, (solver::detail::Tail)0>(solver::detail::"
	  "Tile<solver::detail::RowMajor, solver::detail::ColumnMajor, solver::detail::Shape<8, 32, 1>, (solver::detail::Tail)1, "
	  "false>::Argument)", "gemm_kernel" },
	{ "_ZN6solver6detail12apply_kernelILi128EZNS_3runIdEEvPT_EUliE_St5arrayIPcLm2EEEEviT0_T1_.kd",
	  "void solver::detail::apply_kernel<128, solver::run<double>(double*)::{lambda(int)#1}, std::array<char*, 2ul> >(int, "
	  "solver::run<double>(double*)::{lambda(int)#1}, std::array<char*, 2ul>)", "apply_kernel" },
	/* a clone that the compiler made */
	{ "_Z3addPf.part.0", "add(float*) [clone .part.0]", "add" },
	/* no C++ */
	{ "Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1.kd", "Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1", "Cijk_Ailk_Bljk_SB_MT128x128x16_SE_K1" },
	{ "__amd_rocclr_copyBuffer.kd", "__amd_rocclr_copyBuffer", "__amd_rocclr_copyBuffer" },
	{ "triton_poi_fused_add_0", "triton_poi_fused_add_0", "triton_poi_fused_add_0" },
	{ "f", "f", "f" },      /* also how C++ calls float, but nobody means that */
	{ "_Z", "_Z", "_Z" },
	{ "_Znonsense", "_Znonsense", "_Znonsense" },
	{ "_Z15matrixTransposePfS5_", "_Z15matrixTransposePfS5_", "_Z15matrixTransposePfS5_" },
	{ "", "", "" },
	{ ".kd", ".kd", ".kd" },
	{ "<<<", "<<<", "<<<" },
	{ ")))", ")))", ")))" },
	{ "a(b", "a(b", "a(b" },
	{ "(a) ", "(a) ", "(a) " },
};

static void test_names(void)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		const char *demangled = demangled_name(&texts, table[i].name, &err);
		TEST_ASSERT_EQUAL_STRING(table[i].demangled, demangled);
		TEST_ASSERT_EQUAL_STRING(table[i].truncated, truncated_name(&texts, demangled, &err));
	}
}

/* A log that has this kernel; what is read as its name is in .kernel[0]. */
static void through_log(struct trace *trace, const char *name)
{
	struct made_log log;
	char path[64];
	snprintf(path, sizeof path, "/tmp/roclatch-demangle-%d.rlog", (int)getpid());
	made_log_begin(&log, path);
	made_kernel(&log, 1, 1, name);
	made_log_close(&log);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(trace, path, &err), err.text);
	unlink(path);
	TEST_ASSERT_EQUAL(1, trace->kernels);
}

/* As Composable Kernel's: thousands of bytes, many arguments, nested. */
static void test_long_names(void)
{
	static const size_t parts[] = { 20, 100, 500 };
	for (size_t k = 0; k < 3; k++) {
		char *name = calloc(1, 32 * parts[k] + 64), *expected = calloc(1, 64 * parts[k] + 256);
		char *at = stpcpy(name, "_Z11gemm_kernelI"), *then = stpcpy(expected, "void gemm_kernel<");
		for (size_t i = 0; i < parts[k]; i++) {
			at += sprintf(at, "4TileILi%zuELb1EE", i);
			then += sprintf(then, "%sTile<%zu, true>", i ? ", " : "", i);
		}
		strcpy(at, "EvPf.kd");
		strcpy(then, " >(float*)");
		struct trace trace;
		through_log(&trace, name);
		TEST_ASSERT_EQUAL_STRING(expected, trace.kernel[0].demangled);
		TEST_ASSERT_EQUAL_STRING("gemm_kernel", trace.kernel[0].truncated);
		trace_close(&trace);
		free(name);
		free(expected);
	}
}

static void repeat(char *to, const char *begin, const char *part, size_t size, const char *end)
{
	char *at = stpcpy(to, begin);
	while ((size_t)(at - to) + strlen(part) + strlen(end) < size)
		at = stpcpy(at, part);
	strcpy(at, end);
}

static void test_hostile_names_end_in_time_and_space(void)
{
	static const struct { const char *begin, *part, *end; } hostile[] = {
		{ "_Z1f", "P", "i" }, { "_Z1f", "R", "i" }, { "_Z1fI", "1aI", "" }, { "_ZN", "1aI", "E" }, { "_Z1fIX", "cl", "E" },
		{ "_Z", "Z", "1fv" }, { "_Z", "GR", "1f_" }, { "_Z1f", "F", "v" }, { "_Z1f", "M1a", "i" }, { "_Z1fIJ", "J", "E" },
		{ "_Z1fIXs", "rT_", "E" }, { "_Z1f", "DT", "E" }, { "_Z1fDpDpDp", "Dp", "T_" }, { "_Z1f", "A_", "i" },
		{ "_Z1f", "_", "" }, { "_ZTT", "T", "1f" }, { "_Z1fIXng", "ng", "Li1EE" }, { "_Z1fIXcv", "T_", "E" },
	};
	char *name = malloc(LOG_RECORD_MOST);
	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
		for (size_t size = 900; size < LOG_RECORD_MOST - 100; size = size == 900 ? 16000 : 8 * size) {
			struct trace trace;
			repeat(name, hostile[i].begin, hostile[i].part, size, hostile[i].end);
			through_log(&trace, name);
			TEST_ASSERT_EQUAL_STRING(name, trace.kernel[0].name);
			TEST_ASSERT_TRUE(*trace.kernel[0].demangled && *trace.kernel[0].truncated);
			TEST_ASSERT_LESS_OR_EQUAL(32 * size + 1024, strlen(trace.kernel[0].demangled));
			trace_close(&trace);
		}
	free(name);
}

/* Every argument repeats all that is before it: 2^40 words. */
static void test_a_short_name_that_stands_for_an_endless_one(void)
{
	char name[1000] = "_Z1f1aI1bS0_E", *at = name + strlen(name);
	for (int i = 1; i < 40; i++)
		at += i < 36 ? sprintf(at, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]) :
			sprintf(at, "S_ISZ_SZ_E");
	struct trace trace;
	through_log(&trace, name);
	TEST_ASSERT_EQUAL_STRING(name, trace.kernel[0].demangled);
	trace_close(&trace);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_names);
	RUN_TEST(test_long_names);
	RUN_TEST(test_hostile_names_end_in_time_and_space);
	RUN_TEST(test_a_short_name_that_stands_for_an_endless_one);
	return UNITY_END();
}
