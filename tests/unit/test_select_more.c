/* SPDX-License-Identifier: MIT */
/* Selection by a variable and by a file of a process id, and by looking at some of all alone. */
#include "select_case.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "rocp/select_more.h"

#define VARIABLES(text) text, sizeof text
#define BASE 4190000    /* nobody's ids; what is expected is counted from here */

static char file[64];

static void make_process(int pid, int parent, const char *name, const char *environment, size_t size)
{
	pid += BASE;
	put_process(pid, parent > 1 ? parent + BASE : parent, 'S', name);
	put_bytes(environment, size, "%d/environ", pid);
}

void setUp(void)
{
	select_begin();
	snprintf(file, sizeof file, "%s/pid", proc);
	make_process(100, 1, "launcher", VARIABLES("A=1\0RANK=0\0"));
	make_process(101, 100, "worker", VARIABLES("A=1\0RANK=10\0LAST=yes"));
	make_process(102, 1, "other", VARIABLES("ZRANK=0\0RANK=00\0RANKS=0\0EMPTY=\0ODD"));
	make_process(103, 1, "bare", "", 0);
}

static void expect_selected(int rc, const char *wanted)
{
	char text[256] = "";
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	for (size_t i = 0; i < selection.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d%s", i ? " " : "", (int)selection.v[i].pid - BASE,
			 selection.v[i].required ? "!" : "");
	TEST_ASSERT_EQUAL_STRING(wanted, text);
	selection_free(&selection);
}

static void expect_with(const char *variable, const char *wanted)
{
	request.with_env = variable;
	expect_selected(select_processes(&selection, &request, proc, &err), wanted);
}

static void test_a_variable_is_matched_to_the_letter(void)
{
	expect_with("RANK=0", "100");
	expect_with("RANK=00", "102");
	expect_with("LAST=yes", "101");
	expect_with("EMPTY=", "102");
	expect_with("A=1", "100 101");
}

static void test_a_name_alone_is_any_value(void)
{
	expect_with("RANK", "100 101 102");
	expect_with("EMPTY", "102");
}

static void test_what_is_not_there_is_told(void)
{
	static const char *const none[] = { "RANK=", "RANK=1", "rank=0", "ODD", "NK=0", "LAST=yes2", "LAST=ye" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		request.with_env = none[i];
		TEST_ASSERT_EQUAL_MESSAGE(-1, select_processes(&selection, &request, proc, &err), none[i]);
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
		EXPECT_HAS(none[i], err.text);
	}
}

static void test_a_family_that_has_a_variable_comes_once(void)
{
	request.children = true;
	put("4190101 ", "4190100/task/4190100/children");
	expect_with("RANK=0", "100");   /* 101 was asked itself, and has another one */
	request.name = "launcher";
	expect_with("A=1", "100! 101");
}

static void test_the_file_of_an_id_names_its_process(void)
{
	static const char *const texts[] = { "4190101", "4190101\n", "  4190101 \r\n", "4190101\nand more lines\n",
		"0004190101\n" };
	request.pid_file = file;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		put(texts[i], "pid");
		expect_selected(select_processes(&selection, &request, proc, &err), "101!");
	}
	put("4190999\n", "pid");        /* for the opener to explain */
	expect_selected(select_processes(&selection, &request, proc, &err), "999!");
}

