/* SPDX-License-Identifier: MIT */
/* How it went with each process, into the folder of --collect, where roclatch report finds it; also how nothing went. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/recording.h"
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

/* Those that were made lie below the folder if the target writes there, and its root is ours. */
static void list_files(struct job_status *status, const struct converted *converted, const char *folder)
{
	size_t length = strlen(folder);
	status->n_files = 0;
	for (size_t i = 0; i < converted->files && i < MADE_MAX && status->n_files < JOB_FILES_MAX; i++) {
		const char *path = converted->file[i].path;
		char *name = status->files[status->n_files];
		if (strncmp(path, folder, length) || path[length] != '/' || strlen(path + length + 1) >= sizeof status->files[0])
			continue;
		strcpy(name, path + length + 1);
		status->n_files++;
	}
}

static void fill_outcome(struct job_status *status, const struct outcome *outcome, const char *folder)
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
	list_files(status, &outcome->converted, folder);
}

static int make_folder(const char *path, char *real, struct err *err)
{
	char text[PATH_MAX];
	if (snprintf(text, sizeof text, "%s", path) >= (int)sizeof text)
		return err_set(err, ERR_FAILED, ENAMETOOLONG, "--collect");
	for (char *at = text + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(text, 0777);
		*at = '/';
	}
	if (mkdir(text, 0777) < 0 && errno != EEXIST)
		return err_set(err, ERR_FAILED, errno, "cannot make the folder %.300s", path);
	int fd = open(text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || !realpath(text, real)) {
		err_set(err, ERR_FAILED, errno, "--collect %.300s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* What was passed over says nothing about the job: the shells and launchers around its processes. */
static bool counts(const struct outcome *outcome)
{
	return outcome->attached_at_ns || !outcome->skipped || !outcome->launcher;
}

int statuses_write(const struct outcomes *outcomes, const struct request *request, int rc, struct err *err)
{
	static struct job_status status;
	char folder[PATH_MAX];
	struct err why = { 0 };
	size_t written = 0;
	if (!request->collect || request->dry_run)
		return rc;
	int fd = make_folder(request->collect, folder, &why);
	int bad = fd < 0 ? -1 : 0;
	if (fd >= 0) {
		status = (struct job_status){ .rank = -1, .ranks = -1 };
		fill_host(&status, request, fd);
		close(fd);
	}
	for (size_t i = 0; bad == 0 && i < outcomes->n; i++) {
		if (!counts(&outcomes->v[i]))
			continue;
		fill_outcome(&status, &outcomes->v[i], folder);
		bad = job_status_write(&status, folder, &why);
		written++;
	}
	/* nobody was there, or nobody could be attached: else this node would look like one that never began */
	if (bad == 0 && !written && rc < 0) {
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
