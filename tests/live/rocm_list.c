// SPDX-License-Identifier: MIT
/* roclatch list: who uses a GPU, in rows and as JSON, once and again and again, and nothing is touched. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define LIST_MS 60000
#define WHOLE (8 << 20)
#define NOBODY 65534
#define ODD_NAME "a\033[31mb\tc"
#define ODD_SHOWN "a\\x1b[31mb\\x09c"
#define ODD_JSON "\"name\":\"a\\u001b[31mb\\tc\""

/* All of the output, which on a machine with many processes is more than an outcome holds. */
static char *whole(int fd)
{
	char *text = malloc(WHOLE);
	ssize_t n = text ? pread(fd, text, WHOLE - 1, 0) : -1;

	require(n >= 0, "the output cannot be read");
	text[n] = 0;
	return text;
}

static char *list(const char *words)
{
	struct run run = run_start(INPUT_NULL, "list %s", words);
	int copy = dup(run.out);
	struct outcome o = run_end(&run, LIST_MS);
	char *text;

	expect(&o, 0, NULL);
	text = whole(copy);
	close(copy);
	return text;
}

/* The row of a process without its blanks at the front, until the next is asked for; NULL: it has none. */
static const char *row(const char *text, pid_t pid)
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

/* Its object in the array, likewise. */
static const char *object(const char *text, pid_t pid)
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

static void has(const char *text, const char *part, const char *who)
{
	check(text && strstr(text, part), "%s: there is no %s in %s", who, part, text ? text : "(no row)");
}

/* Where in its line a name begins. */
static int column(const char *text, pid_t pid, const char *name)
{
	const char *line = row(text, pid), *at = line ? strstr(line, name) : NULL;

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
	char *text = list(""), *json;

	(void)unused;
	has(text, "PID", "the head");
	has(row(text, now.t.pid), "hip+hsa, register 0.", "one that can be attached");
	has(row(text, now.t.pid), "  now", "one that can be attached");
	has(row(text, late.t.pid), "late only: started without ROCP_TOOL_ATTACH=1", "one without attach support");
	has(row(text, anew), "late only: ", "its child");
	check(column(text, anew, "rocm-app") == column(text, late.t.pid, "rocm-app") + 2, "the child is not indented: %s", text);
	has(row(text, forked), "child by fork", "a child by fork");
	check(!row(text, getpid()), "a process without a GPU is listed: %s", text);
	json = list("--json");
	has(json, "{\"command\":\"list\",\"processes\":[{\"pid\":", "the JSON");
	has(json, "],\"unreadable\":", "the JSON");
	has(json, "\"error\":null,\"verdict\":\"done\",\"status\":0}\n", "the JSON");
	has(object(json, now.t.pid), "\"uses\":[\"hip\",\"hsa\"],\"register\":true,\"register_version\":\"0.", "one that can be attached");
	has(object(json, now.t.pid), "\"attach\":{\"how\":\"now\",\"brief\":\"now\",\"summary\":\"can be attached now\",\"remedy\":null,\"why_not_late\":null}}",
		"one that can be attached");
	has(object(json, late.t.pid), "\"how\":\"late\"", "one without attach support");
	has(object(json, late.t.pid), "\"summary\":\"can be attached late only (--late): librocprofiler-sdk-attach.so is not loaded",
		"one without attach support");
	has(object(json, late.t.pid), "\"remedy\":\"start the process with ROCP_TOOL_ATTACH=1", "one without attach support");
	has(object(json, anew), "\"depth\":1,", "the child");
	has(object(json, anew), "\"cpu_since\":\"start\",\"readable\":true,", "the child");
	after = look(&now.t, 0);
	compare(&before, &after, 0);
	free(json);
	free(text);
	app_end(&late);
	app_end(&now);
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
	char *text = list(""), *json = list("--json");
	char named[80];

	(void)unused;
	snprintf(named, sizeof(named), " %s ", name_of_nobody());
	has(row(text, app.t.pid), named, "another user's");
	/* it would write where it may not */
	has(row(text, app.t.pid), "no: it may not write to the folder", "another user's");
	has(object(json, app.t.pid), "\"uid\":65534,", "another user's");
	has(object(json, app.t.pid), "\"how\":\"no\"", "another user's");
	has(object(json, app.t.pid), "\"why_not_late\":\"", "another user's");
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
	check(!row(o.out, app.t.pid), "what may not be read is listed: %s", o.out);
	if (!o.out[0])
		expect_said(&o, "may not be read");
	o = roclatch(LIST_MS, "list", "--json", NULL);
	expect(&o, 0, NULL);
	has(o.out, "{\"command\":\"list\",\"processes\":[", "the JSON");
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
	text = list("");
	json = list("--json");
	has(row(text, app.t.pid), ODD_SHOWN, "one with an odd name");
	has(object(json, app.t.pid), ODD_JSON, "one with an odd name");
	check(!strchr(text, '\033') && !strchr(json, '\033'), "an escape sequence was let through");
	free(json);
	free(text);
	app_end(&app);
}

