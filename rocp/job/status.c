/* SPDX-License-Identifier: MIT */
/* A status is written. */
#include "rocp/job/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/formats/json_text.h"

static void put_clock(struct json_text *json, const struct job_clock *clock)
{
	member_object(json, "clock");
	member_signed(json, "realtime_ns", clock->realtime_ns);
	member_signed(json, "boottime_ns", clock->boottime_ns);
	member_signed(json, "monotonic_ns", clock->monotonic_ns);
	member_bool(json, "synchronised", clock->synchronised);
	member_signed(json, "max_error_us", clock->max_error_us);
	member_signed(json, "folder_offset_ns", clock->folder_offset_ns);
	member_end(json);
}

static void put_files(struct json_text *json, const struct job_status *status, int folder_fd)
{
	member_array(json, "files");
	for (size_t i = 0; i < status->n_files && i < JOB_FILES_MAX; i++) {
		struct stat stat;
		bool there = fstatat(folder_fd, status->files[i], &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(stat.st_mode);
		member_object(json, NULL);
		member_text(json, "name", status->files[i]);
		member_signed(json, "size", there ? stat.st_size : -1);
		member_end(json);
	}
	member_end(json);
}

static void put_status(struct json_text *json, const struct job_status *status, int folder_fd)
{
	member_object(json, NULL);
	member_unsigned(json, "format", JOB_STATUS_FORMAT);
	member_text(json, "host", status->host);
	member_text(json, "name", status->name);
	member_text(json, "boot_id", status->boot_id);
	member_text(json, "job", status->job);
	member_signed(json, "pid", status->pid);
	member_signed(json, "pid_inside", status->pid_inside);
	member_signed(json, "rank", status->rank);
	member_signed(json, "ranks", status->ranks);
	member_signed(json, "status", status->status);
	member_bool(json, "attached", status->attached);
	member_bool(json, "detached", status->detached);
	member_text(json, "why", status->why);
	member_text(json, "remedy", status->remedy);
	put_clock(json, &status->clock);
	member_signed(json, "asked_at_ns", status->asked_at_ns);
	member_signed(json, "attached_at_ns", status->attached_at_ns);
	member_signed(json, "detached_at_ns", status->detached_at_ns);
	member_unsigned(json, "records", status->records);
	member_unsigned(json, "bytes", status->bytes);
	member_unsigned(json, "lost", status->lost);
	put_files(json, status, folder_fd);
	member_end(json);
}

static int write_into(const struct job_status *status, int folder_fd, int fd, const char *name, struct err *err)
{
	struct file file;
	if (file_borrow(&file, fd, name, err) < 0)
		return -1;
	struct json_text json = { .file = &file };
	put_status(&json, status, folder_fd);
	if (file_finish(&file, err) < 0)
		return -1;
	return fsync(fd) == 0 || errno == EINVAL ? 0 : err_set(err, ERR_FAILED, errno, "%s could not be written", name);
}

/* A host's name is not ours to choose; ours is where the file lies. */
static void name_status(const struct job_status *status, char name[sizeof status->host + 64])
{
	int n = snprintf(name, sizeof status->host, "%.200s", status->host[0] ? status->host : "host");
	for (int i = 0; i < n; i++)
		if ((unsigned char)name[i] <= ' ' || name[i] == '/' || name[i] == 0x7f || (i == 0 && name[i] == '.'))
			name[i] = '_';
	snprintf(name + n, 64, "-%lld" JOB_STATUS_SUFFIX, (long long)status->pid);
}

int job_status_write(const struct job_status *status, const char *folder, struct err *err)
{
	char name[sizeof status->host + 64], partial[sizeof name + sizeof FILE_PARTIAL];
	name_status(status, name);
	snprintf(partial, sizeof partial, "%s" FILE_PARTIAL, name);
	int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder_fd < 0)
		return err_set(err, ERR_FAILED, errno, "cannot write the status into %s", folder);
	unlinkat(folder_fd, partial, 0);        /* of one that was killed */
	int fd = openat(folder_fd, partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int rc = fd < 0 ? err_set(err, ERR_FAILED, errno, "cannot make %s in %s", name, folder) :
		write_into(status, folder_fd, fd, name, err);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = err_set(err, ERR_FAILED, errno, "%s could not be written", name);
	if (rc == 0 && renameat(folder_fd, partial, folder_fd, name) < 0)
		rc = err_set(err, ERR_FAILED, errno, "%s could not be given its name in %s", name, folder);
	if (rc < 0 && fd >= 0)
		unlinkat(folder_fd, partial, 0);
	close(folder_fd);
	return rc;
}
