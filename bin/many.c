/* SPDX-License-Identifier: MIT */
/*
 * Several targets at once.  Each has a worker process: tracing belongs to one
 * thread, and what goes wrong with one target does not touch another.  A worker
 * whose roclatch is gone (its socket ends) detaches by itself.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bin/recording.h"

#define LOOK_MS 500

struct worker { pid_t pid; int socket; };
/* What roclatch's own tool has, told by the workers while it records; in memory that is shared with them. */
struct so_far { _Atomic uint64_t records, bytes; _Atomic bool known; };
struct crew { struct outcome *outcomes; struct worker *workers; struct so_far *so_far; int *fd; size_t n, alive; };

static bool send_all(int socket, const void *data, size_t size)
{
	const char *at = data;
	while (size) {
		ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool receive_all(int socket, void *data, size_t size)
{
	char *at = data;
	while (size) {
		ssize_t n = recv(socket, at, size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* Until the word to detach comes, or nobody is there to give it, or nothing more comes; false if the target ends
 * first. */
static bool await_word(struct recording *recording, struct so_far *so_far, int socket)
{
	const struct target *target = &recording->attachment.target;
	struct pollfd fd[2] = { { .fd = socket, .events = POLLIN }, { .fd = target->pidfd, .events = POLLIN } };
	for (;;) {
		uint64_t records, bytes;
		poll(fd, 2, LOOK_MS);
		if (recorded_so_far(recording, &records, &bytes)) {
			atomic_store(&so_far->records, records);
			atomic_store(&so_far->bytes, bytes);
			atomic_store(&so_far->known, true);
		}
		if (!target_alive(target))
			return false;
		if (fd[0].revents || recorded_stopped(recording))
			return true;
	}
}

static void work(struct outcome *outcome, const struct request *request, const struct say *say, struct so_far *so_far,
		 int socket)
{
	static struct recording recording;
	int rc = record_begin(&recording, outcome, request, say);
	send_all(socket, outcome, sizeof *outcome);
	if (rc < 0 || request->dry_run || request->keep)
		return;
	if (await_word(&recording, so_far, socket))
		record_end(&recording, outcome, request);
	else
		record_gone(&recording, outcome, request);
	send_all(socket, outcome, sizeof *outcome);
}

static int start(struct crew *crew, size_t i, const struct request *request, const struct say *say)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set(&crew->outcomes[i].err, ERR_FAILED, errno, "socketpair");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		static const int parents[] = { SIGINT, SIGTERM, SIGHUP };
		for (size_t s = 0; s < sizeof parents / sizeof *parents; s++)
			signal(parents[s], SIG_IGN);
		for (size_t w = 0; w < i; w++)
			close(crew->workers[w].socket);
		close(pair[0]);
		work(&crew->outcomes[i], request, say, &crew->so_far[i], pair[1]);
		_exit(0);
	}
	close(pair[1]);
	crew->workers[i] = (struct worker){ .pid = pid, .socket = pair[0] };
	if (pid > 0)
		return 0;
	close(pair[0]);
	crew->workers[i].socket = -1;
	return err_set(&crew->outcomes[i].err, ERR_FAILED, errno, "fork");
}

/* A worker has something to tell, or is gone. */
static void hear(struct crew *crew, size_t i)
{
	struct worker *worker = &crew->workers[i];
	struct outcome *outcome = &crew->outcomes[i], told;
	if (receive_all(worker->socket, &told, sizeof told)) {
		*outcome = told;
		return;
	}
	close(worker->socket);
	worker->socket = -1;
	waitpid(worker->pid, NULL, 0);
	if (outcome->attached && !outcome->detached && !outcome->err.code)
		err_set(&outcome->err, ERR_RESIDUE, 0, "the worker for process %d was lost; it is still attached",
			(int)outcome->pid);
}

static bool worker_is_over(void *ctx, size_t i)
{
	struct crew *crew = ctx;
	if (i == crew->n)
		return crew->alive == 0;
	hear(crew, i);
	crew->fd[i] = -1;       /* its end is no news */
	return --crew->alive == 0;
}

static void crew_so_far(void *ctx, char *text, size_t size)
{
	const struct crew *crew = ctx;
	uint64_t records = 0, bytes = 0;
	bool known = false;
	for (size_t i = 0; i < crew->n; i++) {
		records += atomic_load(&crew->so_far[i].records);
		bytes += atomic_load(&crew->so_far[i].bytes);
		known |= atomic_load(&crew->so_far[i].known);
	}
	if (known)
		snprintf(text, size, "%s records, %s", count_text(records), bytes_text(bytes));
}

static enum wait_end wait_for_crew(struct crew *crew, const struct request *request)
{
	enum wait_end end = WAIT_SIGNAL;
	crew->fd = calloc(crew->n, sizeof *crew->fd);
	if (!crew->fd)
		return end;
	for (size_t i = 0; i < crew->n; i++)
		crew->fd[i] = crew->outcomes[i].attached ? crew->workers[i].socket : -1;
	end = wait_for_end(&(struct waiting){ .has_duration = request->has_duration, .duration_ms = request->duration_ms,
					      .fd = crew->fd, .n = crew->n, .over = worker_is_over, .ctx = crew,
					      .show = !request->json, .doing = "recording", .so_far = crew_so_far });
	free(crew->fd);
	bool gone = false;
	for (size_t i = 0; i < crew->n; i++)
		gone |= crew->outcomes[i].err.code == ERR_TARGET_EXITED;
	return end == WAIT_GONE && !gone ? WAIT_STOPPED : end;
}

enum wait_end record_many(struct outcome *outcomes, size_t n, const struct request *request,
			  struct output *out, bool *waited)
{
	struct crew crew = { .outcomes = outcomes, .workers = calloc(n, sizeof *crew.workers), .n = n };
	enum wait_end end = WAIT_GONE;
	*waited = false;
	crew.so_far = mmap(NULL, n * sizeof *crew.so_far, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew.so_far == MAP_FAILED) {
		free(crew.workers);
		crew.workers = NULL;
	}
	for (size_t i = 0; crew.workers && i < n; i++)
		start(&crew, i, request, &out->say);
	for (size_t i = 0; crew.workers && i < n; i++) {
		if (crew.workers[i].socket >= 0)
			hear(&crew, i);
		crew.alive += outcomes[i].attached;
		report_begin(&outcomes[i], request, out);
	}
	if (crew.alive && !request->keep) {
		report_waiting(request, crew.alive, out);
		end = wait_for_crew(&crew, request);
		*waited = true;
		report_ending(request, end, out);
	}
	for (size_t i = 0; crew.workers && i < n; i++)
		if (crew.workers[i].socket >= 0 && outcomes[i].attached && !request->keep)
			send_all(crew.workers[i].socket, "d", 1);
	for (size_t i = 0; crew.workers && i < n; i++)
		while (crew.workers[i].socket >= 0)
			hear(&crew, i);
	if (crew.so_far != MAP_FAILED)
		munmap(crew.so_far, n * sizeof *crew.so_far);
	free(crew.workers);
	return end;
}
