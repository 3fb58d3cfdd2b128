/* SPDX-License-Identifier: MIT */
/* Files in memory: the target makes them by a call, we fill and seal them from outside, and it closes them by a call. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rocp/staged_parts.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u        /* since Linux 6.3 */
#endif
#define PLAIN (MFD_CLOEXEC | MFD_ALLOW_SEALING)
#define CLOSED_MAX 64
#define CLEAR_MS 10000

/* What a call that makes or closes files knows. */
struct making {
	raddr syscall;                  /* of the target's C library */
	const struct target *target;
	struct staging *staging;
	size_t done;
	unsigned flags;
	char name[NAME_MAX + 16];
	int fd[CLOSED_MAX];             /* to be closed */
	size_t n;
};

static int run(struct attachment *attachment, const struct request *request, struct call *call, struct making *making,
	       struct err *err)
{
	static const char *const names[] = { "syscall", NULL };
	struct elf_symbol symbol;
	int found = images_libc_symbol(&attachment->images, names, &symbol, err);
	if (found <= 0)
		return found < 0 ? -1 : err_set(err, ERR_NOT_POSSIBLE, 0, "the C library of process %d has no syscall",
						(int)attachment->target.pid);
	making->syscall = symbol.addr;
	making->target = &attachment->target;
	call->on = CALL_ON_FRESH;
	call->thread = request->thread;
	call->prefer = attachment->view.listener;
	call->trust_seccomp = request->trust_seccomp;
	call->ctx = making;
	int first = call->held(call, &attachment->images, making, err);         /* fills in the first round */
	return first <= 0 ? first : call_run(&attachment->images, call, err);
}

static bool is_named_so(const char *path)
{
	char link[sizeof STAGED_MEMORY];
	ssize_t n = readlink(path, link, sizeof link);
	return n == sizeof link && !memcmp(link, STAGED_MEMORY, sizeof STAGED_MEMORY - 1);
}

/* Is this descriptor of the target a file of ours? */
static bool is_ours(const struct target *target, const char *fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%.16s", (int)target->live_tid, fd);
	return is_named_so(path);
}

/* ---- making ---- */

/* What a descriptor of the target is can change at any time, and root opens more for writing than the target may: it is
 * held before it is looked at.  Files that have a name cannot be sealed, and say so. */
static int open_made(const struct target *target, int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)target->live_tid, fd);
	int held = open(path, O_PATH | O_CLOEXEC);
	if (held < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", held);
	int ours = is_named_so(path) ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
	int seals = ours >= 0 ? fcntl(ours, F_GET_SEALS) : 0;
	if (seals < 0 || seals & F_SEAL_SEAL) {
		close(ours);
		ours = -1;
	}
	close(held);
	return ours;
}

static int fill(const struct making *making, int fd)
{
	int ours = open_made(making->target, fd);
	if (ours < 0)
		return -1;
	int rc = staging_copy(making->staging->v[making->done].source, ours);
	if (rc == 0)
		rc = fcntl(ours, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	close(ours);
	return rc;
}

static int next_made(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct making *making = ctx;
	struct staging *staging = making->staging;
	int fd = call->steps && call->step[0].returned ? (int)call->step[0].result : -1, pid = (int)images->target->pid;
	if (call->steps && fd < 0 && making->flags == PLAIN) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d cannot make a file in memory (memfd_create)", pid);
		return err_remedy(err, "use --stage file");
	}
	if (fd >= 0) {
		if (fill(making, fd) < 0)
			return err_set(err, ERR_NOT_POSSIBLE, errno, "the file in memory of process %d cannot be filled", pid);
		snprintf(staging->v[making->done].string, sizeof staging->v[0].string, STAGED_STRING "%d", fd);
		making->done++;
	}
	if (making->done == staging->n)
		return 0;
	/* older kernels do not know the flag, and some forbid it; the loader's mappings need none */
	making->flags = call->steps && fd < 0 ? PLAIN : PLAIN | MFD_EXEC;
	snprintf(making->name, sizeof making->name, "%s%s", strchr(STAGED_MEMORY, ':') + 1, staging->v[making->done].name);
	call->steps = 1;
	call->step[0] = (struct call_step){ .fn = making->syscall, .nargs = 3, .arg = {
		{ .value = SYS_memfd_create }, { .data = making->name, .size = strlen(making->name) + 1 },
		{ .value = making->flags } } };
	return 1;
}

int staged_memory_make(struct attachment *attachment, const struct request *request, struct staging *staging,
		       struct err *err)
{
	struct making making = { .staging = staging };
	struct call call = { .held = next_made, .timeout_ms = (unsigned)request->timeout_ms, .makes = SYS_memfd_create };
	int rc = run(attachment, request, &call, &making, err);
	if (rc == 0 && making.done == staging->n)
		return 0;
	if (rc == 0)
		err_set(err, ERR_FAILED, 0, "the files in memory of process %d were not made", (int)attachment->target.pid);
	staged_memory_clear(attachment, request, NULL);
	return -1;
}

/* ---- closing ---- */

static void find_open(const struct target *target, struct making *making)
{
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/fd", (int)target->live_tid);
	DIR *list = opendir(path);
	making->n = 0;
	for (struct dirent *entry; list && making->n < CLOSED_MAX && (entry = readdir(list)) != NULL;)
		if (entry->d_name[0] != '.' && is_ours(target, entry->d_name))
			making->fd[making->n++] = (int)strtol(entry->d_name, NULL, 10);
	if (list)
		closedir(list);
}

/* Looked at again right before: the number may be that of another file by now. */
static int next_closed(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct making *making = ctx;
	(void)err;
	call->steps = 0;
	while (making->done < making->n && call->steps < CALL_STEPS_MAX) {
		char number[16];
		int fd = making->fd[making->done++];
		snprintf(number, sizeof number, "%d", fd);
		if (is_ours(images->target, number))
			call->step[call->steps++] = (struct call_step){ .fn = making->syscall, .nargs = 2, .arg = {
				{ .value = SYS_close }, { .value = (uint64_t)fd } } };
	}
	return call->steps > 0;
}

int staged_memory_clear(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct making making = { .done = 0 };
	struct call call = { .held = next_closed, .timeout_ms = CLEAR_MS };
	find_open(&attachment->target, &making);
	if (!making.n || !target_alive(&attachment->target))
		return 0;
	struct err why = { 0 };
	/* who is asked to stop takes back what he has done */
	int asked = call_stop_signal;
	call_stop_signal = 0;
	run(attachment, request, &call, &making, &why);
	if (!call_stop_signal)
		call_stop_signal = asked;
	find_open(&attachment->target, &making);
	if (!making.n || !target_alive(&attachment->target))
		return 0;
	return err_set(err, ERR_RESIDUE, 0, "descriptor %d of process %d, a file in memory that held the tool, is still open%s%s",
		       making.fd[0], (int)attachment->target.pid, why.text[0] ? ": " : "", why.text);
}