static void expect_refused(enum err_code code, const char *text)
{
	pid_t pid = -1;
	TEST_ASSERT_EQUAL(-1, select_pid_file(file, &pid, &err));
	TEST_ASSERT_EQUAL(code, err.code);
	EXPECT_HAS(text, err.text);
	TEST_ASSERT_NULL_MESSAGE(strstr(err.text, "secret"), err.text);
	request.pid_file = file;
	TEST_ASSERT_EQUAL(-1, select_processes(&selection, &request, proc, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
}

static void test_what_is_no_id_is_refused_and_not_shown(void)
{
	static const char *const texts[] = { "", "\n", "secret", "-1", "+1", "0", "0x65", "101 102", "101secret", "1.5", "4194305",
		"99999999999999999999", "\n101" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		put(texts[i], "pid");
		expect_refused(ERR_FAILED, "no process id");
	}
	put_bytes("101\0", 4, "pid");
	expect_refused(ERR_FAILED, "no process id");
	char many[4096];
	memset(many, '1', sizeof many);
	put_bytes(many, sizeof many, "pid");
	expect_refused(ERR_FAILED, "no process id");
}

static void test_only_an_ordinary_file_is_read(void)
{
	expect_refused(ERR_FAILED, "No such file");
	TEST_ASSERT_EQUAL(0, mkfifo(file, 0666));       /* reading it would wait for ever */
	expect_refused(ERR_NOT_POSSIBLE, "ordinary file");
	unlink(file);
	TEST_ASSERT_EQUAL(0, symlink("/dev/zero", file));
	expect_refused(ERR_NOT_POSSIBLE, "ordinary file");
	unlink(file);
	TEST_ASSERT_EQUAL(0, mkdir(file, 0755));
	expect_refused(ERR_NOT_POSSIBLE, "ordinary file");
}

/* ---- some of all alone ---- */

static char asked[128];
static pid_t only;

static bool is_due(void *ctx, pid_t pid)
{
	(void)ctx;
	snprintf(asked + strlen(asked), sizeof asked - strlen(asked), "%d ", (int)pid - BASE);
	return pid == BASE + only;
}

static void test_who_is_not_due_is_not_looked_at(void)
{
	struct select_scope scope = { .due = is_due };
	request.name = "worker|other";
	request.with_env = "RANK";
	only = 102;
	asked[0] = '\0';
	expect_selected(select_among(&selection, &request, proc, &scope, &err), "102!");
	TEST_ASSERT_EQUAL_STRING("100 101 102 103 ", asked);
	TEST_ASSERT_EQUAL(ERR_NONE, scope.missing.code);
}

static void test_nobody_is_no_failure_for_who_waits(void)
{
	struct select_scope scope = { .due = is_due };
	request.name = "worker";
	only = 103;
	expect_selected(select_among(&selection, &request, proc, &scope, &err), "");
	EXPECT_HAS("matches 'worker'", scope.missing.text);
	request.name = NULL;
	request.pid_file = file;
	expect_selected(select_among(&selection, &request, proc, &scope, &err), "");
	EXPECT_HAS("No such file", scope.missing.text);
	put("4190009\n", "pid");
	expect_selected(select_among(&selection, &request, proc, &scope, &err), "9!");
	EXPECT_HAS("there is no process 4190009", scope.missing.text);
	/* this will not become right by waiting */
	unlink(file);
	TEST_ASSERT_EQUAL(0, mkdir(file, 0755));
	TEST_ASSERT_EQUAL(-1, select_among(&selection, &request, proc, &scope, &err));
}

static void test_descendants_of_who_answers_are_always_due(void)
{
	struct select_scope scope = { .due = is_due };
	request.name = "launcher";
	request.children = true;
	only = 100;             /* and no file that tells the children: every parent is asked */
	expect_selected(select_among(&selection, &request, proc, &scope, &err), "100! 101");
}

static void test_a_real_variable(void)
{
	char word[64];
	snprintf(word, sizeof word, "SELECT_MORE=%d", (int)getpid());
	pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = { (char *)"sleep", (char *)"60", NULL }, *envp[] = { word, NULL };
		execve("/bin/sleep", argv, envp);
		_exit(1);
	}
	request.with_env = word;
	int rc = -1;
	for (int i = 0; i < 2000 && rc < 0; i++) {
		rc = select_processes(&selection, &request, SELECT_PROC, &err);
		usleep(5000);
	}
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(1, selection.n);
	TEST_ASSERT_EQUAL(pid, selection.v[0].pid);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_variable_is_matched_to_the_letter);
	RUN_TEST(test_a_name_alone_is_any_value);
	RUN_TEST(test_what_is_not_there_is_told);
	RUN_TEST(test_a_family_that_has_a_variable_comes_once);
	RUN_TEST(test_the_file_of_an_id_names_its_process);
	RUN_TEST(test_what_is_no_id_is_refused_and_not_shown);
	RUN_TEST(test_only_an_ordinary_file_is_read);
	RUN_TEST(test_who_is_not_due_is_not_looked_at);
	RUN_TEST(test_nobody_is_no_failure_for_who_waits);
	RUN_TEST(test_descendants_of_who_answers_are_always_due);
	RUN_TEST(test_a_real_variable);
	return UNITY_END();
}
