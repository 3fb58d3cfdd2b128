/* SPDX-License-Identifier: MIT */
/* roclatch selftest: does it work on this machine?  One command, one report. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bin/selftest.h"
#include "inject/thread.h"
#include "rocp/arena.h"
#include "rocp/formats/file.h"

const char selftest_text[] =
	"Tests on this machine what roclatch is for, and writes a report of some 30 lines.  Each step\n"
	"says yes, NO or not here, with the reason and the remedy, and what was recorded is compared with\n"
	"what the program did.  A step that is not possible here is not a failure; the status is that of\n"
	"the first step that failed.  No process is touched except those that it starts, and the one\n"
	"named by --pid.\n"
	"\n"
	"The report contains only facts about kernel, GPU and ROCm.  Please read it, and send it with an\n"
	"issue to the project, even if all went well.\n"
	"\n"
	"steps:\n"
	"  machine   kernel, rights, container\n"
	"  rocm      GPUs, libraries, versions\n"
	"  core      a call into a process, its stack, samples\n"
	"  program   a sample program is compiled by hipcc, and runs\n"
	"  tool      attached with ROCm's own tool, twice\n"
	"  own-tool  the same with roclatch's tool\n"
	"\n"
	"examples:\n"
	"  roclatch selftest\n"
	"  roclatch selftest --program './train.sh --steps 1000'\n";

static const char report_head[] =
	"roclatch " ROCLATCH_VERSION " selftest of %s\n"
	"What this is: how roclatch works on one machine; its kernel, CPU, GPU and ROCm libraries. No\n"
	"environment, no names of users, hosts or processes. Where to send it: with an issue, to the\n"
	"tracker of the roclatch project; say which machine or cloud instance it is, if you may.\n\n";

enum { STEPS = 6 };

void step_fact(struct step *step, const char *fmt, ...)
{
	va_list ap;
	if (!step->facts)
		return;
	va_start(ap, fmt);
	vfprintf(step->facts, fmt, ap);
	va_end(ap);
	putc('\n', step->facts);
}

void step_yes(struct step *step, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(step->err.text, sizeof step->err.text, fmt, ap);
	va_end(ap);
	step->err.remedy[0] = '\0';     /* of what was tried before */
	step->verdict = STEP_YES;
}

void step_no(struct step *step)
{
	step->verdict = STEP_NO;
	if (!step->err.remedy[0])
		err_remedy(&step->err, "send the report with an issue to the project");
}

void step_not_here(struct step *step, const char *text, const char *remedy)
{
	step_yes(step, "%s", text);
	err_remedy(&step->err, "%s", remedy);
	step->verdict = STEP_NOT_HERE;
}

static const char *word(const struct step *step)
{
	return step->verdict == STEP_YES ? "yes" : step->verdict == STEP_NO ? "NO" : "not here";
}

static void put(FILE *to, const struct step *step)
{
	fprintf(to, "%-8s  %-8s  ", word(step), step->name);
	output_safe(to, step->err.text);
	putc('\n', to);
	if (step->verdict != STEP_YES && step->err.remedy[0]) {
		fprintf(to, "%22sremedy: ", "");
		output_safe(to, step->err.remedy);
		putc('\n', to);
	}
	for (const char *at = step->text ? step->text : "", *end; (end = strchr(at, '\n')); at = end + 1) {
		char line[PATH_MAX + 256];
		snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
		fprintf(to, "%22s", "");
		output_safe(to, line);
		putc('\n', to);
	}
	fflush(to);
}

static void put_json(struct json *json, const struct step *step)
{
	json_object(json, NULL);
	json_text(json, "name", step->name);
	json_text(json, "verdict", step->verdict == STEP_NO ? "no" : word(step));
	json_text(json, "text", step->err.text);
	json_text(json, "remedy", step->err.remedy[0] ? step->err.remedy : NULL);
	json_lines(json, "facts", step->text ? step->text : "");
	json_end(json);
}

static void remove_all(const char *folder)
{
	char path[PATH_MAX];
	DIR *open = opendir(folder);
	for (struct dirent *entry; open && (entry = readdir(open));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path && unlink(path) < 0)
			remove_all(path);
	if (open)
		closedir(open);
	rmdir(folder);
}

static int make_folder(struct selftest *selftest, struct err *err)
{
	const char *place = getenv("TMPDIR");
	snprintf(selftest->folder, sizeof selftest->folder, "%.200s/roclatch-selftest-%d-%llx",
		 place && place[0] == '/' ? place : "/tmp", (int)getpid(), (unsigned long long)now_ns());
	if (mkdir(selftest->folder, 0700) == 0)         /* new, and ours alone */
		return 0;
	err_set(err, ERR_FAILED, errno, "make the folder %s", selftest->folder);
	return err_remedy(err, "name one that can be written to by TMPDIR");
}

