/* SPDX-License-Identifier: MIT */
#include "bin/dropin/sessions.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bin/dropin/host.h"
#include "bin/dropin/status.h"
#include "rocp/select.h"

/* The tool writes its output while it is detached. */
#define DETACH_LIMIT_MS 1800000u

enum session_state { SESSION_BEGINS, SESSION_ATTACHED, SESSION_ENDS };

struct session {
	struct session *next;
	pid_t pid;
	pid_t root;             /* of the tree that it came with, or 0 */
	enum session_state state;
	struct request request;
	struct attachment attachment;
};

/* The lock is never held while a process is worked on: a session that begins or ends
 * belongs to the thread that began or ends it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions;

static struct session **find(pid_t pid)
{
	struct session **at = &sessions;
	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void discard(struct session *session)
{
	attachment_close(&session->attachment);
	request_free(&session->request);
	free(session);
}

static void leave(struct session *session)
{
	pthread_mutex_lock(&lock);
	struct session **at = find(session->pid);
	*at = session->next;
	pthread_mutex_unlock(&lock);
	discard(session);
}

/* A place in the table; NULL if the process has one.  One that has ended leaves its own to the next. */
static struct session *enter(pid_t pid, pid_t root)
{
	struct session *session = calloc(1, sizeof *session), *old = NULL;
	if (!session)
		return NULL;
	*session = (struct session){ .pid = pid, .root = root, .attachment.session = -1 };
	pthread_mutex_lock(&lock);
	struct session **at = find(pid);
	if (*at && (*at)->state == SESSION_ATTACHED && !target_alive(&(*at)->attachment.target)) {
		old = *at;
		*at = old->next;
	}
	bool taken = *find(pid) != NULL;
	if (!taken) {
		session->next = sessions;
		sessions = session;
	}
	pthread_mutex_unlock(&lock);
	if (old)
		discard(old);
	if (!taken)
		return session;
	free(session);
	return NULL;
}

/* The session that is attached, for the caller to end; NULL if there is none. */
static struct session *take(pid_t pid)
{
	pthread_mutex_lock(&lock);
	struct session *session = *find(pid);
	if (session && session->state != SESSION_ATTACHED)
		session = NULL;
	if (session)
		session->state = SESSION_ENDS;
	pthread_mutex_unlock(&lock);
	return session;
}

static void publish(struct session *session)
{
	pthread_mutex_lock(&lock);
	session->state = SESSION_ATTACHED;
	pthread_mutex_unlock(&lock);
}

static int read_request(struct request *request, pid_t pid, struct err *err)
{
	char option[] = "-p", id[16], *argv[] = { option, id, NULL };
	snprintf(id, sizeof id, "%d", (int)pid);
	char **environment = host_environment();
	if (!environment)
		return err_set(err, ERR_FAILED, ENOMEM, "read the environment");
	int rc = request_read(request, STYLE_ROCPROF_ATTACH, 2, argv, environment, host_is_secure(), err);
	free(environment);
	for (size_t i = 0; i < request->warnings.n; i++)
		host_log(LOG_WARNING, "%s", request->warnings.v[i]);
	return rc;
}

/* A descendant that was not made for attachment is none of ours. */
static bool is_bystander(const struct attachment *attachment)
{
	return attachment->opened && !attachment->view.listener && !attachment->preflight.can_attach;
}

static int begin(struct session *session, bool optional, bool *skipped, struct err *err)
{
	struct attachment *attachment = &session->attachment;
	if (read_request(&session->request, session->pid, err) < 0 ||
	    attachment_open(attachment, session->pid, &session->request, &host_say, err) < 0)
		return -1;
	*skipped = optional && is_bystander(attachment);
	if (*skipped)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "left out");
	int rc = attachment_begin(attachment, &session->request, err);
	struct err why = { 0 };
	if (rc < 0 && attachment_roll_back(attachment, &session->request, &why) < 0)
		host_log_error(&why);
	return rc;
}

static rocattach_status_t attach_one(pid_t pid, pid_t root, bool optional)
{
	struct err err = { 0 };
	bool skipped = false;
	struct session *session = enter(pid, root);
	if (!session) {
		host_log(LOG_ERROR, "process %d is attached already, or about to be", (int)pid);
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	}
	host_log(LOG_INFO, "attaching to process %d", (int)pid);
	if (begin(session, optional, &skipped, &err) == 0) {
		host_log(LOG_INFO, "attached to process %d", (int)pid);
		publish(session);
		return ROCATTACH_STATUS_SUCCESS;
	}
	rocattach_status_t status = status_of(pid, &session->attachment.preflight, &err);
	skipped = skipped || (optional && status == ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND);
	leave(session);
	if (skipped) {
		host_log(LOG_INFO, "process %d is left out: it does not support attachment, or is gone", (int)pid);
		return ROCATTACH_STATUS_SUCCESS;
	}
	err_wrap(&err, "attach %d", (int)pid);
	host_log_error(&err);
	return status;
}

