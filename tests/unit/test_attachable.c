/* SPDX-License-Identifier: MIT */
/* The pre-flight in a few words, and of real processes. */
#include "rocp/attachable.h"

#include <string.h>

#include "child.h"

static struct attachable answer;
static struct err err;

void setUp(void)
{
	memset(&err, 0, sizeof err);
}

void tearDown(void) {}

static void expect_brief(const char *line, const char *text, bool late, const char *wanted)
{
	struct preflight preflight = { .n = 2, .can_late = late, .v[0] = { .name = "process" },
		.v[1] = { .name = line, .verdict = VERDICT_NO } };
	char brief[80];
	snprintf(preflight.v[1].text, sizeof preflight.v[1].text, "%s", text);
	attachable_brief(&preflight, brief, sizeof brief);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, brief, text);
}

static void test_reasons_are_told_in_a_few_words(void)
{
	expect_brief("attach-library", "librocprofiler-sdk-attach.so is not loaded: the process was started without "
		     "ROCP_TOOL_ATTACH=1", true, "late only: started without ROCP_TOOL_ATTACH=1");
	expect_brief("attach-library", "librocprofiler-sdk-attach.so is not loaded, as HSA is not initialised: nothing can be "
		     "attached before hsa_init", false, "no: HSA is not initialised yet");
	expect_brief("attached", "another roclatch has it attached", false, "no: another roclatch has it");
	expect_brief("process", "process 7 (x) is stopped by a signal (state T)", false, "no: it is stopped");
	expect_brief("register", "librocprofiler-register 0.5.0 (/x) cannot attach: it is older than ROCm 7.1", true,
		     "late only: register older than ROCm 7.1");
	expect_brief("a line of the future", "no", false, "no: not certain");
}

static void test_what_stands_against_both_ways_is_told_first(void)
{
	struct preflight preflight = { .n = 2, .why_not_late = "/usr: it may not",
		.v[0] = { .name = "attach-library", .verdict = VERDICT_NO, .text = "without ROCP_TOOL_ATTACH=1" },
		.v[1] = { .name = "output", .verdict = VERDICT_NO, .text = "/usr: it may not write there" } };
	char brief[80];
	attachable_brief(&preflight, brief, sizeof brief);
	TEST_ASSERT_EQUAL_STRING("no: it may not write to the folder", brief);
	preflight.v[1].verdict = VERDICT_NOTE;
	attachable_brief(&preflight, brief, sizeof brief);
	TEST_ASSERT_EQUAL_STRING("no: started without ROCP_TOOL_ATTACH=1", brief);
}

static void test_late_is_answered_for_if_that_is_asked(void)
{
	pid_t pid = child_start(NULL);
	struct proc_stat stat;
	proc_stat(pid, 0, &stat, NULL);
	int rc = attachable_ask_for(&answer, pid, stat.start_time, &(struct request){ .late = true }, &err);
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_FALSE(answer.ready);
	EXPECT_HAS("cannot be attached late", answer.summary);
}

/* No line that can say NO is without words. */
static void test_every_line_has_words(void)
{
	static const char *const names[] = {
		"process", "permission", "cpu", "libc", "tracer", "seccomp", "register", "attach-library", "rocattach", "listener",
		"startup-tool", "attached", "sdk", "tool", "own-tool", "same-tool", "same-services", "output", "late" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct preflight preflight = { .n = 1, .v[0] = { .name = names[i], .verdict = VERDICT_NO, .text = "any text" } };
		char brief[80];
		attachable_brief(&preflight, brief, sizeof brief);
		TEST_ASSERT_TRUE_MESSAGE(!strncmp(brief, "no: ", 4) && !strstr(brief, "certain"), names[i]);
		TEST_ASSERT_TRUE_MESSAGE(strlen(brief) < 60, names[i]);
	}
}

