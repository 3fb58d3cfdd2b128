/* SPDX-License-Identifier: MIT */
/*
 * Several targets at once.  Each has a worker process: tracing belongs to one
 * thread, and what goes wrong with one target does not touch another.  All look
 * first; then one byte in a pipe is the word to all of them to attach.  A worker
 * whose roclatch is gone (its socket ends) detaches by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bin/crew.h"
#include "bin/remedy.h"
#include "inject/thread.h"

#define STRAGGLERS_MS 10000     /* the others wait for one that is not ready */
#define BEGIN_MS 30000          /* and as long for one that attaches */
#define GIVE_UP_MS 5000         /* at the end, one that is still looking is waited for */

static void worker_begins(struct crew *crew, size_t i, const int pair[2])
{
	static const int parents[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t s = 0; s < sizeof parents / sizeof *parents; s++)
		signal(parents[s], SIG_IGN);
	for (size_t w = 0; w < crew->list->n; w++)
		if (w != i && crew->workers[w].socket >= 0)
			close(crew->workers[w].socket);
	close(pair[0]);
	close(crew->gate[1]);
	worker_run(crew, i, pair[1]);
	_exit(0);
}

static int cannot_start(struct err *err, int why, const char *what)
{
	err_set(err, ERR_FAILED, why, "no worker for it could be started: %s", what);
	remedy_by_cause("attach", err);
	return -1;
}

int crew_start(struct crew *crew, size_t i)
{
	struct worker *worker = &crew->workers[i];
	struct err *err = &crew->list->v[i].err;
	int pair[2];
	*worker = (struct worker){ .socket = -1, .state = WORKER_DONE };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return cannot_start(err, errno, "socketpair");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		worker_begins(crew, i, pair);
	close(pair[1]);
	if (pid < 0) {
		int why = errno;
		close(pair[0]);
		return cannot_start(err, why, "fork");
	}
	*worker = (struct worker){ .pid = pid, .socket = pair[0], .state = WORKER_LOOKS };
	crew->fd[i] = pair[0];
	return 0;
}

/* What a worker has not told must be told for it.  waited: it has looked, and done nothing else. */
static void tell_for(enum worker_state state, bool waited, bool given, int pid, struct err *err)
{
	if (state == WORKER_ATTACHED) {
		err_set(err, ERR_RESIDUE, 0, "the worker for process %d was lost; it is still attached", pid);
		err_remedy(err, "roclatch detach -p %d ends it", pid);
	} else if (wait_signal() && !given) {
		err_set(err, (enum err_code)(ERR_SIGNAL + wait_signal()), 0, "stopped by a signal before anything was done");
	} else if (waited || state == WORKER_LOOKS) {
		err_set(err, ERR_TIMEOUT, 0, "process %d was not ready before the end", pid);
		err_remedy(err, "record for longer (--attach-duration-msec), or attach it alone");
	} else {
		err_set(err, ERR_RESIDUE, 0, "the worker for process %d was lost while it attached", pid);
		err_remedy(err, "roclatch check %d tells how it is; roclatch detach -p %d ends what is attached", pid, pid);
	}
}

static void worker_lost(struct crew *crew, size_t i)
{
	struct worker *worker = &crew->workers[i];
	struct outcome *outcome = &crew->list->v[i];
	int status = 0;
	close(worker->socket);
	worker->socket = crew->fd[i] = -1;
	waitpid(worker->pid, &status, 0);
	bool waited = WIFEXITED(status) && worker->state == WORKER_READY;       /* and nothing else */
	outcome->skipped |= waited && outcome->followed;
	if (worker->state != WORKER_DONE && !outcome->err.code)
		tell_for(worker->state, waited, crew->given, (int)outcome->pid, &outcome->err);
	worker->state = WORKER_DONE;
}

/* A worker has something to tell, or is gone. */
static void hear(struct crew *crew, size_t i)
{
	struct worker *worker = &crew->workers[i];
	struct outcome *outcome = &crew->list->v[i];
	static struct outcome told;
	if (!receive_all(worker->socket, &told, sizeof told)) {
		worker_lost(crew, i);
		return;
	}
	*outcome = told;
	worker->state = outcome->attached ? WORKER_ATTACHED : WORKER_READY;
	if (outcome->err.code || outcome->detached_at_ns || crew->request->dry_run || (outcome->attached && crew->request->keep)) {
		worker->state = WORKER_DONE;
		crew->fd[i] = -1;       /* its end is no news */
	}
}