static rocattach_status_t detach_one(struct session *session)
{
	struct attachment *attachment = &session->attachment;
	struct err err = { 0 };
	pid_t pid = session->pid;
	host_log(LOG_INFO, "detaching from process %d", (int)pid);
	session->request.timeout_ms = DETACH_LIMIT_MS;
	if (attachment_end(attachment, &session->request, &err) == 0) {
		host_log(LOG_INFO, "detached from process %d", (int)pid);
		leave(session);
		return ROCATTACH_STATUS_SUCCESS;
	}
	/* what spoke against an attachment does not matter here */
	rocattach_status_t status = status_of(pid, &(struct preflight){ .n = 0 }, &err);
	/* as long as it is attached, it can be tried again */
	if (target_alive(&attachment->target) && attachment->view.attached && err.code != ERR_RESIDUE)
		publish(session);
	else
		leave(session);
	err_wrap(&err, "detach %d", (int)pid);
	host_log_error(&err);
	return status;
}

rocattach_status_t sessions_attach(pid_t pid)
{
	return pid > 0 ? attach_one(pid, 0, false) : ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
}

rocattach_status_t sessions_detach(pid_t pid)
{
	struct session *session = take(pid);
	if (session)
		return detach_one(session);
	host_log(LOG_ERROR, "process %d is not attached by this program", (int)pid);
	return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
}

bool sessions_has(pid_t pid)
{
	pthread_mutex_lock(&lock);
	struct session *session = *find(pid);
	bool lives = session && session->state == SESSION_ATTACHED && target_alive(&session->attachment.target);
	pthread_mutex_unlock(&lock);
	return lives;
}

/* Some that are attached now, each once, the oldest first: all, or those of a tree. */
static pid_t *attached(bool all, pid_t root, size_t *n)
{
	size_t count = 0;
	*n = 0;
	pthread_mutex_lock(&lock);
	for (struct session *at = sessions; at; at = at->next)
		count++;
	pid_t *pids = calloc(count + 1, sizeof *pids);
	for (struct session *at = sessions; at && pids; at = at->next)
		if (at->state == SESSION_ATTACHED && (all || at->root == root))
			pids[count - ++*n] = at->pid;
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; pids && i < *n; i++)
		pids[i] = pids[count - *n + i];
	return pids;
}

static rocattach_status_t detach_each(const pid_t *pids, size_t n)
{
	rocattach_status_t last = ROCATTACH_STATUS_SUCCESS;
	for (size_t i = 0; i < n; i++) {
		struct session *session = take(pids[i]);
		rocattach_status_t status = session ? detach_one(session) : ROCATTACH_STATUS_SUCCESS;
		if (status != ROCATTACH_STATUS_SUCCESS)
			last = status;
	}
	return last;
}

rocattach_status_t sessions_detach_all(pid_t unused)
{
	size_t n;
	(void)unused;
	pid_t *pids = attached(true, 0, &n);
	rocattach_status_t status = pids ? detach_each(pids, n) : ROCATTACH_STATUS_ERROR;
	free(pids);
	return status;
}

rocattach_status_t sessions_detach_tree(pid_t root)
{
	size_t n;
	if (root <= 0)
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	pid_t *pids = attached(false, root, &n);
	rocattach_status_t status = !pids ? ROCATTACH_STATUS_ERROR :
		n ? detach_each(pids, n) : ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	free(pids);
	return status;
}

static int find_family(pid_t root, struct selection *family, struct err *err)
{
	struct request request = { 0 };
	int rc = read_request(&request, root, err);
	if (rc == 0) {
		request.children = true;
		rc = select_processes(family, &request, SELECT_PROC, err);
	}
	request_free(&request);
	return rc;
}

rocattach_status_t sessions_attach_tree(pid_t root)
{
	struct selection family = { 0 };
	struct err err = { 0 };
	if (root <= 0)
		return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
	if (find_family(root, &family, &err) < 0) {
		host_log_error(&err);
		return status_of(root, &(struct preflight){ .n = 0 }, &err);
	}
	rocattach_status_t last = attach_one(root, root, false);
	bool rooted = last == ROCATTACH_STATUS_SUCCESS;
	for (size_t i = 1; rooted && i < family.n; i++) {
		rocattach_status_t status = attach_one(family.v[i].pid, root, true);
		if (status != ROCATTACH_STATUS_SUCCESS)
			last = status;
	}
	selection_free(&family);
	return last;
}
