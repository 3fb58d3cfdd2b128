// SPDX-License-Identifier: MIT
/* A tool that the target does not see is brought to it, and nothing of that stays. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm_made.h"
#include "rocm_world.h"

#define MEMORY "/memfd:roclatch/"
#define RECORDS "--hip-trace -f csv"

static struct outcome attach(const struct app *app, const struct world *world, const char *more)
{
	return run_all("attach -p %s -d /out -o out --verbose " RECORDS " %s %s %s", app->pid, world->stage, more,
		world->late ? "--late" : "-t roclatch");
}

static void has_rows(const struct app *app, const char *table)
{
	check(made_rows(app, table) > 10, "%ld calls of HIP in %s", made_rows(app, table), table);
}

/* Attached twice, then kept and detached by another roclatch. */
static void run_staged(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	char *before = strdup(world_descriptors(&app));
	struct outcome o = attach(&app, w, "--attach-duration-msec 300");

	expect(&o, 0, NULL);
	has_rows(&app, "out_hip_api_trace.csv");
	world_as_before(&app, before, "after the first attach");
	check(app_maps(&app, w->seen), "%s is not mapped", w->seen);
	o = attach(&app, w, "--attach-duration-msec 300");
	expect(&o, 0, NULL);
	has_rows(&app, "out_1_hip_api_trace.csv");
	world_as_before(&app, before, "after the second attach");
	o = attach(&app, w, "--keep");
	expect(&o, 0, NULL);
	check(!strstr(world_descriptors(&app), MEMORY), "the file in memory is open while the tool is attached");
	go_on(&app.t);
	sleep_ms(200);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	has_rows(&app, "out_2_hip_api_trace.csv");
	world_as_before(&app, before, "after the detach by another");
	free(before);
	app_end(&app);
}

static void is_of(const struct world *world, const char *path, mode_t mode)
{
	struct stat st = { 0 };

	check(!lstat(path, &st) && st.st_mode == mode && st.st_uid == world->uid, "%s: mode %o, user %u", path,
		(unsigned)st.st_mode, (unsigned)st.st_uid);
}

/* While it is attached the file is the target's own, and others can read it. */
static void run_file(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	char path[700], *before = strdup(world_descriptors(&app));
	struct outcome o = attach(&app, w, "--keep");

	expect(&o, 0, NULL);
	snprintf(path, sizeof(path), "%s", world_folder(&app, "/tmp"));
	is_of(w, path, S_IFDIR | 0755);
	strcat(path, "/libroclatch-tool.so");
	is_of(w, path, S_IFREG | 0644);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	world_as_before(&app, before, "after the detach");
	free(before);
	app_end(&app);
}

/* roclatch has no more rights than the target. */
static void run_as_user(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	char *before = strdup(world_descriptors(&app));
	const char *way = strchr(w->stage, ' ') + 1;

	roclatch_uid = w->uid;
	for (unsigned i = 0; i < 2; i++) {
		struct outcome o = roclatch(60000, "attach", "-p", app.pid, "-d", "/out", "-o", "out", "--hip-trace", "-f", "csv", "-t",
			"roclatch", "--stage", way, "--attach-duration-msec", "100", NULL);

		expect(&o, 0, NULL);
		world_as_before(&app, before, "after the attach");
	}
	free(before);
	app_end(&app);
}

static void run_refused(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	struct snapshot before, after;
	struct outcome o;

	if (w->files) {
		struct rlimit limit = { w->files, w->files };

		require(!prlimit(app.t.pid, RLIMIT_NOFILE, &limit, NULL), "prlimit: %s", strerror(errno));
	}
	before = look(&app.t, 0);
	o = attach(&app, w, "--attach-duration-msec 100");
	expect(&o, 3, NULL);
	expect_said(&o, w->seen);
	expect_said(&o, "remedy");
	o = run_all("check -p %s -d /out -t roclatch %s", app.pid, w->stage);
	expect(&o, 3, NULL);
	expect_said(&o, w->seen);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

/* check and --dry-run say what would be, and do nothing. */
static void run_told(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = run_all("check -p %s -d /out -t roclatch %s", app.pid, w->stage);

	expect(&o, 0, NULL);
	expect_said(&o, w->seen);
	o = attach(&app, w, "--dry-run");
	expect(&o, 0, NULL);
	expect_said(&o, "would be attached with ");
	expect_said(&o, w->seen);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	world_as_before(&app, world_descriptors(&app), "after looking");
	app_end(&app);
}

/* The program is the only file there is of roclatch. */
static void run_alone(const void *with)
{
	char folder[] = "/tmp/roclatch-alone-XXXXXX", path[64], buffer[65536];
	int from = open(options.roclatch, O_RDONLY | O_CLOEXEC), to;
	ssize_t n;

	require(mkdtemp(folder), "mkdtemp: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/roclatch", folder);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)n) != n)
			fail("cannot copy roclatch");
	close(from);
	close(to);
	options.roclatch = path;
	if (!failed())
		run_staged(with);
	unlink(path);
	rmdir(folder);
}