static void test_what_can_be_attached_needs_no_reason(void)
{
	struct preflight preflight = { .can_attach = true, .can_late = true };
	char text[80];
	attachable_brief(&preflight, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("now", text);
	attachable_sentence(&preflight, false, &err, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("can be attached now", text);
}

/* Left by attach --keep, or by a roclatch that was killed. */
static void test_a_recording_that_goes_on_is_told(void)
{
	struct preflight preflight = { .can_attach = true, .can_late = true, .orphaned = true };
	char text[80];
	attachable_brief(&preflight, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("now; a recording is still running", text);
	attachable_sentence(&preflight, false, &err, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("can be attached now; this ends the recording that is still running", text);
	attachable_sentence(&preflight, true, &err, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("can be attached late now; this ends the recording that is still running", text);
	preflight = (struct preflight){ .n = 1, .can_late = true, .orphaned = true,
		.v[0] = { .name = "attach-library", .verdict = VERDICT_NO, .text = "started without ROCP_TOOL_ATTACH=1" } };
	attachable_brief(&preflight, text, sizeof text);
	TEST_ASSERT_EQUAL_STRING("late only: started without ROCP_TOOL_ATTACH=1; a recording is still running", text);
}

static void test_the_words_for_how(void)
{
	TEST_ASSERT_EQUAL_STRING("no", attachable_how_name(ATTACHABLE_NO));
	TEST_ASSERT_EQUAL_STRING("now", attachable_how_name(ATTACHABLE_NOW));
	TEST_ASSERT_EQUAL_STRING("late", attachable_how_name(ATTACHABLE_LATE));
}

static uint64_t start_of(pid_t pid)
{
	struct proc_stat stat;
	TEST_ASSERT_EQUAL(0, proc_stat(pid, 0, &stat, NULL));
	return stat.start_time;
}

static void test_a_real_process_is_asked(void)
{
	pid_t pid = child_start(NULL);
	int rc = attachable_ask(&answer, pid, start_of(pid), &err);
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(ATTACHABLE_NO, answer.how);
	TEST_ASSERT_EQUAL_STRING("no: static: cannot load the SDK", answer.brief);
	EXPECT_HAS("cannot be attached: musl, linked statically", answer.summary);
	EXPECT_HAS("give the process that uses the GPU", answer.remedy);
}

static void test_another_process_of_the_same_id_is_not_asked(void)
{
	pid_t pid = child_start(NULL);
	int rc = attachable_ask(&answer, pid, start_of(pid) + 1, &err);
	child_end(pid);
	TEST_ASSERT_EQUAL(-1, rc);
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	TEST_ASSERT_EQUAL(-1, attachable_ask(&answer, pid, 1, &err));
}

static void test_a_stopped_process_is_an_answer(void)
{
	struct proc_stat stat = { .state = 'S' };
	pid_t pid = child_start(NULL);
	kill(pid, SIGSTOP);
	while (stat.state != 'T')
		TEST_ASSERT_EQUAL(0, proc_stat(pid, 0, &stat, NULL));
	int rc = attachable_ask(&answer, pid, stat.start_time, &err);
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL_STRING("no: it is stopped", answer.brief);
	EXPECT_HAS("kill -CONT", answer.remedy);
}

static int ask(pid_t pid, struct err *why)
{
	int rc = attachable_ask(&answer, pid, start_of(pid), why);
	if (rc == 0)
		snprintf(why->text, sizeof why->text, "%s", answer.brief);
	return rc;
}

static void test_a_process_of_another_user_is_an_answer(void)
{
	pid_t pid = child_start(NULL);
	struct seen seen = seen_as(become_somebody, ask, pid);
	child_end(pid);
	TEST_ASSERT_EQUAL(0, seen.result);
	TEST_ASSERT_EQUAL_STRING("no: not permitted", seen.err.text);
}

/* What is wrong with our own variables does not keep us from listing. */
static void test_a_wrong_variable_of_ours_is_no_failure(void)
{
	setenv("ROCPROF_OUTPUT_FORMAT", "stone", 1);
	test_a_real_process_is_asked();
	unsetenv("ROCPROF_OUTPUT_FORMAT");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_reasons_are_told_in_a_few_words);
	RUN_TEST(test_what_stands_against_both_ways_is_told_first);
	RUN_TEST(test_late_is_answered_for_if_that_is_asked);
	RUN_TEST(test_every_line_has_words);
	RUN_TEST(test_what_can_be_attached_needs_no_reason);
	RUN_TEST(test_a_recording_that_goes_on_is_told);
	RUN_TEST(test_the_words_for_how);
	RUN_TEST(test_a_real_process_is_asked);
	RUN_TEST(test_another_process_of_the_same_id_is_not_asked);
	RUN_TEST(test_a_stopped_process_is_an_answer);
	RUN_TEST(test_a_process_of_another_user_is_an_answer);
	RUN_TEST(test_a_wrong_variable_of_ours_is_no_failure);
	return UNITY_END();
}
