/* SPDX-License-Identifier: MIT */
/* roclatch's own tool: its file, its log's path, and its status read from outside. */
#include "rocp/own_tool.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "live_target.h"

static char folder[64], path[PATH_MAX];
static struct rocm_view view;
static struct request request;
static struct env sent;

static void in(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void make(const char *name, const char *text)
{
	in(name);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void make_folder(const char *name)
{
	in(name);
	TEST_ASSERT_EQUAL(0, mkdir(path, 0755));
}

void setUp(void)
{
	strcpy(folder, "/tmp/own-tool-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	char command[96];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
	env_free(&sent);
	env_free(&request.env);
	env_free(&view.environment);
	request.html = false;
}

/* ---- its file ---- */

static void found(const char *from, const char *wanted)
{
	char start[128], answer[PATH_MAX];
	snprintf(start, sizeof start, "%s/%s", folder, from);
	TEST_ASSERT_EQUAL_MESSAGE(0, own_tool_file(start, NULL, answer, sizeof answer, &err), err.text);
	in(wanted);
	TEST_ASSERT_EQUAL_STRING(path, answer);
}

static void test_the_file_is_beside_the_program_or_in_lib(void)
{
	make_folder("bin");
	make_folder("bin/lib");
	make_folder("lib");
	in("bin");
	char start[PATH_MAX], answer[PATH_MAX];
	strcpy(start, path);
	TEST_ASSERT_EQUAL(-1, own_tool_file(start, NULL, answer, sizeof answer, &err));
	EXPECT_HAS(start, err.text);
	EXPECT_HAS("ROCLATCH_TOOL", err.remedy);
	make("lib/" OWN_TOOL_NAME, "x");
	found("bin", "lib/" OWN_TOOL_NAME);
	make("bin/lib/" OWN_TOOL_NAME, "x");
	found("bin", "bin/lib/" OWN_TOOL_NAME);
	make("bin/" OWN_TOOL_NAME, "x");
	found("bin", "bin/" OWN_TOOL_NAME);
}

static void test_the_variable_counts_before_all_places(void)
{
	char answer[PATH_MAX];
	make(OWN_TOOL_NAME, "x");
	make("mine.so", "x");
	TEST_ASSERT_EQUAL(0, own_tool_file(folder, path, answer, sizeof answer, &err));
	TEST_ASSERT_EQUAL_STRING(path, answer);
	TEST_ASSERT_EQUAL(-1, own_tool_file(folder, "/nowhere/mine.so", answer, sizeof answer, &err));
	EXPECT_HAS("/nowhere/mine.so", err.text);
	TEST_ASSERT_EQUAL(-1, own_tool_file(folder, "mine.so", answer, sizeof answer, &err));
}

/* ---- as the target sees it ---- */

static void hide_folder(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", folder, "tmpfs", 0, NULL) < 0)
		_exit(1);
}

static void copy_another(void)
{
	hide_folder();
	in(OWN_TOOL_NAME);
	int fd = open(path, O_CREAT | O_WRONLY, 0644);
	if (write(fd, "other", 5) != 5)
		_exit(1);
}

static void copy_same(void)
{
	hide_folder();
	in(OWN_TOOL_NAME);
	int fd = open(path, O_CREAT | O_WRONLY, 0644);
	if (write(fd, "tool!", 5) != 5)
		_exit(1);
}

static void sees(void (*prepare)(void), int wanted, const char *part)
{
	make(OWN_TOOL_NAME, "tool!");
	open_target(child_start(prepare));
	in(OWN_TOOL_NAME);
	TEST_ASSERT_EQUAL(wanted, own_tool_visible(&target, path, &err));
	if (part) {
		EXPECT_HAS(part, err.text);
		EXPECT_HAS("-t", err.remedy);
	}
	close_target();
}

static void test_a_target_beside_us_sees_the_file(void)
{
	sees(NULL, 0, NULL);
}

static void test_a_target_that_does_not_see_it_is_refused_with_the_remedy(void)
{
	if (geteuid() != 0)
		TEST_IGNORE_MESSAGE("mount namespaces need root");
	sees(hide_folder, -1, "does not see");
	sees(copy_another, -1, "another file");
	sees(copy_same, 0, NULL);
}

/* ---- where its log is to be ---- */

static void asked(const char *variable, const char *value)
{
	TEST_ASSERT_EQUAL(0, env_set(&request.env, variable, value, &err));
}

static const char *log_path(void)
{
	view = (struct rocm_view){ .images = &images, .environment = view.environment };
	env_free(&sent);
	for (size_t i = 0; i < request.env.n; i++)
		env_set(&sent, request.env.v[i].name, request.env.v[i].value, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, own_tool_environment(&target, &view, &request, &sent, &err), err.text);
	const char *log = env_get(&sent, TOOL_LOG_VARIABLE);
	TEST_ASSERT_NOT_NULL(log);
	return log;
}

static void go_to_folder(void)
{
	if (chdir(folder) < 0)
		_exit(1);
}

static void take_a_false_name(void)
{
	prctl(PR_SET_NAME, "NSpgid:\t9");
	setpgid(0, 0);
}

static void test_a_name_that_looks_like_a_line_of_its_status_does_not_deceive(void)
{
	char wanted[48];
	open_target(child_start(take_a_false_name));
	asked("ROCPROF_OUTPUT_FILE_NAME", "/tmp/of-%pgid%");
	snprintf(wanted, sizeof wanted, "/tmp/of-%d.rlog", (int)target.pid);
	TEST_ASSERT_EQUAL_STRING(wanted, log_path());
	close_target();
}

static void test_the_log_is_where_the_output_was_to_be(void)
{
	char host[128], wanted[512];
	gethostname(host, sizeof host);
	open_target(child_start(go_to_folder));
	asked("ROCPROF_OUTPUT_PATH", "/out");
	snprintf(wanted, sizeof wanted, "/out/%s/%d.rlog", host, (int)target.pid);
	TEST_ASSERT_EQUAL_STRING(wanted, log_path());
	asked("ROCPROF_OUTPUT_FILE_NAME", "run");
	TEST_ASSERT_EQUAL_STRING("/out/run.rlog", log_path());
	asked("ROCPROF_OUTPUT_FILE_NAME", "/else/run");
	TEST_ASSERT_EQUAL_STRING("/else/run.rlog", log_path());
	asked("ROCPROF_OUTPUT_FILE_NAME", "run-%p");
	asked("ROCPROF_OUTPUT_PATH", "here/%pid%");
	snprintf(wanted, sizeof wanted, "%s/here/%d/run-%d.rlog", folder, (int)target.pid, (int)target.pid);
	TEST_ASSERT_EQUAL_STRING(wanted, log_path());
	asked("ROCPROF_OUTPUT_PATH", "/");
	asked("ROCPROF_OUTPUT_FILE_NAME", "x");
	TEST_ASSERT_EQUAL_STRING("/x.rlog", log_path());
	close_target();
}

static void test_variables_in_the_name_are_those_of_the_target(void)
{
	setenv("OWN_TOOL_TEST", "at-start", 1);
	open_target(child_start(NULL));
	asked("ROCPROF_OUTPUT_PATH", "/out");
	asked("ROCPROF_OUTPUT_FILE_NAME", "%env{ROCM_NOW}%-{pid}");
	TEST_ASSERT_EQUAL(0, env_set(&view.environment, "ROCM_NOW", "now", &err));
	char wanted[64];
	snprintf(wanted, sizeof wanted, "/out/now-%d.rlog", (int)target.pid);
	TEST_ASSERT_EQUAL_STRING(wanted, log_path());
	close_target();
}

static void in_another_host(void)
{
	if (unshare(CLONE_NEWUTS) < 0 || sethostname("inside", 6) < 0)
		_exit(1);
}

static void test_the_host_is_that_of_the_target(void)
{
	if (geteuid() != 0)
		TEST_IGNORE_MESSAGE("host names need root");
	char before[128], after[128];
	gethostname(before, sizeof before);
	open_target(child_start(in_another_host));
	asked("ROCPROF_OUTPUT_PATH", "/out");
	asked("ROCPROF_OUTPUT_FILE_NAME", "%hostname%");
	TEST_ASSERT_EQUAL_STRING("/out/inside.rlog", log_path());
	gethostname(after, sizeof after);
	TEST_ASSERT_EQUAL_STRING(before, after);
	close_target();
}

static void test_a_path_that_the_tool_could_not_hold_is_refused(void)
{
	char name[1100];
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	open_target(child_start(NULL));
	asked("ROCPROF_OUTPUT_PATH", "/out");
	asked("ROCPROF_OUTPUT_FILE_NAME", name);
	TEST_ASSERT_EQUAL(0, env_set(&sent, "ROCPROF_OUTPUT_FILE_NAME", name, &err));
	TEST_ASSERT_EQUAL(-1, own_tool_environment(&target, &view, &request, &sent, &err));
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	close_target();
}

static void test_a_path_without_a_name_is_refused(void)
{
	static const char *const names[] = { "%env{NO_SUCH_VARIABLE}%", "folder/" };
	open_target(child_start(NULL));
	for (size_t i = 0; i < 2; i++) {
		TEST_ASSERT_EQUAL(0, env_set(&sent, "ROCPROF_OUTPUT_FILE_NAME", names[i], &err));
		TEST_ASSERT_EQUAL(-1, own_tool_environment(&target, &view, &request, &sent, &err));
		TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "a folder and no name"), err.text);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.remedy, "-o; a variable in it (%env{NAME}%)"), err.remedy);
	}
	close_target();
}

