/* SPDX-License-Identifier: MIT */
/* How it went with each process, into the folder of --collect, where roclatch report finds it; also how nothing went. */
#include <string.h>
#include <unistd.h>

#include "bin/recording.h"
#include "bin/remedy.h"
#include "inject/proc.h"
#include "rocp/job/status.h"

static void fill_host(struct job_status *status, const struct request *request, int folder)
{
	char id[sizeof status->boot_id];
	gethostname(status->host, sizeof status->host - 1);
	if (proc_read_into(id, sizeof id, "/proc/sys/kernel/random/boot_id") > 0) {
		id[strcspn(id, "\n")] = '\0';
		snprintf(status->boot_id, sizeof status->boot_id, "%s", id);
	}
	job_clock_read(&status->clock, folder);
	status->asked_at_ns = request->at_ns;
}

static void add_file(struct job_status *status, const char *name, size_t length)
{
	if (status->n_files == JOB_FILES_MAX || !length || length >= sizeof status->files[0])
		return;
	memcpy(status->files[status->n_files], name, length);
	status->files[status->n_files++][length] = '\0';
}

static void list_files(struct job_status *status, const char *names)
{
	status->n_files = 0;
	for (const char *at = names; *at; at += strcspn(at, "\n"), at += *at == '\n')
		add_file(status, at, strcspn(at, "\n"));
}

static void fill_outcome(struct job_status *status, const struct outcome *outcome)
{
	snprintf(status->name, sizeof status->name, "%s", outcome->name);
	snprintf(status->job, sizeof status->job, "%s", outcome->job);
	status->pid = outcome->pid;
	status->pid_inside = outcome->inside ? outcome->inside : outcome->pid;
	status->rank = outcome->rank;
	status->ranks = outcome->ranks;
	status->status = (int)outcome->err.code;
	status->attached = outcome->attached_at_ns != 0;
	status->detached = outcome->detached;
	snprintf(status->why, sizeof status->why, "%s", outcome->err.text);
	snprintf(status->remedy, sizeof status->remedy, "%s", outcome->err.remedy);
	status->attached_at_ns = outcome->attached_at_ns;
	status->detached_at_ns = outcome->detached_at_ns;
	status->records = outcome->records;
	status->bytes = outcome->bytes;
	status->lost = outcome->lost;
	list_files(status, outcome->fetched.names);
}

/* What was passed over says nothing about the job: the shells and launchers around its processes. */
static bool counts(const struct outcome *outcome)
{
	return outcome->attached_at_ns || !outcome->skipped || !outcome->launcher;
}

int statuses_write(const struct outcomes *outcomes, const struct request *request, int rc, struct err *err)
{
	static struct job_status status;
	const char *folder = request->collect;
	struct err why = { 0 };
	size_t written = 0;
	if (!folder || request->dry_run)
		return rc;
	int fd = collect_into(folder, &why);
	int bad = fd < 0 ? -1 : 0;
	if (fd >= 0) {
		status = (struct job_status){ .rank = -1, .ranks = -1 };
		fill_host(&status, request, fd);
		close(fd);
	}
	for (size_t i = 0; bad == 0 && i < outcomes->n; i++) {
		if (!counts(&outcomes->v[i]))
			continue;
		fill_outcome(&status, &outcomes->v[i]);
		bad = job_status_write(&status, folder, &why);
		written++;
	}
	/* nobody was there, or nobody could be attached: else this node would look like one that never began */
	if (bad == 0 && !written && rc < 0) {
		remedy_by_cause("attach", err);
		status.status = (int)err->code;
		snprintf(status.why, sizeof status.why, "%s", err->text);
		snprintf(status.remedy, sizeof status.remedy, "%s", err->remedy);
		bad = job_status_write(&status, folder, &why);
	}
	if (bad == 0 || rc < 0)
		return rc;
	err_set(err, ERR_RESIDUE, 0, "all was recorded, but how it went is not in the folder: %.300s", why.text);
	return -1;
}
