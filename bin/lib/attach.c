/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bin/lib/answer.h"
#include "inject/aside.h"
#include "rocp/own_tool.h"

#define DETACH_LIMIT_MS 120000  /* the tool may write its output then */

struct roclatch_attachment {
	pthread_mutex_t lock;
	pid_t pid;
	const struct roclatch_attach_options *options;
	struct request request;
	struct attachment attachment;
	struct own_log log;
	struct roclatch_detached detached;
	struct err err;
};

static struct roclatch_attachment *make(pid_t pid, struct roclatch_error *err)
{
	struct err none = { 0 };
	struct roclatch_attachment *it = calloc(1, sizeof *it);
	if (it) {
		pthread_mutex_init(&it->lock, NULL);
		it->pid = pid;
		it->attachment.session = -1;
		it->log.folder = -1;
		return it;
	}
	err_set(&none, ERR_FAILED, ENOMEM, "process %d", (int)pid);
	answer_error(err, &none);
	return NULL;
}

void roclatch_attachment_close(struct roclatch_attachment *it)
{
	if (!it)
		return;
	own_log_close(&it->log);
	attachment_close(&it->attachment);
	request_free(&it->request);
	pthread_mutex_destroy(&it->lock);
	free(it);
}

/* The tool is there: if it is ours, does it record? */
static int begin_log(struct roclatch_attachment *it)
{
	int found = own_log_open(&it->log, &it->attachment, &it->err);
	return found == 1 ? own_log_records(&it->log, &it->err) : found;
}

static void attach(void *ctx)
{
	struct roclatch_attachment *it = ctx;
	struct err why = { 0 };
	if (answer_request(&it->request, it->pid, it->options, &it->err) < 0 ||
	    attachment_open(&it->attachment, it->pid, &it->request, NULL, &it->err) < 0)
		return;
	if (attachment_begin(&it->attachment, &it->request, &it->err) == 0 && begin_log(it) == 0) {
		it->err = (struct err){ 0 };
		return;
	}
	if (attachment_roll_back(&it->attachment, &it->request, &why) < 0 && it->err.code != ERR_TARGET_EXITED)
		err_set(&it->err, ERR_RESIDUE, 0, "what was begun could not be taken back: %.300s", why.text);
}

int roclatch_attach(pid_t pid, const struct roclatch_attach_options *options, struct roclatch_attachment **attachment,
		    struct roclatch_error *err)
{
	struct roclatch_attachment *it = make(pid, err);
	*attachment = NULL;
	if (!it)
		return -1;
	it->options = options;
	aside_run(attach, it);
	it->options = NULL;
	int rc = answer_error(err, &it->err);
	if (rc == 0)
		*attachment = it;
	else
		roclatch_attachment_close(it);
	return rc;
}

static void tell_log(struct roclatch_attachment *it)
{
	struct roclatch_detached *detached = &it->detached;
	own_log_read(&it->log, &it->attachment);
	if (!it->log.status)
		return;
	snprintf(detached->log, sizeof detached->log, "%s", it->log.path);
	detached->records = it->log.last.records;
	detached->lost = it->log.last.lost;
	answer_plain(detached->log);
}

/* A line each: line ends are ours. */
static void tell_what_stays(struct roclatch_attachment *it)
{
	char *stays = it->detached.stays;
	snprintf(stays, sizeof it->detached.stays, "%s", it->attachment.stays);
	for (char *end; (end = strchr(stays, '\n')); stays = end + 1) {
		*end = '\0';
		answer_plain(stays);
		*end = '\n';
	}
	answer_plain(stays);
}

static void detach(void *ctx)
{
	struct roclatch_attachment *it = ctx;
	struct attachment *attachment = &it->attachment;
	it->err = (struct err){ 0 };
	it->detached = (struct roclatch_detached){ .size = sizeof it->detached };
	int rc = attachment_end(attachment, &it->request, &it->err);
	if (rc == 0)
		it->err = (struct err){ 0 };
	else if (!target_alive(&attachment->target))
		err_set(&it->err, ERR_TARGET_EXITED, 0, "process %d ended while it was attached", (int)it->pid);
	tell_log(it);
	tell_what_stays(it);
}

int roclatch_detach(struct roclatch_attachment *it, struct roclatch_detached *detached, struct roclatch_error *err)
{
	struct err wrong = { 0 };
	if (answer_room(detached, &wrong) < 0)
		return answer_error(err, &wrong);
	pthread_mutex_lock(&it->lock);
	aside_run(detach, it);
	int rc = answer_error(err, &it->err);
	answer_result(detached, &it->detached, sizeof it->detached);
	pthread_mutex_unlock(&it->lock);
	return rc;
}

static void detach_other(void *ctx)
{
	struct roclatch_attachment *it = ctx;
	if (it->pid <= 0) {
		err_set(&it->err, ERR_USAGE, 0, "%d is not a process id", (int)it->pid);
		return;
	}
	it->request.timeout_ms = DETACH_LIMIT_MS;
	if (attachment_open(&it->attachment, it->pid, &it->request, NULL, &it->err) < 0)
		return;
	own_log_open(&it->log, &it->attachment, NULL);
	detach(it);
}

int roclatch_detach_pid(pid_t pid, struct roclatch_detached *detached, struct roclatch_error *err)
{
	struct err wrong = { 0 };
	if (answer_room(detached, &wrong) < 0)
		return answer_error(err, &wrong);
	struct roclatch_attachment *it = make(pid, err);
	if (!it)
		return -1;
	aside_run(detach_other, it);
	int rc = answer_error(err, &it->err);
	answer_result(detached, &it->detached, sizeof it->detached);
	roclatch_attachment_close(it);
	return rc;
}
