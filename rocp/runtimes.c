/* SPDX-License-Identifier: MIT */
#include "rocp/runtimes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/cursor.h"

/* The kernel gives a page or less at a time; a line is a path of PATH_MAX, each byte escaped, at most. */
#define CHUNK (32 << 10)

_Static_assert(RUNTIME_HIP == 1 && RUNTIME_HSA == 2, "the order of names in runtimes_text");

static const struct { const char *name; unsigned runtime; } libraries[] = {
	{ "libamdhip64.so", RUNTIME_HIP },
	{ "libhsa-runtime64.so", RUNTIME_HSA },
	{ "librocprofiler-register.so", RUNTIME_REGISTER },
};
#define ALL_LIBRARIES (RUNTIME_HIP | RUNTIME_HSA | RUNTIME_REGISTER)

/* ".0.6.0", and nothing that a hostile file name may have in its place */
static void take_version(struct runtimes *runtimes, struct cursor c)
{
	size_t n = 0;
	if (cursor_take(&c, '.'))
		while (n < sizeof runtimes->register_version - 1 && cursor_more(&c) && strchr("0123456789.", *c.at))
			runtimes->register_version[n++] = *c.at++;
	runtimes->register_version[n] = '\0';
}

static void look_at_line(struct runtimes *runtimes, struct cursor line)
{
	const char *slash = memrchr(line.at, '/', (size_t)(line.end - line.at));
	if (!slash)
		return;
	const size_t left = (size_t)(line.end - slash - 1);
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		size_t length = strlen(libraries[i].name);
		if (runtimes->set & libraries[i].runtime || left < length || memcmp(slash + 1, libraries[i].name, length))
			continue;
		runtimes->set |= libraries[i].runtime;
		if (libraries[i].runtime == RUNTIME_REGISTER)
			take_version(runtimes, (struct cursor){ slash + 1 + length, line.end });
	}
}

/* How much of the text is whole lines, which were looked at. */
static size_t look_at_lines(struct runtimes *runtimes, const char *text, size_t size)
{
	const char *last = memrchr(text, '\n', size);
	struct cursor rest = { text, last ? last + 1 : text };
	while (cursor_more(&rest))
		look_at_line(runtimes, cursor_line(&rest));
	return (size_t)(rest.end - text);
}

/* 1: something was there to read; 0: nothing, as of a thread that has ended; -1 with errno. */
static int read_maps(struct runtimes *runtimes, const char *path)
{
	char text[CHUNK];
	size_t have = 0;
	int any = 0;
	ssize_t n;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((n = read(fd, text + have, sizeof text - have)) > 0 || (n < 0 && errno == EINTR)) {
		any = 1;
		have += n > 0 ? (size_t)n : 0;
		size_t done = look_at_lines(runtimes, text, have);
		if ((runtimes->set & ALL_LIBRARIES) == ALL_LIBRARIES)
			break;
		have = !done && have == sizeof text ? 0 : have - done;
		memmove(text, text + done, have);
	}
	int failed = errno;
	close(fd);
	errno = failed;
	return n < 0 ? -1 : any;
}

int runtimes_mapped(struct runtimes *runtimes, const char *proc, pid_t pid)
{
	char path[PATH_MAX];
	struct pids tids;
	*runtimes = (struct runtimes){ 0 };
	snprintf(path, sizeof path, "%s/%d/maps", proc, (int)pid);
	int any = read_maps(runtimes, path);
	if (any != 0)
		return any < 0 ? -1 : 0;
	/* the main thread may have ended before the others */
	snprintf(path, sizeof path, "%s/%d/task", proc, (int)pid);
	if (pids_list(&tids, path, NULL) < 0)
		return 0;
	for (size_t i = 0; i < tids.n && any <= 0; i++) {
		snprintf(path, sizeof path, "%s/%d/task/%d/maps", proc, (int)pid, (int)tids.v[i]);
		any = tids.v[i] == pid ? 0 : read_maps(runtimes, path);
	}
	pids_free(&tids);
	return 0;
}

void runtimes_text(const struct runtimes *runtimes, char *text, size_t size)
{
	static const char *const names[] = { "-", "hip", "hsa", "hip+hsa" };
	const unsigned set = runtimes->set, mapped = set & (RUNTIME_HIP | RUNTIME_HSA);
	snprintf(text, size, "%s%s%s%s", !mapped && set & RUNTIME_KFD ? "/dev/kfd" : names[mapped],
		 set & RUNTIME_REGISTER ? ", register" : "", runtimes->register_version[0] ? " " : "",
		 runtimes->register_version);
}