static int make_report(struct file *file, const struct settings *settings, struct err *err)
{
	char name[sizeof ((struct utsname *)0)->nodename + 64], date[32];
	struct utsname system;
	time_t now = time(NULL);
	uname(&system);
	strftime(date, sizeof date, "%Y%m%d-%H%M%S", gmtime(&now));
	snprintf(name, sizeof name, "roclatch-selftest-%s-%s.txt", system.nodename, date);
	if (file_create(file, settings->output ? settings->output : name, "", err) == 0)
		return 0;
	return err->remedy[0] ? -1 : err_remedy(err, "name a file that can be made by -o FILE");
}

/* Into the report, and where the user sees it. */
static void tell(const struct step *step, FILE *report, struct output *out)
{
	put(report, step);
	if (out->json)
		put_json(&out->writer, step);
	else
		put(stdout, step);
}

static void run_steps(struct selftest *selftest, struct step steps[STEPS], FILE *report, struct output *out)
{
	static const char names[STEPS][12] = { "machine", "rocm", "core", "program", "tool", "own-tool" };
	for (unsigned i = 0; i < STEPS && !call_stop_signal; i++) {
		struct step *step = &steps[i];
		step->name = names[i];
		step->facts = open_memstream(&step->text, &step->size);
		switch (i) {
		case 0: step_machine(selftest, step); break;
		case 1: step_rocm(selftest, step); break;
		case 2: step_core(selftest, step); break;
		case 3: step_program(selftest, step); break;
		case 4: step_tool(selftest, step); break;
		default: step_own_tool(selftest, step);
		}
		if (step->facts)
			fclose(step->facts);
		if (!call_stop_signal)
			tell(step, report, out);
	}
}

/* One sentence, and the first failure. */
static int sum_up(const struct step steps[STEPS], char *text, size_t size, struct err *err)
{
	unsigned count[STEP_NOT_HERE + 1] = { 0 };
	const struct step *failed = NULL;
	for (unsigned i = 0; i < STEPS; i++) {
		count[steps[i].verdict]++;
		if (steps[i].verdict == STEP_NO && !failed)
			failed = &steps[i];
	}
	snprintf(text, size, "%u of %d steps ran: %u passed, %u failed; %u not here", STEPS - count[STEP_NOT_HERE], STEPS,
		 count[STEP_YES], count[STEP_NO], count[STEP_NOT_HERE]);
	if (!failed)
		return 0;
	*err = failed->err;
	return err_wrap(err, "%s", failed->name);
}

static int test(struct selftest *selftest, struct file *file, struct output *out, struct err *err)
{
	struct step steps[STEPS] = { 0 };
	char *text = NULL, sentence[128], date[32];
	size_t size = 0;
	time_t now = time(NULL);
	FILE *report = open_memstream(&text, &size);
	if (!report)
		return err_set(err, ERR_FAILED, errno, "the report");
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
	fprintf(report, report_head, date);
	if (out->json)
		json_array(&out->writer, "steps");
	run_steps(selftest, steps, report, out);
	if (out->json)
		json_end(&out->writer);
	int rc = call_stop_signal ? stopped(err) : sum_up(steps, sentence, sizeof sentence, err);
	if (!call_stop_signal)
		fprintf(report, "%s\n", sentence);
	fclose(report);
	if (!call_stop_signal) {
		file_text(file, text);
		if (file_finish(file, rc ? NULL : err) < 0)
			rc = -1;
		output_text(out, "summary", sentence);
		output_text(out, "report", file->path);
		if (!out->json)
			printf("%s\nreport: %s\n", sentence, file->path);
	}
	for (unsigned i = 0; i < STEPS; i++)
		free(steps[i].text);
	free(text);
	return rc;
}

int command_selftest(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	struct selftest selftest = { .settings = settings, .program = { .in = -1, .out = -1 } };
	struct file file;
	(void)operands;
	(void)n;
	if (settings->pid && (settings->program || settings->hipcc))
		return err_set(err, ERR_USAGE, 0, "-p and --program or --hipcc exclude each other");
	if (make_report(&file, settings, err) < 0)
		return -1;
	int rc = make_folder(&selftest, err);
	if (rc == 0) {
		rc = test(&selftest, &file, out, err);
		program_end(&selftest);
		remove_all(selftest.folder);
	}
	file_abandon(&file);
	arena_free(&selftest.arena);
	return rc;
}
