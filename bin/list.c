/* SPDX-License-Identifier: MIT */
/* roclatch list: which processes use a GPU, and can they be attached?  Reads only. */
#include "bin/list.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "bin/command.h"
#include "inject/thread.h"

const char list_text[] =
	"Lists the processes that use a GPU runtime: HIP or HSA is loaded, or /dev/kfd is open.  Each row\n"
	"shows the container that the process runs in, and whether roclatch attach is possible: now, late\n"
	"only (--late), or no, with the reason.  A recording that attach --keep has left running is shown\n"
	"too.  Children are shown below their parents.  roclatch check PID has the details.  No process is\n"
	"touched.  The status is 0 even if no process is found.\n"
	"\n"
	"CPU% is percent of one CPU since the start of the process; with --watch, since the previous\n"
	"look.  With --watch --json each look is one object on one line.\n"
	"\n"
	"examples:\n"
	"  roclatch list\n"
	"  roclatch list --all --json\n";

#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"
#define LOOK_NS 1000000000u

static int no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, ENOMEM, "print the list");
}

static void empty_text(const struct processes *processes, char *text, size_t size)
{
	if (processes->unread)
		snprintf(text, size, "no process that may be read uses a GPU (HIP, HSA, /dev/kfd); %zu may not be read%s",
			 processes->unread, geteuid() ? ": root sees them" : "");
	else
		snprintf(text, size, "no process uses a GPU (HIP, HSA, /dev/kfd)");
}

#define HIDDEN_TEXT "/proc is mounted with hidepid and does not show processes of others: root sees them all"

/* What is told beside the rows: once, on stderr. */
static void tell(struct output *out, const struct processes *processes, bool *told_empty, bool *told_hidden)
{
	char text[192];
	if (processes->hidden && !*told_hidden)
		output_note(out, HIDDEN_TEXT);
	*told_hidden |= processes->hidden;
	empty_text(processes, text, sizeof text);
	if (!processes->rows && !*told_empty)
		output_note(out, "%s", text);
	*told_empty = !processes->rows;
}

/* ---- a terminal ---- */

static struct winsize terminal_size(void)
{
	struct winsize size = { 0 };
	if (ioctl(1, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return size;
}

/* One write for the whole: what stays the same does not flicker.  No mode of the terminal is
 * changed, so that none is left behind however we end. */
static int show_frame(const struct processes *processes, struct err *err)
{
	char *text = NULL, empty[192];
	size_t size = 0;
	struct winsize window = terminal_size();
	struct list_shape shape = { window.ws_col, (size_t)window.ws_row - 1, CLEAR_LINE "\n" };
	FILE *frame = open_memstream(&text, &size);
	if (!frame)
		return no_memory(err);
	fputs(HOME, frame);
	shape.lines -= shape.lines > 3 && processes->hidden;
	int rc = list_rows(frame, processes, &shape);
	empty_text(processes, empty, sizeof empty);
	if (!processes->rows)
		fprintf(frame, "%.*s%s", (int)window.ws_col, empty, shape.end);
	if (processes->hidden)
		fprintf(frame, "%.*s%s", (int)window.ws_col, HIDDEN_TEXT, shape.end);
	fputs(CLEAR_BELOW, frame);
	if (fclose(frame) || rc < 0) {
		free(text);
		return no_memory(err);
	}
	fwrite(text, 1, size, stdout);
	free(text);
	return 0;
}

/* ---- watching ---- */

/* A second from the last look on; true when a signal has asked to stop. */
static bool wait_for_next(uint64_t begun)
{
	uint64_t now = now_ns(), next = begun + LOOK_NS;
	call_rest(next > now ? next - now : 0);
	return call_stop_signal;
}

static int flushed(struct err *err)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return err_set(err, ERR_FAILED, errno, "write the list");
}

static int show(struct processes *processes, struct output *out, bool first, bool frames, struct err *err)
{
	static bool told_empty, told_hidden;
	if (out->json) {
		list_json(&out->writer, processes);
		return 0;
	}
	if (frames)
		return show_frame(processes, err);
	tell(out, processes, &told_empty, &told_hidden);
	if (!first)
		putchar('\n');
	return list_rows(stdout, processes, &(struct list_shape){ .end = "\n" }) < 0 ? no_memory(err) : 0;
}

/* Every look is an object of its own, with a verdict; at the end there is none to close. */
static int end_look(struct output *out, struct err *err)
{
	if (!out->json)
		return flushed(err);
	int status = output_end(out, &(struct err){ .code = ERR_NONE });
	out->json = false;
	return status ? err_set(err, ERR_FAILED, errno, "write the list") : 0;
}

/* Ctrl-C is how it is meant to end. */
static int end_watch(bool frames, struct err *err)
{
	if (frames)
		fputs("\r" CLEAR_LINE, stdout);
	if (call_stop_signal == SIGINT)
		return 0;
	return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
}

static int watch(struct processes *processes, const struct settings *settings, struct output *out, struct err *err)
{
	const bool frames = !settings->json && isatty(1);
	for (bool first = true;; first = false) {
		uint64_t begun = now_ns();
		if (processes_look(processes, err) < 0)
			return call_stop_signal ? end_watch(frames, err) : -1;
		if (!first && settings->json)
			output_begin(out, "list", true, settings->verbose, false);
		if (show(processes, out, first, frames, err) < 0 || end_look(out, err) < 0)
			return -1;
		if (wait_for_next(begun))
			return end_watch(frames, err);
	}
}

int command_list(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	struct processes processes = {
		.proc = "/proc", .kfd = KFD_SYSTEM, .passwd = USERS_FILE, .all = settings->all, .ask = true };
	(void)operands;
	(void)n;
	int rc = settings->watch ? watch(&processes, settings, out, err) : processes_look(&processes, err);
	if (rc == 0 && !settings->watch)
		rc = show(&processes, out, true, false, err);
	processes_free(&processes);
	return rc;
}