static void formats_are(const char *said, bool html, const char *wanted)
{
	struct env env = { 0 };
	env_free(&request.env);
	if (said)
		asked("ROCPROF_OUTPUT_FORMAT", said);
	request.html = html;
	TEST_ASSERT_EQUAL(0, own_tool_formats(&request, &env, &err));
	TEST_ASSERT_EQUAL_STRING(wanted, env_get(&env, OWN_FORMATS_VARIABLE));
	env_free(&env);
}

static void test_the_formats_go_along_with_html(void)
{
	formats_are("csv,json", false, "csv,json");
	formats_are("csv", true, "csv,html");
	formats_are(NULL, true, "html");
	formats_are(NULL, false, "rocpd");
}

/* ---- at work ---- */

static struct tool_status in_child = { .magic = TOOL_STATUS_MAGIC, .version = 1, .size = sizeof in_child, .state = 2, .records = 12345,
				       .bytes = 678 };

static void have_log(void)
{
	snprintf(in_child.log, sizeof in_child.log, "%s/some/run.rlog", folder);
}

static void test_the_status_is_read_and_the_log_found_when_the_target_is_gone(void)
{
	static struct attachment attachment;
	struct own_log log = { .status = at(&in_child), .folder = -1 };
	char where[PATH_MAX], wanted[PATH_MAX];
	make_folder("some");
	make("some/run.rlog", "log");
	open_target(child_start(have_log));
	attachment.target = target;
	TEST_ASSERT_EQUAL(0, own_log_read(&log, &attachment));
	TEST_ASSERT_EQUAL_UINT64(12345, log.last.records);
	TEST_ASSERT_EQUAL_STRING("run.rlog", own_log_name(&log));
	TEST_ASSERT_TRUE(log.folder >= 0);
	close_target();
	attachment.target.pidfd = -1;
	TEST_ASSERT_EQUAL(-1, own_log_read(&log, &attachment));
	TEST_ASSERT_EQUAL_UINT64(12345, log.last.records);
	TEST_ASSERT_EQUAL_MESSAGE(0, own_log_folder(&log, where, sizeof where, &err), err.text);
	in("some");
	/* root follows no path of the target's */
	snprintf(wanted, sizeof wanted, "/proc/self/fd/%d", log.folder);
	TEST_ASSERT_EQUAL_STRING(geteuid() ? path : wanted, where);
	/* another folder under that name is not it */
	snprintf(wanted, sizeof wanted, "%s/moved", folder);
	TEST_ASSERT_EQUAL(0, rename(path, wanted));
	make_folder("some");
	TEST_ASSERT_EQUAL(0, own_log_folder(&log, where, sizeof where, &err));
	strcat(where, "/run.rlog");
	TEST_ASSERT_EQUAL_MESSAGE(0, access(where, F_OK), where);
	own_log_close(&log);
}

