/* SPDX-License-Identifier: MIT */
/*
 * Several targets at once.  Each has a worker process: tracing belongs to one
 * thread, and what goes wrong with one target does not touch another.  A worker
 * whose roclatch is gone (its socket ends) detaches by itself.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bin/recording.h"

#define LOOK_MS 500

struct worker { pid_t pid; int socket; };
struct crew { struct outcome *outcomes; struct worker *workers; int *fd; size_t n, alive; };

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

/* Until the word to detach comes, or nobody is there to give it; false if the target ends first. */
static bool await_word(const struct attachment *attachment, int socket)
{
	struct pollfd fd[2] = { { .fd = socket, .events = POLLIN }, { .fd = attachment->target.pidfd, .events = POLLIN } };
	for (;;) {
		poll(fd, 2, LOOK_MS);
		if (!target_alive(&attachment->target))
			return false;
		if (fd[0].revents)
			return true;
	}
}

static void work(struct outcome *outcome, const struct request *request, const struct say *say, int socket)
{
	static struct attachment attachment;
	int rc = record_begin(&attachment, outcome, request, say);
	send_all(socket, outcome, sizeof *outcome);
	if (rc < 0 || request->dry_run || request->keep)
		return;
	if (await_word(&attachment, socket))
		record_end(&attachment, outcome, request);
	else
		record_gone(&attachment, outcome);
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
		work(&crew->outcomes[i], request, say, pair[1]);
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

static enum wait_end wait_for_crew(struct crew *crew, const struct request *request)
{
	enum wait_end end = WAIT_SIGNAL;
	crew->fd = calloc(crew->n, sizeof *crew->fd);
	if (!crew->fd)
		return end;
	for (size_t i = 0; i < crew->n; i++)
		crew->fd[i] = crew->outcomes[i].attached ? crew->workers[i].socket : -1;
	end = wait_for_end(&(struct waiting){ request, crew->fd, crew->n, worker_is_over, crew, !request->json });
	free(crew->fd);
	return end;
}

enum wait_end record_many(struct outcome *outcomes, size_t n, const struct request *request,
			  struct output *out, bool *waited)
{
	struct crew crew = { .outcomes = outcomes, .workers = calloc(n, sizeof *crew.workers), .n = n };
	enum wait_end end = WAIT_GONE;
	*waited = false;
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
	free(crew.workers);
	return end;
}
