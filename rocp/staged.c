/* SPDX-License-Identifier: MIT */
#include "rocp/staged.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/libc.h"
#include "rocp/own_tool.h"
#include "rocp/staged_parts.h"

#define COMPARED_MAX (1u << 20)

int staging_copy(int from, int to)
{
	char part[65536];
	off_t at = 0;
	for (;;) {
		ssize_t n = pread(from, part, sizeof part, at);
		if (n <= 0)
			return n < 0 ? -1 : 0;
		for (ssize_t done = 0, m; done < n; done += m, at += m)
			if ((m = pwrite(to, part + done, (size_t)(n - done), at)) <= 0)
				return -1;
	}
}

int stage_source(const char *entry, struct err *err)
{
	if (!strcmp(entry, OWN_TOOL_NAME))
		return own_tool_bytes(err);
	struct stat st;
	int fd = open(entry, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	err_set(err, ERR_NOT_POSSIBLE, fd < 0 ? errno : 0, "%s%s", entry, fd < 0 ? "" : " is no regular file");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Those of the list that are to be brought. */
static int gather(const char *list, unsigned wanted, struct staging *staging, struct err *err)
{
	char entry[PATH_MAX];
	unsigned at = 0;
	for (const char *from = list; *from; from += strcspn(from, ":"), from += *from == ':', at++) {
		if (!(wanted >> at & 1))
			continue;
		snprintf(entry, sizeof entry, "%.*s", (int)strcspn(from, ":"), from);
		size_t i = staging->n;
		staging->v[i].source = stage_source(entry, err);
		if (staging->v[i].source < 0)
			return -1;
		staging->n++;
		if (wanted & (wanted - 1))
			snprintf(staging->v[i].name, sizeof staging->v[i].name, "%zu-%.200s", i, libc_basename(entry));
		else
			snprintf(staging->v[i].name, sizeof staging->v[i].name, "%.200s", libc_basename(entry));
	}
	return 0;
}

/* The list with the new strings in it. */
static int rewrite(char *list, size_t size, unsigned wanted, const struct staging *staging, struct err *err)
{
	char made[PATH_MAX];
	size_t used = 0, next = 0;
	unsigned at = 0;
	made[0] = '\0';
	for (const char *from = list; *from; at++) {
		size_t length = strcspn(from, ":");
		bool colon = from[length] == ':', ours = wanted >> at & 1;
		used += (size_t)snprintf(made + used, sizeof made - used, "%.*s%s", ours ? PATH_MAX : (int)length,
					 ours ? staging->v[next].string : from, colon ? ":" : "");
		if (used >= sizeof made || used >= size)
			return err_set(err, ERR_USAGE, 0, "the list of tool libraries is too long");
		next += ours;
		from += length + colon;
	}
	memcpy(list, made, used + 1);
	return 0;
}

static int bring(struct attachment *attachment, const struct request *request, struct staging *staging, struct err *err)
{
	struct stage_place *place = &attachment->preflight.place;
	const struct target *target = &attachment->target;
	if (place->how == STAGE_MEMFD) {
		if (staged_memory_make(attachment, request, staging, err) == 0) {
			say(&target->say, "the tool is in a file in memory of the process, %s", staging->v[0].string);
			return 0;
		}
		if (request->stage != STAGE_AUTO || (err->code != ERR_NOT_POSSIBLE && err->code != ERR_FAILED))
			return -1;
		struct err none = { 0 };
		say(&target->say, "%s: a file is tried", err->text);
		if (stage_choose(target, env_get(&attachment->view.environment, "TMPDIR"), STAGE_FILE, place, &none) < 0)
			return -1;
		*err = none;
	}
	if (staged_file_make(attachment, staging, err) < 0)
		return -1;
	say(&target->say, "the tool is in a file of the process's user, %s", staging->v[0].string);
	return 0;
}

int staged_begin(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct preflight *preflight = &attachment->preflight;
	if (!preflight->staged) {
		if (request->stage == STAGE_MEMFD || request->stage == STAGE_FILE)
			say(&attachment->target.say, "nothing is staged: the process %s",
			    preflight->reattach ? "has the tool" : "sees the tool by itself");
		return 0;
	}
	struct staging *staging = calloc(1, sizeof *staging);
	if (!staging)
		return err_set(err, ERR_FAILED, ENOMEM, "bring the tool");
	int rc = gather(preflight->tool, preflight->staged, staging, err);
	if (rc == 0)
		rc = bring(attachment, request, staging, err);
	if (rc == 0)
		rc = rewrite(preflight->tool, sizeof preflight->tool, preflight->staged, staging, err);
	for (size_t i = 0; i < staging->n; i++)
		close(staging->v[i].source);
	free(staging);
	if (rc < 0) {
		staged_end(attachment, request, NULL);
		return err_wrap(err, "bring the tool to process %d", (int)attachment->target.pid);
	}
	return 0;
}

int staged_loaded(struct attachment *attachment, const struct request *request, struct err *err)
{
	return attachment->preflight.place.how == STAGE_MEMFD ? staged_memory_clear(attachment, request, err) : 0;
}

int staged_end(struct attachment *attachment, const struct request *request, struct err *err)
{
	/* a call that goes on may be about to load it: who fails to do that aborts the process */
	if (!target_alive(&attachment->target) || call_goes_on(&attachment->images))
		return 0;
	int memory = staged_memory_clear(attachment, request, err);
	return staged_file_clear(attachment, memory < 0 ? NULL : err) < 0 || memory < 0 ? -1 : 0;
}

bool staged_is(struct images *images, struct image *image, int fd)
{
	struct stat st;
	const struct mapping *m = maps_at(&images->maps, image->start);
	/* its first pages are as in the file: headers, build id, symbols */
	if (!m || m->w || m->offset || fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	size_t size = m->end - m->start < COMPARED_MAX ? m->end - m->start : COMPARED_MAX;
	if ((uint64_t)st.st_size < size)
		size = (size_t)st.st_size;
	char *bytes = malloc(2 * size);
	bool same = bytes && memory_read(&images->target->memory, m->start, bytes, size, NULL) == 0 &&
		    pread(fd, bytes + size, size, 0) == (ssize_t)size && !memcmp(bytes, bytes + size, size);
	free(bytes);
	return same;
}