static void test_only_the_file_that_was_read_is_removed(void)
{
	struct own_log log = { .folder = -1, .owner = { .uid = geteuid(), .gid = getegid() } };
	struct stat st;
	make("run.rlog", "log");
	log.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(log.path, sizeof log.path, "%.900s/run.rlog", folder);
	int fd = own_log_file(&log, &st, &err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	in("run.rlog");
	unlink(path);
	make("run.rlog", "another");
	TEST_ASSERT_FALSE(own_log_remove(&log, &st));
	close(fd);
	fd = own_log_file(&log, &st, &err);
	TEST_ASSERT_TRUE(own_log_remove(&log, &st));
	close(fd);
	in("run.rlog");
	TEST_ASSERT_EQUAL(0, symlink("/etc/passwd", path));
	TEST_ASSERT_EQUAL(-1, own_log_file(&log, &st, &err));
	unlink(path);
	close(log.folder);
}

static void test_no_log_is_told(void)
{
	struct own_log log = { .folder = -1 };
	char where[64];
	TEST_ASSERT_EQUAL(-1, own_log_folder(&log, where, sizeof where, &err));
	EXPECT_HAS("no log", err.text);
	strcpy(log.path, "/nowhere/x.rlog");
	TEST_ASSERT_EQUAL(-1, own_log_folder(&log, where, sizeof where, &err));
	EXPECT_HAS("/nowhere/x.rlog", err.text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_file_is_beside_the_program_or_in_lib);
	RUN_TEST(test_the_variable_counts_before_all_places);
	RUN_TEST(test_a_target_beside_us_sees_the_file);
	RUN_TEST(test_a_target_that_does_not_see_it_is_refused_with_the_remedy);
	RUN_TEST(test_the_log_is_where_the_output_was_to_be);
	RUN_TEST(test_a_name_that_looks_like_a_line_of_its_status_does_not_deceive);
	RUN_TEST(test_variables_in_the_name_are_those_of_the_target);
	RUN_TEST(test_the_host_is_that_of_the_target);
	RUN_TEST(test_a_path_that_the_tool_could_not_hold_is_refused);
	RUN_TEST(test_a_path_without_a_name_is_refused);
	RUN_TEST(test_the_formats_go_along_with_html);
	RUN_TEST(test_the_status_is_read_and_the_log_found_when_the_target_is_gone);
	RUN_TEST(test_only_the_file_that_was_read_is_removed);
	RUN_TEST(test_no_log_is_told);
	return UNITY_END();
}
