/* SPDX-License-Identifier: MIT */
/* Statuses are found and read.  Others may write into the folder too: nothing in it is followed out of it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/formats/utf8.h"
#include "rocp/input.h"
#include "rocp/job/report.h"

#define PROBLEMS_MOST 200
#define WHICH_FOLDER "name the folder that was given to roclatch attach --collect"

int job_problem(struct job_report *report, struct err *err, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	if (report->problems == PROBLEMS_MOST) {
		report->problems_left++;
		return 0;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const char **problem = array_add(&report->problem, &report->problems, sizeof *problem, err);
	return problem && (*problem = job_keep(report, text, err)) ? 0 : -1;
}

const char *job_keep(struct job_report *report, const char *text, struct err *err)
{
	char plain[4096];
	size_t used = 0, skip;
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	while (at < end && used < sizeof plain - 16) {
		size_t length = utf8_length(at, (size_t)(end - at), &skip);
		if (length && !utf8_control(at, length)) {
			memcpy(plain + used, at, length);
			used += length;
		} else {
			used += (size_t)snprintf(plain + used, 8, "\\x%02x", length == 2 ? at[1] : at[0]);
		}
		at += length ? length : 1;
	}
	return texts_keep(&report->texts, plain, used, err);
}

static int add_files(struct job_report *report, struct job_rank *rank, const struct job_status *status, struct err *err)
{
	rank->file = report->files;
	for (size_t i = 0; i < status->n_files; i++) {
		struct job_file *file = array_add(&report->file, &report->files, sizeof *file, err);
		if (!file || !(file->name = texts_keep(&report->texts, status->files[i], strlen(status->files[i]), err)))
			return -1;
		file->size = status->file_size[i];
		rank->files++;
	}
	return 0;
}

static int add_rank(struct job_report *report, const struct job_status *status, const char *folder, struct err *err)
{
	if (report->ranks == JOB_RANKS_MOST)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s has more than %d statuses", report->folder, JOB_RANKS_MOST);
	struct job_rank *rank = array_add(&report->rank, &report->ranks, sizeof *rank, err);
	if (!rank)
		return -1;
	*rank = (struct job_rank){
		.host = job_keep(report, status->host, err), .name = job_keep(report, status->name, err), .job = job_keep(report, status->job, err),
		.folder = texts_keep(&report->texts, folder, strlen(folder), err), .why = job_keep(report, status->why, err), .pid = status->pid, .rank = status->rank,
		.ranks = status->ranks, .status = status->status, .attached = status->attached, .attached_at = status->attached_at_ns,
		.lost = status->lost,
	};
	if (!rank->host || !rank->name || !rank->job || !rank->folder || !rank->why || add_files(report, rank, status, err) < 0)
		return -1;
	return job_clock_add(report, status, &rank->clock, err);
}

static int read_text(int folder, const char *name, char *text, size_t *size, struct err *err)
{
	struct stat stat;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_FAILED, errno, "it cannot be opened");
	ssize_t n = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) ? read(fd, text, INPUT_MOST) : -1;
	int rc = n < 0 ? err_set(err, ERR_FAILED, 0, "it is no file that can be read") : 0;
	*size = n < 0 ? 0 : (size_t)n;
	close(fd);
	return rc;
}

struct looking { struct job_report *report; struct job_status status; char *text; };

static int take_status(struct looking *looking, int fd, const char *folder, const char *name, struct err *err)
{
	struct err wrong = { .code = ERR_NONE };
	size_t size = 0;
	if (read_text(fd, name, looking->text, &size, &wrong) < 0 || job_status_parse(&looking->status, looking->text, size, &wrong) < 0)
		return job_problem(looking->report, err, "the status %s cannot be used: %s", name, wrong.text);
	return add_rank(looking->report, &looking->status, folder, err);
}

static bool is_status(const char *name)
{
	size_t n = strlen(name), m = strlen(JOB_STATUS_SUFFIX);
	return name[0] != '.' && n > m && !strcmp(name + n - m, JOB_STATUS_SUFFIX);
}

/* The folder, and those in it where `below` is set. */
static int look(struct looking *looking, const char *path, bool below, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (below ? 0 : O_NOFOLLOW));
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	int rc = 0;
	if (!list) {
		if (below) {
			rc = err_set(err, ERR_FAILED, errno, "cannot look into %s", path);
			err_remedy(err, WHICH_FOLDER);
		}
		if (fd >= 0)
			close(fd);
		return rc;
	}
	for (struct dirent *entry; rc == 0 && (entry = readdir(list));) {
		char inside[sizeof looking->report->folder];
		if (is_status(entry->d_name))
			rc = take_status(looking, fd, path, entry->d_name, err);
		else if (below && entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
			 snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside)
			rc = look(looking, inside, false, err);
	}
	closedir(list);
	return rc;
}

static int by_rank(const void *left, const void *right)
{
	const struct job_rank *a = left, *b = right;
	/* those without a rank come last */
	uint64_t x = (uint64_t)a->rank, y = (uint64_t)b->rank;
	int by = (x > y) - (x < y);
	by = by ? by : strcmp(a->host, b->host);
	return by ? by : (a->pid > b->pid) - (a->pid < b->pid);
}

int job_report_open(struct job_report *report, const char *folder, uint64_t expect, struct err *err)
{
	memset(report, 0, sizeof *report);
	if (snprintf(report->folder, sizeof report->folder, "%s", folder) >= (int)sizeof report->folder)
		return err_set(err, ERR_USAGE, 0, "the path %.200s... is too long", folder);
	struct looking *looking = calloc(1, sizeof *looking);
	int rc = looking && (looking->text = malloc(INPUT_MOST)) ? 0 : err_set(err, ERR_FAILED, ENOMEM, "read %s", folder);
	if (rc == 0) {
		looking->report = report;
		rc = look(looking, folder, true, err);
	}
	if (looking)
		free(looking->text);
	free(looking);
	if (rc < 0)
		return -1;
	if (!report->ranks) {
		if (report->problems)
			return err_set(err, ERR_NOT_POSSIBLE, 0, "%s holds no status that can be used; the first: %s", folder, report->problem[0]);
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s holds no status of an attachment, no *" JOB_STATUS_SUFFIX, folder);
		return err_remedy(err, WHICH_FOLDER);
	}
	qsort(report->rank, report->ranks, sizeof *report->rank, by_rank);
	return job_clocks_settle(report, err) < 0 ? -1 : job_present(report, expect, err);
}

void job_report_close(struct job_report *report)
{
	texts_free(&report->texts);
	free(report->rank);
	free(report->file);
	free(report->clock);
	free(report->problem);
	free(report->slow_why);
	index_free(&report->hosts);
}

/* Folder by folder, so that none of them is a link. */
int job_file_open(const struct job_rank *rank, const struct job_file *file, struct err *err)
{
	int folder = open(rank->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	for (const char *at = file->name; folder >= 0;) {
		size_t length = strcspn(at, "/");
		char part[256];
		snprintf(part, sizeof part, "%.*s", (int)length, at);
		bool inner = at[length] == '/';
		fd = openat(folder, part[0] ? part : ".", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (inner ? O_DIRECTORY : 0));
		int sys = errno;
		close(folder);
		errno = sys;
		if (!inner)
			break;
		folder = fd;
		at += length + 1;
	}
	return fd >= 0 ? fd : err_set(err, ERR_FAILED, errno, "it cannot be opened");
}

bool job_file_is_database(const struct job_file *file)
{
	size_t n = strlen(file->name);
	return n > 3 && !strcmp(file->name + n - 3, ".db");
}
