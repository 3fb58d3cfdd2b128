// SPDX-License-Identifier: MIT
/* roclatch list: who uses a GPU, in rows and as JSON, and nothing is touched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocm_list.h"

#define WHOLE (8 << 20)
#define NOBODY 65534
#define ODD_NAME "a\033[31mb\tc"
#define ODD_SHOWN "a\\x1b[31mb\\x09c"
#define ODD_JSON "\"name\":\"a\\u001b[31mb\\tc\""

char *list_output(int fd)
{
	char *text = malloc(WHOLE);
	ssize_t n = text ? pread(fd, text, WHOLE - 1, 0) : -1;

	require(n >= 0, "the output cannot be read");
	text[n] = 0;
	return text;
}

char *list_of(const char *words)
{
	struct run run = run_start(INPUT_NULL, "list %s", words);
	int copy = dup(run.out);
	struct outcome o = run_end(&run, LIST_MS);
	char *text;

	expect(&o, 0, NULL);
	text = list_output(copy);
	close(copy);
	return text;
}

const char *list_row(const char *text, pid_t pid)
{
	static char line[1024];
	size_t length;

	for (const char *at = text; *at; at += length + (at[length] == '\n')) {
		length = strcspn(at, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		if (atoi(line) == (int)pid)
			return line + strspn(line, " ");
	}
	return NULL;
}

const char *list_object(const char *text, pid_t pid)
{
	static char value[8192];
	char key[32];
	const char *at, *end;

	snprintf(key, sizeof(key), "{\"pid\":%d,", (int)pid);
	at = strstr(text, key);
	if (!at)
		return NULL;
	end = strstr(at + 1, "{\"pid\":");
	snprintf(value, sizeof(value), "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
	return value;
}

void list_has(const char *text, const char *part, const char *who)
{
	check(text && strstr(text, part), "%s: there is no %s in %s", who, part, text ? text : "(no row)");
}

/* Where in its line a name begins. */
static int column(const char *text, pid_t pid, const char *name)
{
	const char *line = list_row(text, pid), *at = line ? strstr(line, name) : NULL;

	return at ? (int)(at - line) : -1;
}

static pid_t child(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);
	pid_t pid = answer ? atoi(answer) : 0;

	require(pid > 0, "no child by %s", order);
	return pid;
}

static void run_rows(const void *unused)
{
	struct app now = app_start("ready", "threads=3", ATTACHABLE), late = app_start("ready", NULL, "");
	pid_t anew = child(&late, "exec-plain"), forked = child(&now, "fork");
	struct snapshot before = look(&now.t, 0), after;
	char *text = list_of(""), *json;

	(void)unused;
	list_has(text, "PID", "the head");
	list_has(list_row(text, now.t.pid), "hip+hsa, register 0.", "one that can be attached");
	list_has(list_row(text, now.t.pid), "  now", "one that can be attached");
	list_has(list_row(text, late.t.pid), "late only: started without ROCP_TOOL_ATTACH=1", "one without attach support");
	list_has(list_row(text, anew), "late only: ", "its child");
	check(column(text, anew, "rocm-app") == column(text, late.t.pid, "rocm-app") + 2, "the child is not indented: %s", text);
	list_has(list_row(text, forked), "child by fork", "a child by fork");
	check(!list_row(text, getpid()), "a process without a GPU is listed: %s", text);
	json = list_of("--json");
	list_has(json, "{\"command\":\"list\",\"processes\":[{\"pid\":", "the JSON");
	list_has(json, "],\"unreadable\":", "the JSON");
	list_has(json, "\"error\":null,\"verdict\":\"done\",\"status\":0}\n", "the JSON");
	list_has(list_object(json, now.t.pid), "\"uses\":[\"hip\",\"hsa\"],\"register\":true,\"register_version\":\"0.", "one that can be attached");
	list_has(list_object(json, now.t.pid), "\"attach\":{\"how\":\"now\",\"brief\":\"now\",\"summary\":\"can be attached now\",\"remedy\":null,\"why_not_late\":null}}",
		"one that can be attached");
	list_has(list_object(json, late.t.pid), "\"how\":\"late\"", "one without attach support");
	list_has(list_object(json, late.t.pid), "\"summary\":\"can be attached late only (--late): librocprofiler-sdk-attach.so is not loaded",
		"one without attach support");
	list_has(list_object(json, late.t.pid), "\"remedy\":\"start the process with ROCP_TOOL_ATTACH=1", "one without attach support");
	list_has(list_object(json, anew), "\"depth\":1,", "the child");
	list_has(list_object(json, anew), "\"cpu_since\":\"start\",\"readable\":true,", "the child");
	after = look(&now.t, 0);
	compare(&before, &after, 0);
	free(json);
	free(text);
	app_end(&late);
	app_end(&now);
}

/* Whose roclatch lives cannot be attached; what one has left (--keep) can, and that is told. */
static void run_recorded(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o = run_all("attach -p %s -d %s -o out --kernel-trace --keep", app.pid, app.output);
	char *text = list_of(""), *json = list_of("--json");

	(void)unused;
	expect(&o, 0, NULL);
	list_has(list_row(text, app.t.pid), "  now; a recording is still running", "one that is recorded");
	list_has(list_object(json, app.t.pid), "\"how\":\"now\",\"brief\":\"now; a recording is still running\"", "one that is recorded");
	free(json);
	free(text);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	text = list_of("");
	check(!strstr(list_row(text, app.t.pid), "recording"), "a recording that has ended is told: %s", text);
	free(text);
	app_end(&app);
}