static size_t count(const struct crew *crew, enum worker_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < crew->list->n; i++)
		n += crew->workers[i].state == state;
	return n;
}

static bool all_looked(void *ctx, size_t i)
{
	struct crew *crew = ctx;
	if (i < crew->list->room)
		hear(crew, i);
	return !count(crew, WORKER_LOOKS);
}

static bool all_begun(void *ctx, size_t i)
{
	struct crew *crew = ctx;
	if (i < crew->list->room)
		hear(crew, i);
	return !count(crew, WORKER_READY);
}

static enum wait_end await_all(struct crew *crew, bool (*over)(void *, size_t), uint64_t limit_ms)
{
	return wait_for_end(&(struct waiting){ .has_duration = limit_ms != 0, .duration_ms = limit_ms, .no_input = true,
					       .fd = crew->fd, .n = crew->list->room, .over = over, .ctx = crew });
}

/* Everybody looks; then the word goes to all at once, at the time that was asked for.  false: a signal came first. */
static bool begin_together(struct crew *crew)
{
	const struct request *request = crew->request;
	int64_t until = request->at_ns ? (request->at_ns - wall_ns()) / 1000000 : 0;
	enum wait_end end = await_all(crew, all_looked, request->dry_run ? 0 : until > 0 ? (uint64_t)until : STRAGGLERS_MS);
	if (end == WAIT_DURATION && until > 0 && !count(crew, WORKER_READY))
		end = await_all(crew, all_looked, STRAGGLERS_MS);       /* the time is over, and nobody was ready */
	if (end == WAIT_SIGNAL || request->dry_run)
		return end != WAIT_SIGNAL;
	if (request->at_ns && count(crew, WORKER_READY))
		report_at(request, crew->out);
	if (request->at_ns && count(crew, WORKER_READY) && !wait_until(request->at_ns, !request->json))
		return false;
	size_t missing = count(crew, WORKER_LOOKS);
	if (missing)
		output_note(crew->out, "%zu of %zu processes %s not ready in time: attached when %s", missing, crew->list->n,
			    missing == 1 ? "is" : "are", missing == 1 ? "it is" : "they are");
	crew->given = write(crew->gate[1], "a", 1) == 1;
	await_all(crew, all_begun, BEGIN_MS);
	return true;
}

static bool nothing_left(const struct crew *crew)
{
	return !count(crew, WORKER_ATTACHED) && !count(crew, WORKER_LOOKS) && !count(crew, WORKER_READY) &&
	       !(crew->following && follow_may_come(crew));
}

/* News while the others record. */
static bool worker_tells(void *ctx, size_t i)
{
	struct crew *crew = ctx;
	if (i < crew->list->room) {
		enum worker_state before = crew->workers[i].state;
		hear(crew, i);
		if (before == WORKER_READY && crew->workers[i].state == WORKER_ATTACHED)
			report_begin(&crew->list->v[i], crew->request, crew->out);
	} else if (crew->following) {
		follow_look(crew);
	}
	return nothing_left(crew);
}

static uint64_t next_look(void *ctx)
{
	const struct crew *crew = ctx;
	return crew->following ? follow_due(crew->following) : UINT64_MAX;
}

static void crew_so_far(void *ctx, char *text, size_t size)
{
	const struct crew *crew = ctx;
	uint64_t records = 0, bytes = 0;
	bool known = false;
	for (size_t i = 0; i < crew->list->n; i++) {
		records += atomic_load(&crew->so_far[i].records);
		bytes += atomic_load(&crew->so_far[i].bytes);
		known |= atomic_load(&crew->so_far[i].known);
	}
	if (known)
		snprintf(text, size, "%s records, %s", count_text(records), bytes_text(bytes));
}