/* Another tool than roclatch's own, or two: their files are ours alone. */
static void run_other(const void *list)
{
	static const struct world plain = { .stage = "" };
	struct app app = world_start(&plain);
	char words[9000], said[9100], one[4200], *before = strdup(world_descriptors(&app));
	struct outcome o;

	snprintf(one, sizeof(one), "%s", app_path("tools/libsecond.so"));
	if (list)
		snprintf(words, sizeof(words), "-t %s:%s", one, app_path("tools/libroclatch-tool.so"));
	else
		snprintf(words, sizeof(words), "-t %s", one);
	for (unsigned i = 0; i < 2; i++) {
		o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 %s", app.pid, words);

		expect(&o, 0, NULL);
		snprintf(said, sizeof(said), "with %s\n", words + 3);
		expect_said(&o, said);
		world_as_before(&app, before, i ? "after the second attach" : "after the first attach");
	}
	check(app_maps(&app, list ? MEMORY "0-libsecond.so" : MEMORY "libsecond.so"), "the tool is not mapped");
	check(!list || app_maps(&app, MEMORY "1-libroclatch-tool.so"), "the second tool is not mapped");
	/* who names none is told by name */
	o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100", app.pid);
	expect(&o, 0, NULL);
	expect_said(&o, list ? "with libsecond.so:libroclatch-tool.so\n" : "with libsecond.so\n");
	o = run_all("check %s", app.pid);
	expect(&o, 0, NULL);
	check(!strstr(o.out, "/fd/"), "the string of the register is shown: %s", o.out);
	if (!list) {
		o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 -t %s", app.pid,
			app_path("tools/libslow.so"));

		expect(&o, 3, NULL);
		expect_said(&o, "libsecond.so was attached before");
	}
	free(before);
	app_end(&app);
}

/* A tool that fails leaves nothing of what was brought. */
static void run_fails(const void *with)
{
	const struct world *w = with;
	struct app app = world_start(w);
	char *before = strdup(world_descriptors(&app));
	struct outcome o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 %s -t %s", app.pid,
		w->stage, app_path(w->seen));

	expect(&o, 5, NULL);
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	world_as_before(&app, before, "after the failure");
	free(before);
	app_end(&app);
}

/* A root without /proc that we see, too: what the target leaves by ending is removed by the roclatch that lives. */
static void run_ends(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=2", .environment = ATTACHABLE,
		.change_root = true });
	struct outcome o;
	struct run run;
	char pattern[4200];

	(void)unused;
	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "%s/root-rocm/ends-%s", options.fixtures, app.pid);
	require(!mkdir(app.output, 0777), "mkdir: %s", strerror(errno));
	run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out " RECORDS, app.pid, strrchr(app.output, '/'));
	own_wait_for_log(&app, "out.rlog");
	check(world_folder(&app, "")[0], "there is no folder with the tool");
	snprintf(pattern, sizeof(pattern), "%s/root-rocm%s", options.fixtures, strrchr(world_folder(&app, ""), '/'));
	kill(app.t.pid, SIGKILL);
	o = run_end(&run, 60000);
	check(o.status == 4 || o.status == 0, "roclatch ended with %d: %s", o.status, o.err);
	check(access(pattern, F_OK), "%s is there", pattern);
	waitpid(app.t.pid, NULL, 0);
	app_forget(&app);
}

/* What the target sees is left where it is. */
static void run_seen(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -t roclatch -d %s -o out --stage memfd --verbose --attach-duration-msec 100 "
		RECORDS, app.pid, app.output);

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "nothing is staged");
	check(!app_maps(&app, MEMORY) && app_maps(&app, "libroclatch-tool.so"), "the tool was brought all the same");
	app_end(&app);
}

