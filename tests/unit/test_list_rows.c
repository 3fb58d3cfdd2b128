/* SPDX-License-Identifier: MIT */
/* A look of roclatch list as rows and as JSON: what is shown, how wide, and what is kept from a terminal. */
#include "bin/list.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

#define HEAD "PID  USER  NAME  CONTAINER  THREADS  CPU%  RUNTIME  ATTACH\n"

static struct process v[64], *row[64];
static struct processes processes;
static struct attachable now = { .how = ATTACHABLE_NOW, .brief = "now", .summary = "can be attached now" };
static struct attachable late = { .how = ATTACHABLE_LATE, .brief = "late only: because", .summary = "can be \"late\"",
	.remedy = "start it\nanew" };
static char *text;

void setUp(void)
{
	memset(v, 0, sizeof v);
	for (int i = 0; i < 64; i++) {
		row[i] = &v[i];
		v[i].stat = (struct proc_stat){ .pid = 100 + i, .ppid = 1, .name = "x", .state = 'S', .threads = 1 };
		v[i].inside = 100 + i;
		v[i].user = "ada";
	}
	processes = (struct processes){ .row = row, .rows = 1 };
}

void tearDown(void)
{
	free(text);
	text = NULL;
}

static const char *rows(struct list_shape shape)
{
	size_t size;
	free(text);
	FILE *to = open_memstream(&text, &size);
	if (!shape.end)
		shape.end = "\n";
	TEST_ASSERT_EQUAL(0, list_rows(to, &processes, &shape));
	fclose(to);
	return text;
}

static void test_nothing_has_no_head(void)
{
	processes.rows = 0;
	TEST_ASSERT_EQUAL_STRING("", rows((struct list_shape){ 0 }));
}

static void test_columns_are_as_wide_as_what_is_in_them(void)
{
	v[0].stat.name[0] = 'n';
	v[0].attachable = &now;
	v[0].cpu_percent = 99.96;
	v[1].stat.pid = 4194304;
	v[1].inside = 7;
	v[1].user = NULL;
	v[1].uid = 4242;
	v[1].depth = 1;
	v[1].container = (struct container){ .kind = "lxc", .id = "web" };
	v[1].runtimes = (struct runtimes){ RUNTIME_HIP | RUNTIME_HSA | RUNTIME_REGISTER, "0.6.0" };
	v[1].attachable = &late;
	processes.rows = 2;
	TEST_ASSERT_EQUAL_STRING(
		"        PID  USER  NAME  CONTAINER  THREADS   CPU%  RUNTIME                  ATTACH\n"
		"        100  ada   n     -                1  100.0  -                        now\n"
		"4194304 (7)  4242    x   lxc web          1    0.0  hip+hsa, register 0.6.0  late only: because\n",
		rows((struct list_shape){ 0 }));
}

static void test_what_may_not_be_read_and_what_has_ended_is_told(void)
{
	v[0].unread = true;
	v[1].stat.state = 'Z';
	v[2].unread = true;
	v[2].attachable = &late;
	processes.rows = 3;
	rows((struct list_shape){ 0 });
	TEST_ASSERT_NOT_NULL(strstr(text, "-        may not be read\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, "-        it has ended\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, "-        late only: because\n"));
}

static void test_control_characters_are_shown_and_not_sent(void)
{
	strcpy(v[0].stat.name, "a\033[2J\n\xc2\x9b\xff");
	v[0].user = "ev\033il";
	v[0].container = (struct container){ .kind = "lxc", .id = "x\ry" };
	rows((struct list_shape){ 0 });
	TEST_ASSERT_NOT_NULL(strstr(text, "a\\x1b[2J\\x0a\\xc2\\x9b\\xff "));
	TEST_ASSERT_NOT_NULL(strstr(text, "ev\\x1bil "));
	TEST_ASSERT_NOT_NULL(strstr(text, "lxc x\\x0dy "));
	TEST_ASSERT_NULL(strchr(text, '\033'));
	TEST_ASSERT_NULL(strchr(text, '\r'));
}

static void test_lines_are_cut_to_a_width(void)
{
	TEST_ASSERT_EQUAL_STRING("PID  USER  \n100  ada   \n", rows((struct list_shape){ .width = 11 }));
	TEST_ASSERT_EQUAL_STRING("P\n1\n", rows((struct list_shape){ .width = 1 }));
	TEST_ASSERT_EQUAL_STRING(HEAD "100  ada   x     -                1   0.0  -        -\n",
				 rows((struct list_shape){ .width = 200 }));
}

