/* SPDX-License-Identifier: MIT */
#include "rocp/loadable_rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/beneath.h"
#include "inject/cursor.h"
#include "inject/root.h"

#define GROUPS_MAX 65536        /* NGROUPS_MAX of the kernel */

/* "Groups:\t4 24 27 \n" */
static int read_groups(struct rights *rights, const char *text, size_t size)
{
	struct cursor rest = { text, text + size };
	while (cursor_more(&rest)) {
		struct cursor line = cursor_line(&rest);
		if (line.end - line.at < 7 || memcmp(line.at, "Groups:", 7) != 0)
			continue;
		size_t room = (size_t)(line.end - line.at) / 2 + 1;
		rights->group = calloc(room, sizeof *rights->group);
		if (!rights->group)
			return -1;
		line.at += 7;
		uint64_t id;
		for (cursor_blanks(&line); rights->groups < room && rights->groups < GROUPS_MAX &&
		     cursor_number(&line, 10, &id); cursor_blanks(&line))
			rights->group[rights->groups++] = (gid_t)id;
		break;
	}
	return 0;
}

/* Lines of "INSIDE OUTSIDE COUNT", where OUTSIDE is an id as we see it. */
static void read_ranges(struct id_ranges *ranges, pid_t tid, const char *name)
{
	size_t size;
	char *text = proc_read(&size, NULL, "/proc/%d/%s", (int)tid, name);
	struct cursor rest = { text, text ? text + size : text };
	while (cursor_more(&rest) && ranges->n < ID_RANGES_MAX) {
		struct cursor line = cursor_line(&rest);
		uint64_t number[3];
		bool whole = true;
		for (int i = 0; i < 3 && whole; i++) {
			cursor_blanks(&line);
			whole = cursor_number(&line, 10, &number[i]) && number[i] <= UINT32_MAX;
		}
		if (!whole)
			continue;
		ranges->v[ranges->n].first = (uint32_t)number[1];
		ranges->v[ranges->n++].count = (uint32_t)number[2];
	}
	free(text);
}

static bool is_known(const struct id_ranges *ranges, uint32_t id)
{
	for (size_t i = 0; i < ranges->n; i++)
		if (id >= ranges->v[i].first && id - ranges->v[i].first < ranges->v[i].count)
			return true;
	return false;
}

static bool same_user_ns(pid_t tid)
{
	char path[64];
	struct stat ours, theirs;
	snprintf(path, sizeof path, "/proc/%d/ns/user", (int)tid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

int rights_read(struct rights *rights, const struct target *target, struct err *err)
{
	struct proc_status status;
	pid_t tid = target->live_tid;
	size_t size;
	memset(rights, 0, sizeof *rights);
	char *text = proc_read(&size, err, "/proc/%d/task/%d/status", (int)target->pid, (int)tid);
	if (!text || status_parse(&status, text, size, err) < 0) {
		free(text);
		return err_wrap(err, "the rights of process %d", (int)target->pid);
	}
	int out_of_memory = read_groups(rights, text, size);
	free(text);
	if (out_of_memory)
		return err_set(err, ERR_FAILED, ENOMEM, "the groups of process %d", (int)target->pid);
	rights->uid = status.uid[3];
	rights->gid = status.gid[3];
	rights->dac_override = status.cap_effective >> CAP_DAC_OVERRIDE & 1;
	rights->dac_read_search = status.cap_effective >> CAP_DAC_READ_SEARCH & 1;
	rights->same_user_ns = same_user_ns(tid);
	if (!rights->same_user_ns) {
		read_ranges(&rights->uids, tid, "uid_map");
		read_ranges(&rights->gids, tid, "gid_map");
	}
	return 0;
}

void rights_free(struct rights *rights)
{
	free(rights->group);
	rights->group = NULL;
	rights->groups = 0;
}

static bool has_group(const struct rights *rights, gid_t gid)
{
	bool found = rights->gid == gid;
	for (size_t i = 0; i < rights->groups && !found; i++)
		found = rights->group[i] == gid;
	return found;
}

bool rights_allow(const struct rights *rights, const struct stat *st, int want)
{
	bool known = rights->same_user_ns ||
		     (is_known(&rights->uids, st->st_uid) && is_known(&rights->gids, st->st_gid));
	bool folder = S_ISDIR(st->st_mode);
	int shift = rights->uid == st->st_uid ? 6 : has_group(rights, st->st_gid) ? 3 : 0;
	int given = (int)(st->st_mode >> shift) & 7;

	_Static_assert(R_OK == 4 && W_OK == 2 && X_OK == 1, "as the bits of a mode");
	if ((given & want) == want)
		return true;
	if (known && rights->dac_override && (folder || !(want & X_OK) || st->st_mode & 0111))
		return true;
	return known && rights->dac_read_search && !(want & (folder ? W_OK : W_OK | X_OK));
}

int rights_open(const struct rights *rights, const struct target *target, const char *real, int want,
		char *where, size_t where_size)
{
	char part[PATH_MAX];
	struct stat st;
	struct err err = { 0 };
	int root = root_of(target, &err), error = 0;
	if (root < 0)
		return err.sys;
	/* the root, each folder on the way, then the thing itself */
	for (size_t at = 0; !error;) {
		bool last = real[at + strspn(real + at, "/")] == '\0';
		if (at >= sizeof part) {
			error = ENAMETOOLONG;
			break;
		}
		memcpy(part, real, at);
		part[at] = '\0';
		snprintf(where, where_size, "%s", at ? part : "/");
		int fd = beneath(root, at ? part : "/", NULL, 0, &error);
		if (fd >= 0 && fstat(fd, &st) < 0)
			error = errno;
		else if (fd >= 0 && !rights_allow(rights, &st, last ? want : X_OK))
			error = EACCES;
		if (fd >= 0)
			close(fd);
		if (last)
			break;
		at += 1 + strcspn(real + at + 1, "/");
	}
	close(root);
	return error;
}
