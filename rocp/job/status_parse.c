/* SPDX-License-Identifier: MIT */
/* A status is read: whoever may write into the folder may have written it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/input.h"
#include "rocp/job/status.h"

#define TIME_MOST 4000000000000000000   /* two of them can be subtracted */

enum kind { TEXT, NUMBER, TRUTH };

struct field {  /* NOLINT(clang-analyzer-optin.performance.Padding): in the order in which rows read well */
	const char *key;
	enum kind kind;
	size_t at, size;        /* in struct job_status */
	int64_t least, most;
	bool needed;
};

#define AT(member) offsetof(struct job_status, member), sizeof ((struct job_status *)0)->member
#define WORDS(member) { #member, TEXT, AT(member), 0, 0, false }
#define WHEN(member) { #member, NUMBER, AT(member), -TIME_MOST, TIME_MOST, false }
#define COUNT(member) { #member, NUMBER, AT(member), 0, TIME_MOST, false }
#define YES_OR_NO(member) { #member, TRUTH, AT(member), 0, 0, false }

static const struct field fields[] = {
	{ "host", TEXT, AT(host), 0, 0, true }, WORDS(name), WORDS(boot_id), WORDS(job), WORDS(why), WORDS(remedy),
	{ "pid", NUMBER, AT(pid), 0, INT32_MAX, true }, COUNT(pid_inside),
	{ "rank", NUMBER, AT(rank), -1, INT32_MAX, false }, { "ranks", NUMBER, AT(ranks), -1, INT32_MAX, false },
	{ "status", NUMBER, AT(status), 0, 255, true }, YES_OR_NO(attached), YES_OR_NO(detached),
	WHEN(asked_at_ns), WHEN(attached_at_ns), WHEN(detached_at_ns), COUNT(records), COUNT(bytes), COUNT(lost),
};

static const struct field clock_fields[] = {
	{ "realtime_ns", NUMBER, AT(clock.realtime_ns), -TIME_MOST, TIME_MOST, false },
	{ "boottime_ns", NUMBER, AT(clock.boottime_ns), -TIME_MOST, TIME_MOST, false },
	{ "monotonic_ns", NUMBER, AT(clock.monotonic_ns), -TIME_MOST, TIME_MOST, false },
	{ "synchronised", TRUTH, AT(clock.synchronised), 0, 0, false },
	{ "max_error_us", NUMBER, AT(clock.max_error_us), -1, INT64_MAX / 1000000, false },
	{ "folder_offset_ns", NUMBER, AT(clock.folder_offset_ns), -TIME_MOST, TIME_MOST, false },
};

static const struct node *member(const struct node *map, const char *key)
{
	const struct node *node = map && map->kind == NODE_MAP ? map->child : NULL;
	while (node && strcmp(node->key, key))
		node = node->next;
	return node;
}

/* As much as there is room for, no character cut in two. */
static void copy_text(char *to, size_t size, const char *text)
{
	size_t length = strlen(text);
	if (length >= size)
		for (length = size - 1; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
			length--;
	memcpy(to, text, length);
	to[length] = '\0';
}

static bool is_number(const struct node *node, int64_t least, int64_t most, int64_t *number)
{
	char *end;
	if (node->kind != NODE_TEXT || !(node->text[0] == '-' || (node->text[0] >= '0' && node->text[0] <= '9')))
		return false;
	errno = 0;
	*number = strtoll(node->text, &end, 10);
	return !errno && !*end && *number >= least && *number <= most;
}

static int read_field(struct job_status *status, const struct field *field, const struct node *node, struct err *err)
{
	void *to = (char *)status + field->at;
	int64_t number;
	if (field->kind == TEXT && node->kind == NODE_TEXT) {
		copy_text(to, field->size, node->text);
	} else if (field->kind == NUMBER && is_number(node, field->least, field->most, &number)) {
		int narrow = (int)number;
		memcpy(to, field->size == sizeof narrow ? (void *)&narrow : (void *)&number, field->size);
	} else if (field->kind == TRUTH && node->kind == NODE_TEXT && (!strcmp(node->text, "true") || !strcmp(node->text, "false"))) {
		*(bool *)to = node->text[0] == 't';
	} else {
		return err_set(err, ERR_FAILED, 0, "line %u: '%s' has no value that it can have", node->line, field->key);
	}
	return 0;
}

static int read_fields(struct job_status *status, const struct node *map, const struct field *field, size_t n, struct err *err)
{
	for (; n--; field++) {
		const struct node *node = member(map, field->key);
		if (node && node->kind != NODE_NULL) {
			if (read_field(status, field, node, err) < 0)
				return -1;
		} else if (field->needed) {
			return err_set(err, ERR_FAILED, 0, "there is no '%s' in it", field->key);
		}
	}
	return 0;
}

/* Below the folder, by no way around. */
static bool is_below(const char *name)
{
	if (!*name || *name == '/' || strlen(name) >= sizeof ((struct job_status *)0)->files[0])
		return false;
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return false;
	}
	return true;
}

