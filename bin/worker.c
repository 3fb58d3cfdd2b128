/* SPDX-License-Identifier: MIT */
/*
 * One target of several, in a process of its own: it looks, says that it is ready, attaches when the
 * word is given to all, and detaches when it is told to, or when nobody is there any more to tell it.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "bin/crew.h"
#include "bin/remedy.h"
#include "inject/thread.h"
#include "rocp/output_name.h"

#define LOOK_MS 500
#define STALE_NS UINT64_C(5000000000)           /* what was seen so long ago is looked at again */
#define LEAD_NS INT64_C(2000000000)             /* so long before --at, and this more for each process */
#define LEAD_EACH_NS INT64_C(30000000)

bool send_all(int socket, const void *data, size_t size)
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

bool receive_all(int socket, void *data, size_t size)
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

/* 1: the word was given; 0: not within ms (-1: no limit); -1: it will not be, or all is to end already. */
static int await_gate(int gate, int socket, int64_t ms)
{
	struct pollfd fd[2] = { { .fd = socket, .events = POLLIN }, { .fd = gate, .events = POLLIN } };
	if (poll(fd, 2, ms < 0 ? -1 : ms > INT32_MAX ? INT32_MAX : (int)ms) <= 0)
		return 0;
	return fd[0].revents || !(fd[1].revents & POLLIN) ? -1 : 1;
}

static int look_again(struct recording *recording, struct outcome *outcome, const struct crew *crew)
{
	recording_close(recording);
	return record_look(recording, outcome, crew->request, &crew->out->say);
}

/* Whether to attach now; if not, the outcome says why where there is something to say. */
static bool may_begin(struct recording *recording, struct outcome *outcome, const struct crew *crew, int socket)
{
	int64_t at = crew->request->at_ns, lead = LEAD_NS + LEAD_EACH_NS * (int64_t)crew->list->n;
	int word = await_gate(crew->gate[0], socket, 0);
	outcome->late = word > 0 && !outcome->followed;
	while (word == 0) {
		int64_t left = at ? (at - lead - wall_ns()) / 1000000 : -1;
		word = await_gate(crew->gate[0], socket, left > 0 ? left : -1);
		if (word == 0 && at && wall_ns() >= at - lead && now_ns() - recording->looked_ns > STALE_NS &&
		    look_again(recording, outcome, crew) < 0)
			return false;
	}
	if (word > 0 && now_ns() - recording->looked_ns > STALE_NS && look_again(recording, outcome, crew) < 0)
		return false;
	return word > 0;
}

/* Until the word to detach comes, or nobody is there to give it, or nothing more comes; false if the target ends
 * first. */
static bool await_end(struct recording *recording, struct so_far *so_far, int socket)
{
	struct pollfd fd[2] = { { .fd = socket, .events = POLLIN },
				{ .fd = recording->attachment.target.pidfd, .events = POLLIN } };
	for (;;) {
		uint64_t records, bytes;
		poll(fd, 2, LOOK_MS);
		if (record_is_over(recording))
			return false;
		if (recorded_so_far(recording, &records, &bytes)) {
			atomic_store(&so_far->records, records);
			atomic_store(&so_far->bytes, bytes);
			atomic_store(&so_far->known, true);
		}
		if (fd[0].revents || recorded_stopped(recording))
			return true;
	}
}

/* What is asked for, with a name of the files that is this process's alone. */
static int own_request(struct crew *crew, const struct outcome *outcome, struct err *err)
{
	static struct request mine;
	const struct env *env = &crew->request->env;
	const char *name = env_get(env, OUTPUT_NAME_VARIABLE);
	char longer[PATH_MAX];
	if (snprintf(longer, sizeof longer, "%s_%d", name, (int)outcome->pid) >= (int)sizeof longer)
		return err_set(err, ERR_USAGE, ENAMETOOLONG, "the name of its files");
	mine = *crew->request;
	mine.env = (struct env){ 0 };
	for (size_t i = 0; i < env->n; i++)
		if (env_set(&mine.env, env->v[i].name, env->v[i].value, err) < 0)
			return -1;
	crew->request = &mine;
	return env_set(&mine.env, OUTPUT_NAME_VARIABLE, longer, err);
}

/* Each tells its own remedy, as the run does. */
static void tell(int socket, struct outcome *outcome)
{
	remedy_by_cause("attach", &outcome->err);
	send_all(socket, outcome, sizeof *outcome);
}

void worker_run(struct crew *crew, size_t i, int socket)
{
	static struct recording recording;
	struct outcome *outcome = &crew->list->v[i];
	int rc = crew->list->name_each ? own_request(crew, outcome, &outcome->err) : 0;
	const struct request *request = crew->request;
	if (rc == 0)
		rc = record_look(&recording, outcome, request, &crew->out->say);
	outcome->ready = rc == 0 && !request->dry_run;
	tell(socket, outcome);
	if (!outcome->ready)
		return;
	bool begin = may_begin(&recording, outcome, crew, socket);
	if (begin)
		rc = record_begin(&recording, outcome, request);
	if (begin || outcome->err.code)
		tell(socket, outcome);
	if (!begin || rc < 0 || request->keep)
		return;
	if (await_end(&recording, &crew->so_far[i], socket))
		record_end(&recording, outcome, request);
	else
		record_gone(&recording, outcome, request);
	tell(socket, outcome);
}