static enum wait_end wait_for_crew(struct crew *crew)
{
	const struct request *request = crew->request;
	enum wait_end end = wait_for_end(&(struct waiting){
		.has_duration = request->has_duration, .duration_ms = request->duration_ms, .fd = crew->fd, .n = crew->list->room,
		.over = worker_tells, .due = next_look, .ctx = crew, .show = !request->json, .doing = "recording", .so_far = crew_so_far });
	bool gone = false;
	for (size_t i = 0; i < crew->list->n; i++)
		gone |= crew->list->v[i].err.code == ERR_TARGET_EXITED;
	return end == WAIT_GONE && !gone ? WAIT_STOPPED : end;
}

/* All detach at the same time.  One that still looks has done nothing, and may be ended. */
static void end_all(struct crew *crew)
{
	uint64_t limit = now_ns() + GIVE_UP_MS * UINT64_C(1000000);
	for (size_t i = 0; i < crew->list->n; i++)
		if (crew->workers[i].socket >= 0 && !crew->request->keep)
			send_all(crew->workers[i].socket, "d", 1);
	for (size_t i = 0; i < crew->list->n; i++) {
		struct worker *worker = &crew->workers[i];
		while (worker->socket >= 0) {
			uint64_t now = now_ns();
			struct pollfd fd = { .fd = worker->socket, .events = POLLIN };
			if (worker->state == WORKER_LOOKS && poll(&fd, 1, now < limit ? (int)((limit - now) / 1000000) : 0) == 0)
				kill(worker->pid, SIGKILL);
			hear(crew, i);
		}
	}
}

static int prepare(struct crew *crew)
{
	size_t room = crew->list->room;
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;        /* one socket for each */
		setrlimit(RLIMIT_NOFILE, &files);
	}
	crew->workers = calloc(room, sizeof *crew->workers);
	crew->fd = calloc(room, sizeof *crew->fd);
	crew->so_far = mmap(NULL, room * sizeof *crew->so_far, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!crew->workers || !crew->fd || crew->so_far == MAP_FAILED || pipe2(crew->gate, O_CLOEXEC) < 0)
		return -1;
	for (size_t i = 0; i < room; i++) {
		crew->workers[i].socket = -1;
		crew->fd[i] = -1;
	}
	return 0;
}

static void dismiss(struct crew *crew)
{
	for (int i = 0; i < 2; i++)
		if (crew->gate[i] >= 0)
			close(crew->gate[i]);
	if (crew->so_far != MAP_FAILED)
		munmap(crew->so_far, crew->list->room * sizeof *crew->so_far);
	free(crew->workers);
	free(crew->fd);
}

static enum wait_end run(struct crew *crew, bool *waited)
{
	const struct request *request = crew->request;
	struct outcomes *list = crew->list;
	enum wait_end end = WAIT_GONE;
	if (request->follow && !request->dry_run)
		crew->following = follow_begin(crew);
	for (size_t i = 0; i < list->n; i++)
		crew_start(crew, i);
	bool begun = begin_together(crew);
	close(crew->gate[1]);
	crew->gate[1] = -1;
	for (size_t i = 0; begun && i < list->n; i++)
		if (crew->workers[i].state == WORKER_ATTACHED || crew->workers[i].state == WORKER_DONE)
			report_begin(&list->v[i], request, crew->out);
	report_together(list, request, crew->out);
	if (begun && !request->keep && !request->dry_run && !nothing_left(crew)) {
		if (!count(crew, WORKER_ATTACHED))
			output_note(crew->out, "nothing is attached yet: waiting for what comes");
		report_waiting(request, count(crew, WORKER_ATTACHED), crew->out);
		end = wait_for_crew(crew);
		*waited = true;
		report_ending(request, end, crew->out);
	}
	end_all(crew);
	if (crew->following)
		follow_end(crew);
	return begun ? end : WAIT_SIGNAL;
}

enum wait_end record_many(struct outcomes *list, const struct request *request, struct output *out, bool *waited)
{
	struct crew crew = { .list = list, .gate = { -1, -1 }, .request = request, .out = out };
	enum wait_end end = WAIT_GONE;
	if (prepare(&crew) == 0) {
		end = run(&crew, waited);
	} else {
		int why = errno;
		for (size_t i = 0; i < list->n; i++)
			cannot_start(&list->v[i].err, why, "a place for all");
	}
	dismiss(&crew);
	return end;
}