static int read_files(struct job_status *status, const struct node *files, struct err *err)
{
	if (!files)
		return 0;
	if (files->kind != NODE_LIST)
		return err_set(err, ERR_FAILED, 0, "line %u: 'files' is no list", files->line);
	for (const struct node *file = files->child; file; file = file->next) {
		const struct node *name = member(file, "name"), *size = member(file, "size");
		if (!name || name->kind != NODE_TEXT || !is_below(name->text))
			return err_set(err, ERR_FAILED, 0, "line %u: a file has no name below the folder", file->line);
		if (status->n_files == JOB_FILES_MAX)
			return err_set(err, ERR_FAILED, 0, "line %u: more than %d files", file->line, JOB_FILES_MAX);
		int64_t *to = &status->file_size[status->n_files];
		if (!size || !is_number(size, -1, TIME_MOST, to))
			return err_set(err, ERR_FAILED, 0, "line %u: a file has no size", file->line);
		copy_text(status->files[status->n_files++], sizeof status->files[0], name->text);
	}
	return 0;
}

static int read_status(struct job_status *status, const struct node *root, struct err *err)
{
	const struct node *format = member(root, "format"), *clock = member(root, "clock");
	int64_t number;
	if (!format)
		return err_set(err, ERR_FAILED, 0, "this is no status of roclatch: there is no 'format' in it");
	if (!is_number(format, JOB_STATUS_FORMAT, JOB_STATUS_FORMAT, &number)) {
		err_set(err, ERR_FAILED, 0, "its format is not %d", JOB_STATUS_FORMAT);
		return err_remedy(err, "use the roclatch that wrote it");
	}
	if (read_fields(status, root, fields, sizeof fields / sizeof *fields, err) < 0 ||
	    read_fields(status, clock, clock_fields, sizeof clock_fields / sizeof *clock_fields, err) < 0 ||
	    read_files(status, member(root, "files"), err) < 0)
		return -1;
	if (status->ranks >= 0 && status->rank >= status->ranks)
		return err_set(err, ERR_FAILED, 0, "rank %lld is not one of %lld", (long long)status->rank, (long long)status->ranks);
	return 0;
}

int job_status_parse(struct job_status *status, const char *text, size_t size, struct err *err)
{
	void *arena = NULL;
	memset(status, 0, sizeof *status);
	status->rank = status->ranks = status->clock.max_error_us = -1;
	if (size > INPUT_MOST || memchr(text, '\0', size))
		return err_set(err, ERR_FAILED, 0, "this is no text of at most %d bytes", INPUT_MOST);
	char *copy = arena_text(&arena, text, size, err);       /* the reader wants a NUL behind it */
	const struct node *root = copy ? input_json(&arena, copy, size, err) : NULL;
	int rc = root ? read_status(status, root, err) : -1;
	if (rc < 0 && err)
		err->code = ERR_FAILED;
	arena_free(&arena);
	return rc;
}