static void run_all_of_them(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char *text = list("--all"), *json = list("--all --json");
	const char *us;

	(void)unused;
	has(row(text, getpid()), "  -  ", "the test itself");
	has(row(text, app.t.pid), "  now", "one that can be attached");
	check(!row(text, 2) || !strstr(row(text, 2), "kthreadd"), "threads of the kernel are listed");
	us = object(json, getpid());
	has(us, "\"uses\":[],\"register\":false,\"register_version\":null,\"attach\":null}", "the test itself");
	free(json);
	free(text);
	app_end(&app);
}

static void run_namespaces(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .new_namespaces = true });
	char *text = list(""), *json = list("--json"), id[32];

	(void)unused;
	snprintf(id, sizeof(id), "%d (1)", (int)app.t.pid);
	has(row(text, app.t.pid), id, "one in namespaces of its own");
	has(row(text, app.t.pid), " mount namespace ", "one in namespaces of its own");
	has(object(json, app.t.pid), "\"pid_inside\":1,", "one in namespaces of its own");
	has(object(json, app.t.pid), "\"container\":{\"kind\":\"mount namespace\",\"id\":null}", "one in namespaces of its own");
	free(json);
	free(text);
	app_end(&app);
}

/* ---- again and again ---- */

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Let it look three times, then Ctrl-C. */
static char *watch(const char *words, const char *of_each_look)
{
	struct run run = run_start(INPUT_NULL, "list --watch %s", words);
	int copy = dup(run.out);
	struct outcome o;
	char *text = whole(copy);

	for (unsigned ms = 0; count(text, of_each_look) < 3 && ms < LIST_MS; ms += 20) {
		free(text);
		sleep_ms(20);
		text = whole(copy);
	}
	kill(run.pid, SIGINT);
	o = run_end(&run, LIST_MS);
	expect(&o, 0, NULL);
	free(text);
	text = whole(copy);
	close(copy);
	return text;
}

static void run_watch(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char *text = watch("", "RUNTIME"), *json = watch("--json", "\"status\":0}\n");
	unsigned lines = count(json, "\n");

	(void)unused;
	check(count(text, "RUNTIME") >= 3 && count(text, "\n\n") == count(text, "RUNTIME") - 1, "no blocks: %s", text);
	check(!strchr(text, '\033'), "an escape sequence where there is no terminal");
	check(lines >= 3 && count(json, "{\"command\":\"list\",") == lines && count(json, "\"status\":0}\n") == lines,
		"not an object a line: %s", json);
	has(json, "\"cpu_since\":\"look\"", "the second look");
	has(object(strchr(json, '\n'), app.t.pid), "\"how\":\"now\"", "one that can be attached");
	free(json);
	free(text);
	app_end(&app);
}

static int open_terminal(int *other, unsigned short columns, unsigned short lines)
{
	struct winsize size = { .ws_row = lines, .ws_col = columns };
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	require(ours >= 0 && !grantpt(ours) && !unlockpt(ours) && !ioctl(ours, TIOCSWINSZ, &size), "no terminal: %s",
		strerror(errno));
	*other = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
	require(*other >= 0, "no terminal: %s", strerror(errno));
	return ours;
}

