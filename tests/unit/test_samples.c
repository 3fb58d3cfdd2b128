/* SPDX-License-Identifier: MIT */
/* The formats of a profile, by their bytes; with a folder: writes them there for tests/checks/samples.sh. */
#include <sys/mman.h>
#include <unistd.h>

#include "made_profile.h"
#include "unity.h"

static struct made made;
static struct err err;

void setUp(void) { memset(&made, 0, sizeof made); }
void tearDown(void) { made_free(&made); }

static char *written(enum samples_format format)
{
	struct file file;
	int fd = memfd_create("samples", 0);
	TEST_ASSERT_TRUE(fd >= 0);
	TEST_ASSERT_EQUAL_MESSAGE(0, file_borrow(&file, fd, "memory", &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, samples_write(format, &made.profile, &file, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, file_finish(&file, &err), err.text);
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	char *text = calloc(1, size + 1);
	TEST_ASSERT_EQUAL(size, pread(fd, text, size, 0));
	close(fd);
	return text;
}

static void expect_text(const char *wanted, char *text)
{
	TEST_ASSERT_EQUAL_STRING(wanted, text);
	free(text);
}

static void expect_in(const char *wanted, const char *text)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, wanted), wanted);
}

static void expect_place(const char *wanted, struct place place)
{
	char text[256];
	samples_place_text(&place, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

static void test_a_place_is_named_by_what_is_known_of_it(void)
{
	expect_place("solve(int)", (struct place){ .pc = 1, .function = "_Z5solvei", .module = "solver", .offset = 4 });
	expect_place("main", (struct place){ .pc = 1, .function = "main" });
	expect_place("libx.so+0x1a2b[" MADE_BUILD_ID "]", (struct place){ .pc = 1, .module = "libx.so", .build_id = MADE_BUILD_ID, .vaddr = 0x1a2b });
	expect_place("libx.so+0x1a2b", (struct place){ .pc = 1, .module = "libx.so", .build_id = "", .vaddr = 0x1a2b });
	expect_place("0x7f1234", (struct place){ .pc = 0x7f1234, .module = "" });
	expect_place("0x7f1234", (struct place){ .pc = 0x7f1234, .function = "" });
	expect_place("[no unwind table]", (struct place){ .end = END_NO_TABLE + 1 });
}

static void test_a_place_is_cut_to_the_room_there_is(void)
{
	char text[8] = "xxxxxxx";
	samples_place_text(&(struct place){ .function = "_Z5solvei" }, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("solve(i", text);
}

static void test_folded_has_a_line_for_each_stack_of_a_thread(void)
{
	made_small(&made, "solver", "worker");
	expect_text("solver-4711;main;solve(int);solve(int) 4\n"
		    "solver-4711;main;__futex_wait;[futex] 3\n"
		    "solver-4711;main;solve(int) 2\n"
		    "solver-4711;[running] 1\n"
		    "worker-4712;[no unwind table];libx.so+0x1a2b[" MADE_BUILD_ID "];[read] 10\n", written(SAMPLES_FOLDED));
}

static void test_folded_joins_stacks_that_differ_in_addresses_alone(void)
{
	made_small(&made, "solver", "worker");
	uint32_t place = made_place(&made, "main", "solver", 0x1018, -1), root = made_node(&made, NO_STACK, place, FRAME_POINTER);
	uint32_t node = made_node(&made, root, 1, FRAME_TOP);
	made_bucket(&made, 0, TASK_RUNNING, -1, node, 5);
	char *text = written(SAMPLES_FOLDED);
	expect_in("solver-4711;main;solve(int) 7\n", text);
	free(text);
}

static void test_nothing_in_a_name_breaks_a_line_of_folded(void)
{
	made_small(&made, "a;b\nc", "\xff\x1b[0m");
	made.profile.places[0].function = MADE_HOSTILE;
	char *text = written(SAMPLES_FOLDED);
	expect_in("a:b?c-4711;</script><script>document.title='broken'</script><!--\"'&:??[2J?\xef\xbf\xbd \xe2\x80\xae" "evil;solve(int) 2\n", text);
	expect_in("\n\xef\xbf\xbd?[0m-4712;", text);
	free(text);
}

static void test_the_text_tells_shares_of_all_samples(void)
{
	made_small(&made, "solver", "worker");
	char *text = written(SAMPLES_TEXT);
	expect_in("solver (process 4711)\n./solver --steps 5\n1.00 s at 10 per second: 10 looks, 1 late, 0 left out; 20 samples of 2 threads\n", text);
	expect_in("stacks: 19 taken, 19 from outside; 0 missed\n", text);
	expect_in("    4711  solver                         10    70.0 %    30.0 %     0.0 %     0.0 %      0.65 s\n", text);
	expect_in("    4712  worker                         10     0.0 %     0.0 %   100.0 %     0.0 %      0.00 s\n", text);
	expect_in("  30.0 %  30.0 %  solve(int) (solver)\n", text);
	expect_in("   0.0 %  45.0 %  main (solver)\n", text);
	expect_in("  50.0 %  read                libx.so+0x1a2b[" MADE_BUILD_ID "]\n", text);
	expect_in("  15.0 %  futex               __futex_wait for main\n", text);
	expect_in("   5.0 %  1 sample without a stack\n", text);
	expect_in("  20.0 %  4 samples, running\n            solve(int) (solver)\n            solve(int) (solver)\n            main (solver)\n", text);
	free(text);
}

static void test_the_text_is_safe_for_a_terminal_and_not_wider_than_it(void)
{
	made_small(&made, "\x1b]0;evil\x07", "wide wide wide wide wide wide wide");
	made.profile.places[0].function = "\n\x1b[2J\x01\xff \xe2\x80\xae" "evil";
	made.profile.places[1].function = MADE_HOSTILE MADE_HOSTILE MADE_HOSTILE;
	snprintf(made.profile.command, sizeof made.profile.command, "%0250d\x1b[2J", 7);
	char *text = written(SAMPLES_TEXT);
	size_t column = 0;
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		TEST_ASSERT_TRUE_MESSAGE(*at == '\n' || (*at >= 0x20 && *at != 0x7f), text);
		column = *at == '\n' ? 0 : column + 1;
		TEST_ASSERT_TRUE_MESSAGE(column <= 120, text);
	}
	TEST_ASSERT_NULL(strstr(text, "\xff"));
	TEST_ASSERT_NULL(strstr(text, "\xe2\x80\xae"));
	expect_in("\\x0a\\x1b[2J\\x01\\xff \\u202eevil", text);
	expect_in("\\x1b]0;evil\\x07", text);
	free(text);
}

static void test_the_json_has_every_value(void)
{
	made_small(&made, "solver", "worker");
	char *text = written(SAMPLES_JSON);
	expect_in("\"began_real_ns\":1700000000000000000,", text);
	expect_in("{\"pc\":\"0x7f0000002020\",\"exact\":false,\"how\":\"cfi\",\"function\":\"_Z5solvei\",\"demangled\":\"solve(int)\",\"module\":\"solver\","
		  "\"path\":\"/usr/lib/made.so\",\"build_id\":\"" MADE_BUILD_ID "\",\"vaddr\":\"0x2020\",\"offset\":\"0x20\"}", text);
	expect_in("{\"pc\":\"0x7f0000000000\",\"end\":\"no unwind table\"}", text);
	expect_in("\"thread\":1,\"state\":\"waiting\",\"call\":", text);
	expect_in("\"syscall\":\"read\",\"stack\":3,\"samples\":10}", text);
	expect_in("{\"thread\":0,\"state\":\"running\",\"samples\":1}", text);
	expect_in("\"in_state\":{\"running\":7,\"sleeping\":3,\"waiting\":0,\"stopped\":0,\"gone\":0}", text);
	free(text);
}

static void test_profiles_of_nothing_are_written_too(void)
{
	made_head(&made, "nothing");
	for (enum samples_format format = SAMPLES_TEXT; format <= SAMPLES_HTML; format++) {
		char *text = written(format);
		if (format == SAMPLES_FOLDED)
			TEST_ASSERT_EQUAL_STRING("", text);
		if (format == SAMPLES_TEXT)
			expect_in("no thread was seen", text);
		if (format == SAMPLES_SPEEDSCOPE)
			expect_in("\"profiles\":[]", text);
		free(text);
	}
}

static void test_names_are_never_markup(void)
{
	made_small(&made, MADE_HOSTILE, "worker");
	made.profile.places[0].function = made.profile.places[2].module = MADE_HOSTILE;
	char *text = written(SAMPLES_HTML), *at = text;
	size_t scripts = 0;
	TEST_ASSERT_NULL(strstr(text, "document.title='broken'</script>"));
	for (; (at = strstr(at, "<script>")); at++)
		scripts++;
	TEST_ASSERT_EQUAL(1, scripts);
	TEST_ASSERT_NULL(strstr(text, "<!--\\\""));
	free(text);
}

static void test_a_very_long_name_is_demangled_on_a_stack_of_its_own(void)
{
	made_small(&made, "solver", "worker");
	size_t deep = 250;
	char *name = calloc(1, 16 + 12 * deep), *at = name + sprintf(name, "_Z1fI");
	for (size_t i = 0; i < deep; i++)
		at += sprintf(at, "3BoxI");
	*at++ = 'i';
	for (size_t i = 0; i < deep + 1; i++)
		*at++ = 'E';
	sprintf(at, "vv");
	made.profile.places[0].function = name;
	char *text = written(SAMPLES_FOLDED);
	expect_in("void f<Box<Box<Box<", text);
	free(text);
	free(name);
}

static int write_file(const char *base, enum samples_format format)
{
	struct file file;
	int rc = file_create(&file, base, samples_endings[format], &err);
	if (rc == 0)
		rc = samples_write(format, &made.profile, &file, &err);
	if (rc == 0)
		rc = file_finish(&file, &err);
	if (rc < 0)
		fprintf(stderr, "%s\n", err.text);
	return rc;
}

static int write_all(const char *folder, const char *name)
{
	char base[4096];
	int rc = 0;
	snprintf(base, sizeof base, "%s/%s", folder, name);
	for (enum samples_format format = SAMPLES_TEXT; format <= SAMPLES_HTML && rc == 0; format++)
		rc = write_file(base, format);
	made_free(&made);
	return rc;
}

static int write_folder(const char *folder)
{
	made_small(&made, "solver", "worker");
	int rc = write_all(folder, "small");
	made_small(&made, MADE_HOSTILE, "\"q\" \\ ;");
	made.profile.places[0].function = made.profile.places[4].module = MADE_HOSTILE;
	memcpy(made.profile.name, MADE_HOSTILE, sizeof made.profile.name - 1);
	rc |= write_all(folder, "hostile");
	made_head(&made, "nothing");
	rc |= write_all(folder, "empty");
	made_head(&made, "idle");
	snprintf(made.profile.why_no_stacks, sizeof made.profile.why_no_stacks, "it is another user's");
	made_thread(&made, 4711, "idle");
	rc |= write_all(folder, "unsampled");
	made_head(&made, "once");
	made_thread(&made, 4711, "once");
	made_bucket(&made, 0, TASK_SLEEPING, -1, NO_STACK, 1);
	made_stretch(&made, 0, 5, 5, TASK_SLEEPING, -1, NO_STACK, 1);
	rc |= write_all(folder, "once");
	made_large(&made, 2000, 10000);
	rc |= write_all(folder, "large");
	return rc;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_folder(argv[1]) ? 1 : 0;
	UNITY_BEGIN();
	RUN_TEST(test_a_place_is_named_by_what_is_known_of_it);
	RUN_TEST(test_a_place_is_cut_to_the_room_there_is);
	RUN_TEST(test_folded_has_a_line_for_each_stack_of_a_thread);
	RUN_TEST(test_folded_joins_stacks_that_differ_in_addresses_alone);
	RUN_TEST(test_nothing_in_a_name_breaks_a_line_of_folded);
	RUN_TEST(test_the_text_tells_shares_of_all_samples);
	RUN_TEST(test_the_text_is_safe_for_a_terminal_and_not_wider_than_it);
	RUN_TEST(test_the_json_has_every_value);
	RUN_TEST(test_profiles_of_nothing_are_written_too);
	RUN_TEST(test_names_are_never_markup);
	RUN_TEST(test_a_very_long_name_is_demangled_on_a_stack_of_its_own);
	return UNITY_END();
}