#define IN_MEMORY MEMORY "libroclatch-tool.so"
#define AS_FILE "/tmp/.roclatch-"

static const struct {
	struct world world;             /* seen: in its maps; in what is said, for refusals and looks */
	void (*run)(const void *world);
	const char *name;
} tests[] = {
	{ { .stage = "--stage memfd", .seen = IN_MEMORY }, run_staged,
		"a tool that the target does not see is brought in memory, again and again" },
	{ { .stage = "--stage file", .seen = AS_FILE }, run_staged,
		"a tool that the target does not see is brought as a file, again and again" },
	{ { .stage = "", .late = true, .seen = IN_MEMORY }, run_staged, "a tool is brought in memory and attached late" },
	{ { .stage = "--stage file", .late = true, .seen = AS_FILE }, run_staged,
		"a tool is brought as a file and attached late" },
	{ { .stage = "", .uid = 65534, .seen = IN_MEMORY }, run_staged,
		"a tool is brought in memory to a target of another user" },
	{ { .stage = "", .read_only = true, .seen = IN_MEMORY }, run_staged,
		"a tool is brought in memory to a target that can write nowhere" },
	{ { .stage = "", .noexec = true, .seen = IN_MEMORY }, run_staged,
		"a tool is brought in memory where all is mounted noexec" },
	{ { .stage = "--stage memfd", .own_pids = true, .seen = IN_MEMORY }, run_staged,
		"a tool is brought in memory to a pid namespace whose files in memory may not be run" },
	{ { .stage = "", .no_proc = true, .seen = AS_FILE }, run_staged, "a tool is brought as a file to a target without /proc" },
	{ { .stage = "", .without_memfd = true, .seen = AS_FILE }, run_staged,
		"a tool is brought as a file where memfd_create would kill the target" },
	{ { .stage = "", .seen = IN_MEMORY }, run_alone, "roclatch as the only file brings the tool that is built in" },
	{ { .stage = "--stage file", .seen = AS_FILE }, run_file, "a tool that is brought as a file has modes that all can read" },
	{ { .stage = "--stage file", .uid = 65534, .seen = AS_FILE }, run_file,
		"a tool that is brought as a file belongs to the target's user" },
	{ { .stage = "--stage memfd", .uid = 65534 }, run_as_user,
		"a tool is brought in memory by a roclatch of the target's user" },
	{ { .stage = "--stage file", .uid = 65534 }, run_as_user,
		"a tool is brought as a file by a roclatch of the target's user" },
	{ { .stage = "", .seen = "tools/libcrashes.so" }, run_fails,
		"a tool that is brought in memory and crashes leaves nothing of that" },
	{ { .stage = "--stage file", .seen = "tools/librefuses.so" }, run_fails,
		"a tool that is brought as a file and refuses leaves nothing of that" },
	{ { .stage = "", .seen = "--stage memfd" }, run_told, "check and a dry run tell that a tool would be brought in memory" },
	{ { .stage = "--stage file", .seen = "below /tmp" }, run_told,
		"check and a dry run tell that a tool would be brought as a file" },
	{ { .stage = "--stage none", .seen = "does not see" }, run_refused, "a tool that may not be brought is refused" },
	{ { .stage = "--stage file", .read_only = true, .seen = "no folder" }, run_refused,
		"a tool to be brought as a file is refused where the target can write nowhere" },
	{ { .stage = "--stage file", .noexec = true, .seen = "noexec" }, run_refused,
		"a tool to be brought as a file is refused where all is mounted noexec" },
	{ { .stage = "--stage memfd", .no_proc = true, .seen = "/proc" }, run_refused,
		"a tool to be brought in memory is refused without /proc" },
	{ { .stage = "", .files = 6, .seen = "open no more" }, run_refused,
		"no tool is brought to a target that can open no more files" },
};

void add_rocm_staged_tests(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		add(MIXED, tests[i].run, &tests[i].world, "%s", tests[i].name);
	add(MIXED, run_other, NULL, "another tool is brought in memory, and known again");
	add(MIXED, run_other, "two", "two tools are brought in memory, and known again");
	add(MIXED, run_seen, NULL, "a tool that the target sees is not brought");
	add(MIXED, run_ends, NULL, "a tool that is brought as a file is removed when the target ends");
}