static size_t read_terminal(int terminal, char *text, size_t have, size_t size, unsigned ms)
{
	struct pollfd more = { .fd = terminal, .events = POLLIN };

	while (have < size - 1 && poll(&more, 1, (int)ms) == 1 && more.revents & POLLIN) {
		ssize_t n = read(terminal, text + have, size - 1 - have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	text[have] = 0;
	return have;
}

/* No line is longer than the terminal is wide, and nothing is sent but home and two ways to clear. */
static void check_frames(const char *text, int columns)
{
	int at = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '\033') {
			check(!strncmp(c, "\033[H", 3) || !strncmp(c, "\033[K", 3) || !strncmp(c, "\033[J", 3), "sent ESC%.5s", c + 1);
			at = c[2] == 'H' ? 0 : at;
			c += 2;
		} else if (*c == '\r' || *c == '\n') {
			at = 0;
		} else {
			check(++at <= columns, "a line is longer than %d", columns);
		}
		if (failed())
			return;
	}
}

static pid_t watch_on(int terminal)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(terminal, STDOUT_FILENO);
	dup2(terminal, STDERR_FILENO);
	execl(options.roclatch, "roclatch", "list", "--all", "--watch", (char *)NULL);
	_exit(127);
}

static void run_terminal(const void *unused)
{
	static char text[1 << 20];
	struct app app = app_start("ready", NULL, ATTACHABLE);
	int other, ours = open_terminal(&other, 50, 8), status;
	size_t have = 0;
	pid_t pid = watch_on(other);

	(void)unused;
	for (unsigned ms = 0; count(text, "\033[H") < 3 && ms < LIST_MS; ms += 50)
		have = read_terminal(ours, text, have, sizeof(text), 50);
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	have = read_terminal(ours, text, have, sizeof(text), 100);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "wait status %#x after Ctrl-C", status);
	check(!strncmp(text, "\033[H", 3) && count(text, "\033[H") >= 3 && count(text, "\033[H") == count(text, "\033[J"),
		"no frames: %s", text);
	check(have > 8 && !strcmp(text + have - 7, "\033[J\r\033[K"), "it does not end clean: %s", text);
	check(count(text, "\n") == 7 * count(text, "\033[H"), "%u lines of %u frames", count(text, "\n"), count(text, "\033[H"));
	has(text, " more\033[K", "a terminal of 8 lines");
	check_frames(text, 50);
	close(ours);
	close(other);
	app_end(&app);
}

/* ---- a machine that does not hold still ---- */

static void come_and_go(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void run_churn(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	pid_t churn = fork();

	(void)unused;
	if (!churn) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		come_and_go();
	}
	for (unsigned i = 0; i < rounds(30) && !failed(); i++) {
		char *text = list("--all");

		has(row(text, app.t.pid), "  now", "one that can be attached");
		check(row(text, getpid()), "the test itself is missing");
		free(text);
	}
	kill(churn, SIGKILL);
	waitpid(churn, NULL, 0);
	app_end(&app);
}

void add_rocm_list_tests(void)
{
	add(MIXED, run_rows, NULL, "list tells who uses a GPU and who can be attached, and touches nothing");
	add(MIXED, run_user, NULL, "list tells whose a process is");
	add(MIXED, run_unread, NULL, "list says what may not be read to one who is not root");
	add(MIXED, run_odd_name, NULL, "list lets no control characters of a name through");
	add(MIXED, run_all_of_them, NULL, "list --all has every process, and no thread of the kernel");
	add(MIXED, run_namespaces, NULL, "list tells of other namespaces and the id inside");
	add(MIXED, run_watch, NULL, "list --watch looks again and again until Ctrl-C, in blocks or objects");
	add(MIXED, run_terminal, NULL, "list --watch keeps within a terminal and leaves it clean");
	add(MIXED, run_churn, NULL, "list leaves out what vanishes meanwhile");
}