/* Two columns each: what does not fit whole is left out. */
static void test_wide_characters_count_twice(void)
{
	strcpy(v[0].stat.name, "\xe6\xbc\xa2\xe5\xad\x97\xe3\x81\x8b");
	rows((struct list_shape){ .width = 14 });
	TEST_ASSERT_NOT_NULL(strstr(text, "\n100  ada   \xe6\xbc\xa2\n"));
	rows((struct list_shape){ .width = 15 });
	TEST_ASSERT_NOT_NULL(strstr(text, "\n100  ada   \xe6\xbc\xa2\xe5\xad\x97\n"));
	rows((struct list_shape){ 0 });
	TEST_ASSERT_NOT_NULL(strstr(text, "PID  USER  NAME    CONTAINER"));
}

static unsigned lines(void)
{
	unsigned n = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		n++;
	return n;
}

static void test_more_than_fits_is_counted(void)
{
	processes.rows = 64;
	rows((struct list_shape){ .lines = 10 });
	TEST_ASSERT_EQUAL(10, lines());
	TEST_ASSERT_NOT_NULL(strstr(text, "\n107  "));
	TEST_ASSERT_NULL(strstr(text, "\n108  "));
	TEST_ASSERT_NOT_NULL(strstr(text, "\n... and 56 more\n"));
	rows((struct list_shape){ .lines = 65 });
	TEST_ASSERT_EQUAL(65, lines());
	TEST_ASSERT_NULL(strstr(text, "more"));
}

static void test_a_deep_family_does_not_run_away(void)
{
	v[0].depth = 1000000;
	TEST_ASSERT_TRUE(strlen(rows((struct list_shape){ 0 })) < 400);
}

static const char *json(void)
{
	struct json writer;
	size_t size;
	free(text);
	FILE *to = open_memstream(&text, &size);
	json_init(&writer, to);
	json_object(&writer, NULL);
	list_json(&writer, &processes);
	json_end(&writer);
	fclose(to);
	return text;
}

static void test_json_of_nothing_is_an_empty_array(void)
{
	processes.rows = 0;
	processes.unread = 3;
	TEST_ASSERT_EQUAL_STRING("{\"processes\":[],\"unreadable\":3,\"hidden\":false}\n", json());
}

static void test_json_has_everything(void)
{
	strcpy(v[0].stat.name, "a\033\"\xff");
	v[0].container = (struct container){ .kind = "bwrap" };
	v[0].runtimes.set = RUNTIME_HSA | RUNTIME_KFD;
	v[0].attachable = &late;
	v[0].cpu_percent = 12.5;
	v[0].since_look = true;
	v[0].depth = 2;
	TEST_ASSERT_EQUAL_STRING(
		"{\"processes\":[{\"pid\":100,\"pid_inside\":100,\"parent\":1,\"depth\":2,\"uid\":0,\"user\":\"ada\","
		"\"name\":\"a\\u001b\\\"\\ufffd\",\"state\":\"S\",\"container\":{\"kind\":\"bwrap\",\"id\":null},\"threads\":1,"
		"\"cpu_percent\":12.500,\"cpu_since\":\"look\",\"readable\":true,\"uses\":[\"hsa\",\"kfd\"],\"register\":false,"
		"\"register_version\":null,\"attach\":{\"how\":\"late\",\"brief\":\"late only: because\","
		"\"summary\":\"can be \\\"late\\\"\",\"remedy\":\"start it\\nanew\",\"why_not_late\":null}}],\"unreadable\":0,\"hidden\":false}\n", json());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nothing_has_no_head);
	RUN_TEST(test_columns_are_as_wide_as_what_is_in_them);
	RUN_TEST(test_what_may_not_be_read_and_what_has_ended_is_told);
	RUN_TEST(test_control_characters_are_shown_and_not_sent);
	RUN_TEST(test_lines_are_cut_to_a_width);
	RUN_TEST(test_wide_characters_count_twice);
	RUN_TEST(test_more_than_fits_is_counted);
	RUN_TEST(test_a_deep_family_does_not_run_away);
	RUN_TEST(test_json_of_nothing_is_an_empty_array);
	RUN_TEST(test_json_has_everything);
	return UNITY_END();
}