static const char *name_of_nobody(void)
{
	static char text[65536], name[64];

	read_text(text, sizeof(text), "/etc/passwd");
	for (char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, "%63[^:\n]:%*[^:\n]:65534:", name) == 1 && strstr(at, ":65534:") &&
		    strstr(at, ":65534:") < at + strcspn(at, "\n") && atoi(strchr(strchr(at, ':') + 1, ':') + 1) == NOBODY)
			return name;
	return "65534";
}

static void run_user(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .uid = NOBODY });
	char *text, *json, named[80];

	(void)unused;
	run_folder = "/";
	text = list_of("");
	json = list_of("--json");
	run_folder = NULL;
	snprintf(named, sizeof(named), " %s ", name_of_nobody());
	list_has(list_row(text, app.t.pid), named, "another user's");
	/* it would write where it may not */
	list_has(list_row(text, app.t.pid), "no: it may not write to the folder", "another user's");
	list_has(list_object(json, app.t.pid), "\"uid\":65534,", "another user's");
	list_has(list_object(json, app.t.pid), "\"how\":\"no\"", "another user's");
	list_has(list_object(json, app.t.pid), "\"why_not_late\":\"", "another user's");
	free(json);
	free(text);
	app_end(&app);
}

/* What a user who is not root sees of root's processes. */
static void run_unread(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;

	(void)unused;
	roclatch_uid = NOBODY;
	o = roclatch(LIST_MS, "list", NULL);
	expect(&o, 0, NULL);
	check(!list_row(o.out, app.t.pid), "what may not be read is listed: %s", o.out);
	if (!o.out[0])
		expect_said(&o, "may not be read");
	o = roclatch(LIST_MS, "list", "--json", NULL);
	expect(&o, 0, NULL);
	list_has(o.out, "{\"command\":\"list\",\"processes\":[", "the JSON");
	check(!strstr(o.out, "\"unreadable\":0,"), "nothing is unreadable: %s", o.out);
	roclatch_uid = 0;
	app_end(&app);
}

static void run_odd_name(const void *unused)
{
	char folder[] = "/tmp/roclatch-odd-XXXXXX", path[128], program[256], *text, *json;
	struct app app;

	(void)unused;
	require(mkdtemp(folder) && !chmod(folder, 0755), "mkdtemp: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/" ODD_NAME, folder);
	require(!symlink(app_path("rocm-app"), path), "symlink: %s", strerror(errno));
	snprintf(program, sizeof(program), "../../../../../../../../../../../../../../..%s", path);
	app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .program = program });
	unlink(path);
	rmdir(folder);
	text = list_of("");
	json = list_of("--json");
	list_has(list_row(text, app.t.pid), ODD_SHOWN, "one with an odd name");
	list_has(list_object(json, app.t.pid), ODD_JSON, "one with an odd name");
	check(!strchr(text, '\033') && !strchr(json, '\033'), "an escape sequence was let through");
	free(json);
	free(text);
	app_end(&app);
}

static void run_all_of_them(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char *text = list_of("--all"), *json = list_of("--all --json");
	const char *us;

	(void)unused;
	list_has(list_row(text, getpid()), "  -  ", "the test itself");
	list_has(list_row(text, app.t.pid), "  now", "one that can be attached");
	check(!list_row(text, 2) || !strstr(list_row(text, 2), "kthreadd"), "threads of the kernel are listed");
	us = list_object(json, getpid());
	list_has(us, "\"uses\":[],\"register\":false,\"register_version\":null,\"attach\":null}", "the test itself");
	free(json);
	free(text);
	app_end(&app);
}

static void run_namespaces(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .new_namespaces = true });
	char *text = list_of(""), *json = list_of("--json"), id[32];

	(void)unused;
	snprintf(id, sizeof(id), "%d (1)", (int)app.t.pid);
	list_has(list_row(text, app.t.pid), id, "one in namespaces of its own");
	list_has(list_row(text, app.t.pid), " mount namespace ", "one in namespaces of its own");
	list_has(list_object(json, app.t.pid), "\"pid_inside\":1,", "one in namespaces of its own");
	list_has(list_object(json, app.t.pid), "\"container\":{\"kind\":\"mount namespace\",\"id\":null}", "one in namespaces of its own");
	free(json);
	free(text);
	app_end(&app);
}

void add_rocm_list_tests(void)
{
	add(MIXED, run_rows, NULL, "list tells who uses a GPU and who can be attached, and touches nothing");
	add(MIXED, run_recorded, NULL, "list tells of a recording that an earlier roclatch left running");
	add(MIXED, run_user, NULL, "list tells whose a process is");
	add(MIXED, run_unread, NULL, "list says what may not be read to one who is not root");
	add(MIXED, run_odd_name, NULL, "list lets no control characters of a name through");
	add(MIXED, run_all_of_them, NULL, "list --all has every process, and no thread of the kernel");
	add(MIXED, run_namespaces, NULL, "list tells of other namespaces and the id inside");
	add_rocm_list_watch_tests();
}
